"""Reading: a response is taken off the wire in a thread of its own, and written down there.

The screen shares its event loop with whoever feeds the turn; a long redraw or a garbage collection
would keep bytes in the socket, where a crash loses them and their times come out wrong. Here they
reach the journal as they arrive, and the loop that feeds the turn takes them when it can.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from tui.core.source import ByteSource, ResponseHead, WireRequest
from tui.tools.daemonloop import start_loop, tell

_T = TypeVar("_T")

_LEAVING_SECONDS: Final = 2.0
"""How long a source may take to close a connection that nobody reads any more."""
_AHEAD_BYTES: Final = 2 << 20
"""So much is read before anybody takes it; the rest is left with the sender. It is far more than a
model sends while a screen is redrawn, and what a store can write down at any time."""


class ReadingLoop:
    """An event loop in a thread of its own, for the connections of every conversation.

    A pool of connections belongs to the loop it was made in; so what closes it must `run` here too.
    The thread starts with the first use.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = start_loop("verbatim-reading")
        return self._loop

    async def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Await `work` over there."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    def close(self) -> None:
        """End the thread; what still reads is cancelled."""
        loop, self._loop = self._loop, None
        if loop is not None:
            tell(loop, loop.stop)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A chunk of the body, and when it came: seconds since the request was sent."""

    at: float
    data: bytes


class Tap(Protocol):
    """Told of everything at the moment it comes, in the thread that reads; must not wait."""

    def head(self, head: ResponseHead) -> None: ...
    def chunk(self, at: float, data: bytes) -> None: ...


class Incoming:
    """One response: read over there from the moment it is made, taken here, in order.

    Args:
        there: where it is read.
        tap: nothing is handed out here that it has not been told of, nor the other way round.
        clock: seconds; only differences count.
    """

    def __init__(
        self,
        source: ByteSource,
        request: WireRequest,
        *,
        there: ReadingLoop,
        tap: Tap,
        clock: Callable[[], float],
    ) -> None:
        self._tap = tap
        self._clock = clock
        self._began = clock()
        self._here = asyncio.get_running_loop()
        self._there = there.loop
        self._news = asyncio.Event()
        self._guard = threading.Lock()
        """Held while an arrival is told of and put in line."""
        self.head: ResponseHead | None = None
        self._chunks: list[Arrived] = []
        self._ahead = 0
        """Bytes in `_chunks`."""
        self._room = asyncio.Event()
        """Set over there whenever what had come was taken."""
        self._left = self._over = False
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        tell(self._there, self._begin, source, request)

    async def opened(self) -> ResponseHead | None:
        """The head, as soon as it is there; None when the reading was cancelled before.

        Raises:
            VerbatimError: no response came, and why.
        """
        while self.head is None and not self._over:
            await self._wait()
        if self.head is None and self._error is not None:
            raise self._error
        return self.head

    async def take(self) -> list[Arrived]:
        """The chunks since the last time, waiting for one; none: all has been taken.

        Raises:
            VerbatimError: what broke the response, once all that came before is taken.
        """
        while not (chunks := self._taken()) and not self._over:
            await self._wait()
        # The last ones may have come between the two looks.
        chunks = chunks or self._taken()
        if not chunks and self._error is not None:
            raise self._error
        return chunks

    async def leave(self) -> list[Arrived]:
        """Close the connection; what had come by then and was not taken.

        Being cancelled meanwhile changes nothing: what was written down must also be handed out.
        """
        tell(self._there, self._cancel)
        until = self._here.time() + _LEAVING_SECONDS
        while not self._over and self._here.time() < until:
            with suppress(TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout_at(until):
                    await self._wait()
        with self._guard:
            self._left = True
        return self._taken()

    async def _wait(self) -> None:
        """Until something is new; whoever calls looks, and waits again when it was not that."""
        await self._news.wait()
        self._news.clear()

    def _taken(self) -> list[Arrived]:
        with self._guard:
            chunks, self._chunks = self._chunks, []
            full, self._ahead = self._ahead >= _AHEAD_BYTES, 0
        if full:
            tell(self._there, self._room.set)
        return chunks

    # Over there -----------------------------------------------------------------------------

    def _begin(self, source: ByteSource, request: WireRequest) -> None:
        self._task = self._there.create_task(self._read(source, request))
        self._task.add_done_callback(self._ended)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _read(self, source: ByteSource, request: WireRequest) -> None:
        async with source.open(request) as response:
            self._came(response.head)
            chunks = response.chunks()
            try:
                async for data in chunks:
                    self._came(Arrived(self._clock() - self._began, data))
                    while self._ahead >= _AHEAD_BYTES:
                        await self._room.wait()
                        self._room.clear()
            finally:
                if isinstance(chunks, AsyncGenerator):
                    await chunks.aclose()

    def _came(self, item: ResponseHead | Arrived) -> None:
        with self._guard:
            if self._left:
                return
            if isinstance(item, Arrived):
                self._tap.chunk(item.at, item.data)
                self._chunks.append(item)
                self._ahead += len(item.data)
                news = len(self._chunks) == 1
            else:
                self._tap.head(item)
                self.head = item
                news = True
        if news:
            tell(self._here, self._news.set)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._error = None if task.cancelled() else task.exception()
        self._over = True
        tell(self._here, self._news.set)
