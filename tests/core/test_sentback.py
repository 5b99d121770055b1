"""What the encoders send of earlier calls, read back out of the bytes by code that is not theirs."""

from __future__ import annotations

import pytest

from tui.core import dialects
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ResultsMessage,
    TextContent,
    TextPart,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.history import sendable
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
    messages = [
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
