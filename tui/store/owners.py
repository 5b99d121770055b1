"""Which processes are alive: each holds a lock on a file of its own beside the database.

The kernel drops the lock with the process, however it ends (`kill -9`, power cut), and no
later process with the same pid has it. So an exchange or dispatch whose owner's file can be
locked, or is gone, belongs to a process that is dead. The lock is `flock`'s: a process that
has the database open twice is two owners, and a child made by `fork` without `exec` keeps its
parent's lock (programs that we start do not inherit the descriptor).
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from pathlib import Path

_SUFFIX = ".owners"
_TOKEN = re.compile(r"[0-9a-f]{24}")


class Owner:
    """This process, as one user of the database at `database`. Alive from here to `release`."""

    def __init__(self, database: Path, token: str | None = None) -> None:
        """Raises: OSError when the lock file cannot be made."""
        self.token = token or secrets.token_hex(12)
        folder = owners_of(database)
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path = folder / self.token
        while True:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            # Between the two calls another window may have taken the file for a dead one's.
            if _is_same_file(self._descriptor, self._path):
                return
            os.close(self._descriptor)

    def release(self) -> None:
        """Say that this owner is done: whatever it left open from now on is abandoned."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def is_alive(database: Path, token: str) -> bool:
    """Whether the owner `token` of the database still runs. Removes the file of a dead one."""
    if not _TOKEN.fullmatch(token):
        return False  # From a damaged file: it must not name a path.
    path = owners_of(database) / token
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)


def sweep(database: Path) -> None:
    """Remove the lock files of processes that are dead."""
    folder = owners_of(database)
    for path in folder.iterdir() if folder.is_dir() else ():
        is_alive(database, path.name)


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def owners_of(database: Path) -> Path:
    """The folder of the lock files; it stays when the last owner has left."""
    return database.with_name(database.name + _SUFFIX)
