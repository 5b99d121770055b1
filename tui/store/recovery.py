"""Copying what is readable of a damaged file into a new store.

In: a file that SQLite calls malformed, truncated, or no database at all. Out: a sound new one
and a count of what was saved. The damaged file is not touched: the work is done on a copy
(with its write-ahead log), row by row in both directions around what cannot be read.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.core.errors import StoreError
from tui.core.sniff import dialect_of
from tui.core.states import CallState
from tui.store.carving import Column, stray_rows
from tui.store.codec import pack_body, unpack_body, unpack_raw
from tui.store.files import connect, make_private, open_writing, remove
from tui.store.schema import TABLES, migrate
from tui.store.trouble import translate
from tui.store.walk import readable_rows

_INTERIOR = 5
"""Type byte of a page that points to others, in a table's tree."""
_SENSELESS = (sqlite3.IntegrityError, ValueError, TypeError, zlib.error)
"""What storing or decoding a row raises whose values are damaged."""
_WORDS = 120


@dataclass(frozen=True, slots=True)
class Recovery:
    """What `recover` saved: rows by table, and what could not be read, in words."""

    path: Path
    rows: dict[str, int]
    problems: tuple[str, ...] = field(default=())


def recover(path: Path, new_path: Path) -> Recovery:
    """Copy every readable row of the store at `path` into a new store at `new_path`.

    Messages whose parent is lost become first messages, and what lost its conversation or
    exchange is gathered in one named so. Takes as long as the file is large: call it in a
    thread.

    Raises:
        StoreError: nothing at all is readable, or the new file cannot be written.
    """
    path, new_path = path.absolute(), new_path.absolute()
    if new_path.exists():
        raise StoreError(
            f"the file {str(new_path)!r} is there already",
            hint="Name one that is not: nothing is overwritten.",
        )
    try:
        make_private(new_path)
        rows, problems = _rebuild(path, new_path)
        if not sum(rows.values()):
            raise StoreError(
                f"nothing in {str(path)!r} could be read: {'; '.join(problems) or 'it is empty'}",
                hint="Keep the file if you can; begin a new store elsewhere.",
            )
    except BaseException as problem:
        # Whatever ended it, Ctrl+C too: half a store would only be in the way of the next try.
        remove(new_path)
        if isinstance(problem, OSError | sqlite3.Error | StoreError):
            raise translate(problem, new_path) from problem
        raise
    return Recovery(new_path, rows, tuple(problems))


def _rebuild(path: Path, new_path: Path) -> tuple[dict[str, int], list[str]]:
    target = open_writing(new_path, connect, patience=1.0)
    try:
        migrate(target)
        with tempfile.TemporaryDirectory(dir=new_path.parent, prefix=".recover-") as folder:
            copy, source = _open_copy(path, Path(folder))
            rows, problems = _copy_readable(source, copy, target)
        damaged = any(problem.startswith("dispatches:") for problem in problems)
        _mend(target, ledger_damaged=damaged)
    finally:
        target.close()
    return rows, problems


def _open_copy(path: Path, folder: Path) -> tuple[Path, sqlite3.Connection]:
    """The damaged file's copy, and it opened so that SQLite reads on where it usually stops."""
    copy = folder / "damaged.db"
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copyfile(source, copy.with_name(copy.name + suffix))
    connection = _open_lenient(copy)
    if connection is None:
        _replace_plan(copy, folder)
        connection = _open_lenient(copy)
    if connection is None:
        raise StoreError(
            f"{str(path)!r} is not a store, or nothing of it is left",
            hint="Begin a new store elsewhere.",
        )
    return copy, connection


def _open_lenient(copy: Path) -> sqlite3.Connection | None:
    connection = connect(f"{copy.as_uri()}?mode=rw")
    try:
        # With it on, a file shorter than its header says is read as far as it goes.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        names = set()
    if "conversations" in names:
        return connection
    connection.close()
    return None


