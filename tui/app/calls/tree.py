"""The growing tree: the rows of a provisional view as lines, what is settled told from what is not.

A settled row is plain behind a tick. The row that is being written is underlined, ends in a caret
and says `forming`; its text is what has come, never a value. A container that can still grow
says `open`. Long strings are head and tail with a count until they are opened.
"""

from __future__ import annotations

from bisect import insort
from typing import Final

from tui.app.calls.flow import Flow
from tui.app.calls.lines import (
    CARET,
    Ink,
    Line,
    LineSource,
    cells,
    clipped,
    clipped_head,
    clipped_tail,
    justified,
    shortened,
    spelled,
)
from tui.app.calls.model import CallModel
from tui.app.calls.texts import GrowingText
from tui.app.calls.words import counted
from tui.core.outline import Row, RowKind
from tui.core.provisional import ProvisionalView

TICK: Final = "✓"
OPEN: Final = "┆"
HERE: Final = "▸"
MISFIT: Final = "≠"

JOINED_AT_ONCE: Final = 256 * 1024
"""Characters of an opened row for each of which one frame may pass until it is joined again:

joining costs all of the text, and a text of megabytes would be joined for every frame."""

_INDENT: Final = 2
_MOST_INDENTS: Final = 12
_BRACKETS: Final = {RowKind.OBJECT: "{}", RowKind.ARRAY: "[]"}


