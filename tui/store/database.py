"""The open store: one writer, readers of their own, and what to do when the file fails.

Owns the connections, the owner's lock and the writer. The modules beside it add what can be
written and read; they reach the database only through `_write`, `_certainly` and `_reading`.

Threads: every method may be called from any thread. Writing methods return at once. Reading
methods wait for what was handed over before, at most `READ_WAIT` seconds, so that a caller
reads what it wrote; they take a millisecond or two and may be called from an event loop,
unless their docstring sends them to a thread (`asyncio.to_thread`).
"""

from __future__ import annotations

import atexit
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from tui.core.errors import StoreError
from tui.store.abandoned import abandon_dead, mark_dead
from tui.store.copying import copy_conversations
from tui.store.files import (
    Connect,
    connect,
    make_private,
    open_memory,
    open_reading,
    open_writing,
    patiently,
    refuse_emptied,
    remove,
)
from tui.store.files import connect as plain_connect
from tui.store.jobs import Job
from tui.store.owners import Owner, sweep
from tui.store.recovery import begin_anew, recover
from tui.store.schema import MIGRATIONS, Migration, migrate, refuse_foreign, version_of
from tui.store.trouble import StoreUnusable, Trouble, describe, kind_of, translate
from tui.store.writer import BACKLOG_BYTES, Report, Writer

T = TypeVar("T")

READ_WAIT = 0.25
PATIENCE = 5.0


def _unheard(trouble: Trouble) -> None:
    """For callers that look at `trouble()` instead."""