def _replace_plan(copy: Path, folder: Path) -> None:
    """Put the pages of a new store's schema in place of the damaged one's.

    They say where each table begins; in every store that the same steps made, that is the same
    place.
    """
    pristine = folder / "pristine.db"
    make_private(pristine)
    connection = open_writing(pristine, connect, patience=0.0)
    migrate(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = int(connection.execute("PRAGMA page_size").fetchone()[0])
    connection.close()
    data = bytearray(pristine.read_bytes())
    data[28:32] = struct.pack(">I", max(1, copy.stat().st_size // size))
    data[32:40] = bytes(8)  # No list of free pages: what it named may be anything.
    with copy.open("r+b") as file:
        for number in _schema_pages(data, size):
            file.seek((number - 1) * size)
            file.write(data[(number - 1) * size : number * size])


def _schema_pages(data: bytearray, size: int) -> Iterator[int]:
    """The numbers of the pages that hold the schema, a tree with its root on page 1.

    https://www.sqlite.org/fileformat2.html#b_tree_pages
    """
    waiting = [1]
    while waiting:
        number = waiting.pop()
        yield number
        start = (number - 1) * size
        header = start + (100 if number == 1 else 0)
        if data[header] != _INTERIOR:
            continue
        cells, right = struct.unpack_from(">3xH3xI", data, header)
        pointers = struct.unpack_from(f">{cells}H", data, header + 12)
        waiting.append(right)
        waiting += [struct.unpack_from(">I", data, start + pointer)[0] for pointer in pointers]


def _copy_readable(
    source: sqlite3.Connection, copy: Path, target: sqlite3.Connection
) -> tuple[dict[str, int], list[str]]:
    rows = dict.fromkeys(TABLES, 0)
    problems: list[str] = []
    tables = {table: _columns(target, table) for table in TABLES}
    target.execute("PRAGMA foreign_keys = OFF")
    try:
        for table, columns in tables.items():
            names = [column.name for column in columns]
            target.execute("BEGIN")
            for row in readable_rows(source, table, names, problems):
                try:
                    rows[table] += _insert(target, table, names, row)
                except _SENSELESS as problem:
                    note = f"{table}: a row makes no sense ({_shortened(problem)})"
                    problems += [note] if note not in problems else []
            target.execute("COMMIT")
        if problems or not _is_sound(source):
            # A page that pointed to others is lost, perhaps, and these are still there.
            page_size = int(source.execute("PRAGMA page_size").fetchone()[0])
            with contextlib.suppress(sqlite3.Error):
                source.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            target.execute("BEGIN")
            for table, row in stray_rows(copy.read_bytes(), page_size, tables):
                with contextlib.suppress(*_SENSELESS):
                    names = [column.name for column in tables[table]]
                    rows[table] += _insert(target, table, names, row)
            target.execute("COMMIT")
    finally:
        source.close()
    return rows, problems


def _columns(target: sqlite3.Connection, table: str) -> list[Column]:
    found = target.execute(f"PRAGMA table_info({table})").fetchall()
    keys = sum(bool(row[5]) for row in found)
    return [
        Column(name, kind, not required, kind == "INTEGER" and key == keys == 1)
        for _, name, kind, required, _, key in found
    ]


def _insert(
    target: sqlite3.Connection, table: str, columns: Sequence[str], row: Sequence[object]
) -> int:
    """Store a row unless it is there; returns how many were stored. Raises `_SENSELESS`."""
    _decode(dict(zip(columns, row, strict=True)))
    return target.execute(
        f"INSERT OR IGNORE INTO {table}({', '.join(columns)})"  # noqa: S608
        f" VALUES ({', '.join('?' * len(columns))})",
        row,
    ).rowcount


def _is_sound(source: sqlite3.Connection) -> bool:
    try:
        return [row[0] for row in source.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.Error:
        return False


def _shortened(problem: Exception) -> str:
    """The error without the contents of a whole row, which some of them quote."""
    words = str(problem)
    return words if len(words) <= _WORDS else f"{words[:_WORDS]}…"


def _decode(row: dict[str, Any]) -> None:
    """Raise what reading this row later would raise: damage inside a value is damage, too."""
    for column, value in row.items():
        match column:
            case "data" | "full_output":
                pass
            case "request_body":
                unpack_body(value)
            case "request_headers" | "response_headers" | "tags":
                json.loads(value or "[]")
            case "state":
                CallState(value)
            case "created" | "updated" | "started" | "at" | "seq" | "attempt" | "fragments":
                float(value)
            case _:
                if isinstance(value, bytes):
                    unpack_raw(value)


def _mend(target: sqlite3.Connection, *, ledger_damaged: bool) -> None:
    """Give every row that lost what it belongs to a place, so that it can be seen."""
    target.execute("BEGIN")
    for table in ("messages", "exchanges", "calls", "dispatches", "results"):
        target.execute(
            "INSERT INTO conversations(id, title, created, updated, endpoint, dialect, model,"  # noqa: S608
            " settings) SELECT DISTINCT conversation, 'Recovered conversation', 0, 0, '', '', '',"
            f" '{{}}' FROM {table} WHERE conversation NOT IN (SELECT id FROM conversations)"
        )
    target.execute(
        "UPDATE messages SET parent = NULL WHERE parent NOT IN (SELECT id FROM messages)"
    )
    target.execute(
        "UPDATE conversations SET head = (SELECT id FROM messages WHERE conversation ="
        " conversations.id ORDER BY seq DESC LIMIT 1)"
        " WHERE head IS NULL OR head NOT IN (SELECT id FROM messages)"
    )
    _mend_calls(target, ledger_damaged)
    orphans = target.execute(
        "SELECT DISTINCT id >> 24 FROM chunks WHERE id >> 24 NOT IN (SELECT n FROM exchanges)"
    ).fetchall()
    if orphans:
        target.execute(
            "INSERT INTO conversations(id, title, created, updated, endpoint, dialect, model,"
            " settings) VALUES ('recovered', 'Recovered responses', 0, 0, '', '', '', '{}')"
        )
    for (number,) in orphans:
        chunks = target.execute(
            "SELECT data FROM chunks WHERE id BETWEEN ? << 24 AND (? << 24 | 16777215)",
            (number, number),
        )
        dialect = dialect_of(b"".join(data for (data,) in chunks)) or ""
        # With a dialect it is one whose message is still to be made, as after a crash.
        target.execute(
            "INSERT INTO exchanges(n, id, conversation, owner, dialect, endpoint, url,"
            " request_headers, request_body, started, ended, ending, problem)"
            " VALUES (?, ?, 'recovered', '', ?, '', '', '[]', ?, 0, 0, ?,"
            " 'only the bytes of the response could be recovered')",
            (
                *(number, f"recovered-{number}", dialect, pack_body(b"")),
                "abandoned" if dialect else "broken",
            ),
        )
    target.execute("DELETE FROM texts WHERE conversation NOT IN (SELECT id FROM conversations)")
    target.execute("COMMIT")
    target.execute("PRAGMA foreign_keys = ON")


def _mend_calls(target: sqlite3.Connection, ledger_damaged: bool) -> None:
    """A call that may have been started must not look as if it never was."""
    target.execute(
        "INSERT INTO calls(conversation, ref, ordinal, key, name, kind, raw, fragments, digest,"
        " state, problem) SELECT conversation, call_ref, 0, '', '', 'function', x'', 0, '',"
        " coalesce(outcome, 'unknown'), 'only that it was started could be recovered'"
        " FROM dispatches AS last WHERE attempt = (SELECT max(attempt) FROM dispatches WHERE"
        "  conversation = last.conversation AND call_ref = last.call_ref)"
        " AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation = last.conversation"
        "  AND ref = last.call_ref)"
    )
    doubtful = ("running", "final", "awaiting approval") if ledger_damaged else ("running",)
    target.execute(
        "UPDATE calls SET state = 'unknown', problem = 'whether it was started could not be"  # noqa: S608
        f" recovered' WHERE state IN ({', '.join('?' * len(doubtful))})"
        " AND NOT EXISTS (SELECT 1 FROM dispatches WHERE conversation = calls.conversation"
        "  AND call_ref = calls.ref)"
        " AND NOT EXISTS (SELECT 1 FROM results WHERE conversation = calls.conversation"
        "  AND call_ref = calls.ref)",
        doubtful,
    )


def begin_anew(target: sqlite3.Connection, conversations: Iterable[str]) -> None:
    """Make a place for what is still to be written of `conversations` that could not be read."""
    target.executemany(
        "INSERT OR IGNORE INTO conversations(id, title, created, updated, endpoint, dialect, model,"
        " settings) VALUES (?, 'Recovered conversation', 0, 0, '', '', '', '{}')",
        [(id,) for id in conversations],
    )
    # What waits may go below a message that is lost.
    target.execute("PRAGMA foreign_keys = OFF")
