"""What can be handed to the writer: a chunk, or a piece of work; and the wait for the latter.

Values and one small lock. The writer decides when a job runs and whether it is written.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tui.core.errors import StoreError

_ROWS = 500
"""Chunks per statement; SQLite allows 32,766 values in one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Response bytes of `exchange` that arrived `at` seconds after the request was sent."""

    exchange: str
    seq: int
    at: float
    data: bytes


class Ticket:
    """The outcome of a job somebody waits for. Settled once, by the writer."""

    def __init__(self) -> None:
        self._settled = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None
        self.withdrawn = False
        """Set under the writer's gate only: the job must not run any more."""

    def settle(self, value: Any = None, error: BaseException | None = None) -> None:
        self._value, self._error = value, error
        self._settled.set()

    def wait(self, timeout: float | None) -> bool:
        """Whether the job was settled within `timeout` seconds."""
        return self._settled.wait(timeout)

    @property
    def settled(self) -> bool:
        return self._settled.is_set()

    def value(self) -> Any:
        """What the job returned. Raises what kept it from being written."""
        if self._error is not None:
            raise self._error
        return self._value


@dataclass(slots=True, eq=False)
class Job:
    """Work inside the writer's transaction. It may run again when its transaction failed."""

    run: Callable[[sqlite3.Connection], Any]
    durable: bool = True
    """Flushed through to the disk by its commit (`synchronous=FULL`), not only handed to the
    operating system. The second survives `kill -9`, the first a power cut too."""
    ticket: Ticket | None = None
    size: int = 0
    """Bytes it holds in memory, for the backlog's bound."""
    result: Any = None


def size_of(job: Job | Chunk) -> int:
    return len(job.data) if isinstance(job, Chunk) else job.size


def execute(connection: sqlite3.Connection, jobs: Sequence[Job | Chunk]) -> None:
    """Run `jobs` in order, runs of chunks as one statement. Raises what the first failure was."""
    chunks: list[Chunk] = []
    for job in jobs:
        if isinstance(job, Chunk):
            chunks.append(job)
            continue
        _insert(connection, chunks)
        if job.ticket is None or not job.ticket.withdrawn:
            job.result = job.run(connection)
    _insert(connection, chunks)


def _insert(connection: sqlite3.Connection, chunks: list[Chunk]) -> None:
    """Write `chunks` and empty the list.

    In as few statements as can be: each costs a turn at the interpreter lock, some 5 ms while
    another thread computes, and one for each chunk would not keep up with a fast stream.
    """
    for start in range(0, len(chunks), _ROWS):
        rows = chunks[start : start + _ROWS]
        written = connection.execute(
            "INSERT INTO chunks(id, at, data) SELECT n << 24 | column2, column3, column4"  # noqa: S608
            f" FROM (VALUES {', '.join(['(?, ?, ?, ?)'] * len(rows))})"
            " JOIN exchanges ON exchanges.id = column1",
            [value for row in rows for value in (row.exchange, row.seq, row.at, row.data)],
        ).rowcount
        if written != len(rows):
            raise StoreError(
                f"{len(rows) - written} chunks belong to an exchange that is not stored,"
                f" among them one of {rows[0].exchange!r}"
            )
    chunks.clear()
