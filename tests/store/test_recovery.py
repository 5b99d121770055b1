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


def behind_its_back(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement).fetchall()


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
    behind_its_back(
        path,
        "DROP TRIGGER exchange_deleted",
        "DELETE FROM conversations",
        "DELETE FROM exchanges",
    )
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


@pytest.mark.parametrize(
    "table", ["conversations", "messages", "exchanges", "chunks", "calls", "texts"]
)
def test_rows_whose_tree_has_lost_its_root_are_found_by_their_shape(
    path: Path, sound: bytes, tmp_path: Path, table: str
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
    path.write_bytes(garble_page(root - 1)(sound))
    recovered = recover(path, tmp_path / "new.db")
    assert sum(recovered.rows.values()) == WHOLE
    assert recovered.problems == (f"{table}: database disk image is malformed",)
    with Store.open(recovered.path) as new:
        path.write_bytes(sound)
        with Store.open(path) as old:
            assert new.list_conversations(limit=99) == old.list_conversations(limit=99)
            for conversation in old.conversation_ids():
                assert new.path(conversation) == old.path(conversation)
                assert new.calls(conversation) == old.calls(conversation)
                assert new.results(conversation) == old.results(conversation)
                assert new.exchanges(conversation) == old.exchanges(conversation)
                for exchange in old.exchanges(conversation):
                    assert new.chunks(exchange.id) == old.chunks(exchange.id)
                found = [(hit.conversation, hit.kind) for hit in new.search("prose 17")]
                assert found == [(hit.conversation, hit.kind) for hit in old.search("prose 17")]


def test_rows_longer_than_a_page_are_found_without_their_tree(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store:
        conversation = store.create_conversation(title="long")
        exchange = begin_exchange(store, conversation)
        parts = [bytes([n]) * size for n, size in enumerate([9_000, 4_061, 4_062, 490, 100_000])]
        for part in parts:
            store.append_chunk(exchange, 0.5, part)
        for number in range(40):
            store.append_chunk(exchange, 1.0, b"%d" % number * 2000)
    sound = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'chunks'"
        ).fetchone()
    path.write_bytes(garble_page(root - 1)(sound))
    recovered = recover(path, tmp_path / "new.db")
    with Store.open(recovered.path) as store:
        assert [data for _, data in store.chunks(exchange)][:5] == parts
        assert recovered.rows["chunks"] == 45


def test_what_was_deleted_does_not_come_back(path: Path, sound: bytes, tmp_path: Path) -> None:
    with Store.open(path) as store:
        gone = store.conversation_ids()[:20]
        for conversation in gone:
            store.purge(conversation)
    behind_its_back(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'chunks'"
        ).fetchone()
    path.write_bytes(garble_page(root - 1)(data))
    recovered = recover(path, tmp_path / "new.db")
    with Store.open(recovered.path) as store:
        assert set(store.conversation_ids()).isdisjoint(gone)
    assert recovered.rows["messages"] == 2 * (CONVERSATIONS - 20)


def test_a_call_that_may_have_been_started_does_not_look_as_if_it_never_was(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    behind_its_back(
        path, "DELETE FROM calls WHERE rowid <= 3", "DELETE FROM results", "DELETE FROM exchanges"
    )
    behind_its_back(
        path,
        "UPDATE dispatches SET outcome = 'unknown' WHERE id = 1",
        "UPDATE dispatches SET outcome = NULL, ended = NULL WHERE id = 2",
        "UPDATE calls SET state = 'running' WHERE rowid = 5",
        "DELETE FROM dispatches WHERE id = 5",
    )
    recovered = recover(path, tmp_path / "new.db")
    with closing(sqlite3.connect(recovered.path)) as connection:
        states = [
            connection.execute(
                "SELECT state FROM calls WHERE conversation ="
                " (SELECT id FROM conversations WHERE title = ?)",
                (f"conversation {number}",),
            ).fetchone()[0]
            for number in range(6)
        ]
    assert states == ["unknown", "unknown", "returned", "returned", "unknown", "returned"]


def test_where_the_ledger_is_damaged_every_call_without_a_result_is_unknown(
    path: Path, sound: bytes, tmp_path: Path
) -> None:
    behind_its_back(path, "UPDATE calls SET state = 'final'", "DELETE FROM results")
    data = path.read_bytes()
    page = data.index(b"get_weather") // PAGE
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'dispatches'"
        ).fetchone()
    assert page != root - 1
    path.write_bytes(garble_page(root - 1)(data))
    recovered = recover(path, tmp_path / "new.db")
    assert recovered.rows["dispatches"] < CONVERSATIONS
    with closing(sqlite3.connect(recovered.path)) as connection:
        doubtful = connection.execute(
            "SELECT count(*) FROM calls WHERE state = 'final' AND NOT EXISTS (SELECT 1 FROM"
            " dispatches WHERE dispatches.conversation = calls.conversation)"
        ).fetchone()[0]
        unknown = connection.execute("SELECT count(*) FROM calls WHERE state = 'unknown'")
        assert (doubtful, unknown.fetchone()[0] > 0) == (0, True)


def test_a_place_may_be_named_from_the_current_folder(
    path: Path, sound: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recovered = recover(Path("data") / path.name, Path("new.db"))
    assert sum(recovered.rows.values()) == WHOLE
    assert recovered.path == tmp_path / "new.db"


def test_a_recovery_that_is_interrupted_leaves_nothing_in_its_own_way(
    path: Path, sound: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "out"
    monkeypatch.setattr("tui.store.recovery.readable_rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        recover(path, out / "new.db")
    assert list(out.iterdir()) == []


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
