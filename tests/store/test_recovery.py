from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.making import begin_exchange, new_call, new_result
from tui.core.errors import StoreError
from tui.store import Store, recover

PAGE = 4096
CONVERSATIONS = 40
WHOLE = 16 * CONVERSATIONS + 1
"""Rows in all tables."""


@pytest.fixture
def sound(path: Path) -> bytes:
    """The bytes of a store at `path` with forty conversations, each with all kinds of rows."""
    with Store.open(path) as store:
        for number in range(CONVERSATIONS):
            conversation = store.create_conversation(title=f"conversation {number}")
            exchange = begin_exchange(store, conversation)
            for part in range(5):
                store.append_chunk(exchange, part / 10, b"%d" % number * 400)
            store.end_exchange(exchange, "complete")
            first = store.add_message(
                conversation, parent=None, role="user", body="u" * 500, plain=f"prose {number}"
            )
            store.add_message(
                conversation,
                parent=first,
                role="assistant",
                body="a" * 500,
                exchange=exchange,
                calls=[new_call()],
            )
            store.begin_dispatch(conversation, "t1.c1")
            store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
        store.count_findings("work", "no-marker", 3)
    return path.read_bytes()


def garble_page(number: int) -> Callable[[bytes], bytes]:
    return lambda data: data[: number * PAGE] + b"\xa5" * PAGE + data[(number + 1) * PAGE :]


def test_a_sound_store_is_recovered_whole(path: Path, sound: bytes, tmp_path: Path) -> None:
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.problems == ()
    assert recovered.rows == {
        "conversations": CONVERSATIONS,
        "messages": 2 * CONVERSATIONS,
        "exchanges": CONVERSATIONS,
        "chunks": 5 * CONVERSATIONS,
        "calls": CONVERSATIONS,
        "dispatches": CONVERSATIONS,
        "results": CONVERSATIONS,
        "findings": 1,
        "texts": 4 * CONVERSATIONS,
    }
    with Store.open(path) as old, Store.open(recovered.path) as new:
        assert new.list_conversations() == old.list_conversations()
        for conversation in old.list_conversations():
            assert new.path(conversation.id) == old.path(conversation.id)
            assert new.calls(conversation.id) == old.calls(conversation.id)
            assert new.results(conversation.id) == old.results(conversation.id)
            assert new.exchanges(conversation.id) == old.exchanges(conversation.id)
            for exchange in old.exchanges(conversation.id):
                assert new.chunks(exchange.id) == old.chunks(exchange.id)
        assert new.search("prose 7") == old.search("prose 7")
        assert new.findings("work") == {"no-marker": 3}


def test_around_any_damaged_page_what_is_readable_is_saved(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    saved = []
    for number in range(0, len(sound) // PAGE, 4):
        damaged = garble_page(number)(sound)
        path.write_bytes(damaged)
        recovered = recover(path, tmp_path / f"new{number}.db")
        assert path.read_bytes() == damaged
        saved.append(sum(recovered.rows.values()))
        assert recovered.path.stat().st_mode & 0o777 == 0o600
        with Store.open(recovered.path) as store:
            assert store.check() == []
            for conversation in store.list_conversations(limit=1000):
                store.path(conversation.id)
                store.search("prose")
    assert WHOLE - 10 < max(saved) <= WHOLE
    # Most pages hold a few rows or an index. None costs more than one table.
    assert min(saved) >= WHOLE - 5 * CONVERSATIONS


def test_between_two_damages_in_one_table_everything_is_saved(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    damaged, lost = sound, 0
    for number in (10, 30):
        page = sound.index(b"%d" % number * 400) // PAGE
        damaged = garble_page(page)(damaged)
        # A leaf page tells how many rows it holds.
        lost += int.from_bytes(sound[page * PAGE + 3 : page * PAGE + 5])
    path.write_bytes(damaged)
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.problems == ("chunks: database disk image is malformed",)
    assert 0 < lost < 20
    assert recovered.rows["chunks"] == 5 * CONVERSATIONS - lost


def test_a_truncated_file_is_read_by_its_own_plan_where_it_has_one(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    """After VACUUM the tables begin elsewhere than in a new store."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    packed = path.read_bytes()
    path.write_bytes(packed[: len(packed) // PAGE * PAGE - 2 * PAGE])
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.rows["conversations"] == CONVERSATIONS
    assert recovered.rows["chunks"] == 5 * CONVERSATIONS
    with Store.open(recovered.path) as store:
        assert {c.title for c in store.list_conversations(limit=1000)} == {
            f"conversation {n}" for n in range(CONVERSATIONS)
        }


def test_a_row_with_damage_inside_a_value_is_left_out_and_named(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE calls SET raw = x'7bff7d' WHERE rowid = 5")
        connection.commit()
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.rows["calls"] == CONVERSATIONS - 1
    (problem,) = recovered.problems
    assert problem.startswith("calls: a row makes no sense")
    with Store.open(recovered.path) as store:
        for conversation in store.list_conversations(limit=1000):
            store.calls(conversation.id)


@pytest.mark.parametrize("kept", [0.9, 0.5])
def test_of_a_truncated_file_the_part_that_is_there_is_saved(
    path: Path, sound: bytes, tmp_path: Path, kept: float
) -> None:
    path.write_bytes(sound[: int(len(sound) * kept)])
    recovered = recover(path, tmp_path / "new.db")
    assert sum(recovered.rows.values()) > WHOLE * kept / 2
    assert recovered.problems
    with Store.open(recovered.path) as store:
        assert store.check() == []


def test_without_its_first_page_the_file_is_read_by_the_plan_of_a_new_one(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    path.write_bytes(b"\0" * PAGE + sound[PAGE:])
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.rows["messages"] == 2 * CONVERSATIONS
    assert recovered.rows["chunks"] == 5 * CONVERSATIONS


def test_messages_without_conversation_and_chunks_without_exchange_are_gathered(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for table in ("conversations", "exchanges"):
            root = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
            ).fetchone()[0]
            sound = garble_page(root - 1)(sound)
    path.write_bytes(sound)
    recovered = recover(path, tmp_path / "new.db")
    with Store.open(recovered.path) as store:
        titles = {c.title for c in store.list_conversations(limit=1000)}
        assert titles == {"Recovered conversation", "Recovered responses"}
        (gathered,) = store.list_conversations("responses")
        assert len(store.exchanges(gathered.id)) == CONVERSATIONS
        exchange = store.exchanges(gathered.id)[3]
        assert [data for _, data in store.chunks(exchange.id)] == [b"3" * 400] * 5
        one = store.list_conversations("conversation")[0]
        assert [m.body[0] for m in store.path(one.id)] == ["u", "a"]
        assert store.check() == []


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000], ids=["empty", "text"])
def test_when_nothing_is_readable_it_is_said_and_nothing_is_left(
    path: Path, tmp_path: Path, content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="verbatim"):
        recover(path, tmp_path / "out" / "new.db")
    assert list((tmp_path / "out").iterdir()) == []


def test_recovering_overwrites_nothing(path: Path, sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "new.db").write_bytes(b"precious")
    with pytest.raises(StoreError, match="there already"):
        recover(path, tmp_path / "new.db")
    assert (tmp_path / "new.db").read_bytes() == b"precious"
