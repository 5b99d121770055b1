"""What the search index is told: one row for each title, prose, argument text and result.

Called inside the writer's transactions by the modules that store the record itself.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

TextKind = Literal["title", "prose", "arguments", "result"]


def add_text(
    connection: sqlite3.Connection,
    conversation: str,
    kind: TextKind,
    text: str,
    *,
    message: str | None = None,
    call_ref: str | None = None,
) -> None:
    """Index `text` (as `codec.searchable` made it). Blank texts are not indexed."""
    if text.strip():
        connection.execute(
            "INSERT INTO texts(conversation, kind, message, call_ref, text) VALUES (?, ?, ?, ?, ?)",
            (conversation, kind, message, call_ref, text),
        )


def replace_text(
    connection: sqlite3.Connection,
    conversation: str,
    kind: TextKind,
    text: str,
    *,
    message: str | None = None,
    call_ref: str | None = None,
) -> None:
    """Index `text` in place of what the same title or call had."""
    connection.execute(
        "DELETE FROM texts WHERE conversation = ? AND kind = ? AND call_ref IS ?",
        (conversation, kind, call_ref),
    )
    add_text(connection, conversation, kind, text, message=message, call_ref=call_ref)
