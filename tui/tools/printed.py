"""What a tool prints is kept with its run; it reaches neither the screen nor standard output.

While at least one tool runs, `sys.stdout` and `sys.stderr` are routers: a write made in the
context of a run (its task, the tasks it starts, its thread) goes to that run's bounded buffer,
any other write goes where it went before. `sys.stdin` is at its end for a tool. Out of reach:
threads a tool starts itself (they have no context before Python 3.14), and child processes and C
code that write to the file descriptors.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TextIO

MAX_PRINTED: Final = 1_000_000
"""Characters kept of one run."""


class Printed:
    """The bounded text one run printed, to both outputs in the order it came."""

    def __init__(self, limit: int = MAX_PRINTED) -> None:
        self._pieces: list[str] = []
        self._room = limit
        self._dropped = 0
        self._lock = threading.Lock()

    def add(self, text: str) -> None:
        with self._lock:
            kept = text[: self._room]
            self._room -= len(kept)
            self._dropped += len(text) - len(kept)
            if kept:
                self._pieces.append(kept)

    @property
    def text(self) -> str:
        with self._lock:
            tail = f"\n[{self._dropped} further characters not kept]" if self._dropped else ""
            return "".join(self._pieces) + tail


_current: ContextVar[Printed | None] = ContextVar("printed", default=None)


class _OutputRouter(io.TextIOBase):
    def __init__(self, outside: TextIO) -> None:
        super().__init__()
        self.outside = outside

    def write(self, text: str, /) -> int:
        printed = _current.get()
        if printed is None:
            return self.outside.write(text)
        printed.add(text)
        return len(text)

    def flush(self) -> None:
        if _current.get() is None:
            self.outside.flush()

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return _current.get() is None and self.outside.isatty()

    def fileno(self) -> int:
        if _current.get() is not None:
            raise io.UnsupportedOperation("a tool's output has no file descriptor")
        return self.outside.fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.outside, name)


class _InputRouter(io.TextIOBase):
    def __init__(self, outside: TextIO) -> None:
        super().__init__()
        self.outside = outside

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        if _current.get() is None:
            return self.outside.read(-1 if size is None else size)
        return ""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return self.outside.readline(size) if _current.get() is None else ""

    def isatty(self) -> bool:
        return _current.get() is None and self.outside.isatty()

    def fileno(self) -> int:
        if _current.get() is not None:
            raise io.UnsupportedOperation("a tool has no input")
        return self.outside.fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.outside, name)


_installed: dict[str, _OutputRouter | _InputRouter] = {}
_users = 0
_lock = threading.Lock()


@contextmanager
def captured(printed: Printed) -> Iterator[None]:
    """Send what this context prints to `printed`.

    The routers stay in place while any run is in progress. A program that replaces `sys.stdout`
    meanwhile keeps its own (a router is only ever taken out when it is still the one there).
    """
    _install()
    token = _current.set(printed)
    try:
        yield
    finally:
        _current.reset(token)
        _uninstall()


def _install() -> None:
    global _users  # noqa: PLW0603 - sys.stdout is global too; this counts who needs it replaced
    with _lock:
        _users += 1
        for name in ("stdout", "stderr", "stdin"):
            stream = getattr(sys, name)
            if stream is None or isinstance(stream, _OutputRouter | _InputRouter):
                continue
            router = _InputRouter(stream) if name == "stdin" else _OutputRouter(stream)
            _installed[name] = router
            setattr(sys, name, router)


def _uninstall() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users:
            return
        for name, router in _installed.items():
            if getattr(sys, name) is router:
                setattr(sys, name, router.outside)
        _installed.clear()
