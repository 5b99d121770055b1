"""Reading a damaged table: every row that can be reached, by leaps over what cannot.

In: a connection that reads on where SQLite usually stops. Out: rows, and what was wrong in
words. It needs tables with rowids and knows nothing else of them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

_WORDS = 120
_BEYOND = 2**62
"""More than any rowid we give."""


def readable_rows(
    source: sqlite3.Connection, table: str, columns: list[str], problems: list[str]
) -> Iterator[tuple[object, ...]]:
    """Every row that can be reached, some of them twice.

    Forward to the damage, a leap over it (twice as far each time it falls short), back to the
    damage from where the leap ended, and forward again.
    """
    walk = _Walk(source, table, columns, problems)
    after = 0
    while True:
        for number, row in walk.rows(after, _BEYOND):
            after = number
            yield row
        if not walk.failed:
            return
        landed = walk.leap(after)
        upper = _BEYOND if landed is None else landed
        for _, row in walk.rows(after, upper, backward=True):
            yield row
        if landed is None:
            return
        after = landed


class _Walk:
    """Reading one table in the order of its rowid, in pieces that end at damage."""

    def __init__(
        self, source: sqlite3.Connection, table: str, columns: list[str], problems: list[str]
    ) -> None:
        self._source = source
        self._table = table
        self._query = (
            f"SELECT rowid, {', '.join(columns)} FROM {table} NOT INDEXED"  # noqa: S608
            " WHERE rowid > ? AND rowid <= ?"
        )
        self._problems = problems
        self.failed = False
        """Whether the last piece ended at damage, not at the end of the table."""

    def rows(
        self, low: int, high: int, *, backward: bool = False
    ) -> Iterator[tuple[int, tuple[object, ...]]]:
        """(rowid, row) with low < rowid <= high, up to the next damage."""
        self.failed = False
        order = f" ORDER BY rowid {'DESC' if backward else 'ASC'}"
        try:
            for number, *row in self._source.execute(self._query + order, (low, high)):
                if not low < number <= high:
                    # A damaged tree may lead anywhere, in a circle too.
                    raise sqlite3.DatabaseError("rows are out of order")
                low, high = (low, number - 1) if backward else (number, high)
                yield number, tuple(row)
        except (sqlite3.Error, UnicodeDecodeError) as problem:
            self.failed = True
            # Some quote the whole of a value.
            note = f"{self._table}: {str(problem)[:_WORDS]}"
            if note not in self._problems:
                self._problems.append(note)
        if self.failed:
            # A cursor steps ahead before it gives a row: the one beside the damage is still due.
            with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
                last = self._source.execute(f"{self._query}{order} LIMIT 1", (low, high))
                for number, *row in last.fetchall():
                    if low < number <= high:
                        yield number, tuple(row)

    def leap(self, after: int) -> int | None:
        """The rowid of the first row beyond the damage that follows `after`; None at the end."""
        gap = 1
        while after + gap < _BEYOND:
            found = next(self.rows(after + gap, _BEYOND), None)
            if found is not None:
                return found[0]
            if not self.failed:
                return None
            gap *= 2
        return None
