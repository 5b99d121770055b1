"""Lines: what every view of a call is drawn from, and how text is fitted into cells.

A line is a list of (clean text, ink) pairs; an ink is the name of a style, so nothing here knows
colours. A `LineSource` gives lines by number for a width, at the cost of the lines asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final

from rich.cells import cell_len, split_graphemes

from tui.app.safe import clean


class Ink(StrEnum):
    """Names of styles; `call_panel.tcss` says what they look like."""

    PLAIN = "plain"
    MUTED = "muted"
    STRONG = "strong"
    KEY = "key"
    TICK = "tick"
    """The gutter of what can no longer change."""
    FRONTIER = "frontier"
    """Text that is still being written."""
    CARET = "caret"
    WORD = "word"
    """A word that says a state beside its mark."""
    SHADE = "shade"
    """Every other fragment of the raw text."""
    MARK = "mark"
    """Drawn by us between characters of a source; no part of it."""
    FAULT = "fault"
    ADDED = "added"
    REMOVED = "removed"
    CHOSEN = "chosen"
    FORMING = "forming"
    FINAL = "final"
    PROBLEM = "problem"
    RUNNING = "running"
    DONE = "done"


Piece = tuple[str, str]
"""Clean text without line ends, and the name of its ink."""

Line = list[Piece]

BOUNDARY: Final = "╎"
"""Between two fragments of the raw text."""

CARET: Final = "▌"
"""Where the writing is."""


class LineSource(ABC):
    """One view of something as lines. Subclasses give the lines; this gives what few have."""

    title = ""
    """What the view shows, in words, for the line above it."""

    @property
    def revision(self) -> int:
        """Grows when lines may have changed."""
        return 0

    @property
    def grows(self) -> bool:
        """Whether more will come at its end: a view of it follows the end."""
        return False

    @abstractmethod
    def count(self, width: int) -> int:
        """Lines at `width` cells. May lay out a part only and grow at the next call."""

    def complete(self, width: int) -> bool:
        """Whether `count` has laid out everything there is so far."""
        return True

    @abstractmethod
    def line(self, index: int, width: int) -> Line:
        """Line `index`, at most `width` cells wide.

        Raises:
            IndexError: there is no such line at this width.
        """

    def toggle(self, index: int, width: int) -> int | None:
        """Open or close what line `index` shows in part; the line it now begins at, or None."""
        return None

    @property
    def text(self) -> str:
        """The source itself, for copying: never what was drawn."""
        return ""


class NoteLines(LineSource):
    """A few words of ours where there is nothing to show."""

    def __init__(self, *words: str, title: str = "") -> None:
        self._words = words
        self.title = title

    def count(self, width: int) -> int:
        return len(wrapped(self._words, width))

    def line(self, index: int, width: int) -> Line:
        return [(wrapped(self._words, width)[index], Ink.MUTED)]


def spelled(text: str) -> str:
    """`text` in one line with nothing invisible left: line ends and tabs are spelled too."""
    if text.isascii() and text.isprintable():
        return text
    return clean(text.replace("\r", "␍").replace("\n", "␤").replace("\t", "␉"))


def cells(text: str) -> int:
    """Cells that clean text takes."""
    return len(text) if text.isascii() else cell_len(text)


def width_of(line: Sequence[Piece]) -> int:
    return sum(cells(text) for text, _ in line)


def clipped_head(text: str, room: int) -> str:
    """The first characters of clean text that fit into `room` cells."""
    if text.isascii():
        return text[: max(room, 0)]
    taken = 0
    for start, _, size in split_graphemes(text)[0]:
        if taken + size > room:
            return text[:start]
        taken += size
    return text


def clipped_tail(text: str, room: int) -> str:
    """The last characters of clean text that fit into `room` cells."""
    if text.isascii():
        return text[-room:] if room > 0 else ""
    taken = 0
    for _, end, size in reversed(split_graphemes(text)[0]):
        if taken + size > room:
            return text[end:]
        taken += size
    return text


def shortened(text: str, room: int) -> str:
    """Clean text cut to `room` cells, with `…` where something is missing."""
    if cells(text) <= room:
        return text
    return clipped_head(text, room - 1) + "…" if room > 0 else ""


def clipped(line: Sequence[Piece], width: int) -> Line:
    """The line cut at `width` cells."""
    kept: Line = []
    for text, ink in line:
        size = cells(text)
        if size > width:
            kept.append((clipped_head(text, width), ink))
            break
        kept.append((text, ink))
        width -= size
    return kept


def justified(left: Sequence[Piece], right: Sequence[Piece], width: int) -> Line:
    """`left` and `right` at the two ends of a line; `left` gives way."""
    room = width - width_of(right)
    if room < 1:
        return clipped(right, width)
    kept = clipped(left, room - 1)
    return [*kept, (" " * (room - width_of(kept)), Ink.PLAIN), *right]


def flowed(groups: Sequence[Line], width: int) -> list[Line]:
    """Groups of pieces, as many to a line as fit; only one that is wider than a line is cut."""
    lines: list[Line] = []
    line: Line = []
    for group in groups:
        if line and width_of(line) + width_of(group) > width:
            lines.append(line)
            line = []
        line = [*line, *group]
    return [clipped(each, width) for each in (*lines, line)]


def wrapped(paragraphs: Sequence[str], width: int) -> list[str]:
    """Clean paragraphs of ours, broken at spaces where that is possible."""
    lines: list[str] = []
    for paragraph in paragraphs:
        starts = [0, *word_breaks(paragraph, width), len(paragraph)]
        lines += [paragraph[start:end].rstrip() for start, end in pairwise(starts)]
    return lines


def breaks(text: str, width: int, column: int = 0) -> list[int]:
    """Where clean text that begins at `column` goes on in the next line: offsets, in order."""
    if text.isascii():
        return list(range(width - column, len(text), width))
    found: list[int] = []
    for start, _, size in split_graphemes(text)[0]:
        if column + size > width and column > 0:
            found.append(start)
            column = 0
        column += size
    return found


def word_breaks(text: str, width: int) -> list[int]:
    """As `breaks` from column 0, but behind a space where a line has one."""
    found: list[int] = []
    start = 0
    while True:
        hard = breaks(text[start : start + 4 * width + 4], width)
        if not hard:
            return found
        end = start + hard[0]
        space = text.rfind(" ", start, end)
        start = min(space + 1, len(text)) if space > start else end
        if start >= len(text):
            return found
        found.append(start)
