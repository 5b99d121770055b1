"""The texts of a turn as lines, with the boundaries of fragments and marks on chosen characters.

Every character of every part is there once, each spelled by itself, so that a character has one
place on the screen whatever stands beside it. Between two fragments stands `╎`; what the chosen
events carried stands between `⟦` and `⟧`, reversed; what was looked for in it is underlined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tui.app.calls.flow import Flow
from tui.app.calls.lines import BOUNDARY, Ink, Line, LineSource, cells, clipped, spelled
from tui.app.calls.words import counted
from tui.app.safe import clean
from tui.app.wire.characters import PartText, Stretch, TurnTexts

OPENS: Final = "⟦"
CLOSES: Final = "⟧"

MARKED: Final = "wire-marked"
"""Ink of what the chosen events carried."""
FOUND: Final = "wire-found"
"""Ink of the characters that were chosen or looked for."""
HERE: Final = "wire-here"
"""Ink of the character at the cursor."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked: everything that `events` carried, and in it the stretch `found`."""

    events: frozenset[int] = frozenset()
    found: Stretch | None = None
    here: tuple[int, int] | None = None
    """The character at the cursor: part and character."""


NOTHING: Final = Marks()


@lru_cache(maxsize=8192)
def shown_fragment(text: str) -> str:
    """A fragment as it is drawn, each character by itself; a line ends behind each line end."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


@lru_cache(maxsize=2048)
def _shown(char: str) -> str:
    match char:
        case "\n":
            return "␤\n"
        case "\r":
            return "␍"
        case "\t":
            return "␉"
        case _:
            return clean(char)


def shown_offset(text: str, place: int) -> int:
    """Where character `place` of a fragment begins in `shown_fragment(text)`."""
    if text.isascii() and text.isprintable():
        return place
    return sum(len(_shown(char)) for char in text[:place])


class _PartLines:
    """One part at one width: a heading, and its characters below."""

    def __init__(self, text: PartText) -> None:
        self.text = text
        self._flow: Flow | None = None

    def flow(self, width: int) -> Flow:
        if self._flow is None or self._flow.width != max(width, 2):
            self._flow = Flow(self.piece, width)
        return self._flow

    def piece(self, number: int) -> str:
        shown = shown_fragment(self.text.fragments[number])
        return f"{BOUNDARY}{shown}{BOUNDARY}" if number == 0 else f"{shown}{BOUNDARY}"

    def paint(self, number: int, start: int, end: int, marks: Marks, place: int) -> Line:
        """Characters `start` to `end` of piece `number`."""
        text = self.text
        fragment = text.fragments[number]
        piece = self.piece(number)
        first = 1 if number == 0 else 0
        last = len(piece) - 1
        marked = text.events[number] in marks.events
        plain = MARKED if marked else Ink.SHADE if number % 2 else Ink.PLAIN
        cuts = [(first, last, plain)]
        begins = text.starts[number]
        if marks.found is not None and marks.found.part == place:
            _over(cuts, *self._drawn(fragment, begins, marks.found, first), FOUND)
        if marks.here is not None and marks.here[0] == place:
            here = Stretch(place, marks.here[1], marks.here[1] + 1)
            _over(cuts, *self._drawn(fragment, begins, here, first), HERE)
        line: Line = []
        if first and start == 0:
            line.append((OPENS, MARKED) if marked else (BOUNDARY, Ink.MARK))
        for cut_start, cut_end, ink in cuts:
            shown = piece[max(cut_start, start) : min(cut_end, end)]
            if shown:
                line.append((shown.rstrip("\n"), ink))
        if start <= last < end:
            line.append(self._boundary(number, marked, marks))
        return line

    def _boundary(self, number: int, marked: bool, marks: Marks) -> tuple[str, str]:
        behind = number + 1 < len(self.text.events) and self.text.events[number + 1] in marks.events
        if marked and behind:
            return BOUNDARY, MARKED
        if marked:
            return CLOSES, MARKED
        return (OPENS, MARKED) if behind else (BOUNDARY, Ink.MARK)

    @staticmethod
    def _drawn(fragment: str, begins: int, stretch: Stretch, first: int) -> tuple[int, int]:
        """Where `stretch` lies in the piece of a fragment whose first character is `begins`."""
        start = min(max(stretch.start - begins, 0), len(fragment))
        end = min(max(stretch.end - begins, 0), len(fragment))
        return first + shown_offset(fragment, start), first + shown_offset(fragment, end)


class MarkedLines(LineSource):
    """All texts of a turn, one below the other."""

    title = "what came, ╎ between fragments"

    def __init__(self, texts: TurnTexts) -> None:
        self.texts = texts
        self.marks = NOTHING
        self._parts: list[_PartLines] = []
        self._changes = 0

    @property
    def revision(self) -> int:
        return self._changes + sum(len(text.fragments) + 1 for text in self.texts.parts)

    @property
    def text(self) -> str:
        if self.marks.here is not None:
            return self.texts.parts[self.marks.here[0]].text
        return "\n".join(text.text for text in self.texts.parts)

    def mark(self, marks: Marks) -> None:
        """Mark other events and characters."""
        if marks != self.marks:
            self.marks = marks
            self._changes += 1

    def count(self, width: int) -> int:
        total = 0
        for part in self._all():
            flow = part.flow(width)
            flow.extend(len(part.text.fragments))
            total += _height(flow)
        return max(total, 1)

    def complete(self, width: int) -> bool:
        return all(part.flow(width).laid >= len(part.text.fragments) for part in self._all())

    def line(self, index: int, width: int) -> Line:
        if not self.texts.parts:
            return [("no text has come", Ink.MUTED)]
        for place, part in enumerate(self._all()):
            flow = part.flow(width)
            height = _height(flow)
            if index < height:
                return self._line(place, part, flow, index, width)
            index -= height
        raise IndexError(index)

    def _line(self, place: int, part: _PartLines, flow: Flow, index: int, width: int) -> Line:
        if index == 0:
            return self._heading(place, part, width)
        if index > flow.count:
            return [("", Ink.PLAIN)]
        line: Line = []
        for number, start, end in flow.line(index - 1):
            line += part.paint(number, start, end, self.marks, place)
        return line

    def _heading(self, place: int, part: _PartLines, width: int) -> Line:
        text = part.text
        chosen = any(
            stretch.part == place
            for event in self.marks.events
            for stretch in self.texts.carried_by(event)
        )
        sizes = (
            f"  {counted(text.length, 'character')} in {counted(len(text.fragments), 'fragment')}"
        )
        return clipped(
            [
                ("▶ " if chosen else "  ", Ink.STRONG),
                (spelled(self.texts.title(place)), Ink.STRONG),
                (sizes, Ink.MUTED),
            ],
            width,
        )

    # -- places ------------------------------------------------------------------------------

    def line_of(self, place: int, char: int, width: int) -> int:
        """The line that shows character `char` of part `place`; lays out up to there."""
        above = 0
        for number, part in enumerate(self._all()):
            flow = part.flow(width)
            if number == place:
                piece, offset = self._drawn_at(part.text, char)
                while flow.laid <= piece:
                    flow.extend(len(part.text.fragments))
                return above + 1 + flow.line_of(piece, offset)
            while flow.laid < len(part.text.fragments):
                flow.extend(len(part.text.fragments))
            above += _height(flow)
        return 0

    def below(self, place: int, char: int, by: int, width: int) -> tuple[int, int] | None:
        """The character `by` lines below the given one, at about the same column."""
        index = self.line_of(place, char, width)
        column = self._column(place, char, width)
        total, step = self.count(width), 1 if by > 0 else -1
        target = index + by
        while 0 <= target < total:
            found = self._char_at(target, column, width)
            if found is not None:
                return found
            target += step
        return None

    def _column(self, place: int, char: int, width: int) -> int:
        part = self._all()[place]
        piece, offset = self._drawn_at(part.text, char)
        flow = part.flow(width)
        column = 0
        for number, start, end in flow.line(flow.line_of(piece, offset)):
            if number == piece:
                return column + cells(part.piece(number)[start:offset])
            column += cells(part.piece(number)[start:end])
        return column

    def _char_at(self, index: int, column: int, width: int) -> tuple[int, int] | None:
        for place, part in enumerate(self._all()):
            flow = part.flow(width)
            height = _height(flow)
            if index >= height:
                index -= height
                continue
            if not 1 <= index <= flow.count:
                return None
            found = None
            for number, start, end in flow.line(index - 1):
                fragment = part.text.fragments[number]
                first = 1 if number == 0 else 0
                for char in range(len(fragment)):
                    offset = first + shown_offset(fragment, char)
                    if start <= offset < end:
                        found = (place, part.text.starts[number] + char)
                        if cells(part.piece(number)[start : offset + 1]) > column:
                            return found
                column -= cells(part.piece(number)[start:end])
            return found
        return None

    @staticmethod
    def _drawn_at(text: PartText, char: int) -> tuple[int, int]:
        """Piece and offset in it at which a character is drawn; the end for one past the last."""
        found = text.fragments_of(char, char + 1)
        if not found:
            return max(len(text.fragments) - 1, 0), 0
        number = found[0]
        offset = shown_offset(text.fragments[number], char - text.starts[number])
        return number, offset + (1 if number == 0 else 0)

    def _all(self) -> Sequence[_PartLines]:
        for text in self.texts.parts[len(self._parts) :]:
            self._parts.append(_PartLines(text))
        return self._parts


def _height(flow: Flow) -> int:
    """Lines of a part: its heading, its text, and one that is empty."""
    return flow.count + 2


def _over(cuts: list[tuple[int, int, str]], start: int, end: int, ink: str) -> None:
    """Give characters `start` to `end` another ink."""
    if end <= start:
        return
    new: list[tuple[int, int, str]] = []
    for cut_start, cut_end, old in cuts:
        new += [
            (cut_start, min(cut_end, start), old),
            (max(cut_start, start), min(cut_end, end), ink),
            (max(cut_start, end), cut_end, old),
        ]
    cuts[:] = [cut for cut in new if cut[1] > cut[0]]
