"""The tables, and how an older file becomes a current one.

`MIGRATIONS[n]` leads from version n to n + 1; the file's version is `PRAGMA user_version`.
A stored field is added by appending one function here, never by editing an earlier one: files
of every version since the first are out there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from tui.store.trouble import StoreUnusable, describe

APPLICATION_ID = 0x56724274
"""In the file's header (`PRAGMA application_id`): "VrBt". Tells our files from other SQLite files."""

# A chunk's id is `exchange number << 24 | seq`: one integer-keyed tree. Measured on
# 100-byte chunks: half the time and 10 to 25 % less space than a key of two columns, with or
# without rowid; without rowid, chunks over 1 kB would even take twice their size.

_V1 = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    head TEXT,                          -- message the conversation is at; NULL: empty
    endpoint TEXT NOT NULL,
    dialect TEXT NOT NULL,
    model TEXT NOT NULL,
    settings TEXT NOT NULL,             -- JSON, opaque here
    pinned INTEGER NOT NULL DEFAULT 0,
    tags TEXT NOT NULL DEFAULT '[]',    -- JSON array of strings
    deleted_at REAL,                    -- NULL: not deleted
    recorded INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX conversations_by_update ON conversations(pinned, updated);

CREATE TABLE messages (                 -- a tree by parent: a branch is a second child
    id TEXT PRIMARY KEY NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    parent TEXT REFERENCES messages(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,               -- order of storing in the conversation
    role TEXT NOT NULL,                 -- user | assistant | results
    created REAL NOT NULL,
    body TEXT NOT NULL,                 -- JSON, opaque here
    exchange TEXT                       -- the exchange an assistant message came from
);
CREATE UNIQUE INDEX messages_in_order ON messages(conversation, seq);
CREATE INDEX messages_by_parent ON messages(parent);

CREATE TABLE exchanges (
    n INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used twice: chunks are keyed by it
    id TEXT UNIQUE NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    message TEXT,                       -- the assistant message made of it; NULL: none yet
    owner TEXT NOT NULL,                -- the process that ran it (see owners.py)
    dialect TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    url TEXT NOT NULL,
    request_headers TEXT NOT NULL,      -- JSON pairs, secrets masked
    request_body BLOB NOT NULL,         -- zlib
    status INTEGER,
    response_headers TEXT,
    started REAL NOT NULL,              -- unix seconds
    ended REAL,
    ending TEXT NOT NULL DEFAULT 'open',    -- open | complete | broken | cancelled | abandoned
    problem TEXT NOT NULL DEFAULT '',
    tools TEXT,                         -- JSON of the tools offered, opaque here
    lost INTEGER NOT NULL DEFAULT 0     -- response bytes that could not be kept
);
CREATE INDEX exchanges_by_conversation ON exchanges(conversation);
CREATE INDEX exchanges_open ON exchanges(owner) WHERE ending = 'open';
CREATE INDEX exchanges_abandoned ON exchanges(conversation)
    WHERE ending = 'abandoned' AND message IS NULL;

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,             -- exchanges.n << 24 | seq
    at REAL NOT NULL,                   -- seconds since the request was sent
    data BLOB NOT NULL
);
CREATE TRIGGER exchange_deleted AFTER DELETE ON exchanges BEGIN
    DELETE FROM chunks WHERE id BETWEEN (old.n << 24) AND (old.n << 24 | 16777215);
END;

CREATE TABLE calls (
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    ref TEXT NOT NULL,
    message TEXT,
    exchange TEXT,
    ordinal INTEGER NOT NULL,           -- place among the calls of its turn
    key TEXT NOT NULL,                  -- how the stream referred to it, in words
    wire_id TEXT,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    raw BLOB NOT NULL,                  -- argument text, UTF-8 with surrogates
    fragments INTEGER NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    problem TEXT NOT NULL DEFAULT '',
    other_text BLOB,
    PRIMARY KEY (conversation, ref)
);
CREATE INDEX calls_by_message ON calls(message);

