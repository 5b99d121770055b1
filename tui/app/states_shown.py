"""How a state of a call is shown: a glyph, the word itself, and a colour, never a colour alone.

One table for every place that shows a call. Glyphs are one cell wide and differ from one another,
also in the ASCII set for terminals without Unicode; colours are names of theme variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from textual.content import Content

from tui.core.states import CallState

CallColour = Literal["call-forming", "call-final", "call-problem", "call-running", "call-done"]


@dataclass(frozen=True, slots=True)
class ShownState:
    glyph: str
    ascii: str
    word: str
    colour: CallColour
    meaning: str
    """What it says, for the help panel."""

    def mark(self, *, ascii_only: bool = False) -> str:
        return self.ascii if ascii_only else self.glyph

    def label(self, *, ascii_only: bool = False) -> Content:
        """Glyph and word in the colour of the state."""
        return Content.styled(f"{self.mark(ascii_only=ascii_only)} {self.word}", f"${self.colour}")


SHOWN: Mapping[CallState, ShownState] = {
    CallState.FORMING: ShownState(
        "~", "~", "forming", "call-forming", "the model is still writing its arguments"
    ),
    CallState.CLOSED: ShownState(
        "=", "=", "closed", "call-forming", "its arguments are complete, the turn is not over"
    ),
    CallState.FINAL: ShownState(
        "◆", "#", "final", "call-final", "complete, strict JSON and fit for its tool"
    ),
    CallState.INVALID: ShownState(
        "≠", "!", "invalid", "call-problem", "complete, but not what its tool accepts; never run"
    ),
    CallState.INCOMPLETE: ShownState(
        "…", "%", "incomplete", "call-problem", "the stream or the turn ended too early; never run"
    ),
    CallState.AWAITING_APPROVAL: ShownState(
        "?", "?", "awaiting approval", "call-final", "waits for you to allow or deny it"
    ),
    CallState.DENIED: ShownState("⊘", "-", "denied", "call-problem", "you or a rule said no"),
    CallState.RUNNING: ShownState("▸", ">", "running", "call-running", "its tool is at work"),
    CallState.RETURNED: ShownState("✓", "v", "returned", "call-done", "its result is here"),
    CallState.FAILED: ShownState("✗", "x", "failed", "call-problem", "its tool reported an error"),
    CallState.TIMED_OUT: ShownState(
        "◷", "t", "timed out", "call-problem", "its tool took longer than it may"
    ),
    CallState.CANCELLED: ShownState("∅", "c", "cancelled", "call-problem", "stopped by you"),
    CallState.UNKNOWN: ShownState(
        "¿", "u", "unknown", "call-problem", "had started when Verbatim died; you decide"
    ),
}


AWAITING_ANSWER: Final = "awaiting answer"
"""The word for a call that waits for approval and that a person answers in place of a tool."""


def shown(state: CallState) -> ShownState:
    return SHOWN[state]
