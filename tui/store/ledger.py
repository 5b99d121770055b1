"""The dispatch ledger: at most one start per call, on the disk before the tool starts.

A dispatch is a row (conversation, call, attempt) that is unique, so of two windows that want
to run the same call one is told no. A second attempt exists only for a call whose first one is
`unknown` (its process died while it ran) and only when a person asks for it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

from tui.core.conversation import ResultOrigin
from tui.core.errors import StoreError
from tui.core.states import CallState
from tui.store.calls import move_call
from tui.store.codec import pack, pack_raw, searchable, unpack, unpack_raw
from tui.store.database import Database
from tui.store.texts import replace_text

Outcome = Literal["returned", "failed", "timed out", "cancelled", "unknown"]
Told = Literal["edited", "denied"]
"""What the model is told of a run whose arguments a person changed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Argument text that ran in place of the model's."""

    text: str
    told: Told
    """`denied`: the run was for the person alone, and the call itself counts as denied."""


@dataclass(frozen=True, slots=True)
class NewResult:
    """The one result of a call. `body` is JSON text, opaque here; `plain` is what is searched."""

    body: str
    is_error: bool
    origin: ResultOrigin
    plain: str = ""
    full_output: bytes | None = None
    """All that the tool returned, where `body` holds a shortened one."""


@dataclass(frozen=True, slots=True)
class StoredDispatch:
    id: int
    conversation: str
    call_ref: str
    attempt: int
    """From 1."""
    started: float
    ended: float | None
    outcome: Outcome | None
    """None while it runs."""
    policy: str
    """Who or what allowed it."""
    edit: Edit | None = None
    """None where the model's own text ran."""

    @property
    def aside(self) -> bool:
        """It ran for the person alone: it is not the call's own start, nor its end."""
        return self.edit is not None and self.edit.told == "denied"


@dataclass(frozen=True, slots=True)
class StoredResult:
    conversation: str
    call_ref: str
    attempt: int
    """Of the dispatch that gave it; 0 when the call never ran."""
    body: str
    is_error: bool
    origin: ResultOrigin
    created: float


_DISPATCH = "id, conversation, call_ref, attempt, started, ended, outcome, policy, edited, told"


