"""The events as lines of a table: marks, number, time, gap, size, kind, and what became of it."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from tui.app.calls.lines import (
    Ink,
    Line,
    LineSource,
    cells,
    clipped,
    clipped_head,
    shortened,
    spelled,
)
from tui.app.wire.characters import TurnTexts
from tui.app.wire.events import EventLog, EventRow
from tui.app.wire.filters import Filter, kept

LONG_GAP: Final = 1.0
"""Seconds from which a gap stands out."""

HEADINGS: Final = f"{'':3}{'#':>6} {'at':>9} {'gap':>8} {'size':>7} "
_NARROW: Final = f"{'':3}{'#':>5} {'at':>8} {'size':>6} "
_NARROW_BELOW: Final = 80
_WIDEST_KIND: Final = 42
_NARROWEST_KIND: Final = 16
_MEANING: Final = 28
"""Cells that the meaning has before the kind gets any."""


class TableLines(LineSource):
    """The rows that a filter keeps. Marked events have `▶` before them, troubled ones `!`."""

    title = "events"

    def __init__(self, log: EventLog, texts: TurnTexts) -> None:
        self.log = log
        self.marked: frozenset[int] = frozenset()
        self._texts = texts
        self._filter = Filter()
        self._kept: list[int] = []
        self._looked_at = 0
        self._changes = 0

    @property
    def revision(self) -> int:
        return self._changes + len(self.log)

    @property
    def grows(self) -> bool:
        return not self.log.handle.turn.closed

    @property
    def filter(self) -> Filter:
        return self._filter

    def keep(self, wanted: Filter) -> None:
        """Show only the events that fit."""
        self._filter = wanted
        self._kept, self._looked_at = [], 0
        self._changes += 1

    def mark(self, events: frozenset[int]) -> None:
        if events != self.marked:
            self.marked = events
            self._changes += 1

    def count(self, width: int) -> int:
        return max(self.events, 1)

    @property
    def events(self) -> int:
        """How many events fit."""
        if self._filter.empty:
            return len(self.log)
        if self._looked_at < len(self.log):
            self._kept += kept(self._filter, self.log, self._texts, self._looked_at + 1)
            self._looked_at = len(self.log)
        return len(self._kept)

    def number_at(self, line: int) -> int | None:
        """The event in a line."""
        if not 0 <= line < self.events:
            return None
        return line + 1 if self._filter.empty else self._kept[line]

    def line_of(self, event: int) -> int | None:
        """The line of an event; None where the filter leaves it out."""
        if self._filter.empty:
            return event - 1 if 1 <= event <= len(self.log) else None
        place = bisect_left(self._kept, event, hi=self.events)
        return place if place < len(self._kept) and self._kept[place] == event else None

    def line(self, index: int, width: int) -> Line:
        number = self.number_at(index)
        if number is None:
            words = "no event has come" if self._filter.empty else "no event fits the filter"
            return [(f"   {words}", Ink.MUTED)]
        return self._row(self.log.row(number), width)

    def headings(self, width: int) -> Line:
        """The names of the columns."""
        narrow = width < _NARROW_BELOW
        room = _kind_room(width)
        kind = "kind".ljust(room + 1) if room else ""
        return clipped([((_NARROW if narrow else HEADINGS) + kind + "came to", Ink.MUTED)], width)

    def _row(self, row: EventRow, width: int) -> Line:
        marked = row.number in self.marked
        line: Line = [
            ("▶" if marked else " ", Ink.STRONG),
            ("!" if row.trouble else " ", Ink.PROBLEM if row.trouble else Ink.PLAIN),
        ]
        if width < _NARROW_BELOW:
            line += [
                (f"{f'#{row.number}':>6} ", Ink.STRONG if marked else Ink.MUTED),
                (f"{row.at:>7.3f}s ", Ink.PLAIN),
                (f"{row.size:>6,} ", Ink.PLAIN),
            ]
        else:
            line += [
                (f"{f'#{row.number}':>7} ", Ink.STRONG if marked else Ink.MUTED),
                (f"{row.at:>8.3f}s ", Ink.PLAIN),
                (f"{f'+{row.gap:.3f}':>8} ", Ink.STRONG if row.gap >= LONG_GAP else Ink.MUTED),
                (f"{row.size:>7,} ", Ink.PLAIN),
            ]
        room = _kind_room(width)
        if room:
            kind = _kind(row.kind, room)
            line.append((kind + " " * (room - cells(kind) + 1), Ink.MUTED))
        room = max(width - sum(cells(text) for text, _ in line), 0)
        ink = Ink.PROBLEM if row.trouble else Ink.STRONG if marked else Ink.PLAIN
        line.append(
            (shortened(clipped_head(spelled(row.meaning[: room + 1]), room + 1), room), ink)
        )
        return clipped(line, width)


def _kind_room(width: int) -> int:
    """Cells for the kind; none where the meaning would have no room left."""
    spare = width - len(HEADINGS) - _MEANING
    if spare < _NARROWEST_KIND:
        return 0
    return min(_NARROWEST_KIND + (spare - _NARROWEST_KIND) // 2, _WIDEST_KIND)


def _kind(kind: str, room: int) -> str:
    """The kind in `room` cells: its last word tells the most."""
    words = spelled(kind)
    return words if cells(words) <= room else shortened(words.rpartition(" · ")[2], room)
