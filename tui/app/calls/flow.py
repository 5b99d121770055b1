"""Flow: the line breaks of text that comes in pieces and may be megabytes long.

Pieces of clean text come in, in order; lines go out by number. Laying out costs each piece once
per width, in slices, so that neither a long text nor a fast stream holds up the screen; a line
costs the pieces it shows. A `\\n` in a piece ends its line.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

from tui.app.calls.lines import breaks, cells, word_breaks

SLICE: Final = 20_000
"""Pieces laid out at one call of `extend`."""

SLICE_CHARS: Final = 400_000
"""Characters laid out at one call of `extend`, a single longer piece excepted."""


class Flow:
    """Line breaks at one width. `piece(i)` gives piece `i` and must not change what it gave."""

    def __init__(self, piece: Callable[[int], str], width: int, *, words: bool = False) -> None:
        """`words`: break behind spaces; every piece must then end its line itself."""
        self.width = max(width, 2)
        self.laid = 0
        """Pieces laid out so far."""
        self._piece = piece
        self._words = words
        self._pieces = array("q")
        self._offsets = array("q")
        self._column = 0
        self._must_break = True

    @property
    def count(self) -> int:
        return len(self._pieces)

    def extend(self, pieces: int) -> None:
        """Lay out up to piece number `pieces` (exclusive), or a slice of that."""
        stop = min(pieces, self.laid + SLICE)
        chars = 0
        while self.laid < stop and chars < SLICE_CHARS:
            text = self._piece(self.laid)
            chars += len(text)
            self._lay(self.laid, text)
            self.laid += 1

    def line(self, index: int) -> list[tuple[int, int, int]]:
        """What line `index` shows: (piece, start, end) in characters of the piece.

        Raises:
            IndexError: it has not been laid out.
        """
        if not 0 <= index < len(self._pieces):
            raise IndexError(index)
        piece, start = self._pieces[index], self._offsets[index]
        if index + 1 < len(self._pieces):
            last, end = self._pieces[index + 1], self._offsets[index + 1]
        else:
            last, end = self.laid, 0
        shown = []
        while piece < last:
            shown.append((piece, start, self._shown_end(piece, start)))
            piece, start = piece + 1, 0
        if end > start:
            shown.append((piece, start, self._shown_end(piece, start, end)))
        return [part for part in shown if part[2] > part[1]]

    def line_of(self, piece: int, offset: int = 0) -> int:
        """The line that holds character `offset` of `piece`; it must have been laid out."""
        low, high = 0, len(self._pieces)
        while low < high:
            middle = (low + high) // 2
            if (self._pieces[middle], self._offsets[middle]) <= (piece, offset):
                low = middle + 1
            else:
                high = middle
        return max(low - 1, 0)

    def _shown_end(self, piece: int, start: int, end: int | None = None) -> int:
        text = self._piece(piece)
        end = len(text) if end is None else end
        return end - 1 if end > start and text[end - 1] == "\n" else end

    def _lay(self, number: int, text: str) -> None:
        if not text:
            return
        if "\n" not in text:
            self._lay_run(number, 0, text)
            return
        offset = 0
        for run in _runs(text):
            self._lay_run(number, offset, run)
            offset += len(run)

    def _lay_run(self, number: int, offset: int, run: str) -> None:
        ends = run.endswith("\n")
        if ends:
            run = run[:-1]
        if self._must_break or (run and self._column >= self.width):
            self._begin(number, offset)
        size = cells(run)
        if self._column + size > self.width:
            found = (
                word_breaks(run, self.width)
                if self._words
                else breaks(run, self.width, self._column)
            )
            for place in found:
                self._begin(number, offset + place)
            self._column = cells(run[found[-1] :]) if found else self._column + size
        else:
            self._column += size
        self._must_break = ends

    def _begin(self, number: int, offset: int) -> None:
        if self._pieces and self._pieces[-1] == number and self._offsets[-1] == offset:
            return
        self._pieces.append(number)
        self._offsets.append(offset)
        self._column = 0


def _runs(text: str) -> list[str]:
    """Split behind every `\\n` and nowhere else."""
    runs = [part + "\n" for part in text.split("\n")]
    runs[-1] = runs[-1][:-1]
    return [run for run in runs if run]
