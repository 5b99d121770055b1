"""Run a blocking function in a thread of its own that can never keep the program from ending.

`asyncio.to_thread` uses a pool whose threads are joined at exit: one hung tool would hang the
program. Here each run has a daemon thread; when the waiting side is cancelled the thread is left
behind, and the run's context says so.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from tui.tools.contract import RunContext

_T = TypeVar("_T")

LEFT_RUNNING = "its thread cannot be stopped from outside and may still be running"


async def in_daemon_thread(function: Callable[[], _T], context: RunContext | None = None) -> _T:
    """`function()` in a new daemon thread, with the caller's context variables.

    What it raises is raised here, `SystemExit` included. Cancelling the wait sets
    `context.cancelled` and `context.left_running`; the function itself goes on.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()
    variables = contextvars.copy_context()

    def settle(value: _T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # type: ignore[arg-type]  # error is None: value is a _T

    def work() -> None:
        value: _T | None = None
        error: BaseException | None = None
        try:
            value = variables.run(function)
        except BaseException as raised:  # noqa: BLE001 - SystemExit must not end a thread unseen
            error = _carriable(raised)
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(settle, value, error)
            except RuntimeError:
                return  # The loop closed in between: nobody waits any more.

    threading.Thread(target=work, name="verbatim-tool", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        if context is not None:
            context.stop()
            context.left_running = LEFT_RUNNING
        raise


def _carriable(error: BaseException) -> BaseException:
    """A future refuses StopIteration: it would end the coroutine that awaits it without a word."""
    if isinstance(error, StopIteration):
        carried = RuntimeError(f"the function raised StopIteration({error.value!r})")
        carried.__cause__ = error
        return carried
    return error
