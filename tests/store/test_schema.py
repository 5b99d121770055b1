"""Files of every version since the first open, keep what they hold, and become like new ones."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tui.store import Edit, Store, StoreUnusable
from tui.store.schema import MIGRATIONS, TABLES, migrate, version_of

SCHEMAS = sorted((Path(__file__).parent / "schemas").glob("v*.sql"))


def make_old(script: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script.read_text(encoding="utf-8"))


def schema_of(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def test_there_is_a_file_for_every_version() -> None:
    assert [script.stem for script in SCHEMAS] == [f"v{n + 1}" for n in range(len(MIGRATIONS))]


@pytest.mark.parametrize("script", SCHEMAS, ids=lambda script: script.stem)
def test_a_file_of_an_older_version_keeps_all_it_holds(script: Path, path: Path) -> None:
    make_old(script, path)
    with Store.open(path) as store:
        (conversation,) = store.list_conversations()
        assert (conversation.title, conversation.tags) == ("Trip to Ōsaka", ("travel",))
        user, assistant = store.path(conversation.id)
        assert (user.body, assistant.role) == ('{"text":"hi"}', "assistant")
        assert assistant.exchange is not None
        assert store.chunks(assistant.exchange) == [(0.25, b"event: ping\n"), (0.5, b"\x00\xff")]
        assert store.exchange(assistant.exchange).ending == "complete"
        (call,) = store.calls(conversation.id)
        assert (call.raw, call.message) == ('{"city":"\ud83d"}', assistant.id)
        assert store.results(conversation.id)["t1.c1"].attempt == 1
        (dispatch,) = store.dispatches(conversation.id)
        assert dispatch.outcome == "returned"
        edit = None if script.stem == "v1" else Edit('{"city":"\ud83dsaka"}', "edited")
        assert dispatch.edit == edit
        assert store.findings("work") == {"no-marker": 3}
        assert [hit.kind for hit in store.search("weather")] == ["arguments", "prose"]
        assert store.check() == []


@pytest.mark.parametrize("script", SCHEMAS, ids=lambda script: script.stem)
def test_a_migrated_file_has_the_schema_of_a_new_one(script: Path, path: Path) -> None:
    make_old(script, path)
    Store.open(path).close()
    new = path.with_name("new.db")
    Store.open(new).close()
    assert schema_of(path) == schema_of(new)


def test_every_table_with_data_is_known_to_recovery(path: Path) -> None:
    Store.open(path).close()
    tables = {name for name, sql in schema_of(path) if sql.startswith("CREATE TABLE")}
    own = {t for t in tables if not t.startswith(("texts_index", "sqlite_"))}
    assert own == set(TABLES)


def test_a_migration_that_fails_changes_nothing_and_the_next_start_tries_again(path: Path) -> None:
    Store.open(path).close()
    before = schema_of(path)

    def add_half(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE calls ADD COLUMN colour TEXT")
        connection.execute("SELECT * FROM no_such_table")

    def add(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE calls ADD COLUMN colour TEXT")

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="no_such_table"):
            migrate(connection, (*MIGRATIONS, add_half))
        assert version_of(connection) == len(MIGRATIONS)
        assert schema_of(path) == before
        assert migrate(connection, (*MIGRATIONS, add)) == (len(MIGRATIONS), len(MIGRATIONS) + 1)
        assert migrate(connection, (*MIGRATIONS, add)) == (len(MIGRATIONS) + 1,) * 2


def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreUnusable, match="schema 99") as caught:
        Store.open(path)
    assert caught.value.trouble.kind == "foreign"
    assert "Update" in caught.value.hint


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks(url)")
    before = schema_of(path)
    with pytest.raises(StoreUnusable, match="tables of another program"):
        Store.open(path)
    assert schema_of(path) == before


def test_another_window_may_open_a_new_store_at_the_same_moment(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: Store.open(path, patience=60), range(4)))
    for store in stores:
        store.create_conversation()
        assert store.flush(60)
    assert stores[0].count_conversations() == 4
    for store in stores:
        store.close()
