"""What the doctor and the exporters need: all of a conversation, rows without an owner, repair.

Read-only but for `rewrite_message`, `restore_past` and the two that retention uses.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.store.codec import pack, pack_raw, searchable
from tui.store.conversations import StoredMessage, message_of_row
from tui.store.database import Database
from tui.store.ledger import StoredDispatch
from tui.store.texts import add_text


@dataclass(frozen=True, slots=True)
class Past:
    """When things happened to an imported conversation (unix seconds, by new id or ref)."""

    created: float
    messages: Mapping[str, float]
    exchanges: Mapping[str, float | None]
    results: Mapping[str, float]
    dispatches: Sequence[StoredDispatch]


_ORPHANS = {
    "messages": "conversation NOT IN (SELECT id FROM conversations)"
    " OR parent IS NOT NULL AND parent NOT IN (SELECT id FROM messages)",
    "exchanges": "conversation NOT IN (SELECT id FROM conversations)",
    "chunks": "id >> 24 NOT IN (SELECT n FROM exchanges)",
    "calls": "conversation NOT IN (SELECT id FROM conversations)",
    "dispatches": "NOT EXISTS (SELECT 1 FROM calls WHERE calls.conversation ="
    " dispatches.conversation AND calls.ref = dispatches.call_ref)",
    "results": "NOT EXISTS (SELECT 1 FROM calls WHERE calls.conversation ="
    " results.conversation AND calls.ref = results.call_ref)",
}


class Inspection(Database):
    """Looking over what is stored; a part of `Store`."""

    def messages(self, conversation: str) -> list[StoredMessage]:
        """Every message of every branch, in the order of storing."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, conversation, parent, seq, role, created, body, exchange"
                " FROM messages WHERE conversation = ? ORDER BY seq",
                (conversation,),
            ).fetchall()
        return [message_of_row(row) for row in rows]

    def conversation_ids(self) -> list[str]:
        """Of every conversation, deleted ones too, oldest first."""
        with self._reading() as connection:
            rows = connection.execute("SELECT id FROM conversations ORDER BY id").fetchall()
        return [row[0] for row in rows]

    def orphans(self) -> dict[str, int]:
        """Table → rows that belong to nothing; tables without any are left out. Reads whole
        tables: call it in a thread."""
        with self._reading() as connection:
            found = {
                table: int(
                    connection.execute(
                        f"SELECT count(*) FROM {table} WHERE {where}"  # noqa: S608 - our own words
                    ).fetchone()[0]
                )
                for table, where in _ORPHANS.items()
            }
        return {table: count for table, count in found.items() if count}

    def rewrite_message(self, id: str, body: str, plain: str) -> None:
        """Put `body` in place of a message's body, and `plain` in place of its searched prose."""
        packed, prose = pack(body), searchable(plain)

        def run(connection: sqlite3.Connection) -> None:
            row = connection.execute(
                "SELECT conversation FROM messages WHERE id = ?", (id,)
            ).fetchone()
            if row is None:
                return
            connection.execute("UPDATE messages SET body = ? WHERE id = ?", (packed, id))
            connection.execute(
                "DELETE FROM texts WHERE conversation = ? AND kind = 'prose' AND message = ?",
                (row[0], id),
            )
            add_text(connection, row[0], "prose", prose, message=id)

        self._write(run, size=len(body))

    def restore_past(self, conversation: str, past: Past) -> None:
        """Give what was just stored the times it had elsewhere, and the ledger it came with."""

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE conversations SET created = ? WHERE id = ?", (past.created, conversation)
            )
            connection.executemany(
                "UPDATE messages SET created = ? WHERE id = ?",
                [(created, id) for id, created in past.messages.items()],
            )
            connection.executemany(
                "UPDATE exchanges SET ended = ? WHERE id = ?",
                [(ended, id) for id, ended in past.exchanges.items()],
            )
            connection.executemany(
                "UPDATE results SET created = ? WHERE conversation = ? AND call_ref = ?",
                [(created, conversation, ref) for ref, created in past.results.items()],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO dispatches(conversation, call_ref, attempt, owner, started, ended,"
                " outcome, policy, edited, told) VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(conversation, each.call_ref, each.attempt, each.started),
                        # Whoever ran it is not here: nobody knows what became of it.
                        *(each.started if each.ended is None else each.ended,),
                        *(each.outcome or "unknown", pack(each.policy)),
                        *(
                            (pack_raw(each.edit.text), each.edit.told)
                            if each.edit
                            else (None, None)
                        ),
                    )
                    for each in past.dispatches
                ],
            )

        self._write(run, conversation=conversation)

    def purge_older(self, before: float, *, keep_pinned: bool = True) -> int:
        """Remove for ever what was last changed before the time `before` (unix seconds), but for
        what a window is receiving or running just now. Returns how many conversations went.

        Raises:
            StoreUnusable: it could not be written.
        """

        def run(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "DELETE FROM conversations WHERE updated < ? AND NOT (pinned AND ?)"
                " AND id NOT IN (SELECT conversation FROM exchanges WHERE ending = 'open')"
                " AND id NOT IN (SELECT conversation FROM dispatches WHERE ended IS NULL)",
                (before, keep_pinned),
            ).rowcount

        return self._certainly(run)

    def drop_bytes(self, before: float, *, keep_pinned: bool = True) -> int:
        """Remove the response bytes of ended exchanges in conversations last changed before
        `before`, and count them as not kept. Returns of how many exchanges.

        Only of those that have a message: of the others the bytes are all there is.

        Raises:
            StoreUnusable: it could not be written.
        """

        def run(connection: sqlite3.Connection) -> int:
            rows = connection.execute(
                "SELECT n, (SELECT sum(length(data)) FROM chunks"
                "  WHERE chunks.id BETWEEN n << 24 AND (n << 24 | 16777215)) AS size"
                " FROM exchanges JOIN conversations ON conversations.id = exchanges.conversation"
                " WHERE conversations.updated < ? AND NOT (conversations.pinned AND ?)"
                " AND ending <> 'open' AND message IS NOT NULL AND size > 0",
                (before, keep_pinned),
            ).fetchall()
            for number, size in rows:
                connection.execute(
                    "DELETE FROM chunks WHERE id BETWEEN ? AND ?",
                    (number << 24, number << 24 | 0xFFFFFF),
                )
                connection.execute(
                    "UPDATE exchanges SET lost = lost + ? WHERE n = ?", (size, number)
                )
            return len(rows)

        return self._certainly(run)

    def note_lost(self, exchange: str, count: int) -> None:
        """Note that `count` bytes of a response are not kept."""
        self._write(
            lambda connection: connection.execute(
                "UPDATE exchanges SET lost = lost + ? WHERE id = ?", (count, exchange)
            )
        )
