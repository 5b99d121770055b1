"""What can be wrong with the database, in words, with what a person may choose to do.

In: SQLite's and the file system's errors. Out: one `Trouble` value that a screen can show and
offer choices from, or the `StoreUnusable` that carries it. It knows no SQL and no threads.
"""

from __future__ import annotations

import errno
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from tui.core.errors import StoreError

Kind = Literal[
    "locked", "full", "read-only", "unwritable", "corrupt", "foreign", "overflow", "rejected"
]
"""`overflow`: nothing could be written for so long that response bytes had to be let go.
`rejected`: one write was refused for its own sake (a bug of ours); everything else goes on.
`foreign`: the file is SQLite but not ours, or from a newer version."""

Option = Literal["retry", "another folder", "in memory", "recover"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that keeps us from writing or reading. `message` and `hint` are for people."""

    kind: Kind
    message: str
    hint: str = ""
    options: tuple[Option, ...] = ()
    """What may be offered: `Store.retry`, `Store.relocate(path)`, `Store.relocate(None)`,
    `recovery.recover`."""
    over: bool = False
    """True when this value says that the trouble of this kind has passed."""


class StoreUnusable(StoreError):
    """The database could not be opened, or a write that had to be certain was not made."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message, hint=trouble.hint)
        self.trouble = trouble


def kind_of(problem: BaseException) -> Kind | None:
    """Which trouble an error is; None when it is not the database's state but a bug of ours."""
    if isinstance(problem, StoreUnusable):
        return problem.trouble.kind
    if isinstance(problem, sqlite3.Error):
        if str(problem).startswith("no such table: "):
            return "corrupt"  # Every store has had its tables since it was opened.
        return _kind_of_code(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_MISUSE))
    if isinstance(problem, OSError):
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return "full"
        return "read-only" if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else (
            "unwritable"
        )  # fmt: skip
    return None


def _kind_of_code(code: int) -> Kind | None:
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return "locked"
        case sqlite3.SQLITE_FULL:
            return "full"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return "read-only"
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_NOMEM:
            return "unwritable"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return "corrupt"
        case _:
            return None


def describe(kind: Kind, path: Path | None, detail: str = "") -> Trouble:
    """The trouble `kind` with the database at `path` (None: the one in memory), in words."""
    where = f"the store {str(path)!r}" if path else "the store in memory"
    because = f" ({detail})" if detail else ""
    elsewhere: tuple[Option, ...] = ("retry", "another folder", "in memory")
    match kind:
        case "locked":
            return Trouble(
                kind,
                f"Another program holds {where} locked{because}.",
                "What arrives is kept in memory and written as soon as the lock is gone."
                " Close the program that holds it, or go on in another folder.",
                elsewhere,
            )
        case "full":
            return Trouble(
                kind,
                f"The disk below {where} is full{because}.",
                "What arrives is kept in memory and written as soon as there is room."
                " Free some space, or go on in another folder.",
                elsewhere,
            )
        case "read-only":
            return Trouble(
                kind,
                f"{where[0].upper()}{where[1:]} may be read but not written{because}.",
                "Give yourself write access to the file and its folder, or go on in another folder.",
                elsewhere,
            )
        case "unwritable":
            return Trouble(
                kind,
                f"The system could not open or write {where}{because}.",
                "Check that the folder exists and its disk is healthy, or go on in another folder.",
                elsewhere,
            )
        case "corrupt":
            return Trouble(
                kind,
                f"{where[0].upper()}{where[1:]} is damaged{because}.",
                "Leave the file as it is: what is readable can be copied into a new store.",
                ("recover", "another folder", "in memory"),
            )
        case "foreign":
            return Trouble(
                kind,
                f"{where[0].upper()}{where[1:]} was not written by this version of Verbatim{because}.",
                "Update Verbatim, or use another folder.",
                ("another folder", "in memory"),
            )
        case "overflow":
            return Trouble(
                kind,
                f"Response bytes no longer fit in memory while {where} cannot be written{because}.",
                "The turn goes on, but bytes that arrive now are missing from the record."
                " Make the store writable, or go on in another folder.",
                elsewhere,
            )
        case "rejected":
            return Trouble(
                kind,
                f"One write to {where} was refused and left out{because}.",
                "This is a bug in Verbatim; everything else was written. Please report it.",
            )
        case _:
            assert_never(kind)


def translate(problem: BaseException, path: Path | None) -> StoreError:
    """`problem` as the error a person sees; raise it `from problem`."""
    if isinstance(problem, StoreError):
        return problem
    kind = kind_of(problem)
    if kind is None:
        return StoreError(
            f"the store {str(path) if path else 'in memory'!r} refused an operation: {problem}",
            hint="This is a bug in Verbatim; please report it.",
        )
    return StoreUnusable(describe(kind, path, str(problem)))
