"""Calls as rows: what the model wrote, byte for byte, and what became of it.

In: `NewCall`, when the turn is over. Out: `StoredCall`, whose `state` is the newest one; the
ledger moves it on. Argument text is stored as bytes, so that half a surrogate pair survives.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from tui.core.states import CallState
from tui.store.codec import (
    pack,
    pack_optional,
    pack_raw,
    searchable,
    unpack,
    unpack_optional,
    unpack_raw,
)
from tui.store.database import Database
from tui.store.texts import replace_text


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call to be stored. `ref` is unique in its conversation, for ever."""

    ref: str
    ordinal: int
    """Its place among the calls of its turn, from 0."""
    key: str
    """How the stream referred to it, in words."""
    wire_id: str | None
    name: str
    kind: str
    raw: str
    fragments: int
    digest: str
    state: CallState
    problem: str = ""
    other_text: str | None = None


@dataclass(frozen=True, slots=True)
class StoredCall:
    conversation: str
    ref: str
    message: str | None
    exchange: str | None
    ordinal: int
    key: str
    wire_id: str | None
    name: str
    kind: str
    raw: str
    fragments: int
    digest: str
    state: CallState
    problem: str
    other_text: str | None


_COLUMNS = (
    "conversation, ref, message, exchange, ordinal, key, wire_id, name, kind, raw, fragments,"
    " digest, state, problem, other_text"
)


class Calls(Database):
    """Writing and reading calls; a part of `Store`."""

    def save_call(
        self,
        conversation: str,
        call: NewCall,
        *,
        message: str | None = None,
        exchange: str | None = None,
    ) -> None:
        """Store a call, in place of one with the same ref. `add_message` can take calls along."""
        self._write(
            lambda connection: insert_call(
                connection, conversation, call, message=message, exchange=exchange
            ),
            conversation=conversation,
            size=2 * len(call.raw),
        )

    def set_call_state(
        self, conversation: str, ref: str, state: CallState, problem: str = ""
    ) -> None:
        """Note a change that is no dispatch: approval asked, denied, cancelled."""
        self._write(
            lambda connection: move_call(connection, conversation, ref, state, problem),
            conversation=conversation,
        )

    def calls(self, conversation: str, message: str | None = None) -> list[StoredCall]:
        """The calls of a conversation, or of one message, in the order they were made."""
        where, values = "conversation = ?", [conversation]
        if message is not None:
            where, values = f"{where} AND message = ?", [conversation, message]
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE {where} ORDER BY rowid",  # noqa: S608
                values,
            ).fetchall()
        return [_call(row) for row in rows]

    def call(self, conversation: str, ref: str) -> StoredCall | None:
        """The call `ref`, None when none is stored under it."""
        with self._reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE conversation = ? AND ref = ?",  # noqa: S608
                (conversation, ref),
            ).fetchone()
        return _call(row) if row else None


def insert_call(
    connection: sqlite3.Connection,
    conversation: str,
    call: NewCall,
    *,
    message: str | None,
    exchange: str | None,
) -> None:
    """Inside a transaction: store `call` and index its argument text.

    It replaces a call with the same ref, unless that one belongs to another message.
    """
    row = (
        *(conversation, call.ref, message, exchange, call.ordinal, pack(call.key)),
        *(pack_optional(call.wire_id), pack(call.name), call.kind, pack_raw(call.raw)),
        *(call.fragments, call.digest, call.state.value, pack(call.problem)),
        None if call.other_text is None else pack_raw(call.other_text),
    )
    updates = ", ".join(
        f"{column} = excluded.{column}" for column in _COLUMNS.replace(" ", "").split(",")[2:]
    )
    stored = connection.execute(
        f"INSERT INTO calls({_COLUMNS}) VALUES ({', '.join('?' * len(row))})"  # noqa: S608
        f" ON CONFLICT (conversation, ref) DO UPDATE SET {updates}"
        " WHERE calls.message IS NULL OR calls.message IS excluded.message",
        row,
    ).rowcount
    if not stored:
        return  # Another window counted to the same ref; its call may have run already.
    # The name is found too: "which conversations called get_weather".
    text = searchable(call.raw, is_json=call.kind == "function")
    replace_text(
        connection,
        conversation,
        "arguments",
        f"{searchable(call.name)} {text}",
        message=message,
        call_ref=call.ref,
    )


def move_call(
    connection: sqlite3.Connection, conversation: str, ref: str, state: CallState, problem: str = ""
) -> None:
    """Inside a transaction: the call's newest state."""
    connection.execute(
        "UPDATE calls SET state = ?, problem = iif(? = '', problem, ?)"
        " WHERE conversation = ? AND ref = ?",
        (state.value, pack(problem), pack(problem), conversation, ref),
    )


def _call(row: tuple[Any, ...]) -> StoredCall:
    conversation, ref, message, exchange, ordinal, key, wire_id, name, kind, raw = row[:10]
    fragments, digest, state, problem, other_text = row[10:]
    return StoredCall(
        conversation=conversation,
        ref=ref,
        message=message,
        exchange=exchange,
        ordinal=ordinal,
        key=unpack(key),
        wire_id=unpack_optional(wire_id),
        name=unpack(name),
        kind=kind,
        raw=unpack_raw(raw),
        fragments=fragments,
        digest=digest,
        state=CallState(state),
        problem=unpack(problem),
        other_text=None if other_text is None else unpack_raw(other_text),
    )
