"""Anthropic requests: what is in the body, byte for byte where it matters, and what is left out."""

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
from tui.core.dialects.anthropic import DIALECT
from tui.core.errors import UsageError
from tui.core.history import sendable
from tui.core.reader import TurnReader
from tui.core.states import CallState

SETTINGS = TurnSettings(model="claude-test")
HELLO = UserMessage((TextPart("Hello"),))
ADD = ToolSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "number"}}})


def call(ref: str, raw: str = "{}", **changes: Any) -> CallPart:
    return CallPart(ref, f"toolu_{ref}", "add", raw, state=CallState.FINAL, **changes)


def assistant(*parts: AssistantPart, **changes: Any) -> AssistantMessage:
    return AssistantMessage(parts, "anthropic", **changes)


def returned(ref: str, *content: ResultContent, **changes: Any) -> CallResult:
    return CallResult(ref, content or (TextContent("3"),), **changes)


def item(kind: str, raw: str, dialect: str = "anthropic", title: str = "") -> ProviderPart:
    return ProviderPart(kind, title, "", ProviderItem(dialect, kind, raw))


def text_of(*messages: Message, **changes: Any) -> str:
    """The body as text, written from `messages` as they are."""
    request = TurnRequest(replace(SETTINGS, **changes), messages)
    return DIALECT.encode(request).request.body.decode()


def body_of(*messages: Message, **changes: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(text_of(*messages, **changes))
    return body


def left_out(*messages: Message, **changes: Any) -> tuple[str, ...]:
    return DIALECT.encode(TurnRequest(replace(SETTINGS, **changes), messages)).left_out


def test_a_plain_prompt_is_the_smallest_request() -> None:
    encoded = DIALECT.encode(TurnRequest(SETTINGS, (HELLO,)))
    assert encoded.left_out == ()
    assert encoded.request.dialect == "anthropic"
    assert encoded.request.method == "POST"
    assert encoded.request.path == "/v1/messages"
    assert encoded.request.headers == (("anthropic-version", "2023-06-01"),)
    assert json.loads(encoded.request.body) == {
        "model": "claude-test",
        "max_tokens": 8192,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        "stream": True,
    }


def test_every_setting_has_its_place() -> None:
    body = body_of(
        HELLO,
        system="Be brief.",
        max_output_tokens=99,
        temperature=0.5,
        effort="low",
        extra_body={"top_k": 5, "max_tokens": 7, "stream": False},
    )
    del body["messages"]
    assert body == {
        "model": "claude-test",
        "max_tokens": 7,
        "output_config": {"effort": "low"},
        "temperature": 0.5,
        "system": "Be brief.",
        "top_k": 5,
        "stream": True,
    }


def test_a_thinking_budget_is_added_to_the_default_limit_and_forbids_a_temperature() -> None:
    body = body_of(HELLO, thinking_tokens=10_000, temperature=0.2)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 10_000}
    assert body["max_tokens"] == 18_192
    assert "temperature" not in body
    assert left_out(HELLO, thinking_tokens=10_000, temperature=0.2) == (
        "The temperature was left out: with thinking on it must be 1.",
    )
    assert body_of(HELLO, thinking_tokens=0)["thinking"] == {"type": "disabled"}


@pytest.mark.parametrize(
    ("choice", "parallel", "sent"),
    [
        ("auto", None, None),
        ("auto", False, {"type": "auto", "disable_parallel_tool_use": True}),
        ("none", False, {"type": "none"}),
        ("required", None, {"type": "any"}),
        ("required", True, {"type": "any", "disable_parallel_tool_use": False}),
        ("add", False, {"type": "tool", "name": "add", "disable_parallel_tool_use": True}),
    ],
)
def test_tool_choice(choice: str, parallel: bool | None, sent: dict[str, Any] | None) -> None:
    settings = replace(SETTINGS, tool_choice=choice, parallel_calls=parallel)
    encoded = DIALECT.encode(TurnRequest(settings, (HELLO,), (ADD,)))
    body = json.loads(encoded.request.body)
    assert body.get("tool_choice") == sent
    assert body["tools"] == [
        {"name": "add", "description": "Adds.", "input_schema": dict(ADD.schema)}
    ]


def test_a_tool_choice_without_tools_is_left_out_and_said_so() -> None:
    assert "tool_choice" not in body_of(HELLO, tool_choice="required")
    assert left_out(HELLO, tool_choice="required")


