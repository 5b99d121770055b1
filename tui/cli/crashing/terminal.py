"""A program under a real terminal: a pseudo-terminal that is typed into and read from."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence

_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_KEPT = 1 << 20
"""Bytes of output kept to be looked through."""


class Terminal:
    """Runs `command` in a terminal of `columns` × `rows` of its own."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        columns: int = 120,
        rows: int = 36,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=dict(environment),
                start_new_session=True,
            )
        finally:
            os.close(slave)
        self._shown = bytearray()
        self._from = 0
        """Where in `_shown` the next words are looked for."""
        self._over = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, text: str) -> None:
        """Type `text` and press Enter."""
        os.write(self._master, text.encode() + b"\r")

    def write(self, text: str) -> None:
        """Type `text`, and no Enter."""
        os.write(self._master, text.encode())

    def forget(self) -> None:
        """What was drawn so far is not looked for any more."""
        with self._changed:
            self._from = len(self._shown)

    def drew(self, words: str) -> bool:
        """Whether `words` were drawn at any time, as far as output is kept."""
        with self._changed:
            return words.encode() in self._shown

    def wait_for(self, words: str, patience: float) -> bool:
        """Whether `words` were drawn, since the last call, within `patience` seconds."""
        wanted = words.encode()
        until = time.monotonic() + patience
        with self._changed:
            while (at := self._shown.find(wanted, self._from)) < 0:
                left = until - time.monotonic()
                if left <= 0 or self._over:
                    return False
                self._changed.wait(left)
            self._from = at + len(wanted)
        return True

    @property
    def tail(self) -> str:
        """The words drawn last, without what places and colours them."""
        with self._changed:
            drawn = bytes(self._shown[self._from :]).decode("utf-8", "replace")
        return ascii(" ".join(_CONTROL.sub(" ", drawn).split())[-600:])

    def kill(self) -> float:
        """SIGKILL; returns the moment just before it, of the monotonic clock."""
        moment = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join(5.0)
        with contextlib.suppress(OSError):
            os.close(self._master)
        return moment

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            with self._changed:
                self._shown += data
                old = max(0, len(self._shown) - _KEPT)
                del self._shown[:old]
                self._from = max(0, self._from - old)
                self._over = not data
                self._changed.notify_all()
            if not data:
                return
