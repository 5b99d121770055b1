"""The SSE events of one exchange as rows: when, how large, what kind, and what became of them.

The steps of a turn and the times of its bytes come in, as they arrive; rows by number go out, at
the cost of those asked for. An event is known by its number, counted from 1 as it is shown;
comments and the unfinished rest are counted too.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, assert_never

from tui.app.wire.meaning import is_trouble, meaning_of
from tui.core import wirejson
from tui.core.reader import Step
from tui.core.sse import Comment, SSEEvent, UnfinishedEvent
from tui.session.updates import TurnHandle

_LONG = 100_000
"""Characters of data above which a payload is not parsed for the sake of its row."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row. Texts are as received."""

    number: int
    start: int
    end: int
    at: float
    """Seconds since the request at which its last byte came."""
    gap: float
    """Seconds since the event before it."""
    kind: str
    meaning: str
    trouble: bool
    """Malformed, torn, unknown, contradictory, or an error."""

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return self.end - self.start


class EventLog:
    """All events of a turn so far. `pull` takes in what came."""

    def __init__(self, handle: TurnHandle) -> None:
        self.handle = handle
        self.number_of: dict[int, int] = {}
        """First byte of an event → its number. Comments may lie inside of an event: not here."""
        self._times = array("d")
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._times)

    def pull(self) -> int:
        """Take in what came since the last time; returns how many events. Costs what came."""
        steps, known = self.handle.steps, len(self._times)
        last = self._times[-1] if known else 0.0
        for step in steps[known:]:
            at = self.handle.arrivals.time_of(step.item.end)
            last = last if at is None else at
            self._times.append(last)
            self._ends.append(step.item.end)
            if not isinstance(step.item, Comment):
                self.number_of[step.item.start] = len(self._times)
        return len(self._times) - known

    def step(self, number: int) -> Step:
        """Event `number` and what the dialect made of it.

        Raises:
            IndexError: there is none.
        """
        if number < 1:
            raise IndexError(number)
        return self.handle.steps[number - 1]

    def time(self, number: int) -> float:
        """Seconds since the request at which event `number` was complete."""
        return self._times[number - 1]

    def gap(self, number: int) -> float:
        """Seconds between event `number` and the one before; the first one's: since the request."""
        return self._times[number - 1] - (self._times[number - 2] if number > 1 else 0.0)

    def row(self, number: int) -> EventRow:
        """Event `number` as a row."""
        step = self.step(number)
        item = step.item
        return EventRow(
            number,
            item.start,
            item.end,
            self.time(number),
            self.gap(number),
            kind_of(step),
            meaning_of(step, self.handle.turn),
            is_trouble(step),
        )

    def at_byte(self, offset: int) -> int | None:
        """The event that holds byte `offset`, or the first one that ends behind it."""
        for number, step in enumerate(self.handle.steps, start=1):
            if step.item.end > offset and not isinstance(step.item, Comment):
                return number
        return None


def kind_of(step: Step) -> str:
    """Event type and JSON type: what the event calls itself."""
    item = step.item
    match item:
        case Comment():
            return "comment"
        case UnfinishedEvent():
            return "unfinished rest"
        case SSEEvent():
            return _kind(item.type, item.data)
        case _:
            assert_never(item)


@lru_cache(maxsize=4096)
def _kind(type: str, data: str) -> str:
    if len(data) > _LONG:
        return type or "(long)"
    if not data:
        return type or "empty"
    try:
        value: Any = wirejson.loads(data)
    except ValueError:
        word = data.strip()
        word = word if word == "[DONE]" else "not JSON"
        return f"{type} · {word}" if type else word
    if not isinstance(value, dict):
        return f"{type} · {_json_type(value)}" if type else _json_type(value)
    named = value.get("type") or value.get("object")
    own = named if isinstance(named, str) else "error" if "error" in value else "object"
    words = [type] if type and type != own else []
    words.append(own)
    delta = value.get("delta")
    if isinstance(delta, dict) and isinstance(delta.get("type"), str):
        words.append(delta["type"])
    return " · ".join(words)


def _json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            return "array"