def test_eager_input_streaming_goes_onto_the_tools_only_when_asked_for() -> None:
    settings = replace(SETTINGS, extra_body={"eager_input_streaming": True})
    body = json.loads(DIALECT.encode(TurnRequest(settings, (HELLO,), (ADD,))).request.body)
    assert body["tools"][0]["eager_input_streaming"] is True
    assert "eager_input_streaming" not in body


def test_a_free_text_tool_is_left_out_and_said_so() -> None:
    custom = ToolSpec("patch", "Patches.", {}, kind="custom")
    encoded = DIALECT.encode(TurnRequest(SETTINGS, (HELLO,), (custom,)))
    assert "tools" not in json.loads(encoded.request.body)
    assert "'patch'" in encoded.left_out[0]


VERBATIM = [
    "{}",
    '{"a":1.0,"b":1e2,"c":2.50E+10,"d":-0,"e":0.1000}',
    '{"n":123456789012345678901234567890}',
    '{"url":"https:\\/\\/x","t":"\\u00e9\\u2028","p":"\\ud83d\\ude80"}',
    '{"half":"\\ud83d"}',
    ' {\n\t"a" :  1 } \n',
    '{"raw":"é🚀\u2028"}',
    '{"a":1,"a":2}',
    '{"big":1e400}',
]


@pytest.mark.parametrize("raw", VERBATIM)
def test_an_argument_text_goes_back_byte_for_byte(raw: str) -> None:
    body = text_of(HELLO, assistant(call("c1", raw)), ResultsMessage((returned("c1"),)))
    assert f'"name":"add","input":{raw}}}' in body
    json.loads(body)


@pytest.mark.parametrize(
    "raw", ["", " \n", '{"a":1', '{"a":1}}', "[1]", "null", '{"a":NaN}', '{"a":"\n"}', "{a:1}"]
)
def test_an_argument_text_that_is_no_json_object_is_sent_as_an_empty_one(raw: str) -> None:
    body = body_of(HELLO, assistant(call("c1", raw)), ResultsMessage((returned("c1"),)))
    assert body["messages"][1]["content"][0]["input"] == {}


@given(st.text())
def test_any_argument_text_at_all_leaves_the_body_valid(raw: str) -> None:
    body = body_of(HELLO, assistant(call("c1", raw)), ResultsMessage((returned("c1"),)))
    assert isinstance(body["messages"][1]["content"][0]["input"], dict)


def test_lone_surrogates_are_sent_as_escapes() -> None:
    user = UserMessage((TextPart("a\ud83db"),))
    body = text_of(user, assistant(call("c1", '{"t":"\ud83d"}')), ResultsMessage((returned("c1"),)))
    assert '"text":"a\\ud83db"' in body
    assert '"input":{"t":"\\ud83d"}' in body
    assert json.loads(body)["messages"][0]["content"][0]["text"] == "a\ud83db"


def test_results_stand_first_and_in_the_order_of_their_calls() -> None:
    messages = (
        HELLO,
        assistant(TextPart("Adding."), call("c1"), call("c2")),
        UserMessage((TextPart("Also this."),)),
        ResultsMessage((returned("c2", TextContent("two")), returned("c1", TextContent("one")))),
        UserMessage((TextPart("And that."),)),
    )
    encoded = DIALECT.encode(TurnRequest(SETTINGS, messages, call_ids={"c1": "A", "c2": "B"}))
    assert json.loads(encoded.request.body)["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Adding."},
                {"type": "tool_use", "id": "A", "name": "add", "input": {}},
                {"type": "tool_use", "id": "B", "name": "add", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "A",
                    "content": [{"type": "text", "text": "one"}],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "B",
                    "content": [{"type": "text", "text": "two"}],
                },
                {"type": "text", "text": "Also this."},
                {"type": "text", "text": "And that."},
            ],
        },
    ]


def test_a_result_holds_text_json_images_and_links() -> None:
    result = returned(
        "c1",
        TextContent("seen"),
        TextContent(" "),
        JsonContent('{"a": 1.0}'),
        ImageContent("image/png", b"\x89PNG"),
        ImageContent("image/tiff", b"II"),
        ResourceContent("file:///a", "text/plain", "inside"),
        ResourceContent("file:///b"),
        is_error=True,
    )
    messages = (HELLO, assistant(call("c1")), ResultsMessage((result,)))
    [block] = body_of(*messages)["messages"][2]["content"]
    png = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    assert block == {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": [
            {"type": "text", "text": "seen"},
            {"type": "text", "text": '{"a": 1.0}'},
            {"type": "image", "source": png},
            {"type": "text", "text": "[image image/tiff, 2 bytes, not sent]"},
            {"type": "text", "text": "inside"},
            {"type": "text", "text": "[resource file:///b]"},
        ],
        "is_error": True,
    }
    assert "image/tiff" in left_out(*messages)[0]


