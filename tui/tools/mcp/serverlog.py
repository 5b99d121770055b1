"""What a server says beside the protocol: its standard error, its log messages, the SDK's words.

Kept bounded and in memory, to be looked at; never written to the terminal.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

MAX_LINES: Final = 1_000
MAX_LINE: Final = 2_000
"""Characters of one line."""
_NO_MESSAGE = re.compile(r"type=json_invalid, input_value=(.+), input_type=str")
"""Of what the SDK's validation says of a line on standard output, the line."""
OURS: Final = "[client]"
"""Begins the lines that this side of the connection has to say."""
_CHUNK: Final = 65_536


class ServerLog:
    """The last lines, oldest first."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MAX_LINES)

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines)

    def add(self, text: str) -> None:
        """Add a text, line by line."""
        for line in text.splitlines():
            if line.strip():
                self._lines.append(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} …")

    def add_ours(self, text: str) -> None:
        """Add what this side of the connection has to say, in one line."""
        if wrote := _NO_MESSAGE.search(text):
            text = f"it wrote {wrote[1]}, which is no MCP message"
        self.add(f"{OURS} {' '.join(text.split())}")

    def tail(self, count: int = 3) -> str:
        """The last lines of the server's own in one, for an error message."""
        said = [line for line in self._lines if not line.startswith(OURS)]
        return " | ".join(said[-count:])

    def noted(self) -> str:
        """What this side had to say last."""
        ours = [line for line in self._lines if line.startswith(OURS)]
        return ours[-1].removeprefix(OURS).strip() if ours else ""

    async def read(self, descriptor: int, ended: Callable[[], None]) -> None:
        """Take in a pipe until its end, then call `ended`. Closes the descriptor."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
        )
        rest = b""
        try:
            while chunk := await reader.read(_CHUNK):
                # A line without end must not be kept whole.
                *lines, rest = (rest + chunk)[-_CHUNK:].split(b"\n")
                for line in lines:
                    self.add(line.decode("utf-8", "replace"))
            self.add(rest.decode("utf-8", "replace"))
            ended()
        finally:
            transport.close()


current_log: ContextVar[ServerLog | None] = ContextVar("current_log", default=None)
"""The log of the server that the running task works for."""


class _ToServerLog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log = current_log.get()
        if log is not None:
            error = f": {record.exc_info[1]}" if record.exc_info and record.exc_info[1] else ""
            log.add_ours(f"{record.getMessage()}{error}")


def keep_sdk_quiet() -> None:
    """Send what the SDK logs to the server's log; without a handler it would go to the terminal."""
    logger = logging.getLogger("mcp")
    if not any(isinstance(handler, _ToServerLog) for handler in logger.handlers):
        logger.addHandler(_ToServerLog())
        logger.propagate = False
