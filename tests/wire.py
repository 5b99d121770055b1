"""Response bodies for tests, written event by event, and a byte source that serves them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tui.core.errors import EndpointError, VerbatimError
from tui.core.source import ResponseHead, WireRequest
from tui.session.reading import ReadingLoop

READING = ReadingLoop()
"""One thread reads for all tests, as one does for all conversations of a program."""
SSE_HEAD = ResponseHead(200, (("content-type", "text/event-stream"),))


def event(payload: dict[str, Any]) -> bytes:
    """One Anthropic event."""
    return f"event: {payload['type']}\ndata: {json.dumps(payload)}\n\n".encode()


def start() -> bytes:
    return event({"type": "message_start", "message": {"id": "m", "model": "m", "content": []}})


def text(index: int, *pieces: str) -> bytes:
    """A whole text block."""
    opened = {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": "text", "text": ""},
    }
    deltas = [
        event(
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "text_delta", "text": piece},
            }
        )
        for piece in pieces
    ]
    return b"".join([event(opened), *deltas, stop_block(index)])


def call(index: int, id: str, name: str, *fragments: str, closed: bool = True) -> bytes:
    """A tool_use block, with or without its terminal marker."""
    block = {"type": "tool_use", "id": id, "name": name, "input": {}}
    opened = event({"type": "content_block_start", "index": index, "content_block": block})
    deltas = [
        event(
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": fragment},
            }
        )
        for fragment in fragments
    ]
    return b"".join([opened, *deltas, stop_block(index) if closed else b""])


def stop_block(index: int) -> bytes:
    return event({"type": "content_block_stop", "index": index})


def ended(reason: str) -> bytes:
    delta = {
        "type": "message_delta",
        "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 1},
    }
    return event(delta) + event({"type": "message_stop"})


def prose_turn(words: str) -> bytes:
    return start() + text(0, words) + ended("end_turn")


def call_turn(*calls: bytes, words: str = "Let me look.") -> bytes:
    """Prose and then the given blocks (indexes from 1), ended with tool_use."""
    return b"".join([start(), text(0, words), *calls, ended("tool_use")])


@dataclass
class Reply:
    """One response a `ScriptedSource` gives: its chunks, and how it fails if it does."""

    chunks: Iterable[bytes]
    head: ResponseHead = SSE_HEAD
    breaks: EndpointError | None = None
    """Raised after the last chunk."""
    refused: VerbatimError | None = None
    """Raised in place of any response."""
    then_wait: bool = False
    """After the last chunk the body stays open until the reader goes away."""


@dataclass
class ScriptedSource:
    """A byte source that gives its replies in order and keeps the requests it was sent."""

    replies: list[Reply]
    name: str = "scripted"
    requests: list[WireRequest] = field(default_factory=list)
    closed: int = 0

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[_Open]:
        self.requests.append(request)
        reply = self.replies[len(self.requests) - 1]
        if reply.refused is not None:
            raise reply.refused
        try:
            yield _Open(reply)
        finally:
            self.closed += 1

    def sent(self, number: int) -> Any:
        """The JSON body of request `number` (from 0)."""
        return json.loads(self.requests[number].body)


@dataclass
class _Open:
    reply: Reply

    @property
    def head(self) -> ResponseHead:
        return self.reply.head

    async def chunks(self) -> AsyncIterator[bytes]:
        import asyncio

        for chunk in self.reply.chunks:
            await asyncio.sleep(0)
            yield chunk
        if self.reply.breaks is not None:
            raise self.reply.breaks
        if self.reply.then_wait:
            await asyncio.Event().wait()
