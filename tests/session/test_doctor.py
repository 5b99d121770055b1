"""The doctor finds what was changed behind the store's back, and nothing where nothing was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.portable.conversations import make
from tui.core.codec import decode_message
from tui.core.conversation import AssistantMessage
from tui.core.states import CallState
from tui.session.doctor import examine, examine_file, tools_in
from tui.store import Store


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A sound store with one conversation of three turns."""
    path = tmp_path / "verbatim.sqlite"
    store, _ = await make(path)
    store.close()
    return path


@pytest.fixture
def changed(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def differences(path: Path, *, rederive: bool = False) -> list[tuple[str, str]]:
    with Store.open(path) as store:
        found = examine_file(store)
        for id in store.conversation_ids():
            found += examine(store, id, rederive=rederive)
    return [(each.code, each.subject if each.code != "message" else "") for each in found]


def test_a_sound_store_has_no_differences(path: Path) -> None:
    assert differences(path) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "UPDATE calls SET raw = x'7b7d' WHERE ref = 't1.c1'",
            [("call", "t1.c1"), ("digest", "t1.c1")],
        ),
        ("UPDATE calls SET raw = 'text' WHERE ref = 't1.c1'", [("unreadable", "")]),
        ("UPDATE calls SET digest = 'x' WHERE ref = 't1.c1'", [("digest", "t1.c1")]),
        ("UPDATE calls SET fragments = 9 WHERE ref = 't1.c1'", [("call", "t1.c1")]),
        ("UPDATE calls SET state = 'final' WHERE ref = 't1.c2'", [("state", "t1.c2")]),
        ("UPDATE calls SET state = 'running' WHERE ref = 't1.c1'", [("ledger", "t1.c1")]),
        (
            "DELETE FROM results WHERE call_ref = 't1.c1'",
            [("result", "t1.c1"), ("ledger", "t1.c1")],
        ),
        ("DELETE FROM dispatches", [("ledger", "t1.c1")]),
        (
            "INSERT INTO dispatches SELECT NULL, conversation, call_ref, 2, owner, started, ended,"
            " outcome, policy, edited, told FROM dispatches",
            [("ledger", "t1.c1")] * 2,
        ),
        ("UPDATE messages SET body = replace(body, 'Let me', 'Let us')", [("message", "")]),
        ("UPDATE conversations SET head = 'x'", [("tree", "x")]),
        ("DELETE FROM chunks WHERE id & 16777215 = 3 AND id >> 24 = 1", [("message", "")]),
    ],
)
def test_a_change_behind_its_back_is_found(
    path: Path, changed: sqlite3.Connection, change: str, expected: list[tuple[str, str]]
) -> None:
    changed.execute(change)
    found = differences(path)
    assert found[: len(expected)] == expected
    if "chunks" not in change:
        assert len(found) == len(expected)


def test_rows_that_belong_to_nothing_are_counted(path: Path, changed: sqlite3.Connection) -> None:
    changed.execute("PRAGMA foreign_keys = OFF")
    changed.execute("UPDATE chunks SET id = id + (99 << 24) WHERE id >> 24 = 3")
    assert ("orphans", "chunks") in differences(path)


def test_a_response_without_its_message_is_a_difference(
    path: Path, changed: sqlite3.Connection
) -> None:
    changed.execute("UPDATE exchanges SET message = NULL WHERE n = 3")
    assert [code for code, _ in differences(path)] == ["no message"]


def test_rederiving_writes_what_the_bytes_say_and_then_all_is_well(
    path: Path, changed: sqlite3.Connection
) -> None:
    changed.execute("UPDATE messages SET body = replace(body, 'Let me', 'Let us')")
    changed.execute("UPDATE calls SET raw = x'7b7d' WHERE ref = 't1.c1'")
    assert len(differences(path, rederive=True)) == 3
    assert differences(path) == []
    with Store.open(path) as store:
        (id,) = store.conversation_ids()
        assert store.calls(id)[0].state is CallState.RETURNED
        message = decode_message(store.messages(id)[1].body)
        assert isinstance(message, AssistantMessage)
        assert message.text == "Let me look."
        assert store.search("Let us") == []


def test_a_state_that_contradicts_the_ledger_is_rederived_from_it(
    path: Path, changed: sqlite3.Connection
) -> None:
    changed.execute("UPDATE calls SET state = 'final' WHERE ref = 't1.c1'")
    assert differences(path, rederive=True) == [("ledger", "t1.c1")]
    assert differences(path) == []
    with Store.open(path) as store:
        (id,) = store.conversation_ids()
        assert store.calls(id)[0].state is CallState.RETURNED


def test_what_is_no_message_is_unreadable_and_ends_nothing(
    path: Path, changed: sqlite3.Connection
) -> None:
    changed.execute("UPDATE messages SET body = '{}' WHERE seq = 2")
    assert [code for code, _ in differences(path)] == ["unreadable"]


def test_tools_are_read_from_requests_of_every_dialect() -> None:
    for body in (
        b'{"tools":[{"name":"a","input_schema":{"type":"object"}}]}',
        b'{"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}',
        b'{"tools":[{"type":"function","name":"a","parameters":{"type":"object"}}]}',
    ):
        found = tools_in(body)
        assert found is not None
        assert found["a"].schema == {"type": "object"}
    custom = tools_in(b'{"tools":[{"type":"custom","name":"c"},{"type":"web_search"}]}')
    assert custom is not None
    assert [spec.kind for spec in custom.values()] == ["custom"]
    assert tools_in(b"") is None
    assert tools_in(b'{"model":"m"}') == {}
