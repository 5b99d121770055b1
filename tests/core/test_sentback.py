"""What the encoders send of earlier calls, read back out of the bytes by code that is not theirs."""

from __future__ import annotations

import pytest

from tui.core import dialects
from tui.core.codec import decode_message, encode_message
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    Message,
    ResultsMessage,
    TextContent,
    TextPart,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.history import sendable
from tui.core.reader import TurnReader
from tui.core.sentback import argument_texts
from tui.core.states import CallState

AWKWARD = [
    '{"a":1.0, "b":1e2,"c":-0 , "d":123456789012345678901234567890}',
    '{ "url":"http:\\/\\/x", "e":"\\u00e9\\ud83d\\ude00", "raw":"é😀" }',
    '{"half":"\\ud83d","sep":"\u2028","tab":"\\t"}\n',
    '{"nested": {"input": {"k": [1, 2.50E+10]}}}',
]


@pytest.mark.parametrize("dialect", dialects.NAMES)
def test_argument_texts_go_back_byte_for_byte(dialect: str) -> None:
    calls = tuple(
        CallPart(f"t1.c{number}", f"id{number}", "f", raw, state=CallState.FINAL)
        for number, raw in enumerate(AWKWARD)
    )
    messages: list[Message] = [
        UserMessage((TextPart("go"),)),
        AssistantMessage((TextPart("so"), *calls), dialect),
        ResultsMessage(tuple(CallResult(call.ref, (TextContent("ok"),)) for call in calls)),
    ]
    history = sendable(messages, dialect)
    encoded = dialects.load(dialect).encode(
        TurnRequest(TurnSettings("m"), history.messages, (), history.call_ids)
    )
    sent = argument_texts(dialect, encoded.request.body)
    # JSON blanks around an embedded object are not part of it.
    expected = [raw.strip() if dialect == "anthropic" else raw for raw in AWKWARD]
    assert [sent[history.call_ids[call.ref]] for call in calls] == expected


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages": "x"}', b"\xff"])
def test_a_body_that_cannot_be_read_says_nothing(body: bytes) -> None:
    for dialect in dialects.NAMES:
        if body != b'{"messages": "x"}':
            assert argument_texts(dialect, body) == {}


@pytest.mark.parametrize(
    ("dialect", "body", "member"),
    [
        (
            "anthropic",
            b'data: {"type":"message_start","message":{"id":"m","content":[]}}\n\n'
            b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",'
            b'"id":"a","name":"f","input":{},"caller":{"type":"code_execution_20250825",'
            b'"tool_id":"s"}}}\n\n'
            b'data: {"type":"content_block_stop","index":0}\n\n'
            b'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n'
            b'data: {"type":"message_stop"}\n\n',
            b'"caller":{"type":"code_execution_20250825","tool_id":"s"}',
        ),
        (
            "openai-chat",
            b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":'
            b'"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":'
            b'{"thought_signature":"c2ln"}}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
            b'"extra_content":{"google":{"thought_signature":"c2ln"}}',
        ),
        (
            "openai-responses",
            b'data: {"type":"response.output_item.done","output_index":0,"item":{"type":'
            b'"function_call","id":"i","call_id":"a","name":"f","arguments":"{}","status":'
            b'"completed","namespace":"crm"}}\n\n'
            b'data: {"type":"response.completed","response":{"status":"completed"}}\n\n',
            b'"namespace":"crm"',
        ),
    ],
)
def test_further_members_of_a_call_go_back_with_it_in_its_own_dialect_only(
    dialect: str, body: bytes, member: bytes
) -> None:
    reader = TurnReader(dialect)
    reader.feed(body)
    reader.close()
    message = decode_message(encode_message(reader.turn.message()))
    assert [call.state for call in reader.turn.calls] == [CallState.FINAL]
    for target in dialects.NAMES:
        history = sendable([UserMessage((TextPart("go"),)), message], target)
        encoded = dialects.load(target).encode(
            TurnRequest(TurnSettings("m"), history.messages, (), history.call_ids)
        )
        assert (member in encoded.request.body.replace(b": ", b":").replace(b", ", b",")) == (
            target == dialect
        )