CREATE TABLE dispatches (               -- the ledger
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    call_ref TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner TEXT NOT NULL,
    started REAL NOT NULL,
    ended REAL,
    outcome TEXT,                       -- NULL: running
    policy TEXT NOT NULL,               -- who allowed it
    UNIQUE (conversation, call_ref, attempt),
    FOREIGN KEY (conversation, call_ref) REFERENCES calls(conversation, ref) ON DELETE CASCADE
);
CREATE INDEX dispatches_running ON dispatches(owner) WHERE ended IS NULL;
CREATE INDEX dispatches_unknown ON dispatches(conversation) WHERE outcome = 'unknown';

CREATE TABLE results (
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    call_ref TEXT NOT NULL,
    attempt INTEGER NOT NULL,           -- 0: it never ran
    body TEXT NOT NULL,                 -- JSON, opaque here
    is_error INTEGER NOT NULL,
    origin TEXT NOT NULL,
    created REAL NOT NULL,
    full_output BLOB,                   -- where the body holds a shortened one
    PRIMARY KEY (conversation, call_ref, attempt)
);

CREATE TABLE findings (
    endpoint TEXT NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    last REAL NOT NULL,
    PRIMARY KEY (endpoint, code)
);

CREATE TABLE texts (                    -- what can be searched; the record is elsewhere
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,                 -- title | prose | arguments | result
    message TEXT,
    call_ref TEXT,
    text TEXT NOT NULL
);
CREATE INDEX texts_by_subject ON texts(conversation, kind, call_ref);
CREATE VIRTUAL TABLE texts_index USING fts5(
    text, content = 'texts', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER text_added AFTER INSERT ON texts BEGIN
    INSERT INTO texts_index(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER text_deleted AFTER DELETE ON texts BEGIN
    INSERT INTO texts_index(texts_index, rowid, text) VALUES ('delete', old.id, old.text);
END;
"""

Migration = Callable[[sqlite3.Connection], None]


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Execute the statements of `script` inside the open transaction.

    `executescript` would commit first, and a migration must happen whole or not at all.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def _first_tables(connection: sqlite3.Connection) -> None:
    run_script(connection, _V1)


def _edited_runs(connection: sqlite3.Connection) -> None:
    """What a person made of a call's text before it ran, and what the model is told of that.

    `edited` is argument text as in `calls.raw`, NULL where the model's own text ran; `told` is
    edited (with the run's result) or denied (the run is for the person alone).
    """
    connection.execute("ALTER TABLE dispatches ADD COLUMN edited BLOB")
    connection.execute("ALTER TABLE dispatches ADD COLUMN told TEXT")


MIGRATIONS: tuple[Migration, ...] = (_first_tables, _edited_runs)

TABLES = (
    "conversations",
    "messages",
    "exchanges",
    "chunks",
    "calls",
    "dispatches",
    "results",
    "findings",
    "texts",
)
"""Every table that holds data of its own, parents before children. All have rowids, which is
how a damaged file is read."""


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of the open file; 0: empty."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS
) -> tuple[int, int]:
    """Bring the file to the current version; returns (version before, version after).

    Each step is one transaction: a crash or an error between two leaves a file that the next
    start carries on from. Several windows may try at once; the second finds it done.

    Raises:
        StoreUnusable: the file is not ours, or newer than this program.
        sqlite3.Error: as SQLite said it.
    """
    before = version_of(connection)
    refuse_foreign(connection, len(migrations))
    while version_of(connection) < len(migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = version_of(connection)
            if version < len(migrations):
                migrations[version](connection)
                connection.execute(f"PRAGMA user_version = {version + 1}")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return before, version_of(connection)


def refuse_foreign(connection: sqlite3.Connection, known: int = len(MIGRATIONS)) -> None:
    """Only reads. `known`: the newest version this program can use.

    Raises:
        StoreUnusable: the file is not ours, or newer.
        sqlite3.Error: as SQLite said it.
    """
    version = version_of(connection)
    path = next(
        (row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main"), ""
    )
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    detail = ""
    if tables and application != APPLICATION_ID:
        detail = "it holds the tables of another program"
    elif version > known:
        detail = f"it has schema {version}, this version knows up to {known}"
    if detail:
        raise StoreUnusable(describe("foreign", Path(path) if path else None, detail))
