"""Writing Chat Completions requests: what the body holds, and what it leaves out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImageContent,
    ImagePart,
    Message,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.dialects import EncodedRequest, load

WEATHER = ToolSpec("get_weather", "Weather of a city.", {"type": "object"})


def encode(*messages: Message, **settings: Any) -> EncodedRequest:
    tools = settings.pop("tools", ())
    call_ids = settings.pop("call_ids", {})
    request = TurnRequest(TurnSettings("m", **settings), messages, tools, call_ids)
    return load("openai-chat").encode(request)


def written(*messages: Message, **settings: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encode(*messages, **settings).request.body)
    return body


def said(*parts: Any) -> AssistantMessage:
    return AssistantMessage(parts, "openai-chat")


def test_smallest_request_asks_for_a_stream_with_usage() -> None:
    encoded = encode(UserMessage((TextPart("Hi"),)), system="Be brief.")
    assert (encoded.request.method, encoded.request.path) == ("POST", "/chat/completions")
    assert encoded.left_out == ()
    assert json.loads(encoded.request.body) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_images_of_the_user_are_data_urls_in_their_place() -> None:
    message = UserMessage((TextPart("What is"), ImagePart("image/png", b"\x00\xff"), TextPart("?")))
    assert written(message)["messages"][0]["content"] == [
        {"type": "text", "text": "What is"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AP8="}},
        {"type": "text", "text": "?"},
    ]


def test_calls_and_results_go_back_in_order_under_the_ids_that_were_given() -> None:
    turn = said(CallPart("t1.c1", "x", "f", '{"a": 1.0}'), CallPart("t1.c2", "x", "g", "{}"))
    results = ResultsMessage(
        (
            CallResult("t1.c2", (TextContent("no such city"),), is_error=True),
            CallResult("t1.c1", (TextContent("rain"),)),
        )
    )
    messages = written(turn, results, call_ids={"t1.c1": "x", "t1.c2": "x_2"})["messages"]
    assert messages == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "x",
                    "type": "function",
                    "function": {"name": "f", "arguments": '{"a": 1.0}'},
                },
                {"id": "x_2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "x", "content": "rain"},
        {"role": "tool", "tool_call_id": "x_2", "content": "Error: no such city"},
    ]


@given(st.text(st.characters(exclude_categories=()), min_size=1))
def test_argument_text_goes_back_code_unit_for_code_unit(raw: str) -> None:
    body = encode(said(CallPart("c", "x", "f", raw))).request.body
    (call,) = json.loads(body)["messages"][0]["tool_calls"]
    # Adjacent halves are one character in JSON, as they are in the stored text.
    assert call["function"]["arguments"].encode("utf-16", "surrogatepass") == raw.encode(
        "utf-16", "surrogatepass"
    )


def test_call_without_argument_text_is_sent_as_an_empty_object() -> None:
    (message,) = written(said(CallPart("c", "x", "f", "")))["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


def test_custom_call_goes_back_with_its_text() -> None:
    (message,) = written(said(CallPart("c", "x", "sh", "", kind="custom")))["messages"]
    assert message["tool_calls"] == [
        {"id": "x", "type": "custom", "custom": {"name": "sh", "input": ""}}
    ]


def test_prose_around_calls_is_one_content() -> None:
    turn = said(TextPart("Let me"), CallPart("c", "x", "f", "{}"), TextPart(" look."))
    assert written(turn)["messages"][0]["content"] == "Let me look."


def test_reasoning_goes_back_in_the_fields_it_came_in() -> None:
    item = ProviderItem(
        "openai-chat", "", '{"reasoning_content":"Hm.","reasoning_details":[{"n":1.0}]}'
    )
    turn = said(ThinkingPart("Hm.", item=item), CallPart("c", "x", "f", "{}"))
    (message,) = written(turn)["messages"]
    assert message["reasoning_content"] == "Hm."
    assert message["reasoning_details"] == [{"n": 1.0}]


@pytest.mark.parametrize(
    "item", [None, ProviderItem("anthropic", "thinking", '{"type":"thinking"}')]
)
def test_reasoning_of_other_dialects_is_left_out_and_said(item: ProviderItem | None) -> None:
    encoded = encode(said(ThinkingPart("Hm.", item=item), TextPart("Yes.")))
    assert json.loads(encoded.request.body)["messages"] == [
        {"role": "assistant", "content": "Yes."}
    ]
    assert encoded.left_out == (
        "Thinking that did not come in a reasoning field of Chat Completions was left out.",
    )


def test_provider_items_are_left_out_and_said_once() -> None:
    search = ProviderPart("web_search_call", "web search", "")
    encoded = encode(said(search, search, TextPart("Yes.")))
    assert len(encoded.left_out) == 1
    assert "web search" in encoded.left_out[0]


def test_refusal_goes_back_in_its_own_field() -> None:
    assert written(said(RefusalPart("No.")))["messages"] == [
        {"role": "assistant", "content": "", "refusal": "No."}
    ]


def test_images_of_results_follow_in_one_user_message_after_all_results() -> None:
    turn = said(CallPart("a", "a", "f", "{}"), CallPart("b", "b", "g", "{}"))
    results = ResultsMessage(
        (
            CallResult("a", (TextContent("seen"), ImageContent("image/png", b"\x00"))),
            CallResult("b", (TextContent("ok"),)),
        )
    )
    messages = written(turn, results)["messages"][1:]
    assert messages == [
        {"role": "tool", "tool_call_id": "a", "content": "seen\n[image image/png, 1 bytes]"},
        {"role": "tool", "tool_call_id": "b", "content": "ok"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Images in the result of the call a:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        },
    ]


def test_tools_are_described_with_their_schema() -> None:
    shell = ToolSpec("sh", "A shell.", {}, kind="custom")
    assert written(tools=(WEATHER, shell))["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Weather of a city.",
                "parameters": {"type": "object"},
            },
        },
        {"type": "custom", "custom": {"name": "sh", "description": "A shell."}},
    ]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", None),
        ("none", "none"),
        ("required", "required"),
        ("get_weather", {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
def test_tool_choice_is_a_word_or_names_one_tool(choice: str, expected: object) -> None:
    assert written(tools=(WEATHER,), tool_choice=choice).get("tool_choice") == expected


def test_without_tools_no_field_about_tools_is_sent() -> None:
    body = written(tool_choice="required", parallel_calls=False)
    assert not body.keys() & {"tools", "tool_choice", "parallel_tool_calls"}


def test_settings_are_sent_when_given_and_extra_members_come_last() -> None:
    encoded = encode(
        tools=(WEATHER,),
        parallel_calls=False,
        max_output_tokens=9,
        temperature=0.0,
        effort="low",
        thinking_tokens=5,
        extra_body={"temperature": 1, "seed": 7},
    )
    body = json.loads(encoded.request.body)
    assert {key: body[key] for key in body.keys() - {"model", "messages", "tools"}} == {
        "stream": True,
        "stream_options": {"include_usage": True},
        "parallel_tool_calls": False,
        "max_tokens": 9,
        "temperature": 1,
        "reasoning_effort": "low",
        "seed": 7,
    }
    assert "budget" in encoded.left_out[0]


def test_limit_named_by_the_endpoint_replaces_the_common_one() -> None:
    body = written(max_output_tokens=9, extra_body={"max_completion_tokens": 5})
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 5


def test_half_a_surrogate_pair_anywhere_is_escaped() -> None:
    half = "\ud83d"
    encoded = encode(UserMessage((TextPart(half),)), system=half)
    assert b"\\ud83d" in encoded.request.body
    assert [m["content"] for m in json.loads(encoded.request.body)["messages"]] == [half, half]
