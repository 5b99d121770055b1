"""Time travel: the turn as it was after any of its events, by the production pipeline.

The bytes of a response, the events read from them and what the reader was made with come in; for
a position the reader, in exactly the state it had there, goes out. A reader cannot be rewound,
but it is pure state: copies of it, kept along the way, are where stepping back begins to read.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from tui.core import events as ev
from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.reader import Step, TurnReader
from tui.core.source import ResponseHead
from tui.core.sse import UnfinishedEvent
from tui.session.updates import Arrivals, TurnHandle

KEYFRAME_EVENTS: Final = 256
"""Events between two copies: reading so many again takes some 12 ms."""
MOST_KEYFRAMES: Final = 96
"""Longer streams have their copies further apart, so that memory is bounded by their number."""

_FRAGMENTS: Final = (
    ev.TextFragment,
    ev.RefusalFragment,
    ev.ThinkingFragment,
    ev.ArgumentFragment,
    ev.ProviderItemFragment,
)
_ENDINGS: Final = (ev.StopReasonGiven, ev.TurnEnded, ev.ProviderErrorReported)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the turn was read the first time."""

    dialect: str
    head: ResponseHead | None = None
    settings: DecoderSettings | None = None
    ref_prefix: str = "t1"
    tools: Mapping[str, ToolSpec] | None = None
    broken: str = ""
    """Why the transport did not end the body properly."""

    def reader(self) -> TurnReader:
        """A reader to which nothing has been fed."""
        return TurnReader(
            self.dialect,
            head=self.head,
            settings=self.settings,
            ref_prefix=self.ref_prefix,
            tools=self.tools,
        )


