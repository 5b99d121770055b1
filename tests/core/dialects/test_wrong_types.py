"""JSON of the right shape with the wrong types in it: nothing raises, whichever member it is.

Each event of a stream is replaced by what it becomes when one of its members is another type,
nested too deeply, or gone, and the events behind it follow as they are.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tui.core.codec import decode_message, encode_message
from tui.core.reader import TurnReader

DEEP = "[" * 990 + "]" * 990
"""Deeper than what is read."""
QUITE_DEEP = "[" * 550 + "]" * 550
WRONG = (
    "null",
    "true",
    "7",
    "1.5",
    '""',
    '"x"',
    '"\\ud800"',
    "[]",
    "[null]",
    "{}",
    '{"a":1}',
    DEEP,
    QUITE_DEEP,
)

ANTHROPIC = (
    {"type": "message_start", "message": {"id": "m", "model": "m", "content": [], "usage": {}}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "thinking", "thinking": "", "signature": ""},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "signature_delta", "signature": "s"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {
            "type": "tool_use",
            "id": "t",
            "name": "look",
            "input": {},
            "caller": {"type": "direct"},
        },
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": "{}"},
    },
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "refusal", "stop_details": {"category": "c"}},
        "usage": {"output_tokens": 1, "output_tokens_details": {"thinking_tokens": 1}},
    },
    {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
    {"type": "message_stop"},
)
CHAT = (
    {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant"}}]},
    {
        "choices": [
            {
                "index": 0,
                "delta": {
                    "content": [
                        {"type": "text", "text": "x"},
                        {"type": "thinking", "thinking": []},
                    ],
                    "reasoning_details": [{"type": "reasoning.text", "text": "t", "index": 0}],
                    "tool_calls": [
                        {
                            "index": 0,
                            "id": "t",
                            "type": "function",
                            "function": {"name": "look", "arguments": "{"},
                            "extra_content": {"google": {"thought_signature": "s"}},
                        }
                    ],
                },
            }
        ]
    },
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}}]},
    {"choices": [{"delta": {"function_call": {"name": "look", "arguments": "{}"}}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    {"choices": [], "usage": {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1}}},
    {"error": {"message": "m", "code": 500, "metadata": {"raw": "r"}}},
)
CALL = {
    "type": "function_call",
    "id": "fc",
    "call_id": "t",
    "name": "look",
    "arguments": "{}",
    "status": "completed",
    "caller": {"type": "direct"},
}
RESPONSES = (
    {"type": "response.created", "sequence_number": 0, "response": {"id": "r", "model": "m"}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {**CALL, "arguments": "", "status": "in_progress"},
    },
    {
        "type": "response.function_call_arguments.delta",
        "output_index": 0,
        "item_id": "fc",
        "delta": "{}",
    },
    {
        "type": "response.function_call_arguments.done",
        "output_index": 0,
        "item_id": "fc",
        "arguments": "{}",
    },
    {"type": "response.output_item.done", "output_index": 0, "item": CALL},
    {"type": "response.output_item.done", "output_index": 0, "item": CALL},
    {
        "type": "response.output_item.done",
        "output_index": 1,
        "item": {
            "type": "reasoning",
            "id": "rs",
            "summary": [{"type": "summary_text", "text": "s"}],
        },
    },
    {
        "type": "response.output_item.done",
        "output_index": 2,
        "item": {"type": "message", "id": "ms", "content": [{"type": "output_text", "text": "s"}]},
    },
    {
        "type": "response.completed",
        "response": {
            "id": "r",
            "status": "completed",
            "output": [CALL],
            "error": None,
            "incomplete_details": {"reason": "x"},
            "usage": {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 1}},
        },
    },
)
STREAMS: dict[str, tuple[dict[str, Any], ...]] = {
    "anthropic": ANTHROPIC,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
}


def spoiled(value: Any) -> Iterator[str]:
    """`value` as JSON with each of its members in turn replaced by each wrong one, or left out."""
    yield from WRONG
    if isinstance(value, dict):
        for name, member in value.items():
            others = {key: json.dumps(other) for key, other in value.items() if key != name}
            yield written(others)
            for wrong in spoiled(member):
                yield written({**others, name: wrong})
    elif isinstance(value, list):
        for place, member in enumerate(value):
            before, after = value[:place], value[place + 1 :]
            for wrong in spoiled(member):
                texts = [*map(json.dumps, before), wrong, *map(json.dumps, after)]
                yield f"[{','.join(texts)}]"


def written(members: dict[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in members.items()) + "}"


def body(events: list[str]) -> bytes:
    return "".join(f"data: {text}\n\n" for text in events).encode()


@pytest.mark.parametrize("dialect", STREAMS)
def test_a_member_of_another_type_never_raises_and_the_turn_can_be_kept(dialect: str) -> None:
    events = [json.dumps(event) for event in STREAMS[dialect]]
    fed = 0
    for place, event in enumerate(STREAMS[dialect]):
        for wrong in spoiled(event):
            for around in ([*events[:place], wrong, *events[place + 1 :]], [wrong, *events]):
                reader = TurnReader(dialect)
                reader.feed(body(around))
                reader.close()
                message = reader.turn.message()
                assert decode_message(encode_message(message)) == message, wrong[:200]
                fed += 1
    assert fed > 1000