def test_an_empty_result_has_no_content_and_an_empty_error_says_something() -> None:
    messages = (
        HELLO,
        assistant(call("c1"), call("c2")),
        ResultsMessage((CallResult("c1", ()), CallResult("c2", (), is_error=True))),
    )
    empty, error = body_of(*messages)["messages"][2]["content"]
    assert empty == {"type": "tool_result", "tool_use_id": "c1"}
    assert error["content"] == [{"type": "text", "text": "It failed without a message."}]


def test_a_user_image_is_sent_as_base64() -> None:
    user = UserMessage((ImagePart("image/jpeg", b"\xff\xd8"), TextPart("What is it?")))
    assert body_of(user)["messages"][0]["content"][0] == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9g="},
    }


def test_blank_text_is_never_sent_and_an_empty_message_not_at_all() -> None:
    messages = (HELLO, assistant(TextPart(" \n")), UserMessage((TextPart(""), TextPart("Well?"))))
    assert body_of(*messages)["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "Well?"}],
        }
    ]


def test_text_goes_back_with_its_citations_verbatim() -> None:
    citation = '{"type":"char_location", "start":1.0}'
    body = text_of(HELLO, assistant(TextPart("As said.", (citation,))), HELLO)
    assert f'{{"type":"text","text":"As said.","citations":[{citation}]}}' in body


def test_signed_thinking_goes_back_and_unsigned_is_left_out_and_said_so() -> None:
    messages = (HELLO, assistant(ThinkingPart("Hm.", "c2ln"), ThinkingPart("Eh."), TextPart("Hi")))
    assert body_of(*messages)["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Hi"},
    ]
    assert left_out(*messages) == ("Thinking without a signature of this provider was left out.",)


def test_thinking_signed_for_another_dialect_is_left_out() -> None:
    other = AssistantMessage((ThinkingPart("Hm.", "gAAAA"), TextPart("Hi")), "openai-responses")
    assert body_of(HELLO, other)["messages"][1]["content"] == [{"type": "text", "text": "Hi"}]
    assert left_out(HELLO, other)


def test_thinking_never_ends_an_assistant_message() -> None:
    redacted = item("redacted_thinking", '{"type":"redacted_thinking","data":"x"}')
    cut = assistant(TextPart("Hi"), ThinkingPart("Hm.", "c2ln"), redacted)
    assert body_of(HELLO, cut, HELLO)["messages"][1]["content"] == [{"type": "text", "text": "Hi"}]
    assert left_out(HELLO, cut, HELLO)


def test_a_turn_of_nothing_but_thinking_leaves_one_user_message() -> None:
    only = assistant(ThinkingPart("Hm.", "c2ln"))
    assert [m["role"] for m in body_of(HELLO, only, HELLO)["messages"]] == ["user"]


def test_provider_items_go_back_verbatim_in_their_place() -> None:
    use = '{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q": 1.0}}'
    answer = '{"type":"web_search_tool_result","tool_use_id":"s1","content":[ ]}'
    messages = (
        HELLO,
        assistant(
            item("redacted_thinking", '{"type":"redacted_thinking","data":"x\\/"}'),
            item("server_tool_use", use),
            item("web_search_tool_result", answer),
            RefusalPart("No."),
        ),
    )
    body = text_of(*messages)
    assert f'[{{"type":"redacted_thinking","data":"x\\/"}},{use},{answer},' in body
    assert left_out(*messages) == ()


def test_what_another_dialect_kept_or_did_not_come_whole_is_left_out_and_said_so() -> None:
    messages = (
        HELLO,
        assistant(
            item("web_search_call", '{"type":"web_search_call"}', dialect="openai-responses"),
            ProviderPart("server_tool_use", "web_search", '{"q', None),
            TextPart("Hi"),
        ),
    )
    assert len(body_of(*messages)["messages"][1]["content"]) == 1
    assert left_out(*messages) == (
        "The item 'web_search_call' was left out: it belongs to another provider.",
        "The item 'server_tool_use web_search' was left out: it did not come whole.",
    )


