"""Conversations and their messages, which form a tree: what was regenerated, edited or resent
is a second child of the same parent, and nothing is overwritten.

Message bodies and settings are JSON text made elsewhere (`core.codec`); opaque here. Ids are
made here, so that every writing method can return at once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tui.core.errors import StoreError
from tui.store.calls import NewCall, insert_call
from tui.store.codec import new_id, pack, searchable, unpack
from tui.store.database import Database
from tui.store.texts import add_text, replace_text

Role = Literal["user", "assistant", "results"]
Order = Literal["updated", "created", "title"]

_ORDERS: dict[Order, str] = {
    "updated": "pinned DESC, updated DESC, id DESC",
    "created": "pinned DESC, created DESC, id DESC",
    "title": "pinned DESC, title COLLATE NOCASE, id",
}


@dataclass(frozen=True, slots=True)
class StoredConversation:
    id: str
    title: str
    created: float
    """Unix seconds, as all times here."""
    updated: float
    head: str | None
    """The message it is at; None while empty."""
    endpoint: str
    dialect: str
    model: str
    settings: str
    pinned: bool
    tags: tuple[str, ...]
    deleted_at: float | None
    recorded: bool


@dataclass(frozen=True, slots=True)
class StoredMessage:
    id: str
    conversation: str
    parent: str | None
    seq: int
    """Order of storing in the conversation, from 1."""
    role: Role
    created: float
    body: str
    exchange: str | None


_CONVERSATION = (
    "id, title, created, updated, head, endpoint, dialect, model, settings,"
    " pinned, tags, deleted_at, recorded"
)
_MESSAGE = "id, conversation, parent, seq, role, created, body, exchange"


class Conversations(Database):
    """Writing and reading conversations; a part of `Store`."""

    def create_conversation(
        self,
        *,
        title: str = "",
        endpoint: str = "",
        dialect: str = "",
        model: str = "",
        settings: str = "{}",
        tags: Sequence[str] = (),
        recorded: bool = True,
    ) -> str:
        """Begin a conversation; returns its id."""
        now = self._clock()
        id = new_id(now)
        row = (
            *(id, pack(title), now, now, pack(endpoint), pack(dialect), pack(model)),
            *(pack(settings), json.dumps(list(tags)), recorded),
        )

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO conversations(id, title, created, updated, endpoint, dialect, model,"
                " settings, tags, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                # There is one where this write waited for a new store in place of a damaged one.
                " ON CONFLICT (id) DO UPDATE SET title = excluded.title, created = excluded.created,"
                " updated = excluded.updated, endpoint = excluded.endpoint,"
                " dialect = excluded.dialect, model = excluded.model,"
                " settings = excluded.settings, tags = excluded.tags, recorded = excluded.recorded",
                row,
            )
            add_text(connection, id, "title", searchable(title))

        self._write(run, conversation=id)
        return id

    def add_message(
        self,
        conversation: str,
        *,
        parent: str | None,
        role: Role,
        body: str,
        plain: str = "",
        exchange: str | None = None,
        calls: Sequence[NewCall] = (),
        make_head: bool = True,
    ) -> str:
        """Store a message below `parent` (None: a first one) and, with it, its calls; returns its id.

        `plain` is the prose of it, for the search. `exchange`: the one it was received in.
        Message and calls are written together or not at all.
        """
        now = self._clock()
        id = new_id(now)
        packed, prose = pack(body), searchable(plain)

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(
                f"INSERT INTO messages({_MESSAGE}) VALUES (?, ?, ?,"  # noqa: S608
                " (SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE conversation = ?),"
                " ?, ?, ?, ?)",
                (id, conversation, parent, conversation, role, now, packed, exchange),
            )
            add_text(connection, conversation, "prose", prose, message=id)
            for call in calls:
                insert_call(connection, conversation, call, message=id, exchange=exchange)
            if exchange is not None:
                connection.execute("UPDATE exchanges SET message = ? WHERE id = ?", (id, exchange))
            connection.execute(
                "UPDATE conversations SET updated = ?, head = iif(?, ?, head) WHERE id = ?",
                (now, make_head, id, conversation),
            )

        self._write(run, conversation=conversation, size=len(body) + len(plain))
        return id

    def set_head(self, conversation: str, message: str | None) -> None:
        """Go to `message`, anywhere in the tree: what follows is a branch from there."""
        self._update(conversation, "head", message)

    def rename(self, conversation: str, title: str) -> None:
        text = searchable(title)

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE conversations SET title = ? WHERE id = ?", (pack(title), conversation)
            )
            replace_text(connection, conversation, "title", text)

        self._write(run, conversation=conversation)

    def pin(self, conversation: str, pinned: bool = True) -> None:
        self._update(conversation, "pinned", pinned)

    def tag(self, conversation: str, tags: Sequence[str]) -> None:
        """Give it exactly these tags."""
        self._update(conversation, "tags", json.dumps(list(tags)))

    def configure(
        self,
        conversation: str,
        *,
        endpoint: str | None = None,
        dialect: str | None = None,
        model: str | None = None,
        settings: str | None = None,
    ) -> None:
        """Change where and how its next turn is asked for; None leaves a field as it is."""
        changes = {"endpoint": endpoint, "dialect": dialect, "model": model, "settings": settings}
        for column, value in changes.items():
            if value is not None:
                self._update(conversation, column, pack(value))

    def delete(self, conversation: str) -> None:
        """Put it aside: it is in no list and no search until `undelete`, or gone with `purge`."""
        self._update(conversation, "deleted_at", self._clock())

    def undelete(self, conversation: str) -> None:
        self._update(conversation, "deleted_at", None)

    def purge(self, conversation: str) -> None:
        """Remove it and all that belongs to it, for ever."""

        def run(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
            # Bounded, so that response bytes of another conversation do not wait long.
            connection.execute("PRAGMA incremental_vacuum(1000)").fetchall()

        self._write(run)

    def purge_deleted(self, before: float) -> None:
        """Remove for ever what was deleted before the time `before`."""
        self._write(
            lambda connection: connection.execute(
                "DELETE FROM conversations WHERE deleted_at < ?", (before,)
            )
        )

    def conversation(self, id: str) -> StoredConversation:
        """Raises: StoreError when there is none with this id."""
        with self._reading() as connection:
            row = connection.execute(
                f"SELECT {_CONVERSATION} FROM conversations WHERE id = ?",  # noqa: S608
                (id,),
            ).fetchone()
        if row is None:
            raise StoreError(f"no conversation has the id {id!r}")
        return _conversation(row)

    def list_conversations(
        self,
        query: str = "",
        *,
        limit: int = 50,
        offset: int = 0,
        order: Order = "updated",
        deleted: bool = False,
    ) -> list[StoredConversation]:
        """Conversations, pinned ones first; `query`: words that are all in the title or a tag.

        `deleted`: those that were put aside instead.
        """
        if order not in get_args(Order):
            raise ValueError(order)
        where = ["deleted_at IS NOT NULL" if deleted else "deleted_at IS NULL"]
        values: list[str | int] = []
        for word in query.split():
            where.append("(title LIKE ? ESCAPE '\\' OR tags LIKE ? ESCAPE '\\')")
            values += [like(word), like(json.dumps(word)[1:-1])]
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_CONVERSATION} FROM conversations WHERE {' AND '.join(where)}"  # noqa: S608
                f" ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
        return [_conversation(row) for row in rows]

    def count_conversations(self, *, deleted: bool = False) -> int:
        with self._reading() as connection:
            row = connection.execute(
                "SELECT count(*) FROM conversations WHERE (deleted_at IS NOT NULL) = ?", (deleted,)
            ).fetchone()
        return int(row[0])

    def message(self, id: str) -> StoredMessage:
        """Raises: StoreError when there is none with this id."""
        found = self._messages("SELECT * FROM messages WHERE id = ?", id)
        if not found:
            raise StoreError(f"no message has the id {id!r}")
        return found[0]

    def path(self, conversation: str, head: str | None = None) -> list[StoredMessage]:
        """The messages from the first to `head` (None: the conversation's own head)."""
        return self._messages(
            "WITH RECURSIVE up(id, depth) AS ("
            " SELECT coalesce(?, (SELECT head FROM conversations WHERE id = ?)), 0"
            " UNION ALL SELECT parent, depth + 1 FROM messages JOIN up USING (id)"
            " WHERE parent IS NOT NULL)"
            " SELECT * FROM messages JOIN up USING (id) WHERE conversation = ? ORDER BY depth DESC",
            *(head, conversation, conversation),
        )

    def children(self, conversation: str, parent: str | None) -> list[StoredMessage]:
        """The branches below `parent` (None: the first messages), oldest first."""
        return self._messages(
            "SELECT * FROM messages WHERE conversation = ? AND parent IS ? ORDER BY seq",
            *(conversation, parent),
        )

    def newest_leaf(self, message: str) -> str:
        """The end of the branch that was last written to at or below `message`."""
        with self._reading() as connection:
            row = connection.execute(
                "WITH RECURSIVE down(id, seq) AS ("
                " SELECT id, seq FROM messages WHERE id = ?"
                " UNION ALL SELECT messages.id, messages.seq FROM messages"
                " JOIN down ON messages.parent = down.id)"
                " SELECT id FROM down ORDER BY seq DESC LIMIT 1",
                (message,),
            ).fetchone()
        return str(row[0]) if row else message

    def _messages(self, query: str, *values: str | None) -> list[StoredMessage]:
        with self._reading() as connection:
            rows = connection.execute(query.replace("*", _MESSAGE, 1), values).fetchall()
        return [message_of_row(row) for row in rows]

    def _update(self, conversation: str, column: str, value: Any) -> None:
        self._write(
            lambda connection: connection.execute(
                f"UPDATE conversations SET {column} = ? WHERE id = ?",  # noqa: S608 - our own word
                (value, conversation),
            ),
            conversation=conversation,
        )


def like(word: str) -> str:
    """A LIKE pattern (escape character `\\`) for texts that hold `word`."""
    for special in ("\\", "%", "_"):
        word = word.replace(special, "\\" + special)
    return f"%{word.encode('utf-8', 'replace').decode()}%"


def message_of_row(row: tuple[Any, ...]) -> StoredMessage:
    id, conversation, parent, seq, role, created, body, exchange = row
    return StoredMessage(id, conversation, parent, seq, role, created, unpack(body), exchange)


def _conversation(row: tuple[Any, ...]) -> StoredConversation:
    id, title, created, updated, head, endpoint, dialect, model, settings = row[:9]
    pinned, tags, deleted_at, recorded = row[9:]
    return StoredConversation(
        id=id,
        title=unpack(title),
        created=created,
        updated=updated,
        head=head,
        endpoint=unpack(endpoint),
        dialect=unpack(dialect),
        model=unpack(model),
        settings=unpack(settings),
        pinned=bool(pinned),
        tags=tuple(json.loads(tags)),
        deleted_at=deleted_at,
        recorded=bool(recorded),
    )