class Database:
    """See the module. Made by `open` or `memory`; closed by `close` or as a context manager."""

    def __init__(
        self,
        path: Path | None,
        connection: sqlite3.Connection,
        owner: Owner | None,
        *,
        on_trouble: Report,
        connect: Connect,
        patience: float,
        clock: Callable[[], float],
        backlog_bytes: int,
    ) -> None:
        self.file = path
        """The file; None while the store is in memory only."""
        self._owner = owner
        self._connect = connect
        self._patience = patience
        self._clock = clock
        self._own = connection
        self._readers: list[sqlite3.Connection] = []
        self._here = threading.local()
        self._generation = 0
        self._on_trouble = on_trouble
        self._told_damaged = -1
        """The generation of files whose damage has been told."""
        self._touched: set[str] = set()
        self._next_chunk: dict[str, int] = {}
        self._closed = False
        self._writer = Writer(
            connection, path, on_trouble, patience=patience, backlog_bytes=backlog_bytes
        )
        atexit.register(self._close_at_exit)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        on_trouble: Report = _unheard,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.time,
        connect: Connect = connect,
        backlog_bytes: int = BACKLOG_BYTES,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> Self:
        """Open the store at `path`, creating or migrating it as needed.

        `on_trouble` is called, from the writer's thread, with what keeps the store from being
        written and again when that is over. `patience`: seconds another process's lock is
        waited for. What processes that died had left open is marked as abandoned.

        Raises:
            StoreUnusable: the file cannot be used; its `trouble.options` say what can be done.
        """
        connection: sqlite3.Connection | None = None
        owner: Owner | None = None
        try:
            refuse_emptied(path)
            if path.exists() and path.stat().st_size:
                # Before anything is set: the file of another program is left as it is.
                with closing(open_reading(path, plain_connect)) as found:
                    patiently(lambda: refuse_foreign(found, len(migrations)), patience)
            make_private(path)
            connection = open_writing(path, connect, patience)
            opened = connection
            patiently(lambda: migrate(opened, migrations), patience)
            owner = Owner(path)
            token, now = owner.token, clock()
            patiently(lambda: abandon_dead(opened, path, token, now), patience)
            sweep(path)
        except (OSError, sqlite3.Error, StoreError) as problem:
            if owner is not None:
                owner.release()
            if connection is not None:
                connection.close()
            raise translate(problem, path) from problem
        return cls(
            path,
            connection,
            owner,
            on_trouble=on_trouble,
            connect=connect,
            patience=patience,
            clock=clock,
            backlog_bytes=backlog_bytes,
        )

    @classmethod
    def memory(
        cls, *, on_trouble: Report = _unheard, clock: Callable[[], float] = time.time
    ) -> Self:
        """A store that leaves nothing on the disk and is gone with its `close`."""
        connection = open_memory()
        migrate(connection)
        return cls(
            None,
            connection,
            None,
            on_trouble=on_trouble,
            connect=connect,
            patience=PATIENCE,
            clock=clock,
            backlog_bytes=BACKLOG_BYTES,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def owner(self) -> str:
        """The name under which this store's open exchanges and dispatches are written."""
        return self._owner.token if self._owner else "memory"

    # -- state ----------------------------------------------------------------------------

    def trouble(self) -> Trouble | None:
        """What keeps the store from being written now; None when all is well."""
        return self._writer.trouble()

    @property
    def waiting(self) -> tuple[int, int]:
        """(writes, bytes) handed over and not yet committed."""
        return self._writer.waiting

    def flush(self, timeout: float = PATIENCE) -> bool:
        """Wait until everything handed over so far is committed; False when it is not (yet)."""
        return self._writer.settle(timeout)

    def retry(self) -> None:
        """Try to write again at once."""
        self._writer.retry()

    def data_version(self) -> int:
        """Changes whenever anything was committed, by this process or another (cheap to poll)."""
        with self._reading() as connection:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file, in its words; empty when sound.

        Reads the whole file: call it in a thread.
        """
        try:
            with self._reading() as connection:
                rows = connection.execute("PRAGMA integrity_check").fetchall()
        except StoreError as problem:
            return [str(problem)]
        return [row[0] for row in rows if row[0] != "ok"]

    def adopt_dead(self) -> int:
        """Mark what processes that have died left open as abandoned (calls: unknown).

        `open` does it; call it again to see a window that crashed since. Returns how many
        exchanges and dispatches were marked.

        Raises:
            StoreUnusable: it could not be written.
        """
        path, token, now = self.file, self.owner, self._clock()
        if path is None:
            return 0
        return int(self._certainly(lambda connection: mark_dead(connection, path, token, now)))

    # -- options in trouble ---------------------------------------------------------------

    def relocate(self, path: Path | None) -> tuple[str, ...]:
        """Go on in a new file at `path`, or in memory: the choice a full or locked disk leaves.

        A file gets a copy of everything; memory (None) gets the conversations this process
        has written to. Of a damaged store it is what is readable. What still waited is written
        there, in order, and a running turn goes on. Copies the whole store: call it in a thread.

        Returns what could not be read, in words; nothing when all of it is there.

        Raises:
            StoreUnusable: the old store cannot be read, or the new one not be written. Nothing
                has changed then, and nothing of the new one is left.
        """
        if path is not None and path.exists() and path.stat().st_size:
            raise StoreError(
                f"the file {str(path)!r} is there already",
                hint="Name one that is not: nothing is overwritten.",
            )
        with self._writer.gate:
            connection: sqlite3.Connection | None = None
            try:
                connection, missing = self._moved_to(path)
                owner = Owner(path, self.owner if self._owner else None) if path else None
            except (OSError, sqlite3.Error, StoreError) as problem:
                if connection is not None:
                    connection.close()
                if path is not None:
                    remove(path)
                failed = path if kind_of(problem) != "corrupt" else self.file
                raise translate(problem, failed) from problem
            self._writer.move(connection, path).close()
            if self._owner is not None:
                self._owner.release()
            self._owner, self._own, self.file = owner, connection, path
            self._generation += 1
        return missing

    def _moved_to(self, path: Path | None) -> tuple[sqlite3.Connection, tuple[str, ...]]:
        """A connection to a copy at `path`, and what of the store could not be copied."""
        try:
            return self._copied_to(path), ()
        except (sqlite3.Error, StoreError) as problem:
            if kind_of(problem) != "corrupt" or self.file is None:
                raise
        if path is not None:
            remove(path)
            return self._recovered_to(path)
        # What is readable of all of it, because what belongs to what is not known before.
        with tempfile.TemporaryDirectory(prefix="verbatim-") as folder:
            saved, missing = self._recovered_to(Path(folder) / "saved.sqlite")
            with closing(saved):
                connection = open_memory()
                try:
                    migrate(connection)
                    copy_conversations(saved, connection, self._touched)
                except BaseException:
                    connection.close()
                    raise
            return connection, missing

    def _recovered_to(self, path: Path) -> tuple[sqlite3.Connection, tuple[str, ...]]:
        """What is readable in a new file, or where nothing is, an empty one for what waits."""
        assert self.file is not None, "only a file can be damaged"  # noqa: S101
        try:
            missing = recover(self.file, path).problems
        except StoreUnusable:
            raise  # The new file cannot be written.
        except StoreError as problem:
            missing = (str(problem),)
            make_private(path)
        connection = open_writing(path, self._connect, self._patience)
        try:
            migrate(connection)
            begin_anew(connection, self._touched)
        except BaseException:
            connection.close()
            raise
        return connection, missing

    def _copied_to(self, path: Path | None) -> sqlite3.Connection:
        source = self._own if self.file is None else open_reading(self.file, self._connect)
        connection: sqlite3.Connection | None = None
        try:
            if path is None:
                connection = open_memory()
                migrate(connection)
                copy_conversations(source, connection, self._touched)
            else:
                make_private(path)
                connection = self._connect(f"{path.absolute().as_uri()}?mode=rw")
                source.backup(connection)
                # A copy page by page is as damaged as what it was made of.
                found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
                if not version_of(connection):
                    found = "nothing is left in it"
                if found != "ok":
                    raise StoreUnusable(describe("corrupt", self.file, found))
                connection.close()
                connection = open_writing(path, self._connect, self._patience)
        except BaseException:
            if connection is not None:
                connection.close()
            raise
        finally:
            if source is not self._own:
                source.close()
        return connection

    def close(self, timeout: float = PATIENCE) -> None:
        """Write what waits and close. Closing twice does nothing.

        Raises:
            StoreUnusable: something could not be written within `timeout` seconds and is lost.
        """
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self._close_at_exit)
        trouble = self._writer.trouble()
        jobs, size = self._writer.waiting
        left = self._writer.stop(timeout)
        for connection in (*self._readers, self._own):
            connection.close()
        if self._owner is not None:
            self._owner.release()
        if left:
            kind = trouble.kind if trouble else "locked"
            found = describe(kind, self.file)
            lost = f"{left} of {jobs} waiting writes, {size} bytes, are lost."
            raise StoreUnusable(replace(found, message=f"{found.message} {lost}", hint=""))

    def _close_at_exit(self) -> None:
        try:
            self.close(timeout=1.0)
        except StoreError as problem:
            import sys

            print(problem, file=sys.stderr)  # noqa: T201 - the screen is gone, and data with it

    # -- for the modules beside this one --------------------------------------------------

    def _write(
        self,
        run: Callable[[sqlite3.Connection], Any],
        *,
        conversation: str = "",
        durable: bool = True,
        size: int = 0,
    ) -> None:
        """Hand `run` to the writer and return. `conversation` is remembered as ours."""
        if self._closed:
            raise StoreError("the store is closed", hint="This is a bug in Verbatim.")
        if conversation:
            self._touched.add(conversation)
        self._writer.hand_over(Job(run, durable=durable, size=size))

    def _certainly(self, run: Callable[[sqlite3.Connection], T]) -> T:
        """Run `run` and return its value when that is on the disk, or raise StoreUnusable."""
        if self._closed:
            raise StoreError("the store is closed", hint="This is a bug in Verbatim.")
        value: T = self._writer.ask(run, timeout=self._patience)
        return value

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from, with SQLite's errors translated."""
        if self._closed:
            raise StoreError("the store is closed", hint="This is a bug in Verbatim.")
        self._writer.settle(READ_WAIT)
        try:
            if self.file is None:
                # In memory there is one connection; the writer and the readers take turns.
                with self._writer.gate:
                    yield self._own
            else:
                yield self._reader(self.file)
        except sqlite3.Error as problem:
            error = translate(problem, self.file)
            if isinstance(error, StoreUnusable) and error.trouble.kind == "corrupt":
                self._tell_damaged(error.trouble)
            raise error from problem

    def _tell_damaged(self, trouble: Trouble) -> None:
        """Once: the writer may get on for long without touching what a reader cannot read."""
        if self._told_damaged != self._generation:
            self._told_damaged = self._generation
            self._on_trouble(trouble)

    def _reader(self, path: Path) -> sqlite3.Connection:
        """This thread's own reading connection: a long search holds up nobody else."""
        if getattr(self._here, "generation", None) != self._generation:
            self._here.connection = open_reading(path, self._connect)
            self._here.generation = self._generation
            self._readers.append(self._here.connection)
        connection: sqlite3.Connection = self._here.connection
        return connection
