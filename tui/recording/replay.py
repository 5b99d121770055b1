"""The replayer: recordings as a byte source, at their own pace or at another.

It enters where the network would, so a replay exercises everything behind it. It cannot run a
tool: the results that were recorded are given again by whoever uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from tui.core.errors import EndpointError, StreamBroken
from tui.core.source import ResponseHead, WireRequest
from tui.recording.format import Recording
from tui.recording.split import Split

SSE_HEAD: Final = ResponseHead(200, (("content-type", "text/event-stream"),))
_TICK: Final = 0.02
"""Seconds between two looks at a pause or a changed speed."""


@dataclass
class Pace:
    """How fast a replay runs; may be changed while it does, from the thread that shows it.

    Args:
        factor: 1 as recorded, 2 twice as fast, 0 all at once.
        gap: seconds between chunks whose times are not known.
    """

    factor: float = 1.0
    gap: float = 0.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _held: bool = False
    _steps: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Wakes who waits, in the loop that plays."""
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def paused(self) -> bool:
        return self._held and not self._steps

    def pause(self) -> None:
        """Hold before the next chunk."""
        self._steps, self._held = 0, True

    def resume(self) -> None:
        self._steps, self._held = 0, False
        self._wake()

    def step(self, chunks: int = 1) -> None:
        """Let `chunks` more through and hold again."""
        self._steps, self._held = self._steps + chunks, True
        self._wake()

    async def wait(self, seconds: float) -> None:
        """Return when `seconds` of recorded time have passed at this pace and it is not held."""
        self._loop = asyncio.get_running_loop()
        waited = 0.0
        while self.factor > 0 and waited < seconds and not self._held:
            nap = min(_TICK, (seconds - waited) / self.factor)
            await self.sleep(nap)
            waited += nap * self.factor
        while self.paused:
            self._changed.clear()
            # Looked at again: it may have changed before the line above.
            if self.paused:
                await self._changed.wait()
        self._steps = max(0, self._steps - 1)

    def _wake(self) -> None:
        if self._loop is not None:
            # A loop that has closed plays no more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._changed.set)


class ReplaySource:
    """Serves recordings in order, one for each request, whatever is asked.

    Args:
        recordings: at least one.
        split: cuts each body anew instead of keeping its recorded chunks.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        *,
        pace: Pace | None = None,
        split: Split | None = None,
    ) -> None:
        self.pace = pace or Pace()
        self._recordings = list(recordings)
        self._split = split
        self._next = 0

    @property
    def name(self) -> str:
        path = self._recordings[0].path
        return f"replay of {path.name}" if path is not None else "replay"

    @property
    def left(self) -> int:
        """Recordings that have not been asked for yet."""
        return len(self._recordings) - self._next

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[_Replayed]:
        """See `ByteSource`. `request` is not looked at."""
        if not self.left:
            raise EndpointError(
                "the recording ends here", hint="there is no model behind a replay to ask further"
            )
        recording = self._recordings[self._next]
        self._next += 1
        yield _Replayed(recording, self.pace, self._split)


@dataclass(frozen=True, slots=True)
class _Replayed:
    recording: Recording
    pace: Pace
    split: Split | None

    @property
    def head(self) -> ResponseHead:
        return self.recording.head or SSE_HEAD

    async def chunks(self) -> AsyncIterator[bytes]:
        last = 0.0
        for at, data in self._timed():
            await self.pace.wait(at - last)
            last = at
            yield data
        if self.recording.ending != "complete":
            raise StreamBroken(self.recording.problem or "the stream broke when it was recorded")

    def _timed(self) -> list[tuple[float, bytes]]:
        recording, gap = self.recording, self.pace.gap
        if self.split is not None:
            return [
                (number * gap, data)
                for number, data in enumerate(self.split.chunks(recording.body))
            ]
        return recording.timed_chunks()
