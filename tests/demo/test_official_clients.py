"""The providers' own clients read the served demo: an opinion on its wire that is not ours.

Text, calls and stop reasons they report are compared with those of our reader on the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.demo.talking import asked, available
from tui.core.conversation import RefusalPart, ThinkingPart
from tui.core.reader import TurnReader
from tui.demo import MODEL, render

TEXTS = (
    "Where is my order A-4471?",
    "Where are A-4471 and A-4463?",
    "Which tickets are open?",
    "File a ticket for A-4471: it moved from 3 March to 5 March",
    "Tell me about tool calls",
    "unicode",
    "two at once",
    "bad json",
    "limit",
    "keepalive",
)

every_text = pytest.mark.parametrize("text", TEXTS)


@dataclass
class Seen:
    """What a client makes of one response."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    """Id, name and argument text of each."""
    stop_reason: str | None = None
    output_tokens: int | None = None


def ours(dialect: str, body: bytes) -> Seen:
    reader = TurnReader(available(dialect))
    for chunk in render(dialect, body):
        reader.feed(chunk)
    reader.close()
    message = reader.turn.message()
    seen = Seen(message.text, stop_reason=message.stop_reason)
    for part in message.parts:
        if isinstance(part, ThinkingPart):
            seen.thinking += part.text
        elif isinstance(part, RefusalPart):
            seen.refusal += part.text
    seen.calls = [(call.id or "", call.name, call.raw) for call in message.calls]
    seen.output_tokens = reader.turn.usage.output_tokens
    return seen


@pytest.fixture(scope="module")
def openai(demo_url: str) -> Any:
    sdk = pytest.importorskip("openai")
    with sdk.OpenAI(base_url=f"{demo_url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def anthropic(demo_url: str) -> Any:
    sdk = pytest.importorskip("anthropic")
    with sdk.Anthropic(base_url=demo_url, api_key="none", max_retries=0) as client:
        yield client


def body_of(dialect: str, text: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(asked(dialect, text))
    body.pop("stream")
    return body


def sent(body: dict[str, Any]) -> bytes:
    """A request that is answered like the client's own, whose exact bytes are its business.

    Ids differ with them, and nothing else does.
    """
    return json.dumps({**body, "stream": True}).encode()


def without_ids(seen: Seen) -> Seen:
    seen.calls = [("", name, raw) for _, name, raw in seen.calls]
    return seen


@every_text
def test_anthropics_client_reads_what_we_read(anthropic: Any, text: str) -> None:
    body = body_of("anthropic", text)
    seen = Seen()
    raw: dict[int, str] = {}
    with anthropic.messages.create(**body, stream=True) as events:
        for event in events:
            match event.type:
                case "content_block_start" if event.content_block.type == "tool_use":
                    raw[event.index] = ""
                    seen.calls.append((event.content_block.id, event.content_block.name, ""))
                case "content_block_delta" if event.delta.type == "input_json_delta":
                    raw[event.index] += event.delta.partial_json
                case "content_block_delta" if event.delta.type == "text_delta":
                    seen.text += event.delta.text
                case "content_block_delta" if event.delta.type == "thinking_delta":
                    seen.thinking += event.delta.thinking
                case "message_delta":
                    seen.stop_reason = event.delta.stop_reason
                    seen.output_tokens = event.usage.output_tokens
                case _:
                    pass
    seen.calls = [
        (id, name, raw[index]) for (id, name, _), index in zip(seen.calls, raw, strict=True)
    ]
    assert all(id.startswith("toolu_") for id, _, _ in seen.calls)
    assert without_ids(seen) == without_ids(ours("anthropic", sent(body)))


def test_anthropics_own_accumulation_gives_the_same_message(anthropic: Any) -> None:
    body = body_of("anthropic", TEXTS[3])
    with anthropic.messages.stream(**body) as stream:
        message = stream.get_final_message()
    assert message.model == MODEL
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.content[0].signature
    (call,) = ours("anthropic", sent(body)).calls
    assert message.content[2].input == json.loads(call[2])


@every_text
def test_openais_client_reads_the_chat_stream_as_we_do(openai: Any, text: str) -> None:
    body = body_of("openai-chat", text)
    seen = Seen()
    calls: dict[int, list[str]] = {}
    with openai.chat.completions.create(**body, stream=True) as chunks:
        for chunk in chunks:
            if chunk.usage:
                seen.output_tokens = chunk.usage.completion_tokens
            for choice in chunk.choices:
                seen.text += choice.delta.content or ""
                seen.refusal += choice.delta.refusal or ""
                seen.thinking += getattr(choice.delta, "reasoning_content", None) or ""
                seen.stop_reason = choice.finish_reason or seen.stop_reason
                for delta in choice.delta.tool_calls or ():
                    call = calls.setdefault(delta.index, [delta.id, delta.function.name, ""])
                    call[2] += delta.function.arguments
    seen.calls = [(id, name, raw) for id, name, raw in calls.values()]
    assert all(id.startswith("call_") for id, _, _ in seen.calls)
    assert without_ids(seen) == without_ids(ours("openai-chat", sent(body)))


@every_text
def test_openais_client_reads_the_responses_stream_as_we_do(openai: Any, text: str) -> None:
    body = body_of("openai-responses", text)
    seen = Seen()
    numbers = []
    final: Any = None
    with openai.responses.create(**body, stream=True) as events:
        for event in events:
            numbers.append(event.sequence_number)
            match event.type:
                case "response.output_text.delta":
                    seen.text += event.delta
                case "response.reasoning_summary_text.delta":
                    seen.thinking += event.delta
                case "response.completed" | "response.incomplete":
                    final = event.response
                case _:
                    pass
    seen.stop_reason = final.status
    seen.output_tokens = final.usage.output_tokens
    seen.calls = [
        (item.call_id, item.name, item.arguments)
        for item in final.output
        if item.type == "function_call"
    ]
    assert numbers == list(range(len(numbers)))
    assert final.output_text == seen.text
    assert without_ids(seen) == without_ids(ours("openai-responses", sent(body)))


def test_openais_own_accumulation_of_responses_gives_the_same_calls(openai: Any) -> None:
    body = body_of("openai-responses", TEXTS[3])
    with openai.responses.stream(**body) as stream:
        for _ in stream:
            pass
        final = stream.get_final_response()
    calls = [item for item in final.output if item.type == "function_call"]
    (ours_,) = ours("openai-responses", sent(body)).calls
    assert [(call.name, call.arguments) for call in calls] == [ours_[1:]]


def test_openais_own_accumulation_of_chat_gives_the_same_calls(openai: Any) -> None:
    body = body_of("openai-chat", TEXTS[1])
    with openai.chat.completions.stream(**body) as stream:
        final = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls
    assert [(call.function.name, call.function.arguments) for call in calls] == [
        call[1:] for call in ours("openai-chat", sent(body)).calls
    ]


def test_a_refusal_is_a_refusal_to_the_clients_too(openai: Any, anthropic: Any) -> None:
    message = openai.chat.completions.create(**body_of("openai-chat", "refuse"), stream=True)
    words = "".join(c.delta.refusal or "" for chunk in message for c in chunk.choices)
    assert words == ours("openai-chat", sent(body_of("openai-chat", "refuse"))).refusal
    with anthropic.messages.stream(**body_of("anthropic", "refuse")) as stream:
        assert stream.get_final_message().stop_reason == "refusal"


def test_an_error_in_the_stream_is_an_error_to_the_clients(openai: Any, anthropic: Any) -> None:
    import anthropic as anthropic_sdk
    import openai as openai_sdk

    with pytest.raises(openai_sdk.APIError, match="asked to fail"):
        list(openai.chat.completions.create(**body_of("openai-chat", "error"), stream=True))
    with pytest.raises(anthropic_sdk.APIStatusError, match="asked to fail"):
        list(anthropic.messages.create(**body_of("anthropic", "error"), stream=True))


def test_http_errors_have_the_types_that_the_clients_give_them(openai: Any, anthropic: Any) -> None:
    import anthropic as anthropic_sdk
    import openai as openai_sdk

    with pytest.raises(openai_sdk.RateLimitError, match="asked to refuse"):
        openai.chat.completions.create(**body_of("openai-chat", "http 429"), stream=True)
    with pytest.raises(anthropic_sdk.InternalServerError, match="asked to fail"):
        anthropic.messages.create(**body_of("anthropic", "http 500"), stream=True)


def test_the_model_lists_are_read(openai: Any, anthropic: Any) -> None:
    assert [model.id for model in openai.models.list()] == [MODEL]
    assert [model.id for model in anthropic.models.list()] == [MODEL]
