"""`verbatim doctor` from the outside: exit status, words, recovery and retention."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.portable.conversations import make
from tui.cli import main
from tui.session.resume import resume
from tui.session.workspace import Workspace
from tui.store import Store
from tui.tools.policy import Policy
from tui.tools.registry import Registry


@pytest.fixture
async def path(home: Path) -> Path:
    path = home / "data" / "verbatim.sqlite"
    store, _ = await make(path)
    store.close()
    return path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_the_exit_status_says_what_was_found(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    change(path, "UPDATE calls SET raw = x'7b7d' WHERE ref = 't1.c1'")
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 1
    first, second = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (first["code"], first["stored"], first["subject"]) == ("call", "{}", "t1.c1")
    assert second["code"] == "digest"
    assert main(["doctor", "--rederive"]) == 1
    assert main(["doctor"]) == 0
    assert main(["doctor", "no-such-id"]) == 2
    garbage = tmp_path / "x.sqlite"
    garbage.write_bytes(b"no database" * 1000)
    assert main(["doctor", "--store", str(garbage)]) == 2


def test_what_is_readable_of_a_damaged_store_is_copied(path: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.sqlite"
    assert main(["doctor", "--recover", str(new)]) == 0
    assert main(["doctor", "--store", str(new)]) == 0
    assert main(["doctor", "--recover", str(new)]) == 2


def test_what_is_too_old_is_removed_and_pinned_ones_stay(home: Path, path: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("[retention]\ndays = 30\n")
    assert main(["doctor", "--purge"]) == 0
    with Store.open(path) as store:
        assert store.count_conversations() == 1
    change(path, "UPDATE conversations SET updated = 1000, pinned = 1")
    main(["doctor", "--purge"])
    with Store.open(path) as store:
        assert store.count_conversations() == 1
    change(path, "UPDATE conversations SET pinned = 0")
    main(["doctor", "--purge"])
    with Store.open(path) as store:
        assert store.conversation_ids() == []


def test_bytes_can_be_let_go_and_the_conversation_still_shows(home: Path, path: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("[retention]\nraw_days = 30\n")
    change(path, "UPDATE conversations SET updated = 1000")
    assert main(["doctor", "--purge"]) == 0
    with Store.open(path) as store:
        (id,) = store.conversation_ids()
        assert all(not store.chunks(each.id) and each.lost for each in store.exchanges(id))
        resumed = resume(store, id)
        workspace = Workspace(
            store, Registry([]), Policy(), lambda _: pytest.fail("nobody is asked")
        )
        exchange = resumed.stored[1].exchange
        assert exchange is not None
        handle = workspace.past_turn(resumed, exchange)
        assert handle.turn.text == "Let me look."
        assert [call.text for call in handle.turn.calls][1] == '{"wrong": "ann@example.com"}'
    assert main(["doctor"]) == 0


@pytest.mark.parametrize("line", ["days = 0", "days = '3'", "keep = true", "raw_days = -1"])
def test_retention_is_read_strictly(home: Path, line: str) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(f"[retention]\n{line}\n")
    assert main(["doctor"]) == 2
