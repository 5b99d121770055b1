"""The one writer: a thread that takes jobs in order and commits them, soon and together.

In: jobs, handed over by any thread without waiting. Out: committed transactions, and `Trouble`
through one callback when the database cannot be written; what was handed over then stays in
memory, in order, and is written when it can be. It knows no table but by its jobs.

Timing: a commit begins at most `GATHER` seconds after the first of its jobs was handed over,
at once when one of them is urgent. The promise is 100 ms; the rest is left to the disk, and to an
interpreter lock that a busy screen holds for 5 ms at a time (measured with a thread that only
computes: at 50 to 10,000 chunks a second all were committed within 85 ms).
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui.store.jobs import Chunk, Job, Ticket, execute, size_of
from tui.store.trouble import Kind, StoreUnusable, Trouble, describe, kind_of, translate

GATHER = 0.015
BATCH_JOBS = 2_000
BATCH_BYTES = 4 << 20
"""A backlog is written in several commits, so that each is short and progress is kept."""
BACKLOG_BYTES = 64 << 20
"""So much waits in memory while the database cannot be written; response bytes beyond it are
let go, counted and reported. Everything else is kept whatever its size."""
RETRY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0)

Report = Callable[[Trouble], None]


class Writer:
    """Owns the writing connection from its start to `stop`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path | None,
        report: Report,
        *,
        patience: float,
        backlog_bytes: int = BACKLOG_BYTES,
    ) -> None:
        """`report` is called from this writer's thread, or from the one that hands over.

        `patience` is how long, in seconds, a lock held by another process is waited for before
        it counts as trouble.
        """
        self.gate = threading.RLock()
        """Held while the connection is in use; whoever holds it has the database to himself."""
        self._connection = connection
        self._path = path
        self._report = report
        self._patience = patience
        self._backlog_bytes = backlog_bytes
        self._changed = threading.Condition()
        self._queue: deque[Job | Chunk] = deque()
        self._handed = self._done = self._bytes = 0
        self._first_at = 0.0
        self._urgent = False
        self._durable: bool | None = None
        """Whether the connection is set to flush each commit through; None: not known."""
        self._stop_by: float | None = None
        """Set by `stop`: until when a lock is still waited for (monotonic seconds)."""
        self._troubles: dict[Kind, Trouble] = {}
        self._failing_since: float | None = None
        self._rejected: set[str] = set()
        self._lost: dict[str, int] = {}
        self._noting: set[str] = set()
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    # -- for any thread -------------------------------------------------------------------

    def hand_over(self, job: Job | Chunk, *, urgent: bool = True) -> None:
        """Queue `job`. Constant time, never waits for the disk."""
        overflow: Trouble | None = None
        with self._changed:
            idle = not self._queue
            if isinstance(job, Chunk) and self._bytes + len(job.data) > self._backlog_bytes:
                overflow = self._let_go(job)
            else:
                self._enqueue(job)
            self._urgent = self._urgent or urgent
            if idle or urgent:
                # Else the writer gathers, and waking it for each chunk would only cost time.
                self._changed.notify_all()
        if overflow is not None:
            self._tell(overflow)

    def ask(self, run: Callable[[sqlite3.Connection], Any], *, timeout: float) -> Any:
        """Run `run` in a durable transaction and return its value once that is on the disk.

        Raises:
            StoreUnusable: it could not be written within `timeout` seconds; it has not been and
                will not be.
            Exception: whatever `run` raised; nothing of it was written.
        """
        ticket = Ticket()
        self.hand_over(Job(run, ticket=ticket))
        if not ticket.wait(timeout):
            with self.gate:
                # Not while a transaction with it is under way: it has been written, or never is.
                if not ticket.settled:
                    ticket.withdrawn = True
                    kind: Kind = next(iter(self._troubles), "locked")
                    ticket.settle(error=StoreUnusable(describe(kind, self._path)))
        return ticket.value()

    def settle(self, timeout: float) -> bool:
        """Wait until all that was handed over before is committed; False when it is not.

        Returns at once while there is trouble: waiting would not help.
        """
        with self._changed:
            target = self._handed
            if self._done >= target or self._failing_since is not None:
                return self._done >= target
            self._urgent = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._done >= target or self._failing_since is not None, timeout
            )
            return self._done >= target

    def trouble(self) -> Trouble | None:
        """What keeps us from writing now, the gravest first; None when all is well."""
        return next(reversed(self._troubles.values()), None)

    def retry(self) -> None:
        """Try again now rather than after the pause."""
        with self._changed:
            self._urgent = True
            self._changed.notify_all()

    def move(self, connection: sqlite3.Connection, path: Path | None) -> sqlite3.Connection:
        """Write to `connection` from now on; returns the one used before. Hold `gate`."""
        former, self._connection, self._path = self._connection, connection, path
        with self._changed:
            # What stood in the way stays said until the first commit, but is worth a wait again.
            self._failing_since = None
        self._durable = None
        self.retry()
        return former

    @property
    def waiting(self) -> tuple[int, int]:
        """(jobs, bytes) that are not yet committed."""
        with self._changed:
            return len(self._queue), self._bytes

    def stop(self, timeout: float) -> int:
        """Write what waits, end the thread; returns how many jobs could not be written."""
        with self._changed:
            self._stop_by = time.monotonic() + timeout
            self._urgent = True
            self._changed.notify_all()
        # A batch under way may wait for a lock once more before it sees the time is up.
        self._thread.join(timeout + self._patience)
        with self.gate, self._changed:
            left = len(self._queue)
            self._queue.clear()
        return left

    # -- under the lock -------------------------------------------------------------------

    def _enqueue(self, job: Job | Chunk) -> None:
        if not self._queue:
            self._first_at = time.monotonic()
        self._queue.append(job)
        self._handed += 1
        self._bytes += size_of(job)

    def _let_go(self, chunk: Chunk) -> Trouble | None:
        """Count a chunk that does not fit; the count itself is stored when writing works."""
        if chunk.exchange not in self._noting:
            self._noting.add(chunk.exchange)
            self._enqueue(Job(self._noting_loss(chunk.exchange), durable=False))
        self._lost[chunk.exchange] = self._lost.get(chunk.exchange, 0) + len(chunk.data)
        if "overflow" in self._troubles:
            return None
        return self._remember(describe("overflow", self._path))

    def _noting_loss(self, exchange: str) -> Callable[[sqlite3.Connection], None]:
        def note(connection: sqlite3.Connection) -> None:
            self._noting.discard(exchange)
            connection.execute(
                "UPDATE exchanges SET lost = ? WHERE id = ?",
                (self._lost.get(exchange, 0), exchange),
            )

        return note

    def _remember(self, trouble: Trouble) -> Trouble:
        self._troubles[trouble.kind] = trouble
        return trouble

    # -- the thread -----------------------------------------------------------------------

    def _work(self) -> None:
        failures = 0
        while (batch := self._next_batch(failures)) is not None:
            with self.gate:
                before = self._connection.total_changes
                problem = self._write(batch)
                wrote = self._connection.total_changes > before
            if problem is None:
                failures = 0
                # A commit of jobs that nobody waits for any more says nothing about the disk.
                if wrote or self._troubles.keys() <= {"locked"}:
                    self._recovered()
                continue
            failures += 1
            self._failed(problem)
            if self._stop_by is not None and (
                kind_of(problem) != "locked" or time.monotonic() > self._stop_by
            ):
                return

    def _next_batch(self, failures: int) -> Sequence[Job | Chunk] | None:
        """Wait until jobs are due; None when the writer is to end. They stay queued until written."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._stop_by is not None)
            if failures:
                pause = RETRY_SECONDS[min(failures, len(RETRY_SECONDS)) - 1]
                self._changed.wait_for(lambda: self._urgent, pause)
            else:
                self._changed.wait_for(
                    lambda: self._urgent or self._stop_by is not None,
                    max(0.0, self._first_at + GATHER - time.monotonic()),
                )
            self._urgent = False
            batch: list[Job | Chunk] = []
            room = BATCH_BYTES
            for job in itertools.islice(self._queue, BATCH_JOBS):
                batch.append(job)
                room -= size_of(job)
                if room < 0:
                    break
            # What stays behind is overdue, what comes later is counted from now.
            self._first_at = time.monotonic() if len(batch) == len(self._queue) else 0.0
            return batch or None

    def _write(self, batch: Sequence[Job | Chunk]) -> BaseException | None:
        """Commit `batch`; returns what keeps the database from being written, None when nothing.

        A job that fails for its own sake is refused alone, and the others are written.
        """
        problem: Exception | None = None
        try:
            self._commit(batch)
        except Exception as raised:  # noqa: BLE001 - a job may raise anything, and the thread lives
            problem = raised
            self._roll_back()
        if problem is None:
            self._finish(batch)
        elif kind_of(problem) is not None:
            return problem
        elif len(batch) == 1:
            self._refuse(batch[0], problem)
        else:
            for job in batch:
                if (trouble := self._write([job])) is not None:
                    return trouble
        return None

    def _commit(self, batch: Sequence[Job | Chunk]) -> None:
        durable = any(isinstance(job, Job) and job.durable for job in batch)
        if durable is not self._durable:
            self._durable = None
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        self._connection.execute("BEGIN IMMEDIATE")
        execute(self._connection, batch)
        self._connection.execute("COMMIT")

    def _roll_back(self) -> None:
        # SQLite has rolled back by itself after some errors (a full disk among them).
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _finish(self, jobs: Sequence[Job | Chunk]) -> None:
        """Take committed (or refused) jobs off the queue and tell who waits for them."""
        with self._changed:
            for job in jobs:
                self._queue.popleft()
                self._bytes -= size_of(job)
            self._done += len(jobs)
            self._changed.notify_all()
        for job in jobs:
            if isinstance(job, Job) and job.ticket is not None and not job.ticket.settled:
                job.ticket.settle(job.result)

    def _refuse(self, job: Job | Chunk, problem: Exception) -> None:
        if isinstance(job, Job) and job.ticket is not None:
            job.ticket.settle(
                error=problem
                if not isinstance(problem, sqlite3.Error)
                else translate(problem, self._path)
            )
        elif str(problem) not in self._rejected:
            self._rejected.add(str(problem))
            self._tell(describe("rejected", self._path, str(problem)))
        self._finish([job])

    def _failed(self, problem: BaseException) -> None:
        kind = kind_of(problem) or "unwritable"
        with self.gate, self._changed:
            now = time.monotonic()
            if self._failing_since is None:
                self._failing_since = now
            self._changed.notify_all()
            if kind == "locked" and now - self._failing_since < self._patience:
                return
            trouble = describe(kind, self._path, str(problem))
            known = kind in self._troubles
            self._remember(trouble)
            for job in self._queue if kind != "locked" else ():
                # Nobody is kept waiting for a disk that somebody has to clear first.
                if isinstance(job, Job) and job.ticket is not None and not job.ticket.settled:
                    job.ticket.withdrawn = True
                    job.ticket.settle(error=StoreUnusable(trouble))
        if not known:
            self._tell(trouble)

    def _recovered(self) -> None:
        with self._changed:
            self._failing_since = None
            if len(self._queue) > BATCH_JOBS or self._bytes > BATCH_BYTES:
                return  # Not yet: the rest of the backlog may still not fit.
            passed, self._troubles = self._troubles, {}
            lost = sum(self._lost.values())
        for trouble in passed.values():
            message = "The store can be written again; what waited in memory is in it now."
            if trouble.kind == "overflow":
                message = f"The store can be written again; {lost} response bytes were lost."
            self._tell(replace(trouble, message=message, hint="", options=(), over=True))

    def _tell(self, trouble: Trouble) -> None:
        # The listener may be gone (its event loop closed); the writer's work is not done then.
        with contextlib.suppress(Exception):
            self._report(trouble)
