"""Chat Completions bodies written short, and what the pipeline makes of them, for the tests here."""

from __future__ import annotations

import json
from typing import Any

from tui.core.dialects import DecoderSettings
from tui.core.dialects.openai_chat import ChatDecoder
from tui.core.events import DialectEvent
from tui.core.reader import TurnReader
from tui.core.sse import SSEDecoder, SSEEvent
from tui.core.turn import Turn

__all__ = ["ABSENT", "body", "calls", "chunk", "codes", "decoded", "entry", "read", "sse", "tool"]

ABSENT: Any = object()
"""A member that is not there at all, where None would be null."""


def entry(
    index: Any = ABSENT, id: Any = ABSENT, name: Any = ABSENT, arguments: Any = ABSENT
) -> dict[str, Any]:
    """One entry of `tool_calls`."""
    function = {"name": name, "arguments": arguments}
    members = {
        "index": index,
        "id": id,
        "function": {key: value for key, value in function.items() if value is not ABSENT},
    }
    return {key: value for key, value in members.items() if value is not ABSENT}


def chunk(delta: Any = ABSENT, finish: Any = None, choice: Any = 0, **more: Any) -> str:
    """One chunk with one choice, as JSON text. `more` goes beside the choices."""
    written: dict[str, Any] = {"finish_reason": finish}
    if choice is not ABSENT:
        written["index"] = choice
    if delta is not ABSENT:
        written["delta"] = delta
    return json.dumps({"choices": [written], **more})


def tool(*entries: Any, finish: Any = None) -> str:
    """One chunk whose delta has these `tool_calls`."""
    return chunk({"tool_calls": list(entries)}, finish)


def sse(*payloads: str) -> bytes:
    """The payloads as SSE events; a payload of several lines gets a data line for each."""
    return b"".join(
        b"".join(b"data: " + line.encode() + b"\n" for line in payload.split("\n")) + b"\n"
        for payload in payloads
    )


def body(*payloads: str, finish: str | None = "tool_calls", done: bool = True) -> bytes:
    """A whole body: the payloads, a finish chunk, `[DONE]`."""
    ending = ([chunk({}, finish)] if finish is not None else []) + (["[DONE]"] if done else [])
    return sse(*payloads, *ending)


def read(data: bytes, settings: DecoderSettings | None = None) -> Turn:
    """The turn that the production pipeline makes of a body that the transport ended properly."""
    reader = TurnReader("openai-chat", settings=settings)
    reader.feed(data)
    reader.close()
    return reader.turn


def decoded(data: bytes, settings: DecoderSettings | None = None) -> list[DialectEvent]:
    """The dialect events of a body, those of its end included."""
    stream = SSEDecoder()
    decoder = ChatDecoder(settings)
    events: list[DialectEvent] = []
    for item in stream.feed(data):
        if isinstance(item, SSEEvent):
            events += decoder.feed(item)
    return events + decoder.close(stream.close())


def calls(turn: Turn) -> list[tuple[str | None, str, str, str]]:
    """(id, name, argument text, state) of each call."""
    return [(call.id, call.name, call.buffer.text, call.state.value) for call in turn.calls]


def codes(turn: Turn) -> list[str]:
    """The codes of the findings, in order."""
    return [finding.code for finding in turn.findings]
