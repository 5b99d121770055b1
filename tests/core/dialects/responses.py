"""Responses bodies written short, and what the pipeline makes of them, for the tests here."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tui.core.dialects.openai_responses import ResponsesDecoder
from tui.core.events import Culprit, DialectEvent, Finding, Severity
from tui.core.reader import TurnReader
from tui.core.sse import SSEDecoder, SSEEvent
from tui.core.turn import Turn

__all__ = [
    "ABSENT",
    "CREATED",
    "added",
    "args",
    "args_done",
    "call",
    "calls",
    "codes",
    "decoded",
    "done",
    "ended",
    "odd",
    "of_item",
    "read",
    "sse",
]

ABSENT: Any = object()
"""A member that is not there at all, where None would be null."""

CREATED = {"type": "response.created", "response": {"id": "resp_1", "model": "m"}}


def event(type: str, **members: Any) -> dict[str, Any]:
    return {"type": type, **{k: v for k, v in members.items() if v is not ABSENT}}


def call(
    call_id: Any = "call_1", arguments: Any = "", id: Any = "fc_1", name: Any = "f", **more: Any
) -> dict[str, Any]:
    """A function call as an item."""
    members = {"id": id, "call_id": call_id, "name": name, "arguments": arguments, **more}
    return event("function_call") | {k: v for k, v in members.items() if v is not ABSENT}


def added(item: Any, index: Any = 0) -> dict[str, Any]:
    return event("response.output_item.added", output_index=index, item=item)


def done(item: Any, index: Any = 0) -> dict[str, Any]:
    return event("response.output_item.done", output_index=index, item=item)


def of_item(type: str, index: Any = 0, id: Any = ABSENT, **members: Any) -> dict[str, Any]:
    """An event of an item: `type` without `response.`."""
    return event(f"response.{type}", output_index=index, item_id=id, **members)


def args(text: Any, index: Any = 0, id: Any = "fc_1", **more: Any) -> dict[str, Any]:
    return of_item("function_call_arguments.delta", index, id, delta=text, **more)


def args_done(text: Any, index: Any = 0, id: Any = "fc_1") -> dict[str, Any]:
    return of_item("function_call_arguments.done", index, id, arguments=text)


def ended(*output: Any, status: Any = "completed", name: str = "", **more: Any) -> dict[str, Any]:
    """The event that ends the response, with its own list of items."""
    response = {"id": "resp_1", "status": status, "output": list(output), **more}
    response = {k: v for k, v in response.items() if v is not ABSENT}
    return event(f"response.{name or status}", response=response)


def sse(*events: Any) -> bytes:
    """Events as SSE, data lines only; a string stands for itself."""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in events)
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def decoded(*events: Any) -> list[DialectEvent]:
    """The dialect events of a body, those of its end included; findings without their words."""
    return decode_bytes(sse(*events))


def decode_bytes(data: bytes) -> list[DialectEvent]:
    stream, decoder = SSEDecoder(), ResponsesDecoder()
    found: list[DialectEvent] = []
    for item in stream.feed(data):
        if isinstance(item, SSEEvent):
            found += decoder.feed(item)
    found += decoder.close(stream.close())
    for each in found:
        if isinstance(each, Finding):
            assert each.code.startswith("responses.")
            assert each.message
    return [replace(each, message="") if isinstance(each, Finding) else each for each in found]


def odd(code: str, severity: Severity = "note", culprit: Culprit = "server") -> Finding:
    """The finding `responses.CODE` as `decoded` gives it."""
    return Finding(f"responses.{code}", "", culprit, severity)


def read(*events: Any) -> Turn:
    """The turn that the production pipeline makes of a body that the transport ended properly."""
    reader = TurnReader("openai-responses")
    reader.feed(sse(*events))
    reader.close()
    return reader.turn


def calls(turn: Turn) -> list[tuple[str | None, str, str, str]]:
    """(id, name, argument text, state) of each call."""
    return [(each.id, each.name, each.text, each.state.value) for each in turn.calls]


def codes(turn: Turn) -> list[str]:
    """The codes of the findings, in order, without their prefix."""
    return [finding.code.removeprefix("responses.") for finding in turn.findings]
