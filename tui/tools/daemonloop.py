"""An event loop in a daemon thread: for work that must not wait for the loop that draws.

Used for tools that are coroutines and for reading responses; it knows neither.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def start_loop(name: str) -> asyncio.AbstractEventLoop:
    """A running loop in a new daemon thread called `name`; `loop.stop`, told to it, ends both.

    What still runs on it then is cancelled, and the loop closed.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=_serve, args=(loop,), name=name, daemon=True).start()
    return loop


def tell(loop: asyncio.AbstractEventLoop, act: Callable[..., object], *values: Any) -> None:
    """Call `act(*values)` on `loop` soon; a loop that has closed has nobody left to tell."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(act, *values)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
