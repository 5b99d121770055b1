"""The store while its file fails: what is said, what is kept, and how the turn goes on."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.making import (
    Connections,
    FullDisk,
    Troubles,
    begin_exchange,
    hold_lock,
    new_call,
    new_result,
    with_call,
)
from tui.core.errors import StoreError
from tui.store import Store, StoreUnusable
from tui.store.schema import MIGRATIONS


def test_while_another_program_holds_the_lock_bytes_wait_in_memory_and_reading_goes_on(
    path: Path, troubles: Troubles
) -> None:
    with Store.open(path, on_trouble=troubles, patience=0.01) as store:
        conversation = with_call(store)
        exchange = begin_exchange(store, conversation)
        assert store.flush()
        other = hold_lock(path)
        for number in range(500):
            store.append_chunk(exchange, number / 10, b"chunk %d" % number)
        trouble = troubles.wait("locked")
        assert "locked" in trouble.message
        assert trouble.options == ("retry", "another folder", "in memory")
        assert store.trouble() is not None
        assert store.waiting == (500, sum(len(b"chunk %d" % n) for n in range(500)))
        assert not store.flush()
        assert store.chunks(exchange) == []
        assert store.conversation(conversation).title == "Trip"
        other.rollback()
        other.close()
        troubles.wait("locked", over=True)
        assert [data for _, data in store.chunks(exchange)] == [b"chunk %d" % n for n in range(500)]
        assert (store.trouble(), store.waiting) == (None, (0, 0))


def test_a_short_lock_is_no_trouble(path: Path, troubles: Troubles) -> None:
    with Store.open(path, on_trouble=troubles, patience=60) as store:
        conversation = store.create_conversation()
        assert store.flush()
        other = hold_lock(path)
        store.rename(conversation, "renamed")
        assert not store.flush()  # It has been tried in vain.
        other.rollback()
        other.close()
        while not store.flush():
            pass
        assert store.conversation(conversation).title == "renamed"
    assert troubles.heard == []


def test_on_a_full_disk_what_arrives_is_kept_and_written_when_there_is_room(
    path: Path, troubles: Troubles
) -> None:
    disk = FullDisk()
    with Store.open(path, on_trouble=troubles, connect=disk) as store:
        exchange = begin_exchange(store, store.create_conversation())
        assert store.flush()
        disk.leave(1)
        for number in range(50):
            store.append_chunk(exchange, number / 10, bytes([number]) * 1000)
        trouble = troubles.wait("full")
        assert "full" in trouble.message
        assert "another folder" in trouble.options
        disk.leave(1000)
        store.retry()
        assert troubles.wait("full", over=True).over
        assert [data for _, data in store.chunks(exchange)] == [
            bytes([n]) * 1000 for n in range(50)
        ]
        assert store.exchange(exchange).lost == 0
    assert [(t.kind, t.over) for t in troubles.heard] == [("full", False), ("full", True)]


def test_beyond_its_bound_the_backlog_lets_bytes_go_says_so_and_writes_down_how_many(
    path: Path, troubles: Troubles
) -> None:
    disk = FullDisk()
    with Store.open(path, on_trouble=troubles, connect=disk, backlog_bytes=10_000) as store:
        conversation = store.create_conversation()
        exchange = begin_exchange(store, conversation)
        assert store.flush()
        disk.leave(0)
        for number in range(12):
            store.append_chunk(exchange, number / 10, bytes([number]) * 1000)
        assert "missing from the record" in troubles.wait("overflow").hint
        # What is not response bytes is kept whatever its size.
        store.rename(conversation, "x" * 20_000)
        troubles.wait("full")
        disk.leave(1000)
        store.retry()
        assert "2000 response bytes were lost" in troubles.wait("overflow", over=True).message
        store.append_chunk(exchange, 2.0, b"after")
        chunks = store.chunks(exchange)
        assert [data[:1] for _, data in chunks] == [bytes([n]) for n in range(10)] + [b"a"]
        assert store.exchange(exchange).lost == 2000
        assert store.conversation(conversation).title == "x" * 20_000


def test_a_turn_goes_on_in_another_folder(path: Path, troubles: Troubles, tmp_path: Path) -> None:
    disk = FullDisk()
    other = tmp_path / "elsewhere" / "verbatim.db"
    with Store.open(path, on_trouble=troubles, connect=disk) as store:
        conversation = with_call(store)
        exchange = begin_exchange(store, conversation)
        store.append_chunk(exchange, 0.0, b"before")
        assert store.flush()
        disk.leave(0)
        store.append_chunk(exchange, 1.0, b"during" * 1000)
        troubles.wait("full")
        store.relocate(other)
        assert store.file == other
        store.append_chunk(exchange, 2.0, b"after")
        troubles.wait("full", over=True)
        assert [d for _, d in store.chunks(exchange)] == [b"before", b"during" * 1000, b"after"]
        assert store.begin_dispatch(conversation, "t1.c1")
        store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
        store.end_exchange(exchange, "complete")
    with Store.open(other) as store:
        assert store.exchange(exchange).ending == "complete"
        assert len(store.chunks(exchange)) == 3
        assert store.results(conversation)
        assert store.check() == []
    assert other.stat().st_mode & 0o777 == 0o600


def test_a_turn_goes_on_in_memory_with_the_conversations_of_this_window(
    path: Path, troubles: Troubles
) -> None:
    with Store.open(path) as earlier:
        earlier.create_conversation(title="of yesterday")
    disk = FullDisk()
    with Store.open(path, on_trouble=troubles, connect=disk) as store:
        conversation = with_call(store)
        exchange = begin_exchange(store, conversation)
        store.append_chunk(exchange, 0.0, b"before")
        assert store.flush()
        disk.leave(0)
        store.append_chunk(exchange, 1.0, b"during" * 1000)
        troubles.wait("full")
        store.relocate(None)
        assert store.file is None
        assert [d for _, d in store.chunks(exchange)] == [b"before", b"during" * 1000]
        assert [c.title for c in store.list_conversations()] == ["Trip"]
        assert [hit.kind for hit in store.search("paris")] == ["arguments"]
        assert store.begin_dispatch(conversation, "t1.c1")


def test_what_was_only_in_memory_can_be_saved_to_a_file(path: Path) -> None:
    with Store.memory() as store:
        conversation = with_call(store)
        store.relocate(path)
        store.rename(conversation, "saved")
    with Store.open(path) as store:
        assert [c.title for c in store.list_conversations()] == ["saved"]


def test_relocating_overwrites_nothing_and_leaves_the_store_as_it_was(
    path: Path, tmp_path: Path
) -> None:
    taken, blocked = tmp_path / "taken.db", tmp_path / "file" / "new.db"
    taken.write_bytes(b"precious")
    blocked.parent.write_bytes(b"")
    with Store.open(path) as store:
        conversation = store.create_conversation(title="Trip")
        with pytest.raises(StoreError, match="there already"):
            store.relocate(taken)
        with pytest.raises(StoreUnusable, match=r"new\.db"):
            store.relocate(blocked)
        assert store.conversation(conversation).title == "Trip"
    assert taken.read_bytes() == b"precious"


def test_a_place_that_turned_out_too_small_can_be_named_again(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "verbatim.db"
    opened: list[sqlite3.Connection] = []

    def small_elsewhere(uri: str) -> sqlite3.Connection:
        connection = Connections()(uri)
        if str(other) in uri and not opened:
            connection.execute("PRAGMA max_page_count = 3")
            opened.append(connection)
        return connection

    with Store.open(path, connect=small_elsewhere) as store:
        conversation = store.create_conversation(title="Trip")
        with pytest.raises(StoreUnusable, match="is full"):
            store.relocate(other)
        assert list(other.parent.iterdir()) == []
        assert store.relocate(other) == ()
        assert store.conversation(conversation).title == "Trip"


@pytest.mark.parametrize("where", ["elsewhere", None])
def test_from_a_damaged_store_a_turn_goes_on_with_what_is_readable(
    path: Path, tmp_path: Path, where: str | None
) -> None:
    with Store.open(path) as store:
        hit = store.create_conversation(title="whose call is lost")
        store.save_call(hit, new_call(raw="x" * 3000))
        for _ in range(199):
            store.save_call(store.create_conversation(), new_call(raw="y" * 3000))
    page = path.read_bytes().index(b"x" * 1000) // 4096
    with path.open("r+b") as file:
        file.seek(4096 * page)
        file.write(b"\xff" * 4096)
    damaged = path.read_bytes()
    with Store.open(path) as store:
        conversation = store.create_conversation(title="now")
        exchange = begin_exchange(store, conversation)
        store.append_chunk(exchange, 0.0, b"before")
        store.pin(hit)
        missing = store.relocate(tmp_path / where / "new.db" if where else None)
        assert missing == ("calls: database disk image is malformed",)
        store.append_chunk(exchange, 1.0, b"after")
        assert [data for _, data in store.chunks(exchange)] == [b"before", b"after"]
        assert store.check() == []
        count = store.count_conversations()
        assert count == (201 if where else 2)
    assert path.read_bytes()[4096 * page :][:4096] == damaged[4096 * page :][:4096]


def test_a_commit_that_wrote_nothing_is_no_sign_that_there_is_room(
    path: Path, troubles: Troubles
) -> None:
    disk = FullDisk()
    with Store.open(path, on_trouble=troubles, connect=disk) as store:
        conversation = with_call(store)
        assert store.flush()
        disk.leave(0)
        store.save_call(conversation, new_call("t1.c2", raw="x" * 100_000))
        troubles.wait("full")
        # Refused at once, so the batch with it has nothing to write.
        with pytest.raises(StoreUnusable, match="is full"):
            store.begin_dispatch(conversation, "t1.c1")
        with pytest.raises(StoreUnusable, match="is full"):
            store.begin_dispatch(conversation, "t1.c1")
        assert store.trouble() is not None
        assert [trouble.over for trouble in troubles.heard] == [False]
        disk.leave(1000)
        troubles.wait("full", over=True)


def test_closing_says_what_could_not_be_written(path: Path) -> None:
    disk = FullDisk()
    store = Store.open(path, connect=disk)
    conversation = store.create_conversation()
    assert store.flush()
    disk.leave(0)
    store.rename(conversation, "x" * 100_000)
    with pytest.raises(StoreUnusable, match="1 of 1 waiting writes"):
        store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.rename(conversation, "y")


def test_a_write_that_is_refused_takes_nothing_else_with_it(path: Path, troubles: Troubles) -> None:
    with Store.open(path, on_trouble=troubles) as store:
        conversation = store.create_conversation()
        other = hold_lock(path)  # so that all of it is one batch
        exchange = begin_exchange(store, conversation)
        store.append_chunk(exchange, 0.0, b"one")
        store.add_message(conversation, parent="nobody", role="user", body="{}")
        store.append_chunk(exchange, 0.1, b"two")
        store.rename(conversation, "renamed")
        other.rollback()
        other.close()
        assert "FOREIGN KEY" in troubles.wait("rejected").message
        while not store.flush():
            pass
        assert store.chunks(exchange) == [(0.0, b"one"), (0.1, b"two")]
        assert store.conversation(conversation).title == "renamed"
        assert store.path(conversation) == []


def test_a_listener_that_fails_does_not_stop_the_writer(path: Path) -> None:
    def closed_loop(_: object) -> None:
        raise RuntimeError("Event loop is closed")

    with Store.open(path, on_trouble=closed_loop) as store:
        conversation = store.create_conversation()
        store.add_message(conversation, parent="nobody", role="user", body="{}")
        store.rename(conversation, "renamed")
        assert store.flush()
        assert store.conversation(conversation).title == "renamed"


def test_files_and_folders_are_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(path) as store:
            begin_exchange(store, store.create_conversation())
            assert store.flush()
            modes = {p.relative_to(path.parent): p.stat().st_mode for p in path.parent.rglob("*")}
            assert path.parent.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    assert len(modes) == 5  # the file, its -wal and -shm, the folder of owners and our lock
    assert {mode & 0o077 for mode in modes.values()} == {0}


def test_a_store_that_others_could_read_is_made_private(path: Path) -> None:
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_a_closed_store_but_its_file(path: Path) -> None:
    Store.open(path).close()
    assert sorted(p.name for p in path.parent.rglob("*")) == [path.name, f"{path.name}.owners"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnusable, match=r"file/verbatim\.db") as caught:
        Store.open(tmp_path / "file" / "verbatim.db")
    assert caught.value.trouble.options == ("retry", "another folder", "in memory")
    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreUnusable) as caught:
            Store.open(tmp_path / "verbatim.db")
    finally:
        tmp_path.chmod(0o700)
    assert caught.value.trouble.kind == "read-only"


def test_a_database_that_can_only_be_read_is_said_to_be_so(path: Path) -> None:
    Store.open(path).close()

    def read_only(uri: str) -> sqlite3.Connection:
        return Connections()(uri.replace("mode=rw", "mode=ro"))

    with pytest.raises(StoreUnusable, match="may be read but not written") as caught:
        Store.open(path, connect=read_only, migrations=(*MIGRATIONS, lambda _: None))
    assert caught.value.trouble.kind == "read-only"


def test_a_database_that_becomes_read_only_keeps_what_arrives(
    path: Path, troubles: Troubles
) -> None:
    connections = Connections()
    with Store.open(path, on_trouble=troubles, connect=connections) as store:
        conversation = store.create_conversation()
        assert store.flush()
        connections.writing.execute("PRAGMA query_only = ON")
        store.rename(conversation, "renamed")
        assert "another folder" in troubles.wait("read-only").options
        connections.writing.execute("PRAGMA query_only = OFF")
        troubles.wait("read-only", over=True)
        assert store.conversation(conversation).title == "renamed"


def test_opening_waits_for_a_lock_only_so_long(path: Path) -> None:
    Store.open(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnusable, match="locked") as caught:
            Store.open(path, patience=0.0)
    assert caught.value.trouble.options == ("retry", "another folder", "in memory")


@pytest.mark.parametrize("content", [b"not a database" * 1000, b"\0" * 8192], ids=["text", "zeros"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreUnusable) as caught:
        Store.open(path)
    assert caught.value.trouble.kind in ("corrupt", "foreign")
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_the_file_of_another_program_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipes(name)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match="another program") as caught:
        Store.open(path)
    assert caught.value.trouble.kind == "foreign"
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o644
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def _empty_file(path: Path, log: Path) -> None:
    path.write_bytes(b"")


def _lost_file(path: Path, log: Path) -> None:
    path.unlink()
    log.write_bytes(b"\x37\x7f\x06\x82" + b"frames" * 100)


def _garbled_log(path: Path, log: Path) -> None:
    log.write_bytes(b"no log " * 100)


@pytest.mark.parametrize("damage", [_empty_file, _lost_file, _garbled_log])
def test_what_sqlite_would_begin_anew_is_damage_and_left_alone(
    path: Path, damage: Callable[[Path, Path], None]
) -> None:
    Store.open(path).close()
    log = path.with_name(f"{path.name}-wal")
    damage(path, log)
    before = {each: each.read_bytes() for each in (path, log) if each.exists()}
    with pytest.raises(StoreUnusable, match="is damaged") as caught:
        Store.open(path)
    assert caught.value.trouble.kind == "corrupt"
    assert {each: each.read_bytes() for each in (path, log) if each.exists()} == before


def test_a_log_without_a_single_entry_is_none(path: Path) -> None:
    """What a crash leaves that came before the first write."""
    Store.open(path).close()
    path.with_name(f"{path.name}-wal").write_bytes(b"")
    Store.open(path).close()


def test_what_cannot_be_read_is_an_error_with_the_option_to_recover(
    path: Path, troubles: Troubles
) -> None:
    with Store.open(path) as store:
        conversation = store.create_conversation()
        for number in range(200):
            store.save_call(conversation, new_call(f"t1.c{number}", raw="x" * 3000))
    pages = path.stat().st_size // 4096
    with path.open("r+b") as file:
        file.seek(4096 * (pages // 2))
        file.write(b"\xff" * 4096 * 4)
    with Store.open(path, on_trouble=troubles) as store:
        with pytest.raises(StoreUnusable, match="damaged"):
            store.calls(conversation)
        with pytest.raises(StoreUnusable, match="damaged") as caught:
            store.calls(conversation)
        assert caught.value.trouble.options[0] == "recover"
        assert [(trouble.kind, trouble.over) for trouble in troubles.heard] == [("corrupt", False)]
        assert store.check() != []


def test_an_emptied_file_is_damage_and_what_waits_is_written_elsewhere(
    path: Path, troubles: Troubles, tmp_path: Path
) -> None:
    with Store.open(path) as store:
        store.create_conversation(title="earlier")
    with Store.open(path, on_trouble=troubles) as store:
        with path.open("r+b") as file:
            file.truncate(0)
        conversation = store.create_conversation(title="now")
        exchange = begin_exchange(store, conversation)
        store.append_chunk(exchange, 0.0, b"bytes")
        troubles.wait("corrupt")
        assert store.waiting[0] == 3
        (missing,) = store.relocate(tmp_path / "new.db")
        assert "nothing of it is left" in missing
        assert store.chunks(exchange) == [(0.0, b"bytes")]
        assert store.conversation(conversation).title == "now"
    assert {trouble.kind for trouble in troubles.heard} == {"corrupt"}
