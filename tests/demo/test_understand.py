"""Request bodies as any client writes them: literal JSON of each dialect in, a situation out."""

from __future__ import annotations

from typing import Any

import pytest

from tui.core.errors import UsageError
from tui.demo.understand import SeenResult, Situation, parse, understand

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}}

ANTHROPIC: dict[str, Any] = {
    "system": "Where is Z-9999?",
    "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello!"}]},
        {"role": "user", "content": [{"type": "text", "text": "Where are A-1001 and A-1002?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "u1", "name": "lookup_order", "input": {}},
                {"type": "tool_use", "id": "u2", "name": "lookup_order", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "u2", "is_error": True, "content": "gone"},
                {
                    "type": "tool_result",
                    "tool_use_id": "u1",
                    "content": [{"type": "text", "text": '{"status": "shipped"}'}],
                },
            ],
        },
    ],
    "tools": [{"name": "lookup_order", "input_schema": SCHEMA}],
}

CHAT: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Where is Z-9999?"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": [{"type": "text", "text": "Where are A-1001 and A-1002?"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "u1", "type": "function", "function": {"name": "lookup_order"}},
                {"id": "u2", "type": "function", "function": {"name": "lookup_order"}},
            ],
        },
        {"role": "tool", "tool_call_id": "u2", "content": "Error: gone"},
        {"role": "tool", "tool_call_id": "u1", "content": '{"status": "shipped"}'},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Images in the result of the call u1:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}},
            ],
        },
    ],
    "tools": [{"type": "function", "function": {"name": "lookup_order", "parameters": SCHEMA}}],
}

RESPONSES: dict[str, Any] = {
    "instructions": "Where is Z-9999?",
    "input": [
        {"role": "user", "content": "hello"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "H"}]},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Where are A-1001 and A-1002?"}],
        },
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "u1", "name": "lookup_order", "arguments": "{}"},
        {"type": "function_call", "call_id": "u2", "name": "lookup_order", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "u2", "output": "Error: gone"},
        {
            "type": "function_call_output",
            "call_id": "u1",
            "output": [{"type": "input_text", "text": '{"status": "shipped"}'}],
        },
    ],
    "tools": [{"type": "function", "name": "lookup_order", "parameters": SCHEMA}],
}

EACH = pytest.mark.parametrize(
    ("dialect", "request_body"),
    [("anthropic", ANTHROPIC), ("openai-chat", CHAT), ("openai-responses", RESPONSES)],
    ids=["anthropic", "openai-chat", "openai-responses"],
)


@EACH
def test_the_same_conversation_is_the_same_situation(
    dialect: str, request_body: dict[str, Any]
) -> None:
    assert understand(dialect, request_body) == Situation(
        text="Where are A-1001 and A-1002?",
        rounds=1,
        results=(
            SeenResult("lookup_order", "gone", failed=True),
            SeenResult("lookup_order", '{"status": "shipped"}', failed=False),
        ),
        tools={"lookup_order": SCHEMA},
    )


@EACH
def test_tool_choice_none_means_that_no_tool_is_offered(
    dialect: str, request_body: dict[str, Any]
) -> None:
    word = {"type": "none"} if dialect == "anthropic" else "none"
    assert understand(dialect, {**request_body, "tool_choice": word}).tools == {}


def test_only_the_latest_rounds_results_count_and_rounds_are_counted() -> None:
    again = [
        {"type": "function_call", "call_id": "u3", "name": "search_orders", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "u3", "output": "none"},
    ]
    situation = understand("openai-responses", {"input": [*RESPONSES["input"], *again]})
    assert situation.rounds == 2
    assert situation.results == (SeenResult("search_orders", "none", failed=False),)


def test_a_new_user_message_begins_anew() -> None:
    message = {"role": "user", "content": "thanks"}
    situation = understand("anthropic", {"messages": [*ANTHROPIC["messages"], message]})
    assert situation == Situation("thanks")


def test_of_prompts_that_come_together_after_a_failed_turn_the_last_one_counts() -> None:
    texts = [{"type": "text", "text": "http 429"}, {"type": "text", "text": "hello"}]
    for dialect in ("anthropic", "openai-chat"):
        situation = understand(dialect, {"messages": [{"role": "user", "content": texts}]})
        assert situation.text == "hello"


def test_only_the_flag_before_a_failure_is_taken_off_never_words_within_it() -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "u1",
        "is_error": True,
        "content": "The tool failed: ValueError: boom",
    }
    situation = understand("anthropic", {"messages": [{"role": "user", "content": [result]}]})
    assert [seen.text for seen in situation.results] == ["The tool failed: ValueError: boom"]


def test_responses_input_may_be_plain_text() -> None:
    assert understand("openai-responses", {"input": " hi \n"}).text == "hi"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("A-4471 and b-1002, A-4471 again", ("A-4471", "B-1002")),
        ("注文a4471はどこですか", ("A-4471",)),
        ("Wo ist A4471?", ("A-4471",)),
        ("version v1, BA-4471, 4471, A-12", ()),
    ],
)
def test_order_numbers_are_found_in_any_language(text: str, ids: tuple[str, ...]) -> None:
    assert Situation(text).order_ids == ids


@pytest.mark.parametrize("words", ["The user did not allow this call.", "declined by the user"])
def test_a_denial_is_told_from_a_failure(words: str) -> None:
    assert SeenResult("t", words, failed=True).denied
    assert not SeenResult("t", "no such order", failed=True).denied


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b"\xff\xfe\x00"])
def test_a_body_that_is_no_object_is_refused_with_words(body: bytes) -> None:
    with pytest.raises(UsageError, match="the request body is"):
        parse(body)
