"""Recordings behind HTTP on loopback, so that other clients read the very bytes that were kept.

Requests come in on any path; which recording answers is decided by order or by the request.
Status and content type are the recorded ones, the body goes out in its recorded chunks, and a
recording that broke ends without the last chunk of the transfer coding: the client sees a broken
connection where the first one did. One request a connection; no keys, no TLS, loopback only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Literal

from tui.core.errors import UsageError
from tui.core.sniff import dialect_of
from tui.recording.format import Recording
from tui.recording.matching import NoMatch, match
from tui.recording.replay import SSE_HEAD, Pace

HOST: Final = "127.0.0.1"
_BODY_LIMIT: Final = 64 * 1024 * 1024
_HEAD_LIMIT: Final = 64 * 1024
# The body is kept after these codings were undone, and is framed anew here.
_NOT_PASSED_ON: Final = frozenset(
    {
        "connection", "content-encoding", "content-length", "date", "keep-alive",
        "transfer-encoding", "set-cookie", "trailer", "upgrade",
    }
)  # fmt: skip

Match = Literal["order", "request"]


@dataclass(frozen=True, slots=True)
class Served:
    """One request and what it was answered with, for whoever watches."""

    path: str
    answer: str
    """The recording's name, or why there was none."""


class RecordingServer:
    """Serves `recordings` on a loopback port while it is entered.

    Args:
        recordings: at least one.
        match: `order` gives the next recording to whatever is asked; `request` gives the one
            whose request had the same path and an equal JSON body.
        pace: how fast the bodies go out; its gap is not used.
        repeat: with `order`, begin again after the last one.
        port: 0 takes any free one.
        served: called for every request.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        *,
        match: Match = "order",
        pace: Pace | None = None,
        repeat: bool = False,
        port: int = 0,
        served: Callable[[Served], None] = lambda served: None,
    ) -> None:
        self._recordings = list(recordings)
        self._match = match
        self._pace = pace or Pace()
        self._repeat = repeat
        self._port = port
        self._served = served
        self._next = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> RecordingServer:
        """Listen.

        Raises:
            UsageError: the port cannot be had.
        """
        if not 0 <= self._port <= 65_535:
            raise UsageError(f"{self._port} is no port", hint="0 is any free one")
        try:
            self._server = await asyncio.start_server(
                self._connected, HOST, self._port, limit=_HEAD_LIMIT
            )
        except OSError as error:
            raise UsageError(
                f"cannot listen on port {self._port}: {error.strerror or error}",
                hint="choose another port, or 0 for any that is free",
            ) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is None:
            return
        self._server.close()
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """Where it answers, without `/v1`. Only while entered."""
        if self._server is None:
            raise UsageError("the server is not listening")
        return f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        # A client that goes away in the middle is its own business.
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            try:
                await self._answer(reader, writer)
            finally:
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read_request(reader, writer)
        except (ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            await _refuse(writer, 400, f"this is no request that can be read: {error}")
            return
        if request is None:
            return
        if request.method != "POST":
            words = f"only POST is answered here, with recordings, not {request.method}"
            self._served(Served(request.path, words))
            await _refuse(writer, 404 if request.method == "GET" else 405, words)
            return
        found = self._choose(request)
        if isinstance(found, NoMatch):
            self._served(Served(request.path, found.message))
            await _refuse(writer, 404, found.message)
            return
        self._served(Served(request.path, _name(found)))
        await self._send(found, writer)

    def _choose(self, request: _Request) -> Recording | NoMatch:
        if self._match == "request":
            return match(self._recordings, request.path, request.body)
        if self._next >= len(self._recordings):
            if not self._repeat:
                count = len(self._recordings)
                return NoMatch(
                    f"all {count} recordings have been served; start again, or with --repeat"
                )
            self._next = 0
        self._next += 1
        return self._recordings[self._next - 1]

    async def _send(self, recording: Recording, writer: asyncio.StreamWriter) -> None:
        head = recording.head or SSE_HEAD
        headers = [
            (name, value) for name, value in head.headers if name.lower() not in _NOT_PASSED_ON
        ]
        _write_head(writer, head.status, [*headers, ("transfer-encoding", "chunked")])
        await writer.drain()
        last = 0.0
        for at, data in recording.timed_chunks():
            await self._pace.wait(at - last)
            last = at
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await writer.drain()
        if recording.ending == "complete":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        # Else the connection closes without the last chunk: nothing that came is lost by a reset,
        # and every client must notice (RFC 9112, section 8).


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    body: bytes


async def _read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> _Request | None:
    """One request; None when the connection was closed before one came.

    Raises:
        ValueError: it is no HTTP/1.1 request.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial.strip():
            return None
        raise
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, _, rest = first.partition(" ")
    path, _, version = rest.rpartition(" ")
    if not version.startswith("HTTP/1.") or not path:
        raise ValueError(f"{first!r} is no request line of HTTP/1.1")
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    if fields.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await writer.drain()
    body = await _read_body(reader, fields)
    return _Request(method, path.partition("?")[0], body)


async def _read_body(reader: asyncio.StreamReader, fields: dict[str, str]) -> bytes:
    if fields.get("transfer-encoding", "").lower() == "chunked":
        parts: list[bytes] = []
        while size := int((await reader.readline()).partition(b";")[0], 16):
            if size < 0 or sum(map(len, parts)) + size > _BODY_LIMIT:
                raise ValueError("the body is too long")
            parts.append(await reader.readexactly(size))
            await reader.readexactly(2)
        while (await reader.readline()).strip():
            pass
        return b"".join(parts)
    length = int(fields.get("content-length", "0"))
    if not 0 <= length <= _BODY_LIMIT:
        raise ValueError(f"a body of {length} bytes is not taken")
    return await reader.readexactly(length)


async def _refuse(writer: asyncio.StreamWriter, status: int, message: str) -> None:
    # The shape that the clients of all three dialects find words in.
    error = {"type": "not_found_error" if status == 404 else "invalid_request_error"}
    value: dict[str, Any] = {"type": "error", "error": {**error, "message": message}}
    body = json.dumps(value).encode()
    _write_head(
        writer,
        status,
        [("content-type", "application/json"), ("content-length", str(len(body)))],
    )
    writer.write(body)
    await writer.drain()


def _write_head(
    writer: asyncio.StreamWriter, status: int, headers: Sequence[tuple[str, str]]
) -> None:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Recorded"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    text = "\r\n".join([*lines, "connection: close", "", ""])
    writer.write(text.encode("latin-1", "replace"))


def _name(recording: Recording) -> str:
    return recording.path.name if recording.path is not None else "a recording"


def dialects_of(recordings: Sequence[Recording]) -> list[str]:
    """The dialects that clients of these recordings have to speak."""
    named = (recording.dialect or dialect_of(recording.body) for recording in recordings)
    return sorted({name for name in named if name is not None})
