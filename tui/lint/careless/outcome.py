"""What a careless client is given (`Scene`) and what is said of it (`Contrast`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tui.core.parts import LiveCall
from tui.core.states import CallState
from tui.core.turn import Turn
from tui.lint.careless.wire import Delta

_LONGEST: Final = 300
"""Characters of each text of a contrast."""


@dataclass(frozen=True, slots=True)
class Contrast:
    name: str
    """Stable: `run-at-first-parse`."""
    mistake: str
    went_wrong_at: int | None
    """Byte of the body; None when the client got these bytes right."""
    true: str
    careless: str
    consequence: str


@dataclass(frozen=True)
class Scene:
    """A response as far as it had come, and the truth of it then."""

    dialect: str
    body: bytes
    chunks: tuple[bytes, ...]
    """`body` as it came."""
    turn: Turn
    """The truth. Not closed while more may come."""
    deltas: tuple[Delta, ...]
    """The stream as a naive client takes it apart."""
    words_of_line: Callable[[str], str]
    """The text and the arguments that a naive client finds in one line."""

    @property
    def calls(self) -> list[LiveCall]:
        return self.turn.calls

    @cached_property
    def owners(self) -> dict[tuple[int, str], LiveCall]:
        """(first byte of its event, text) of a fragment → the call that it belongs to."""
        found: dict[tuple[int, str], LiveCall] = {}
        for call in self.calls:
            for fragment in call.fragments:
                found.setdefault((fragment.start, fragment.text), call)
        return found


def too_early(call: LiveCall) -> str:
    """Why a call must not run as things stand, to go on a sentence; empty when it may."""
    match call.state:
        case CallState.FORMING:
            return ", while it is still being written"
        case CallState.CLOSED:
            return ", before its turn has ended"
        case CallState.INVALID | CallState.INCOMPLETE:
            return f", although the call is {call.state}: {call.problem}"
        case _:
            return ""


def same(name: str, mistake: str, true: str = "") -> Contrast:
    """The client got these bytes right."""
    return Contrast(name, mistake, None, clipped(true), clipped(true), "the same on these bytes")


def wrong(name: str, mistake: str, at: int, true: str, careless: str, consequence: str) -> Contrast:
    """The client went wrong at byte `at`."""
    return Contrast(name, mistake, at, clipped(true), clipped(careless), clipped(consequence))


def clipped(text: str) -> str:
    """`text`, its middle left out when it is long."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2 - 8
    return f"{text[:half]} [...{len(text) - 2 * half}...] {text[-half:]}"


def around(text: str, position: int) -> str:
    """The part of `text` that begins a little before `position`; dots stand for the rest."""
    start = max(0, position - 40)
    end = start + 200
    return ("..." if start else "") + text[start:end] + ("..." if end < len(text) else "")


def first_difference(one: str, other: str) -> int | None:
    """The position of the first character in which two texts differ; None when they are equal."""
    if one == other:
        return None
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)
