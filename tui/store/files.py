"""Opening database files: private, in WAL mode, with errors in words.

Out: SQLite connections set up for writing or for reading. It creates folders and files with
modes 0700 and 0600, and knows no table.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tui.store.owners import owners_of
from tui.store.trouble import StoreUnusable, describe, kind_of

T = TypeVar("T")

BUSY_SECONDS = 0.2
"""SQLite's own wait for a lock, short: the writer decides how often it tries again."""

_LOG_HEADER = 32
"""Bytes before the first entry of a write-ahead log."""

Connect = Callable[[str], sqlite3.Connection]
"""Opens the database that a `file:` URI names. Tests replace it to make things go wrong."""


def connect(uri: str) -> sqlite3.Connection:
    """A plain connection: no implicit transactions, usable from the thread that holds its lock."""
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
    )


def refuse_emptied(path: Path) -> None:
    """Refuse what SQLite would take for a new file, and with it throw away what was there.

    Raises:
        StoreUnusable: the file lost all of its content, or its log is no log.
    """
    log = path.with_name(f"{path.name}-wal")
    detail = ""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        if path.exists() and not path.stat().st_size and (owners_of(path).exists() or _size(log)):
            detail = "the file is empty, and it was not when it was last used"
        elif not path.exists() and _size(log):
            detail = f"the file is gone, and {log.name!r} beside it still holds what was last said"
        elif _size(log) >= _LOG_HEADER and not _is_log(log):
            detail = f"{log.name!r} beside it, with what was last said, is no log of SQLite"
        else:
            return
        if time.monotonic() > until:
            raise StoreUnusable(describe("corrupt", path, detail))
        # Another window may be creating it just now.
        time.sleep(0.02)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _is_log(path: Path) -> bool:
    # https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    with path.open("rb") as file:
        return file.read(4) in (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")


def make_private(path: Path) -> None:
    """Make the folder (0700) and an empty file (0600) unless they are there.

    A file that is there and may be read by others is made private; so are its companions,
    which SQLite creates with the mode of the file. A folder that was there is left as it is.

    Raises:
        OSError: as the system said it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        file = path.with_name(name)
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def remove(path: Path) -> None:
    """Remove the file at `path` that we have just made, and its companions, as far as can be."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with contextlib.suppress(OSError):
            path.with_name(name).unlink()


def open_writing(path: Path, connect: Connect, patience: float) -> sqlite3.Connection:
    """The writing connection of the file at `path`; of a new file, with WAL mode set.

    Raises:
        OSError, sqlite3.Error: as they came.
    """
    connection = connect(f"{path.absolute().as_uri()}?mode=rw")
    try:
        if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        mode = patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"), patience)
        if mode.fetchone()[0] != "wal":
            detail = "its file system cannot do write-ahead logging; is it a network folder?"
            raise StoreUnusable(describe("unwritable", path, detail))
        tune(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def tune(connection: sqlite3.Connection) -> None:
    """Settings of a writing connection that the file does not remember."""
    connection.execute("PRAGMA foreign_keys = ON")
    # What is purged is overwritten, not only unlinked.
    connection.execute("PRAGMA secure_delete = ON")
    # On macOS a plain fsync leaves data in the drive's cache.
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute(f"PRAGMA journal_size_limit = {16 << 20}")


def open_reading(path: Path, connect: Connect) -> sqlite3.Connection:
    """A connection that reads the file at `path` while others write. It cannot write."""
    connection = connect(f"{path.absolute().as_uri()}?mode=rw")
    connection.execute("PRAGMA query_only = ON")
    return connection


def open_memory() -> sqlite3.Connection:
    """A database in memory: gone with its connection."""
    connection = connect("file::memory:")
    tune(connection)
    return connection


def patiently(attempt: Callable[[], T], patience: float) -> T:
    """`attempt()`, again while another process holds the database, for `patience` seconds.

    Raises:
        sqlite3.Error: the last one, when the lock stayed or it was something else.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return attempt()
        except sqlite3.Error as problem:
            if kind_of(problem) != "locked" or time.monotonic() > until:
                raise
        time.sleep(0.02)