class Timeline:
    """A turn at every position: 0 before the first byte, K after event K, `last` when it is over.

    While a turn still runs, `over` is False, the last position is its last event, and `grow`
    adds what has come since. Not safe for two threads at a time.
    """

    def __init__(
        self,
        reading: Reading,
        body: bytes,
        steps: Sequence[Step],
        chunks: Sequence[tuple[int, float]] = (),
        *,
        over: bool = True,
    ) -> None:
        """`chunks`: (end offset, seconds since the request) of each chunk of `body`."""
        self.reading = reading
        self.over = over
        self.body = body
        self.steps: list[Step] = []
        """The closed events."""
        self.rest: list[Step] = []
        """What only the end of the body made known; filled at the last position."""
        self._ends = array("q")
        self._times = array("d")
        self._chunk_ends = array("q")
        self._chunk_times = array("d")
        self._keyframes: list[tuple[int, TurnReader]] = [(0, reading.reader())]
        self._reader = reading.reader()
        self._position = 0
        self._take(steps, chunks)

    # -- what there is -----------------------------------------------------------------------

    @property
    def events(self) -> int:
        """How many closed events there are."""
        return len(self._ends)

    @property
    def last(self) -> int:
        """The last position."""
        return self.events + (1 if self.over else 0)

    @property
    def position(self) -> int:
        """Where the reader is that `seek` gave last."""
        return self._position

    def offset(self, position: int) -> int:
        """Bytes of the body that had come at a position."""
        if position <= 0:
            return 0
        return self._ends[position - 1] if position <= self.events else len(self.body)

    def time(self, position: int) -> float:
        """Seconds since the request at which the last byte of a position came."""
        if position <= 0 or not self._chunk_times:
            return 0.0
        if position <= self.events:
            return self._times[position - 1]
        return self._chunk_times[-1]

    def at_time(self, seconds: float) -> int:
        """The last position that had been reached so many seconds after the request."""
        place = bisect_right(self._times, seconds)
        over = place == self.events and self.over and seconds >= self.time(self.last)
        return self.last if over else place

    def event_at(self, offset: int) -> int | None:
        """The number of the event that byte `offset` belongs to, or comes before."""
        place = bisect_right(self._ends, offset)
        return place + 1 if place < self.events else None

    def note_arrivals(self, arrivals: Arrivals, since: int, position: int) -> None:
        """Add what came between two positions: each event's bytes at the event's own time."""
        for place in range(since + 1, position + 1):
            size = self.offset(place) - self.offset(place - 1)
            if size:
                arrivals.add(size, self.time(place))

    def grow(
        self,
        body: bytes,
        steps: Sequence[Step],
        chunks: Sequence[tuple[int, float]],
        *,
        over: bool,
        broken: str = "",
    ) -> None:
        """Replace what is known by more of the same response."""
        self.body, self.over = body, over
        self.reading = Reading(
            self.reading.dialect,
            self.reading.head,
            self.reading.settings,
            self.reading.ref_prefix,
            self.reading.tools,
            broken,
        )
        self._take(steps, chunks)

    def _take(self, steps: Sequence[Step], chunks: Sequence[tuple[int, float]]) -> None:
        for step in steps[len(self.steps) :]:
            if isinstance(step.item, UnfinishedEvent) or step.item.end > len(self.body):
                break
            self.steps.append(step)
            self._ends.append(step.item.end)
        for end, at in chunks[len(self._chunk_ends) :]:
            self._chunk_ends.append(end)
            self._chunk_times.append(at)
        for end in self._ends[len(self._times) :]:
            place = bisect_left(self._chunk_ends, end)
            known = place < len(self._chunk_times)
            self._times.append(self._chunk_times[place] if known else 0.0)

    # -- going there -------------------------------------------------------------------------

    def seek(self, position: int) -> TurnReader:
        """The reader at a position. It is the timeline's: read it, and not after another `seek`."""
        position = min(max(position, 0), self.last)
        if position < self._position:
            places = [place for place, _ in self._keyframes]
            place, kept = self._keyframes[bisect_right(places, min(position, self.events)) - 1]
            self._reader, self._position = self._copy(kept), place
        every = max(KEYFRAME_EVENTS, self.events // MOST_KEYFRAMES)
        while self._position < min(position, self.events):
            self._reader.feed(self.body[self.offset(self._position) : self._ends[self._position]])
            self._position += 1
            if self._position >= self._keyframes[-1][0] + every:
                self._keyframes.append((self._position, self._copy(self._reader)))
        if position > self.events and self._position <= self.events:
            self.rest = self._reader.feed(self.body[self.offset(self.events) :])
            self.rest += self._reader.close(broken=self.reading.broken)
            self._position = position
        return self._reader

    def handle(self, like: TurnHandle) -> TurnHandle:
        """The turn at the present position, as a screen sees it; `like` says whose it is."""
        arrivals = Arrivals()
        self.note_arrivals(arrivals, 0, self._position)
        steps = self.steps[: self._position]
        if self._position > self.events:
            steps = [*steps, *self.rest]
        return TurnHandle(
            like.exchange,
            self._reader.turn,
            arrivals,
            like.endpoint,
            like.dialect,
            like.model,
            steps,
        )

    def _copy(self, reader: TurnReader) -> TurnReader:
        # What can never change is shared: copying it would cost more than reading again.
        shared: dict[int, object] = {}
        for part in reader.turn.parts:
            shared.update((id(fragment), fragment) for fragment in part.buffer.fragments)
        for value in (*reader.turn.findings, self.reading.tools, self.reading.settings):
            shared[id(value)] = value
        return deepcopy(reader, shared)

    # -- where to go -------------------------------------------------------------------------

    def next_fragment(self, position: int, by: int) -> int:
        """The position after the next event (`by` 1) or the one before (-1) with a fragment."""
        return self._next(position, by, _FRAGMENTS)

    def next_opening(self, position: int, by: int) -> int:
        """As `next_fragment`, for the opening of a call; behind the last comes the first."""
        return self._next(position, by, (ev.CallOpened,), around=True)

    def next_closing(self, position: int, by: int) -> int:
        """As `next_opening`, for the terminal marker of a call."""
        return self._next(position, by, (ev.CallClosed,), around=True)

    def ending(self) -> int:
        """The position after the event that says why or that the turn ended; else the last."""
        for place in range(self.events, 0, -1):
            if any(isinstance(event, _ENDINGS) for event in self.steps[place - 1].events):
                return place
        return self.last

    def ticks(self) -> list[tuple[int, str]]:
        """Positions worth a mark: `open`, `close` and `end`."""
        found = []
        for place, step in enumerate(self.steps, start=1):
            for event in step.events:
                match event:
                    case ev.CallOpened():
                        found.append((place, "open"))
                    case ev.CallClosed():
                        found.append((place, "close"))
                    case ev.TurnEnded() | ev.ProviderErrorReported():
                        found.append((place, "end"))
                    case _:
                        pass
        return found

    def _next(
        self, position: int, by: int, kinds: tuple[type, ...], *, around: bool = False
    ) -> int:
        ahead = range(position + by, self.events + 1 if by > 0 else 0, by)
        behind = range(1, position) if by > 0 else range(self.events, position, -1)
        places: list[int] = [*ahead, *(behind if around else ())]
        for place in places:
            if 0 < place <= self.events and any(
                isinstance(event, kinds) for event in self.steps[place - 1].events
            ):
                return place
        return position
