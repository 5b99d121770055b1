"""Responses requests: what is in the body, byte for byte where it matters, and what is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import RecordedStream, by_id, needs_shared, streams
from tui.core.conversation import (
    AssistantMessage,
    AssistantPart,
    CallPart,
    CallResult,
    ImageContent,
    ImagePart,
    JsonContent,
    Message,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    ResourceContent,
    ResultContent,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.dialects.openai_responses import DIALECT
from tui.core.errors import UsageError
from tui.core.history import sendable
from tui.core.reader import TurnReader
from tui.core.states import CallState

SETTINGS = TurnSettings(model="gpt-5")
HELLO = UserMessage((TextPart("Hello"),))
SENT_HELLO = {
    "type": "message",
    "role": "user",
    "content": [{"type": "input_text", "text": "Hello"}],
}
SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}}
ADD = ToolSpec("add", "Adds.", SCHEMA)
SQL = ToolSpec("sql", "Runs SQL.", {}, kind="custom")
RAW_MESSAGE = '{"type":"message", "id":"msg_1","phase":"final_answer","content":[{"type":"output_text","text":"Hi"}]}'
RAW_REASONING = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAA","n":1.50}'


def call(ref: str, raw: str = "{}", **changes: Any) -> CallPart:
    return CallPart(ref, f"call_{ref}", "add", raw, state=CallState.FINAL, **changes)


def assistant(*parts: AssistantPart, **changes: Any) -> AssistantMessage:
    return AssistantMessage(parts, "openai-responses", **changes)


def returned(ref: str, *content: ResultContent, **changes: Any) -> CallResult:
    return CallResult(ref, content or (TextContent("3"),), **changes)


def item(kind: str, raw: str, dialect: str = "openai-responses") -> ProviderItem:
    return ProviderItem(dialect, kind, raw)


def encoded(
    *messages: Message,
    tools: tuple[ToolSpec, ...] = (),
    call_ids: dict[str, str] | None = None,
    **changes: Any,
) -> tuple[str, tuple[str, ...]]:
    """The body as text, and what was left out."""
    request = TurnRequest(replace(SETTINGS, **changes), messages, tools, call_ids or {})
    written = DIALECT.encode(request)
    return written.request.body.decode(), written.left_out


def body_of(*messages: Message, **changes: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encoded(*messages, **changes)[0])
    return body


def test_a_plain_prompt_is_the_smallest_request() -> None:
    written = DIALECT.encode(TurnRequest(SETTINGS, (HELLO,)))
    assert written.left_out == ()
    assert (written.request.dialect, written.request.path) == ("openai-responses", "/responses")
    assert json.loads(written.request.body) == {
        "model": "gpt-5",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "input": [SENT_HELLO],
    }


def test_every_setting_has_its_place() -> None:
    body = body_of(
        HELLO,
        tools=(ADD, SQL),
        system="Be brief.",
        max_output_tokens=99,
        temperature=0.5,
        effort="low",
        tool_choice="required",
        parallel_calls=False,
        extra_body={"metadata": {"a": "b"}},
    )
    del body["input"]
    assert body == {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "tools": [
            {
                "type": "function",
                "name": "add",
                "description": "Adds.",
                "parameters": SCHEMA,
                "strict": False,
            },
            {"type": "custom", "name": "sql", "description": "Runs SQL."},
        ],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "max_output_tokens": 99,
        "temperature": 0.5,
        "reasoning": {"effort": "low", "summary": "auto"},
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "metadata": {"a": "b"},
    }


def test_extra_body_may_replace_anything() -> None:
    body = body_of(HELLO, extra_body={"store": True, "include": [], "model": "other"})
    assert (body["store"], body["include"], body["model"]) == (True, [], "other")


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "openai/gpt-4o", "gpt-3.5-turbo"])
def test_models_that_refuse_encrypted_reasoning_are_not_asked_for_it(model: str) -> None:
    assert "include" not in body_of(HELLO, model=model)


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("none", "none"),
        ("add", {"type": "function", "name": "add"}),
        ("sql", {"type": "custom", "name": "sql"}),
    ],
)
def test_tool_choice(choice: str, sent: object) -> None:
    assert body_of(HELLO, tools=(ADD, SQL), tool_choice=choice).get("tool_choice") == sent


def test_what_has_no_place_is_left_out_and_said_so() -> None:
    body, left_out = encoded(HELLO, tool_choice="add", thinking_tokens=500)
    assert "tool_choice" not in body
    assert left_out == (
        "The tool choice was left out: no tool is offered.",
        "The thinking budget in tokens was left out: Responses has an effort, no budget.",
    )


# A turn ----------------------------------------------------------------------------------------


def test_items_of_this_dialect_go_back_as_the_text_they_came_as_and_in_their_place() -> None:
    search = '{"type":"web_search_call","id":"ws_1","action":{"query" : "x"}}'
    text, left_out = encoded(
        HELLO,
        assistant(
            ThinkingPart("Hm", "gAA", item("reasoning", RAW_REASONING)),
            ProviderPart("web_search_call", "", "x", item("web_search_call", search)),
            TextPart("Hi", (), item("message", RAW_MESSAGE)),
            call("t1.c1", '{"a":1}'),
        ),
        ResultsMessage((returned("t1.c1"),)),
        call_ids={"t1.c1": "call_9"},
    )
    assert left_out == ()
    assert (
        f"[{json.dumps(SENT_HELLO, separators=(',', ':'))},{RAW_REASONING},{search},{RAW_MESSAGE},"
        in text
    )
    assert json.loads(text)["input"][4:] == [
        {"type": "function_call", "call_id": "call_9", "name": "add", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "call_9", "output": "3"},
    ]


def test_prose_of_another_dialect_is_a_message_of_the_assistant() -> None:
    foreign = TextPart("Hi", (), item("message", RAW_MESSAGE, "other"))
    body, left_out = encoded(HELLO, assistant(foreign, RefusalPart("No."), TextPart("")))
    assert left_out == ()
    assert json.loads(body)["input"][1:] == [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi"}],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "refusal", "refusal": "No."}],
        },
    ]


def test_a_refusal_inside_a_whole_message_goes_back_once() -> None:
    raw = '{"type":"message","content":[{"type":"output_text","text":"Hi"},{"type":"refusal","refusal":"No."}]}'
    text, _ = encoded(
        HELLO, assistant(TextPart("Hi", (), item("message", raw)), RefusalPart("No."))
    )
    assert text.count("No.") == 1


def test_thinking_of_another_dialect_is_left_out_and_summary_parts_of_a_sent_item_are_not_missed() -> (
    None
):
    _, left_out = encoded(HELLO, assistant(ThinkingPart("Hm", "sig"), TextPart("Hi")))
    assert len(left_out) == 1
    raw = '{"type":"reasoning","summary":[{"type":"summary_text","text":"One"},{"type":"summary_text","text":"Two"}]}'
    parts = (ThinkingPart("One", None, item("reasoning", raw)), ThinkingPart("Two"), TextPart("Hi"))
    text, left_out = encoded(HELLO, assistant(*parts))
    assert left_out == ()
    assert text.count('"Two"') == 1


def test_reasoning_that_led_to_nothing_that_is_sent_is_left_out() -> None:
    thinking = ThinkingPart("", "gAA", item("reasoning", RAW_REASONING))
    text, left_out = encoded(HELLO, assistant(TextPart("Hi"), thinking))
    assert RAW_REASONING not in text
    assert left_out == ("Reasoning at the end of a turn was left out: what it led to is not sent.",)


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        (None, "it did not come whole"),
        (item("mcp_call", '{"type":"mcp_call"}', "anthropic"), "it belongs to another dialect"),
        (item("computer_call", '{"type":"computer_call"}'), "it asks the client for an answer"),
    ],
)
def test_provider_items_that_cannot_go_back_are_left_out(
    kept: ProviderItem | None, why: str
) -> None:
    body, left_out = encoded(HELLO, assistant(ProviderPart("k", "t", "", kept), TextPart("Hi")))
    assert len(json.loads(body)["input"]) == 2
    assert len(left_out) == 1
    assert why in left_out[0]


# Calls and results -----------------------------------------------------------------------------


@given(st.text(st.characters(), min_size=1))
def test_an_argument_text_goes_back_character_for_character(raw: str) -> None:
    sent = body_of(HELLO, assistant(call("c1", raw), call("c2", raw, kind="custom")))["input"]
    assert (sent[1]["arguments"], sent[2]["input"]) == (raw, raw)


def test_lone_surrogates_are_sent_as_escapes() -> None:
    text, _ = encoded(HELLO, assistant(call("c1", '{"a":"\ud83d"}'), TextPart("\udf0a")))
    assert r"{\"a\":\"\ud83d\"}" in text
    assert r"\udf0a" in text


def test_a_call_without_arguments_is_sent_as_an_empty_object() -> None:
    assert body_of(HELLO, assistant(call("c1", "")))["input"][1]["arguments"] == "{}"


def test_free_text_calls_have_items_of_their_own() -> None:
    sent = body_of(
        HELLO,
        assistant(call("c1", "select 1", kind="custom")),
        ResultsMessage((returned("c1"),)),
        call_ids={"c1": "x"},
    )["input"]
    assert sent[1:] == [
        {"type": "custom_tool_call", "call_id": "x", "name": "add", "input": "select 1"},
        {"type": "custom_tool_call_output", "call_id": "x", "output": "3"},
    ]


def test_results_stand_in_the_order_of_their_calls() -> None:
    results = ResultsMessage(
        (returned("c2", TextContent("two")), returned("c1", TextContent("one")))
    )
    sent = body_of(HELLO, assistant(call("c1"), call("c2")), results)["input"]
    assert [each["output"] for each in sent[3:]] == ["one", "two"]


def test_a_failed_result_begins_with_error_and_may_hold_several_things() -> None:
    content = (TextContent("a"), JsonContent("[1]"), ResourceContent("file:///x"))
    results = ResultsMessage((returned("c1", *content, is_error=True),))
    sent = body_of(HELLO, assistant(call("c1")), results)["input"]
    assert sent[2]["output"] == "Error: a\n[1]\n[resource file:///x]"


def test_images_go_to_the_model_in_prompts_and_results_where_their_type_can_be_sent() -> None:
    image, odd = ImageContent("image/png", b"\x01"), ImageContent("image/tiff", b"\x01")
    url = {"type": "input_image", "image_url": "data:image/png;base64,AQ==", "detail": "auto"}
    body, left_out = encoded(
        UserMessage((TextPart("See"), ImagePart("image/png", b"\x01"))),
        assistant(call("c1")),
        ResultsMessage((returned("c1", TextContent("a"), image, odd, is_error=True),)),
    )
    sent = json.loads(body)["input"]
    assert sent[0]["content"] == [{"type": "input_text", "text": "See"}, url]
    assert sent[2]["output"] == [
        {"type": "input_text", "text": "Error:"},
        {"type": "input_text", "text": "a"},
        url,
        {"type": "input_text", "text": "[image image/tiff, 1 bytes, not sent]"},
    ]
    assert left_out == (
        "An image of type 'image/tiff' was left out: JPEG, PNG, GIF and WebP can be sent.",
    )


def test_ids_are_those_that_history_gives_and_at_most_64_characters_long() -> None:
    ids = {"c1": "a" * 64, "c2": "b" * 65, "c3": "b" * 66}
    sent = body_of(
        HELLO,
        assistant(call("c1"), call("c2"), call("c3")),
        ResultsMessage((returned("c1"), returned("c2"), returned("c3"))),
        call_ids=ids,
    )["input"]
    given_ids = [each["call_id"] for each in sent[1:4]]
    assert given_ids == [each["call_id"] for each in sent[4:]]
    assert given_ids[0] == "a" * 64
    assert len(set(given_ids)) == 3
    assert max(map(len, given_ids)) == 64


def test_a_name_that_no_tool_may_have_is_made_to_fit_and_said_so() -> None:
    bad = replace(call("c1"), name="a.b c")
    body, left_out = encoded(HELLO, assistant(bad))
    assert json.loads(body)["input"][1]["name"] == "a_b_c"
    assert left_out == ("The call of 'a.b c' is sent as 'a_b_c': a tool's name must fit.",)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}])
def test_a_value_that_json_has_no_form_for_is_a_usage_error(value: object) -> None:
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        encoded(HELLO, extra_body={"metadata": value})


@needs_shared
@pytest.mark.parametrize("stream", streams("openai-responses"), ids=by_id)
def test_a_recorded_turn_goes_back_item_for_item(stream: RecordedStream) -> None:
    reader = TurnReader("openai-responses")
    reader.feed(stream.read())
    reader.close()
    sent = sendable((HELLO, reader.turn.message()), "openai-responses")
    request = TurnRequest(SETTINGS, sent.messages, call_ids=sent.call_ids)
    written = DIALECT.encode(request)
    came = []
    for line in stream.read().splitlines():
        if not line.startswith(b"data:") or b"output_item.done" not in line:
            continue
        payload = json.loads(line[5:])
        if payload["type"] == "response.output_item.done":
            came.append(payload["item"])
    incomplete = {each.id for each in reader.turn.calls if each.state is CallState.INCOMPLETE} - {
        None
    }
    came = [each for each in came if each.get("call_id") not in incomplete]
    while came and came[-1]["type"] == "reasoning":
        came.pop()
    calls = ("function_call", "custom_tool_call")
    results = [f"{kind}_output" for kind in calls]
    sent_items = json.loads(written.request.body)["input"][1:]
    back = [each for each in sent_items if each["type"] not in results]
    assert [each["type"] for each in back] == [each["type"] for each in came]
    for ours, theirs in zip(back, came, strict=True):
        if ours["type"] in calls:
            member = "arguments" if ours["type"] == "function_call" else "input"
            assert (ours["name"], ours[member]) == (theirs["name"], theirs[member] or "{}")
        else:
            assert ours == theirs
