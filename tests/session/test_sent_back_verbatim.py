"""Byte for byte: the arguments of a call, from the stream through the store into the next request.

The text below means the same to every JSON library and is written by none: a client that parses
arguments and writes them again changes it in a dozen places.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.wire import READING, Reply, ScriptedSource
from tui.core import dialects
from tui.core.conversation import TextContent, ToolSpec, TurnSettings
from tui.session.calls import CallRunner
from tui.session.resume import resume
from tui.session.session import Session, Target
from tui.session.updates import Idle
from tui.store import Store
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import FixedSource, Registry

RAW = (
    '{ "one" :1.0,\t"hundred": 1e2 ,"zero":-0, "big":123456789012345678901234567890,\n'
    ' "slash":"a\\/b","escaped":"\\u00fc \\ud83c\\udf0a \\u003c","plain":"ü 🌊 <",  "none":[ ] }'
)
ARGUMENTS = {
    "one": 1.0,
    "hundred": 100.0,
    "zero": 0,
    "big": 123456789012345678901234567890,
    "slash": "a/b",
    "escaped": "ü 🌊 <",
    "plain": "ü 🌊 <",
    "none": [],
}
FRAGMENTS = [RAW[at : at + 3] for at in range(0, len(RAW), 3)]
"""Cut inside escapes, numbers and pairs of escapes."""


def sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads)


def anthropic(words: str = "") -> bytes:
    block = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    kind, pieces = ("input_json_delta", "partial_json"), FRAGMENTS
    if words:
        block, kind, pieces = {"type": "text", "text": ""}, ("text_delta", "text"), [words]
    return sse(
        {"type": "message_start", "message": {"id": "m", "model": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": kind[0], kind[1]: piece},
            }
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn" if words else "tool_use"},
        },
        {"type": "message_stop"},
    )


def chat(words: str = "") -> bytes:
    opening = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "look", "arguments": ""},
    }
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": words or None}]
    if not words:
        deltas.append({"tool_calls": [opening]})
        for piece in FRAGMENTS:
            deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    ending = {"index": 0, "delta": {}, "finish_reason": "stop" if words else "tool_calls"}
    chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    return (
        sse(*({"id": "c", "model": "m", "choices": [each]} for each in [*chunks, ending]))
        + b"data: [DONE]\n\n"
    )


def responses(words: str = "") -> bytes:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look"}
    if words:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
        events: list[dict[str, Any]] = [
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {
                "type": "response.output_text.delta",
                "output_index": 0,
                "content_index": 0,
                "item_id": "msg_1",
                "delta": words,
            },
        ]
    else:
        where = {"item_id": "fc_1", "output_index": 0}
        name = "response.function_call_arguments"
        events = [
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**call, "arguments": ""},
            },
            *({"type": f"{name}.delta", **where, "delta": piece} for piece in FRAGMENTS),
            {"type": f"{name}.done", **where, "arguments": RAW},
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {**call, "arguments": RAW},
            },
        ]
    return sse(
        {"type": "response.created", "response": {"id": "r", "model": "m"}},
        *events,
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
    )


def input_as_it_stands(body: str) -> str:
    """The text behind `"input":` of the one tool_use, read by no JSON library."""
    _, name, rest = body.partition('"input":')
    assert name, body
    return rest.lstrip()[: len(RAW)]


def chat_arguments(body: str) -> str:
    calls = [call for m in json.loads(body)["messages"] for call in m.get("tool_calls", ())]
    assert len(calls) == 1
    return str(calls[0]["function"]["arguments"])


def responses_arguments(body: str) -> str:
    calls = [each for each in json.loads(body)["input"] if each.get("type") == "function_call"]
    assert len(calls) == 1
    return str(calls[0]["arguments"])


WIRES: dict[str, tuple[Callable[..., bytes], Callable[[str], str]]] = {
    "anthropic": (anthropic, input_as_it_stands),
    "openai-chat": (chat, chat_arguments),
    "openai-responses": (responses, responses_arguments),
}


@pytest.mark.parametrize("reopened", [False, True], ids=["same session", "after a restart"])
@pytest.mark.parametrize("name", dialects.NAMES)
async def test_arguments_go_back_as_the_model_wrote_them(name: str, reopened: bool) -> None:
    write, sent_arguments = WIRES[name]
    source = ScriptedSource([Reply([write()]), Reply([write("Seen.")]), Reply([write("Again.")])])
    ran: list[Mapping[str, Any]] = []

    async def look(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        ran.append(arguments)
        return ToolOutcome((TextContent("found"),))

    tool = HandlerTool(ToolSpec("look", "Look.", {"type": "object"}, read_only=True), "desk", look)
    registry = Registry([FixedSource("desk", "desk", [tool])])
    store = Store.memory()
    conversation = store.create_conversation()

    def session() -> Session:
        resumed = resume(store, conversation)
        calls = CallRunner(
            registry, Dispatcher(registry), Policy(mode="all"), resumed.journal, lambda _: None
        )
        target = Target("scripted", name, source, TurnSettings("m"))
        return Session(
            target,
            journal=resumed.journal,
            reading=READING,
            calls=calls,
            messages=resumed.messages,
        )

    async def ask(asking: Session, prompt: str) -> None:
        asking.send(prompt)
        async for update in asking.updates():
            if isinstance(update, Idle):
                break
        await asking.wait_idle()

    async with registry:
        first = session()
        await ask(first, "go")
        assert ran == [ARGUMENTS]
        assert len(source.requests) == 2
        await ask(session() if reopened else first, "and now?")
    for request in source.requests[1:]:
        assert sent_arguments(request.body.decode()) == RAW
