"""The raw text of a call with the boundaries of its fragments drawn in, and as free text.

Every character of the source is there once, control characters spelled; the marks between two
fragments and the alternating shade are ours. A half of a surrogate pair stays on its side.
"""

from __future__ import annotations

from functools import lru_cache

from tui.app.calls.lines import BOUNDARY, CARET, Ink, Line, cells
from tui.app.calls.model import CallModel
from tui.app.calls.texts import FlowLines
from tui.app.safe import clean
from tui.core.arguments import is_high_half, is_low_half, join_halves


def shown_raw(text: str) -> str:
    """A fragment as it is drawn: everything spelled, and a line ended behind each line end."""
    if text.isascii() and text.isprintable():
        return text
    return clean(text.replace("\r", "␍").replace("\t", "␉").replace("\n", "␤\n"))


class RawLines(FlowLines):
    """The argument text as it came."""

    title = "raw text, ╎ between fragments"

    def __init__(self, model: CallModel) -> None:
        super().__init__()
        self._model = model
        self._fault_at: tuple[int, int, int] | None = None
        self._fault_sought = False

    @property
    def grows(self) -> bool:
        return self._model.forming

    @property
    def text(self) -> str:
        return self._model.raw

    def pieces(self) -> int:
        return len(self._model.fragments)

    def piece(self, number: int) -> str:
        shown = shown_raw(self._model.fragments[number].text)
        return BOUNDARY + shown if number else shown

    def paint(self, number: int, start: int, end: int) -> Line:
        text = self.piece(number)
        shade = Ink.SHADE if number % 2 else Ink.PLAIN
        line: Line = []
        if number and start == 0:
            line.append((BOUNDARY, Ink.MARK))
            start = 1
        fault = self._fault()
        if fault is not None and fault[0] == number and start <= fault[1] < end:
            _, place, stop = fault
            line += [
                (text[start:place], shade),
                (text[place : min(stop, end)], Ink.FAULT),
                (text[min(stop, end) : end], shade),
            ]
        else:
            line.append((text[start:end], shade))
        return [piece for piece in line if piece[0]]

    def fault_line(self, width: int) -> int | None:
        """The line in which the fragment with the fault begins; None without one, or not laid."""
        fault = self._fault()
        flow = self.flow(width)
        return None if fault is None or fault[0] >= flow.laid else flow.line_of(fault[0])

    def _fault(self) -> tuple[int, int, int] | None:
        """Piece, start and end of the character at which the text stopped being JSON."""
        position = fault_position(self._model)
        if position is None or self._model.forming:
            return None
        if not self._fault_sought:
            self._fault_sought = True
            self._fault_at = self._locate(position)
        return self._fault_at

    def _locate(self, position: int) -> tuple[int, int, int] | None:
        high_before = False
        for number, fragment in enumerate(self._model.fragments):
            text = join_halves(fragment.text)
            if not text:
                continue
            # Two halves that meet at a boundary are one character of the joined text.
            skipped = 1 if high_before and is_low_half(text[0]) else 0
            if position < len(text) - skipped:
                place = position + skipped
                start = len(shown_raw(text[:place])) + (1 if number else 0)
                return number, start, start + len(shown_raw(text[place]))
            position -= len(text) - skipped
            high_before = is_high_half(text[-1])
        return None


class FreeText(FlowLines):
    """The arguments of a call that takes free text, as text; the end is marked while it forms."""

    title = "free text"

    def __init__(self, model: CallModel) -> None:
        super().__init__()
        self._model = model
        self._cleaned = lru_cache(maxsize=256)(clean)

    @property
    def revision(self) -> int:
        return self._model.revision

    @property
    def grows(self) -> bool:
        return self._model.forming

    @property
    def text(self) -> str:
        return self._model.raw

    def pieces(self) -> int:
        return len(self._model.fragments)

    def piece(self, number: int) -> str:
        return self._cleaned(self._model.fragments[number].text)

    def count(self, width: int) -> int:
        return max(super().count(width), 1)

    def line(self, index: int, width: int) -> Line:
        flow = self.flow(width)
        shown = super().line(index, width) if index < flow.count else []
        if index < max(flow.count, 1) - 1 or not self.complete(width):
            return shown
        if self._model.forming:
            end: Line = [(CARET, Ink.CARET), (" forming", Ink.WORD)]
        elif self._model.call.closed_at is None:
            end = [(CARET, Ink.CARET), (" cut off", Ink.WORD)]
        else:
            return shown
        room = width - sum(cells(text) for text, _ in shown)
        return [*shown, *[piece for piece in end if cells(piece[0]) <= room]]


def fault_position(model: CallModel) -> int | None:
    """The character of the raw text at which it stopped being strict JSON, where there is one."""
    misfit = model.call.misfit
    if misfit is not None and misfit.position is not None:
        return misfit.position
    if misfit is None and model.view is not None and model.view.fault is not None:
        return model.view.fault.offset
    return None
