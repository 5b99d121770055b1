"""What a careless client is given (`Scene`) and what is said of it (`Contrast`)."""

from __future__ import annotations

from dataclasses import dataclass

from tui.core.parts import LiveCall
from tui.lint.careless.wire import Delta
from tui.lint.reading import Reading

_LONGEST = 300
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


@dataclass(frozen=True, slots=True)
class Scene:
    dialect: str
    body: bytes
    chunks: tuple[bytes, ...]
    reading: Reading
    """The truth."""
    deltas: tuple[Delta, ...]
    """The stream as a naive client takes it apart."""

    @property
    def calls(self) -> list[LiveCall]:
        return self.reading.turn.calls

    def call_of(self, delta: Delta) -> LiveCall | None:
        """The true call whose fragment (or beginning, or end) the event at the delta's byte holds."""
        for call in self.calls:
            if any(fragment.start == delta.offset for fragment in call.fragments):
                return call
        begun = [call for call in self.calls if call.opened_at <= delta.offset]
        return begun[-1] if begun else None


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
    """The part of `text` that begins a little before `position`."""
    start = max(0, position - 40)
    return ("..." if start else "") + text[start : start + 200]


def first_difference(one: str, other: str) -> int | None:
    """The position of the first character in which two texts differ; None when they are equal."""
    if one == other:
        return None
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)