class Ledger(Database):
    """Dispatches and results; a part of `Store`."""

    def begin_dispatch(
        self,
        conversation: str,
        call_ref: str,
        *,
        attempt: int = 1,
        policy: str = "",
        edit: Edit | None = None,
    ) -> bool:
        """Write down that the call starts; True when it is on the disk and the tool may start.

        With `edit`, what starts is what a person made of it.

        False: it has been started already, here or by another window. Waits for the disk:
        from an event loop use `await asyncio.to_thread(store.begin_dispatch, ...)`.

        Raises:
            StoreUnusable: it could not be written, and will not be. The tool must not start.
            StoreError: no such call is stored.
        """
        now, owner = self._clock(), self.owner
        self._touched.add(conversation)

        def run(connection: sqlite3.Connection) -> bool:
            call = connection.execute(
                "SELECT 1 FROM calls WHERE conversation = ? AND ref = ?", (conversation, call_ref)
            ).fetchone()
            if call is None:
                raise StoreError(
                    f"the call {call_ref!r} is not stored, so its start cannot be written down"
                )
            before = connection.execute(
                "SELECT attempt, outcome FROM dispatches WHERE conversation = ? AND call_ref = ?"
                " ORDER BY attempt DESC LIMIT 1",
                (conversation, call_ref),
            ).fetchone()
            last, outcome = before or (0, "unknown")
            answered = connection.execute(
                "SELECT 1 FROM results WHERE conversation = ? AND call_ref = ?",
                (conversation, call_ref),
            ).fetchone()
            if attempt != last + 1 or outcome != "unknown" or answered:
                return False
            connection.execute(
                "INSERT INTO dispatches(conversation, call_ref, attempt, owner, started, policy,"
                " edited, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(conversation, call_ref, attempt, owner, now, pack(policy)),
                    *((pack_raw(edit.text), edit.told) if edit else (None, None)),
                ),
            )
            if edit is None or edit.told == "edited":
                move_call(connection, conversation, call_ref, CallState.RUNNING)
            return True

        return self._certainly(run)

    def end_dispatch(
        self,
        conversation: str,
        call_ref: str,
        outcome: Outcome,
        *,
        attempt: int = 1,
        result: NewResult | None = None,
        problem: str = "",
    ) -> None:
        """Write down how a started call ended, with its result, together or not at all."""
        now = self._clock()

        def run(connection: sqlite3.Connection) -> None:
            ended = connection.execute(
                "UPDATE dispatches SET ended = ?, outcome = ?"
                " WHERE conversation = ? AND call_ref = ? AND attempt = ? AND ended IS NULL",
                (now, outcome, conversation, call_ref, attempt),
            ).rowcount
            if not ended:
                raise StoreError(f"attempt {attempt} of the call {call_ref!r} is not running")
            move_call(connection, conversation, call_ref, CallState(outcome), problem)
            if result is not None:
                _insert_result(connection, conversation, call_ref, attempt, result, now)

        self._write(run, conversation=conversation, size=_size(result))

    def end_aside(
        self, conversation: str, call_ref: str, outcome: Outcome, *, attempt: int = 1
    ) -> None:
        """Write down how a run for the person alone ended. The call's own result is another."""
        row = (self._clock(), outcome, conversation, call_ref, attempt)
        self._write(
            lambda connection: connection.execute(
                "UPDATE dispatches SET ended = ?, outcome = ?"
                " WHERE conversation = ? AND call_ref = ? AND attempt = ? AND ended IS NULL",
                row,
            ),
            conversation=conversation,
        )

    def save_result(
        self,
        conversation: str,
        call_ref: str,
        result: NewResult,
        *,
        state: CallState,
        problem: str = "",
        attempt: int = 0,
    ) -> None:
        """Store a result that no dispatch gave (denied, invalid, answered by hand) and the state.

        For a call that was `unknown`, with the attempt a person has decided about.
        """
        now = self._clock()

        def run(connection: sqlite3.Connection) -> None:
            _insert_result(connection, conversation, call_ref, attempt, result, now)
            move_call(connection, conversation, call_ref, state, problem)

        self._write(run, conversation=conversation, size=_size(result))

    def results(self, conversation: str) -> dict[str, StoredResult]:
        """The result of each call that has one, by `ref`: that of its last attempt."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT conversation, call_ref, attempt, body, is_error, origin, created"
                " FROM results WHERE conversation = ? ORDER BY attempt, rowid",
                (conversation,),
            ).fetchall()
        return {
            ref: StoredResult(
                conversation, ref, attempt, unpack(body), bool(error), origin, created
            )
            for conversation, ref, attempt, body, error, origin, created in rows
        }

    def full_output(self, conversation: str, call_ref: str) -> bytes | None:
        """All that the tool returned, None where the result holds it. Large: call it in a thread."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT full_output FROM results WHERE conversation = ? AND call_ref = ?"
                " ORDER BY attempt DESC LIMIT 1",
                (conversation, call_ref),
            ).fetchone()
        return row[0] if row else None

    def dispatches(self, conversation: str) -> list[StoredDispatch]:
        """Every start of every call of the conversation, in order."""
        return self._dispatches("conversation = ?", conversation)

    def running_dispatches(self) -> list[StoredDispatch]:
        """Those that a living process (this one or another window) is running."""
        return self._dispatches("ended IS NULL")

    def unfinished_dispatches(self, conversation: str | None = None) -> list[StoredDispatch]:
        """Those a person has to decide about: their process died while they ran, and the call
        has neither been started again nor answered since."""
        where = (
            "outcome = 'unknown'"
            " AND NOT EXISTS (SELECT 1 FROM results WHERE results.conversation"
            " = dispatches.conversation AND results.call_ref = dispatches.call_ref)"
            " AND NOT EXISTS (SELECT 1 FROM dispatches AS later WHERE later.conversation"
            " = dispatches.conversation AND later.call_ref = dispatches.call_ref"
            " AND later.attempt > dispatches.attempt)"
        )
        if conversation is None:
            return self._dispatches(where)
        return self._dispatches(f"{where} AND conversation = ?", conversation)

    def count_findings(self, endpoint: str, code: str, count: int = 1) -> None:
        """Add to how often `endpoint` sent what the finding `code` names."""
        row = (pack(endpoint), code, count, self._clock())
        self._write(
            lambda connection: connection.execute(
                "INSERT INTO findings(endpoint, code, count, last) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (endpoint, code) DO UPDATE"
                " SET count = count + excluded.count, last = excluded.last",
                row,
            ),
            durable=False,
        )

    def findings(self, endpoint: str) -> dict[str, int]:
        """How often each finding was made at `endpoint`, by code."""
        with self._reading() as connection:
            return dict(
                connection.execute(
                    "SELECT code, count FROM findings WHERE endpoint = ? ORDER BY code",
                    (pack(endpoint),),
                ).fetchall()
            )

    def _dispatches(self, where: str, *values: str) -> list[StoredDispatch]:
        # Without the sign SQLite would walk the whole table in this order, not a small index.
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_DISPATCH} FROM dispatches WHERE {where} ORDER BY +id",  # noqa: S608
                values,
            ).fetchall()
        return [
            StoredDispatch(
                *(id, conversation, ref, attempt, started, ended, outcome, unpack(policy)),
                None if edited is None else Edit(unpack_raw(edited), told),
            )
            for id, conversation, ref, attempt, started, ended, outcome, policy, edited, told in rows
        ]


def _insert_result(
    connection: sqlite3.Connection,
    conversation: str,
    call_ref: str,
    attempt: int,
    result: NewResult,
    now: float,
) -> None:
    connection.execute(
        "INSERT INTO results(conversation, call_ref, attempt, body, is_error, origin, created,"
        " full_output) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(conversation, call_ref, attempt, pack(result.body), result.is_error),
            *(result.origin, now, result.full_output),
        ),
    )
    message: Any = connection.execute(
        "SELECT message FROM calls WHERE conversation = ? AND ref = ?", (conversation, call_ref)
    ).fetchone()
    replace_text(
        connection,
        conversation,
        "result",
        searchable(result.plain),
        message=message[0] if message else None,
        call_ref=call_ref,
    )
    connection.execute("UPDATE conversations SET updated = ? WHERE id = ?", (now, conversation))


def _size(result: NewResult | None) -> int:
    return len(result.body) + len(result.full_output or b"") if result else 0
