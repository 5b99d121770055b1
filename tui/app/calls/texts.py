"""Texts as lines: anything that can be given in pieces, wrapped lazily by `Flow`.

The base of the views of raw text, pretty-printed JSON, free text, results and differences.
Pieces are clean; which ink they get is asked when a line is drawn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from tui.app.calls.flow import Flow
from tui.app.calls.lines import Ink, Line, LineSource, Piece
from tui.app.safe import clean


class FlowLines(LineSource):
    """Lines of numbered pieces. A subclass says how many there are, and what each is."""

    words = False

    def __init__(self) -> None:
        self._flow: Flow | None = None

    @abstractmethod
    def piece(self, number: int) -> str:
        """Clean text of piece `number`."""

    @abstractmethod
    def pieces(self) -> int:
        """How many pieces there are so far."""

    def paint(self, number: int, start: int, end: int) -> Line:
        """Characters `start` to `end` of piece `number` with their inks."""
        return [(self.piece(number)[start:end], Ink.PLAIN)]

    @property
    def revision(self) -> int:
        return self.pieces()

    def count(self, width: int) -> int:
        flow = self.flow(width)
        if flow.laid < self.pieces():
            flow.extend(self.pieces())
        return flow.count

    def complete(self, width: int) -> bool:
        return self.flow(width).laid >= self.pieces()

    def line(self, index: int, width: int) -> Line:
        shown: Line = []
        for number, start, end in self.flow(width).line(index):
            shown += self.paint(number, start, end)
        return shown

    def flow(self, width: int) -> Flow:
        """The line breaks at `width`, those of another width forgotten."""
        if self._flow is None or self._flow.width != max(width, 2):
            self._flow = Flow(self.piece, width, words=self.words)
        return self._flow


class InkedLines(FlowLines):
    """Whole lines of (clean text, ink) pairs, too long ones wrapped."""

    def __init__(self, lines: Sequence[Sequence[Piece]] = (), *, text: str = "") -> None:
        super().__init__()
        self._inked: list[Sequence[Piece]] = list(lines)
        self._text = text

    def add(self, line: Sequence[Piece]) -> None:
        self._inked.append(line)

    def piece(self, number: int) -> str:
        return "".join(text for text, _ in self._inked[number]) + "\n"

    def pieces(self) -> int:
        return len(self._inked)

    def paint(self, number: int, start: int, end: int) -> Line:
        return part_of(self._inked[number], start, end)

    @property
    def text(self) -> str:
        return self._text


class GrowingText:
    """A text that only grows, cut into clean pieces as it comes."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._taken = 0

    def take(self, text: str) -> None:
        """`text` is everything so far; what is new in it becomes a piece."""
        new = text[self._taken :]
        if new:
            self.pieces.append(clean(new))
            self._taken = len(text)


def part_of(line: Sequence[Piece], start: int, end: int) -> Line:
    """Characters `start` to `end` of a line."""
    shown: Line = []
    for text, ink in line:
        if start < len(text) and end > 0:
            shown.append((text[max(start, 0) : end], ink))
        start -= len(text)
        end -= len(text)
    return [piece for piece in shown if piece[0]]


def paragraphs(text: str, ink: str = Ink.PLAIN) -> list[Line]:
    """The lines of a text from outside, clean."""
    return [[(line, ink)] for line in clean(text).split("\n")]
