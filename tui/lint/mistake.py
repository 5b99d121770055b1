"""What the careless clients are given, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from tui.core.events import DialectEvent
from tui.core.parts import LiveCall
from tui.core.sse import Comment
from tui.core.turn import Turn
from tui.lint.reading import read

_LONGEST: Final = 2_000
"""Characters of a text that a contrast carries: its first and last ones where it is longer."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One careless client on one stream. Texts are as received."""

    name: str
    mistake: str
    went_wrong_at: int | None
    """Byte of the body from which it was wrong; None when these bytes hide the mistake."""
    true: str
    careless: str
    consequence: str


class Slip(NamedTuple):
    """Where and how a careless client went wrong."""

    at: int
    true: str
    careless: str
    consequence: str


class Placed(NamedTuple):
    """A dialect event and the bytes of the SSE event that carried it."""

    start: int
    end: int
    event: DialectEvent


@dataclass(frozen=True, slots=True)
class Seen:
    """A stream as everybody sees it: the bytes, and what they truly mean."""

    dialect: str
    body: bytes
    chunks: Sequence[bytes]
    turn: Turn
    events: Sequence[Placed]

    @classmethod
    def of(cls, dialect: str, body: bytes, chunks: Sequence[bytes]) -> Self:
        reading = read(dialect, [body])
        events = [
            Placed(step.item.start, step.item.end, event)
            for step in reading.steps
            if not isinstance(step.item, Comment)
            for event in step.events
        ]
        return cls(dialect, body, chunks, reading.turn, events)


def shown(text: str) -> str:
    """`text`, its middle left out when it is long."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {len(text) - _LONGEST} characters … {text[-half:]}"


def as_call(call: LiveCall, arguments: str) -> str:
    """A call as a person reads it."""
    return shown(f"{call.name or '(no name)'}({arguments})")


def truth_of(call: LiveCall) -> str:
    """What truly became of a call."""
    why = f": {call.problem}" if call.problem else ""
    return f"{as_call(call, call.text)} is {call.state}{why}"
