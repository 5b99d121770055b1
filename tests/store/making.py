"""What the store's tests are made of: calls, a filled store, a listener for trouble."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tui.core.states import CallState
from tui.store import NewCall, NewResult, Store, Trouble
from tui.store.files import connect

PATIENCE = 20.0
"""How long a test waits for what must come. Nothing is asserted about how long it took."""


def new_call(ref: str = "t1.c1", raw: str = '{"city":"Paris"}', **changes: object) -> NewCall:
    values: dict[str, object] = {
        "ordinal": 0,
        "key": "block 1",
        "wire_id": "toolu_1",
        "name": "get_weather",
        "kind": "function",
        "fragments": 3,
        "digest": "d1",
        "state": CallState.FINAL,
        **changes,
    }
    return NewCall(ref=ref, raw=raw, **values)  # type: ignore[arg-type]


def new_result(plain: str = "22 degrees", **changes: object) -> NewResult:
    values: dict[str, object] = {"body": "{}", "is_error": False, "origin": "tool", **changes}
    return NewResult(plain=plain, **values)  # type: ignore[arg-type]


def with_call(store: Store, ref: str = "t1.c1") -> str:
    """A conversation with one final call; returns its id."""
    conversation = store.create_conversation(title="Trip")
    store.save_call(conversation, new_call(ref))
    return conversation


def begin_exchange(store: Store, conversation: str) -> str:
    return store.begin_exchange(
        conversation, dialect="anthropic", endpoint="work", url="https://api.example.com/v1"
    )


@dataclass
class Troubles:
    """An `on_trouble` that can be waited on."""

    heard: list[Trouble] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, trouble: Trouble) -> None:
        with self._changed:
            self.heard.append(trouble)
            self._changed.notify_all()

    def wait(self, kind: str, *, over: bool = False) -> Trouble:
        """The first trouble of `kind`, when it comes."""

        def find() -> Trouble | None:
            return next((t for t in self.heard if (t.kind, t.over) == (kind, over)), None)

        with self._changed:
            found = self._changed.wait_for(find, PATIENCE)
        assert found, f"no {kind} (over: {over}) among {self.heard}"
        return found


@dataclass
class Connections:
    """A `connect` that keeps the connections it opened; the first is the one that writes."""

    opened: list[sqlite3.Connection] = field(default_factory=list)
    setup: str = ""
    """Executed on the first one: makes the disk small, for one."""

    def __call__(self, uri: str) -> sqlite3.Connection:
        connection = connect(uri)
        if self.setup and not self.opened:
            connection.execute(self.setup)
        self.opened.append(connection)
        return connection

    @property
    def writing(self) -> sqlite3.Connection:
        return self.opened[0]


class FullDisk(Connections):
    """A `connect` for a disk whose free space is set by hand, in pages beyond the file."""

    def leave(self, pages: int) -> None:
        used = self.writing.execute("PRAGMA page_count").fetchone()[0]
        self.writing.execute(f"PRAGMA max_page_count = {used + pages}")


def hold_lock(path: Path) -> sqlite3.Connection:
    """Another program that holds the database for writing until `rollback()`."""
    other = connect(path.as_uri())
    other.execute("BEGIN EXCLUSIVE")
    return other
