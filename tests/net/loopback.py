"""A server on loopback that answers with scripted raw HTTP, byte for byte.

Each request is answered by the next script: bytes to send, events to wait for first, and ways
to end the connection. Nothing is timed; what a test waits for, it waits for by an event.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["End", "Loopback", "Request", "answer", "chunk", "free_port", "serving", "stream_head"]


class End(Enum):
    CLOSE = "close the connection"
    RESET = "reset the connection, as a crash does"
    HOLD = "send nothing more until the client goes away"


Step = bytes | asyncio.Event | End


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it arrived, header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer with a content length; `content_type="x"` becomes `content-type: x`."""
    return _head(status, {**headers, "content_length": str(len(body))}) + body


def stream_head(status: int = 200, **headers: str) -> bytes:
    """The head of a chunked event stream."""
    return _head(
        status, {"content_type": "text/event-stream", "transfer_encoding": "chunked", **headers}
    )


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body; the empty one ends it."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@dataclass(eq=False)
class Loopback:
    port: int
    scheme: str
    scripts: list[Sequence[Step]]
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever a request has arrived whole."""
    client_gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client closed a connection that a script held open."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                self.arrived.set()
                script = self.scripts.pop(0) if self.scripts else [answer(599, b"no script left")]
                for step in script:
                    if await self._take(step, reader, writer):
                        return
        except ConnectionError:
            self.client_gone.set()
        finally:
            writer.close()

    async def _take(
        self, step: Step, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Carry out one step; True when it was the end of the connection."""
        match step:
            case bytes():
                writer.write(step)
                await writer.drain()
                return False
            case asyncio.Event():
                await step.wait()
                return False
            case End.RESET:
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            case End.HOLD:
                await reader.read()
                self.client_gone.set()
            case End.CLOSE:
                pass
        return True


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, target, headers, body)


@asynccontextmanager
async def serving(
    *scripts: Sequence[Step], tls: ssl.SSLContext | None = None
) -> AsyncIterator[Loopback]:
    """A server with one script for each request, in order."""
    tasks: set[asyncio.Task[None]] = set()
    loopback = Loopback(0, "https" if tls else "http", list(scripts))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await loopback._serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    loopback.port = server.sockets[0].getsockname()[1]
    try:
        yield loopback
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
