"""A message as the message pane keeps it: what was said, in order, apart from how it is drawn.

Text is kept as received, in pieces; the joined text fragments are the source that copying gives.
A call stands in here as a mark in its place between prose, with no character of its arguments.
Knows no widget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["user", "assistant", "notice"]
RunKind = Literal["text", "thinking", "refusal"]
Severity = Literal["information", "warning", "error"]


@dataclass(slots=True)
class TextRun:
    """One text, thinking or refusal part, growing while it streams."""

    kind: RunKind
    key: str
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    """Characters so far."""

    def append(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


@dataclass(slots=True)
class CallMark:
    """Where a call stands in the turn."""

    ref: str
    label: str
    glyph: str = "~"
    word: str = "forming"
    colour: str = "call-forming"
    """Name of a theme variable."""


@dataclass(slots=True)
class ProviderMark:
    """Something the provider ran or keeps itself."""

    key: str
    kind: str
    title: str


ShownPart = TextRun | CallMark | ProviderMark


@dataclass(slots=True, eq=False)
class ShownMessage:
    id: str
    role: Role
    title: str = ""
    """The name above it: the model, or who speaks."""
    parts: list[ShownPart] = field(default_factory=list)
    outcome: str = ""
    """Why it is not complete, in words; empty when there is nothing to say."""
    severity: Severity = "information"
    closed: bool = False
    branch: tuple[int, int] | None = None
    """Which of how many branches begins here, from 1; None: there is no other."""

    @property
    def source(self) -> str:
        """All prose, joined with nothing: what copying gives."""
        return "".join(
            part.text for part in self.parts if isinstance(part, TextRun) and part.kind == "text"
        )

    def run(self, kind: RunKind, key: str) -> TextRun:
        """The run of that kind and key, begun at the end if it is new."""
        for part in reversed(self.parts):
            if isinstance(part, TextRun) and part.kind == kind and part.key == key:
                return part
        run = TextRun(kind, key)
        self.parts.append(run)
        return run

    def call(self, ref: str) -> CallMark | None:
        for part in self.parts:
            if isinstance(part, CallMark) and part.ref == ref:
                return part
        return None
