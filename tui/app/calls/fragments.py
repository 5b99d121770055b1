"""The fragments of a call as a table: when each came, what it carried, where it lies in the body."""

from __future__ import annotations

from typing import Final

from tui.app.calls.lines import Ink, Line, LineSource, clipped, shortened, spelled
from tui.app.calls.model import CallModel

_HEADS: Final = f"{'#':>6}  {'at':>10}  {'gap':>9}  {'size':>7}  {'bytes of the body':>21}  text"
_NARROW: Final = f"{'#':>4} {'at':>7} {'gap':>7} {'size':>4} {'bytes':>11} text"
_NARROW_BELOW: Final = 90
_LONG_GAP: Final = 1.0
"""Seconds from which a gap stands out."""


class FragmentLines(LineSource):
    """One line for each fragment, below the names of the columns."""

    title = "fragments, one per event"

    def __init__(self, model: CallModel) -> None:
        self._model = model

    @property
    def revision(self) -> int:
        return len(self._model.fragments)

    @property
    def grows(self) -> bool:
        return self._model.forming

    @property
    def text(self) -> str:
        return self._model.raw

    def count(self, width: int) -> int:
        return len(self._model.fragments) + 1

    def line(self, index: int, width: int) -> Line:
        narrow = width < _NARROW_BELOW
        if index == 0:
            return clipped([(_NARROW if narrow else _HEADS, Ink.MUTED)], width)
        number = index - 1
        fragment, at = self._model.fragments[number], self._model.times[number]
        size = len(fragment.text.encode("utf-8", "surrogatepass"))
        gap = at - self._model.times[number - 1] if number else 0.0
        loud = Ink.STRONG if gap >= _LONG_GAP else Ink.MUTED
        if narrow:
            line: Line = [
                (f"{index:>4}", Ink.MUTED),
                (f" {at:>7.3f}", Ink.PLAIN),
                (f" {f'+{gap:.3f}':>7}", loud),
                (f" {size:>4}", Ink.PLAIN),
                (f" {f'{fragment.start}–{fragment.end}':>11}", Ink.MUTED),
                (" ", Ink.PLAIN),
            ]
        else:
            span = f"{fragment.start:,}–{fragment.end:,}"
            line = [
                (f"{index:>6,}", Ink.MUTED),
                (f"  {at:>8.3f} s", Ink.PLAIN),
                (f"  {f'+{gap:.3f}':>9}", loud),
                (f"  {f'{size:,} B':>7}", Ink.PLAIN),
                (f"  {span:>21}", Ink.MUTED),
                ("  ", Ink.PLAIN),
            ]
        room = width - sum(len(text) for text, _ in line)
        # A fragment may be the whole call; a line shows no more of it than fits.
        text = shortened(spelled(fragment.text[: max(room, 0) + 1]), room)
        shade = Ink.SHADE if number % 2 else Ink.PLAIN
        line.append((text, shade) if fragment.text else ("(empty)", Ink.MUTED))
        return clipped(line, width)
