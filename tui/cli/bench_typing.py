"""`verbatim bench typing`: how long a key takes to show in the prompt, and what a stream adds to it.

The real chat runs in a pseudo-terminal against a loopback server that streams one tool call at a
fixed rate; keys are typed as a person would and looked for in what the program draws. The result
is the wait while the call streams against the wait while nothing does.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final, Literal

from tui.cli.crashing.loopback import LoopbackServer
from tui.cli.crashing.terminal import Terminal
from tui.core.errors import UsageError

Shape = Literal["string", "objects"]

FRAGMENT: Final = 13
"""Characters to a fragment, as providers cut arguments."""
_TICK: Final = 0.01
"""Seconds between two writes of the server."""
_PATIENCE: Final = 60.0
_BETWEEN: Final = (0.09, 0.22)
"""Seconds between two keys: a person who types."""
_LETTERS: Final = [chr(code) for code in range(0x0430, 0x0450)]
"""Nothing else on the screen holds these, so that a drawn one is the typed one."""
_IDLE_KEYS: Final = 24
_OVER: Final = "incomplete"
"""What the card says when it has shown the call to its end."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds from each key to its letter on the screen, sorted."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return self.seconds[len(self.seconds) // 2]

    @property
    def p95(self) -> float:
        return self.seconds[len(self.seconds) * 95 // 100]

    @property
    def worst(self) -> float:
        return self.seconds[-1]


@dataclass(frozen=True, slots=True)
class Typing:
    """What was seen with one call of `size` bytes."""

    size: int
    idle: Waits
    streaming: Waits
    behind: float
    """Seconds from the last byte sent until the finished call was seen on the screen."""


def measure(size: int, shape: Shape, rate: int, seed: int) -> Typing:
    """Stream one call of about `size` bytes at `rate` bytes of arguments a second, and type.

    Raises:
        UsageError: the chat did not begin, or a key never showed.
    """
    chance = random.Random(seed)
    server = _Server(arguments(size, shape), rate)
    with tempfile.TemporaryDirectory(prefix="verbatim-bench-") as folder:
        terminal = _started(Path(folder), server.base_url)
        try:
            if not terminal.wait_for("ready", _PATIENCE):
                raise UsageError(f"the chat did not begin: {terminal.tail}")
            idle = [_key(terminal, chance, number) for number in range(_IDLE_KEYS)]
            terminal.type("")
            server.begun.wait(_PATIENCE)
            streaming: list[float] = []
            while not (server.ended.is_set() and terminal.drew(_OVER)):
                streaming.append(_key(terminal, chance, len(streaming)))
            behind = time.monotonic() - server.over_at
            if not streaming:
                raise UsageError("the call was over before a key was typed; give a larger one")
        finally:
            terminal.kill()
            server.close()
    return Typing(size, Waits(tuple(sorted(idle))), Waits(tuple(sorted(streaming))), behind)


def arguments(size: int, shape: Shape) -> str:
    """A JSON object of about `size` characters: one long string, or many small objects."""
    if shape == "string":
        return json.dumps({"content": ("words in a row, " * (size // 16 + 1))[:size]})
    one = {"sku": "BK-001", "price": 12.5, "gift": True}
    return json.dumps({"items": [one] * (size // len(json.dumps(one)))})


def _key(terminal: Terminal, chance: random.Random, number: int) -> float:
    time.sleep(chance.uniform(*_BETWEEN))
    letter = _LETTERS[number % len(_LETTERS)]
    terminal.forget()
    began = time.monotonic()
    terminal.write(letter)
    if not terminal.wait_for(letter, _PATIENCE):
        raise UsageError(f"a typed key never showed: {terminal.tail}")
    return time.monotonic() - began


def _started(home: Path, base_url: str) -> Terminal:
    command = [sys.executable, "-m", "tui", "chat", "--base-url", base_url]
    command += ["--dialect", "anthropic", "--model", "bench"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VERBATIM_")}
    return Terminal(command, environment | {"VERBATIM_HOME": str(home), "TERM": "xterm-256color"})


class _Server:
    """Answers every request with the call, cut off by an output limit so that nothing runs."""

    def __init__(self, text: str, rate: int) -> None:
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.over_at = 0.0
        self._text = text
        self._rate = rate
        self._http = LoopbackServer(self._answer)
        self.base_url = self._http.base_url

    def close(self) -> None:
        self._http.close()

    def _answer(self, handler: BaseHTTPRequestHandler, request: bytes) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        writes = list(_writes(self._text, max(1, round(self._rate * _TICK / FRAGMENT))))
        began = time.monotonic()
        self.begun.set()
        try:
            for number, data in enumerate(writes):
                time.sleep(max(0.0, began + number * _TICK - time.monotonic()))
                handler.wfile.write(data)
        finally:
            self.over_at = time.monotonic()
            handler.close_connection = True
            self.ended.set()


def _writes(text: str, fragments: int) -> Iterator[bytes]:
    """The body: its opening, then `fragments` fragments at a time, then its ending."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "model": "bench", "content": [], "usage": usage}
    block = {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {}}
    yield _event("message_start", message=message) + _event(
        "content_block_start", index=0, content_block=block
    )
    pieces = [
        _event(
            "content_block_delta",
            index=0,
            delta={"type": "input_json_delta", "partial_json": text[start : start + FRAGMENT]},
        )
        for start in range(0, len(text), FRAGMENT)
    ]
    for start in range(0, len(pieces), fragments):
        yield b"".join(pieces[start : start + fragments])
    stop = {"stop_reason": "max_tokens"}
    yield _event("message_delta", delta=stop, usage=usage) + _event("message_stop")


def _event(kind: str, **rest: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **rest})}\n\n".encode()
