"""A damaged store, through the commands: what is said, what is saved, and what is left alone."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.portable.conversations import make
from tui.cli import main
from tui.session.portable import as_json
from tui.session.portable.importing import store_whole
from tui.session.portable.whole import gather
from tui.store import Store

PAGE = 4096


@pytest.fixture
async def path(home: Path) -> Path:
    """A sound store of eleven conversations."""
    path = home / "data" / "verbatim.sqlite"
    store, conversation = await make(path)
    for _ in range(10):
        store_whole(store, gather(store, conversation))
    store.close()
    return path


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def page_of(data: bytes, text: bytes) -> int:
    return data.index(text) // PAGE * PAGE


def root_of(data: bytes, table: str, folder: Path) -> int:
    copy = folder / "copy.sqlite"
    copy.write_bytes(data)
    with closing(sqlite3.connect(copy)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
    return (int(root) - 1) * PAGE


def zeroed(data: bytes, place: int) -> bytes:
    return data[:place] + bytes(PAGE) + data[place + PAGE :]


Damage = Callable[[bytes, Path], bytes]

WITHOUT_LOSS: dict[str, Damage] = {
    "the magic words of the header": lambda data, _: b"no SQLite file.." + data[16:],
    "the header": lambda data, _: noise(100) + data[100:],
    "the page size in the header": lambda data, _: data[:16] + b"\x00\x03" + data[18:],
    "the first page": lambda data, _: zeroed(data, 0),
    "text behind the end": lambda data, _: data + b"a line of a log\n" * 300,
    "the root of chunks": lambda data, tmp: zeroed(data, root_of(data, "chunks", tmp)),
    "the root of messages": lambda data, tmp: zeroed(data, root_of(data, "messages", tmp)),
    "the root of exchanges": lambda data, tmp: zeroed(data, root_of(data, "exchanges", tmp)),
    "an index": lambda data, tmp: zeroed(data, root_of(data, "messages_in_order", tmp)),
    "the index of ids": lambda data, tmp: zeroed(
        data, root_of(data, "sqlite_autoindex_conversations_1", tmp)
    ),
}
WITH_LOSS: dict[str, Damage] = {
    "a page in the middle": lambda data, _: zeroed(data, page_of(data, b"data: {")),
    "every tenth page": lambda data, _: b"".join(
        noise(PAGE) if place // PAGE % 10 == 9 else data[place : place + PAGE]
        for place in range(0, len(data), PAGE)
    ),
    "the second half cut off": lambda data, _: data[: len(data) // 2],
}
NOTHING_LEFT: dict[str, Damage] = {
    "an empty file": lambda data, _: b"",
    "no database": lambda data, _: b"Dear diary, today it rained.\n" * 2000,
    "a hundred bytes": lambda data, _: data[:100],
}


def exports(path: Path) -> dict[str, str]:
    """Every conversation as JSON text, by id."""
    with Store.open(path) as store:
        return {id: as_json.write(gather(store, id)) for id in store.conversation_ids()}


def chunks(path: Path) -> dict[int, tuple[float, bytes]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, at, data FROM chunks").fetchall()
    return {id: (at, data) for id, at, data in rows}


@pytest.mark.parametrize("damage", WITHOUT_LOSS.values(), ids=WITHOUT_LOSS)
def test_what_can_be_read_all_the_same_is_recovered_byte_for_byte(
    path: Path, tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    before, new = exports(path), tmp_path / "new.sqlite"
    damaged = damage(path.read_bytes(), tmp_path)
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    assert main(["doctor", "--recover", str(new)]) in (0, 1)
    assert path.read_bytes() == damaged
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name, f"{path.name}.owners"]
    assert exports(new) == before
    assert main(["doctor", "--store", str(new)]) == 0
    assert main(["search", "--store", str(new), "Found it"]) == 0
    assert new.stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    # Once more: nothing is overwritten, and under another name it is the same again.
    assert main(["doctor", "--recover", str(new)]) == 2
    assert "there already" in capsys.readouterr().err
    assert main(["doctor", "--recover", str(tmp_path / "again.sqlite")]) in (0, 1)
    assert exports(tmp_path / "again.sqlite") == before


@pytest.mark.parametrize("damage", WITH_LOSS.values(), ids=WITH_LOSS)
def test_what_is_lost_is_said_and_the_rest_is_there(
    path: Path, tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    received = chunks(path)
    new = tmp_path / "new.sqlite"
    damaged = damage(path.read_bytes(), tmp_path)
    path.write_bytes(damaged)
    assert main(["doctor"]) in (1, 2)
    said = capsys.readouterr()
    assert "--recover NEW" in said.err
    assert "Traceback" not in said.err
    assert main(["doctor", "--recover", str(new)]) == 1
    assert "malformed" in capsys.readouterr().err
    with Store.open(new) as store:
        assert store.check() == []
    saved = chunks(new)
    assert saved.items() <= received.items()
    assert len(received) / 10 < len(saved) < len(received)
    assert main(["doctor", "--store", str(new)]) in (0, 1)


@pytest.mark.parametrize("damage", NOTHING_LEFT.values(), ids=NOTHING_LEFT)
def test_where_nothing_is_left_it_is_said_and_nothing_is_begun_in_its_place(
    path: Path, tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = damage(path.read_bytes(), tmp_path)
    path.write_bytes(damaged)
    for command in (["doctor"], ["search", "Found"], ["export", "x"], ["ask", "hello"]):
        assert main(command) == 2, command
        said = capsys.readouterr()
        assert f"{str(path)!r} is damaged" in said.err
        assert "doctor --recover NEW" in said.err
        assert "--no-record" in said.err
    assert main(["doctor", "--recover", str(tmp_path / "new.sqlite")]) == 2
    assert not (tmp_path / "new.sqlite").exists()
    assert path.read_bytes() == damaged


def test_a_garbled_log_is_damage_and_what_the_file_holds_is_recovered(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = exports(path)
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(noise(50_000))
    assert main(["doctor"]) == 2
    assert "is no log of SQLite" in capsys.readouterr().err
    assert main(["doctor", "--recover", str(tmp_path / "new.sqlite")]) == 0
    assert exports(tmp_path / "new.sqlite") == before
    assert log.read_bytes() == noise(50_000)


def test_another_store_is_used_where_one_is_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere.sqlite"
    assert main(["ask", "--store", str(elsewhere), "hello"]) == 0
    assert main(["ask", "--store", str(tmp_path), "hello"]) == 0
    assert not (home / "data" / "verbatim.sqlite").exists()
    capsys.readouterr()
    assert main(["search", "--store", str(elsewhere), "hello"]) == 0
    id = capsys.readouterr().out.split()[0]
    assert main(["export", "--store", str(elsewhere), id]) == 0
    assert main(["doctor", "--store", str(tmp_path)]) == 0
    assert (tmp_path / "verbatim.sqlite").exists()


def test_from_the_current_folder_a_new_file_can_be_named(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exports(path)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--recover", "new.sqlite"]) == 0
    assert exports(tmp_path / "new.sqlite") == before