class TreeLines(LineSource):
    """The arguments of one call as rows, one line each but for those that are opened."""

    title = "arguments"

    def __init__(self, model: CallModel) -> None:
        self._model = model
        self._opened: list[int] = []
        self._texts: dict[int, _OpenedText] = {}
        self._toggles = 0
        self._misfits: frozenset[int] | None = None

    @property
    def revision(self) -> int:
        laid = sum(text.laid for text in self._texts.values())
        return self._model.revision + self._toggles + laid

    @property
    def grows(self) -> bool:
        return self._model.forming

    @property
    def text(self) -> str:
        return self._model.raw

    def count(self, width: int) -> int:
        view = self._view
        return view.row_count + sum(self._texts[row].count(view, width) for row in self._opened)

    def complete(self, width: int) -> bool:
        return all(text.complete for text in self._texts.values())

    def line(self, index: int, width: int) -> Line:
        row, below = self._row_at(index)
        if below:
            line = self._texts[row].line(below - 1)
            return [("  │ ", Ink.MUTED), *line]
        found = self._view.rows(row, row + 1)
        if not found:
            raise IndexError(index)
        return self.row_line(row, found[0], width)

    def row_line(self, index: int, row: Row, width: int) -> Line:
        """One row in one line of `width` cells."""
        left: Line = [self._gutter(index, row)]
        indents = min(row.depth, _MOST_INDENTS)
        left.append((" " * (_INDENT * indents), Ink.PLAIN))
        if row.depth > _MOST_INDENTS:
            left.append((f"+{row.depth - _MOST_INDENTS} ", Ink.MUTED))
        if row.key is not None:
            room = max(width // 2 - _INDENT * indents, 8)
            left.append((shortened(spelled(str(row.key)), room), _key_ink(row.key)))
            left.append((": ", Ink.MUTED))
        right = self._right(row)
        room = width - sum(cells(text) for text, _ in (*left, *right)) - 1
        left += self._value(index, row, room)
        return justified(left, right, width) if right else clipped(left, width)

    def toggle(self, index: int, width: int) -> int | None:
        """Open the row at line `index`, or close it."""
        row, below = self._row_at(index)
        self._toggles += 1
        if row in self._texts:
            self._opened.remove(row)
            del self._texts[row]
            return index - below
        found = self._view.rows(row, row + 1)
        if not found or found[0].kind in _BRACKETS:
            return None
        insort(self._opened, row)
        self._texts[row] = _OpenedText(row)
        return index

    @property
    def _view(self) -> ProvisionalView:
        view = self._model.view
        if view is None:
            raise TypeError("the arguments are free text and have no tree")
        return view

    def _row_at(self, index: int) -> tuple[int, int]:
        """The row that line `index` belongs to, and how many lines below its first it is."""
        for row in self._opened:
            if index <= row:
                break
            extra = self._texts[row].lines
            if index <= row + extra:
                return row, index - row
            index -= extra
        return index, 0

    def _gutter(self, index: int, row: Row) -> tuple[str, str]:
        if index in self._misfit_rows():
            return f"{MISFIT} ", Ink.FAULT
        if row.settled:
            return f"{TICK} ", Ink.TICK
        if row.kind in _BRACKETS:
            return f"{OPEN} ", Ink.MUTED
        return f"{HERE} ", Ink.CARET

    def _right(self, row: Row) -> Line:
        if row.settled:
            return []
        forming = self._model.forming
        if row.kind is RowKind.BROKEN:
            return [("not JSON", Ink.WORD)]
        if row.kind in _BRACKETS:
            return [("open" if forming else "never closed", Ink.WORD)]
        return [("forming" if forming else "cut off", Ink.WORD)]

    def _value(self, index: int, row: Row, room: int) -> Line:
        if row.kind in _BRACKETS:
            brackets = _BRACKETS[row.kind]
            thing = "member" if row.kind is RowKind.OBJECT else "element"
            so_far = "" if row.settled else " so far"
            if row.settled and not row.members:
                return [(brackets, Ink.PLAIN)]
            return [
                (brackets[0], Ink.PLAIN),
                (f" {counted(row.members, thing)}{so_far}", Ink.MUTED),
            ]
        opened = index in self._texts
        if row.settled:
            quote = '"' if row.kind is RowKind.STRING else ""
            if opened:
                return [(f"{counted(row.chars, 'character')} below", Ink.MUTED)]
            return _ends(row, quote, quote, room, Ink.PLAIN)
        if row.kind is RowKind.KEY and row.key is not None:
            return [(CARET, Ink.CARET)]
        quote = '"' if row.kind in (RowKind.STRING, RowKind.KEY) else ""
        if opened:
            return [(f"{counted(row.chars, 'character')} so far, below", Ink.MUTED)]
        return [*_ends(row, quote, "", room - 1, Ink.FRONTIER, latest=True), (CARET, Ink.CARET)]

    def _misfit_rows(self) -> frozenset[int]:
        """Rows at which the arguments do not fit the schema."""
        misfit = self._model.call.misfit
        if misfit is None or not misfit.paths:
            return frozenset()
        if self._misfits is None:
            self._misfits = _rows_at(self._view, frozenset(misfit.paths))
        return self._misfits


class _OpenedText:
    """The whole text of one row, wrapped, and growing while the row does."""

    def __init__(self, row: int) -> None:
        self._row = row
        self._growing = GrowingText()
        self._chars = -1
        self._behind = 0
        self._waited = 0
        self._flow: Flow | None = None

    @property
    def lines(self) -> int:
        return 0 if self._flow is None else self._flow.count

    @property
    def laid(self) -> int:
        return 0 if self._flow is None else self._flow.laid

    @property
    def complete(self) -> bool:
        laid = 0 if self._flow is None else self._flow.laid
        return self._flow is not None and not self._behind and laid >= len(self._growing.pieces)

    def count(self, view: ProvisionalView, width: int) -> int:
        width = max(width - 4, 2)
        if self._flow is None or self._flow.width != width:
            self._flow = Flow(self._growing.pieces.__getitem__, width)
        (row,) = view.rows(self._row, self._row + 1)
        self._waited += 1
        if row.chars != self._chars and (row.settled or self._waited > row.chars // JOINED_AT_ONCE):
            self._waited = 0
            self._chars = row.chars
            self._growing.take(view.text_of(self._row))
        self._behind = row.chars - self._chars
        self._flow.extend(len(self._growing.pieces))
        return self._flow.count

    def line(self, index: int) -> Line:
        if self._flow is None:
            raise IndexError(index)
        return [
            (self._growing.pieces[piece][start:end], Ink.PLAIN)
            for piece, start, end in self._flow.line(index)
        ]


def _ends(row: Row, before: str, after: str, room: int, ink: Ink, *, latest: bool = False) -> Line:
    """The text of a row in `room` cells: all of it, or head, count and tail."""
    head = spelled(row.text)
    if not row.tail and cells(head) + len(before + after) <= room:
        return [(before + head + after, ink)]
    tail = spelled(row.tail) if row.tail else head
    middle = f" … {row.chars:,} chars … "
    space = max(room - len(middle) - len(before + after), 8)
    ends = space * 2 // 3 if latest else space // 3
    return [
        (before + clipped_head(head, space - ends), ink),
        (middle, Ink.MUTED),
        (clipped_tail(tail, ends) + after, ink),
    ]


def _key_ink(key: str | int) -> Ink:
    return Ink.KEY if isinstance(key, str) else Ink.MUTED


def _rows_at(view: ProvisionalView, paths: frozenset[tuple[str | int, ...]]) -> frozenset[int]:
    found: set[int] = set()
    path: list[str | int] = []
    for start in range(0, view.row_count, 1_000):
        for offset, row in enumerate(view.rows(start, start + 1_000)):
            del path[max(row.depth - 1, 0) :]
            if row.key is not None:
                path.append(row.key)
            if tuple(path) in paths:
                found.add(start + offset)
    return frozenset(found)