def test_a_provider_tool_without_its_result_is_sent_only_while_the_provider_owes_it() -> None:
    use = item("server_tool_use", '{"type":"server_tool_use","id":"s1","name":"x","input":{}}')
    cut = assistant(TextPart("Hi"), use, outcome="incomplete", stop_reason="max_tokens")
    paused = assistant(TextPart("Hi"), use, stop_reason="pause_turn")
    assert len(body_of(HELLO, cut, HELLO)["messages"][1]["content"]) == 1
    assert len(body_of(HELLO, paused, HELLO)["messages"][1]["content"]) == 1
    assert left_out(HELLO, paused, HELLO)
    assert len(body_of(HELLO, paused)["messages"][1]["content"]) == 2
    answer = '{"type":"x_tool_result","tool_use_id":"s1","content":[]}'
    rest = assistant(item("x_tool_result", answer), TextPart("Done"))
    # The turn that goes on after a pause is the same assistant message.
    [_, whole] = body_of(HELLO, paused, rest)["messages"]
    assert [block["type"] for block in whole["content"]] == [
        "text",
        "server_tool_use",
        "x_tool_result",
        "text",
    ]


def test_a_result_whose_provider_tool_is_not_sent_is_left_out_too() -> None:
    answer = '{"type":"x_tool_result","tool_use_id":"gone","content":[]}'
    messages = (HELLO, assistant(item("x_tool_result", answer), TextPart("Done")))
    assert len(body_of(*messages)["messages"][1]["content"]) == 1
    assert left_out(*messages)


def test_a_name_that_no_tool_may_have_is_made_to_fit_and_said_so() -> None:
    messages = (HELLO, assistant(replace(call("c1"), name="fs.read file")))
    [block] = body_of(*messages)["messages"][1]["content"]
    assert block["name"] == "fs_read_file"
    assert "'fs.read file'" in left_out(*messages)[0]


def test_a_free_text_call_of_another_dialect_keeps_its_text() -> None:
    messages = (HELLO, assistant(call("c1", "*** patch", kind="custom")))
    [block] = body_of(*messages)["messages"][1]["content"]
    assert block["input"] == {"input": "*** patch"}


def test_ids_are_those_that_history_gives() -> None:
    broken = replace(call("c2", '{"a"', problem="it is cut"), state=CallState.INVALID)
    messages = (HELLO, assistant(replace(call("c1"), id="functions.add:0"), broken))
    sent = sendable(messages, "anthropic")
    encoded = DIALECT.encode(TurnRequest(SETTINGS, sent.messages, call_ids=sent.call_ids))
    [_, turn, results] = json.loads(encoded.request.body)["messages"]
    ids = [block["id"] for block in turn["content"]]
    assert ids == ["functions_add_0", "toolu_c2"]
    assert [block["tool_use_id"] for block in results["content"]] == ids
    assert all(block["is_error"] for block in results["content"])


UNPAIRED = {
    # Its recorder replaced ids, and differently in a use and in the result that answers it.
    "rig--anthropic-streamed-server-tools-streamed-web-search-preserves-server-tool-blocks",
    # The second response of a run: the use that its first block answers is in the first one.
    "vercel-ai--anthropic-anthropic-tool-search-deferred-bm25-part2",
}


@needs_shared
@pytest.mark.parametrize(
    "stream", [s for s in streams("anthropic") if s.path.stem not in UNPAIRED], ids=by_id
)
def test_a_recorded_turn_goes_back_whole_and_in_order(stream: RecordedStream) -> None:
    reader = TurnReader("anthropic")
    reader.feed(stream.read())
    reader.close()
    payloads = [
        json.loads(line[5:]) for line in stream.read().splitlines() if line.startswith(b"data: {")
    ]
    blocks = [b for p in payloads if "message" in p for b in p["message"]["content"]]
    for start in (p for p in payloads if p["type"] == "content_block_start"):
        deltas = [p["delta"] for p in payloads if "delta" in p and p.get("index") == start["index"]]
        text = "".join(delta.get("text", "") for delta in deltas)
        # The provider sends blank blocks between cited ones and refuses them in a request.
        if start["content_block"]["type"] != "text" or text.strip():
            blocks.append(start["content_block"])
    sent = sendable((HELLO, reader.turn.message()), "anthropic")
    encoded = DIALECT.encode(TurnRequest(SETTINGS, sent.messages, call_ids=sent.call_ids))
    content = json.loads(encoded.request.body)["messages"][1]["content"]
    assert encoded.left_out == ()
    assert [(b["type"], b.get("id"), b.get("name")) for b in content] == [
        (b["type"], b.get("id"), b.get("name")) for b in blocks
    ]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}])
def test_a_value_that_json_has_no_form_for_is_a_usage_error(value: object) -> None:
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        text_of(HELLO, extra_body={"metadata": value})
