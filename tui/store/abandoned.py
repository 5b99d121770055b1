"""What dead processes left open: exchanges become abandoned, dispatches and their calls unknown.

In: an open database and the path by which `owners` knows who lives. Nothing is decided here
about what to do with them; a person does that.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tui.store.owners import is_alive


def abandon_dead(connection: sqlite3.Connection, path: Path, token: str, now: float) -> int:
    """`mark_dead` in a transaction of its own."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        count = mark_dead(connection, path, token, now)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return count


def mark_dead(connection: sqlite3.Connection, path: Path, token: str, now: float) -> int:
    """Inside a transaction: end what dead owners left open. `token` is our own, alive."""
    owners = connection.execute(
        "SELECT owner FROM exchanges WHERE ending = 'open'"
        " UNION SELECT owner FROM dispatches WHERE ended IS NULL"
    ).fetchall()
    count = 0
    for (owner,) in owners:
        if owner == token or is_alive(path, owner):
            continue
        count += connection.execute(
            "UPDATE exchanges SET ending = 'abandoned', ended = ?,"
            " problem = 'Verbatim ended while the response was arriving'"
            " WHERE owner = ? AND ending = 'open'",
            (now, owner),
        ).rowcount
        connection.execute(
            "UPDATE calls SET state = 'unknown',"
            " problem = 'Verbatim ended while the call was running' WHERE (conversation, ref) IN"
            " (SELECT conversation, call_ref FROM dispatches WHERE owner = ? AND ended IS NULL)",
            (owner,),
        )
        count += connection.execute(
            "UPDATE dispatches SET outcome = 'unknown', ended = ?"
            " WHERE owner = ? AND ended IS NULL",
            (now, owner),
        ).rowcount
    return count
