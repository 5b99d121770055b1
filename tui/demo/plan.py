"""What the demo is going to stream, in no provider's words: pieces in order, and an ending.

The script decides a plan, the wire writers put it into a dialect. A plan knows nothing of events,
fragments or time, so one plan gives the same prose, thinking and argument text in every dialect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    text: str
    whole: bool = True
    """False: the text ends where the stream does; nothing says that the part is complete."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal: a field of its own where the dialect has one, prose where it has none."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: str
    """The argument text as it is streamed, valid JSON or not."""
    whole: bool = True
    """False: the text ends where the stream does; no terminal marker follows unless the dialect
    writes one even then."""


@dataclass(frozen=True, slots=True)
class Together:
    """Calls that form at the same time: their fragments alternate."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing but keep-alives: `beats` of them, `seconds` apart at normal speed."""

    seconds: float
    beats: int


Piece = Thinking | Prose | Refusal | Call | Together | Silence

End = Literal["done", "calls", "limit", "refused", "error", "cut", "broken"]
"""`done` and `calls` are the good endings. `limit`: the output limit. `error`: an error event and
nothing after it. `cut`: the body ends properly but nothing says why. `broken`: the connection
fails inside an event."""


@dataclass(frozen=True, slots=True)
class Plan:
    pieces: tuple[Piece, ...]
    end: End = "done"
    tempo: float = 1.0
    """Factor on every pause: above 1 is slower."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer that is no stream: a status, and a body in the dialect's error shape or a web page."""

    status: int
    message: str
    page: bool = False
    retry_after: int | None = None
    """Seconds."""


def speak(*pieces: Piece, tempo: float = 1.0) -> Plan:
    """A plan that ends well: in `calls` when it holds any, else in `done`."""
    calls = any(isinstance(piece, Call | Together) for piece in pieces)
    return Plan(pieces, "calls" if calls else "done", tempo)
