"""The terminal while the screen is up: the screen has it, and no child process writes over it.

Textual writes to `sys.__stderr__` and asks `sys.__stdout__` for the size; both are given
descriptors of their own, and 1 and 2, which every child inherits, lead to a log file meanwhile.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

_OUT: Final = 1
_ERR: Final = 2


@contextmanager
def kept_to_the_screen(log: Path) -> Iterator[None]:
    """Send what children write to standard output and error to `log`, anew each time.

    Does nothing where one of the two is no terminal, or `log` cannot be written.
    """
    out, err = sys.__stdout__, sys.__stderr__
    if out is None or err is None or not (os.isatty(_OUT) and os.isatty(_ERR)):
        yield
        return
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        receiver = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    except OSError:
        yield
        return
    out.flush()
    err.flush()
    # Copies made by dup are not inherited by children.
    screen_out, screen_err = _copy(out, _OUT), _copy(err, _ERR)
    try:
        os.dup2(receiver, _OUT)
        os.dup2(receiver, _ERR)
        sys.__stdout__, sys.__stderr__ = screen_out, screen_err  # type: ignore[misc,assignment]
        yield
    finally:
        screen_out.flush()
        screen_err.flush()
        os.dup2(screen_out.fileno(), _OUT)
        os.dup2(screen_err.fileno(), _ERR)
        sys.__stdout__, sys.__stderr__ = out, err  # type: ignore[misc]
        screen_out.close()
        screen_err.close()
        os.close(receiver)


def _copy(stream: TextIO, descriptor: int) -> TextIO:
    return os.fdopen(os.dup(descriptor), "w", encoding=stream.encoding, errors=stream.errors)
