"""Copying rows from one open database to another of the same schema.

In: two connections. Out: rows in the second. What is unreadable in the first raises here;
`recovery` is the patient one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_OF_CONVERSATION = ("messages", "exchanges", "calls", "dispatches", "results", "texts")


def copy_conversations(
    source: sqlite3.Connection, target: sqlite3.Connection, ids: Iterable[str]
) -> None:
    """Copy the conversations `ids` with all that belongs to them, in one transaction.

    Raises:
        sqlite3.Error: as it came; the target has nothing of it then.
    """
    target.execute("PRAGMA foreign_keys = OFF")
    target.execute("BEGIN")
    try:
        for conversation in sorted(ids):
            _copy(source, target, "conversations", "id = ?", (conversation,))
            for table in _OF_CONVERSATION:
                _copy(source, target, table, "conversation = ?", (conversation,))
            exchanges = source.execute(
                "SELECT n FROM exchanges WHERE conversation = ?", (conversation,)
            )
            for (n,) in exchanges.fetchall():
                _copy(source, target, "chunks", "id BETWEEN ? AND ?", (n << 24, (n + 1 << 24) - 1))
        target.execute("COMMIT")
    except BaseException:
        if target.in_transaction:
            target.execute("ROLLBACK")
        raise
    target.execute("PRAGMA foreign_keys = ON")


def _copy(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    table: str,
    where: str,
    values: tuple[object, ...],
) -> None:
    rows = source.execute(f"SELECT * FROM {table} WHERE {where}", values)  # noqa: S608
    marks = ", ".join("?" * len(rows.description))
    target.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
