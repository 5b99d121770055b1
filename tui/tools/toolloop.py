"""An event loop for tools, in a daemon thread: an async tool that blocks freezes no screen.

All async functions of one source share it, so that what they share (a client, a pool) belongs to
one loop. When a function does not react to being cancelled the loop is presumed blocked and left
behind; the next call gets a new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from tui.tools.contract import RunContext
from tui.tools.daemonloop import start_loop, tell

LEFT_RUNNING: Final = "it blocks its event loop and may still be running"


class ToolLoop:
    """Starts its thread with the first call. Not thread-safe itself: used from one event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, make: Callable[[], Coroutine[Any, Any, Any]], context: RunContext) -> Any:
        """Await `make()` over there, with the caller's context variables.

        What it raises is raised here, `SystemExit` included. Cancelling waits until the function
        has ended; cancelling a second time leaves it (and the loop) behind.
        """
        here = asyncio.get_running_loop()
        there = self._loop = self._loop or start_loop("verbatim-tool-loop")
        done: asyncio.Future[tuple[Any, BaseException | None]] = here.create_future()
        task: list[asyncio.Task[tuple[Any, BaseException | None]]] = []

        def begin() -> None:
            if done.done():
                return
            work = there.create_task(_outcome(make))
            task.append(work)
            work.add_done_callback(finish)

        def finish(work: asyncio.Task[tuple[Any, BaseException | None]]) -> None:
            ended = (None, asyncio.CancelledError()) if work.cancelled() else work.result()
            tell(here, settle, ended)

        def settle(ended: tuple[Any, BaseException | None]) -> None:
            if not done.done():
                done.set_result(ended)

        def cancel() -> None:
            for work in task:
                work.cancel()

        tell(there, begin)
        try:
            value, error = await asyncio.shield(done)
        except asyncio.CancelledError:
            context.stop()
            tell(there, cancel)
            try:
                await done
            except asyncio.CancelledError:
                context.left_running = LEFT_RUNNING
                if self._loop is there:
                    self._loop = None
                tell(there, there.stop)
            raise
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Stop the loop; what still runs on it is cancelled."""
        loop, self._loop = self._loop, None
        if loop is not None:
            tell(loop, loop.stop)


async def _outcome(
    make: Callable[[], Coroutine[Any, Any, Any]],
) -> tuple[Any, BaseException | None]:
    """The value or the error as a value: a task that raises SystemExit would end its loop."""
    try:
        return await make(), None
    except (asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - passed on to the waiting side
        return None, error
