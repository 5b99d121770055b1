"""A conversation as a Chat Completions request: values in, the bytes of the body out.

Owns the spelling of messages, tools and settings and the rules for what this dialect cannot say.
Argument text goes in as a JSON string whose value is the stored text, character for character.
Which messages may be sent, and under which ids, `core.history` has decided.

- Reasoning goes back in the fields it came in (`reasoning_content`, `reasoning_details`, ...),
  from parts of this dialect only.
- A result has no error flag: the text of a failed one begins with "Error: ".
- A tool message holds text only: images of results follow in one user message after all results.
- The output limit is `max_tokens`, the name that every server knows. Where `extra_body` has
  `max_completion_tokens` (OpenAI's reasoning models refuse the other), that one stands alone.
- `extra_body` is merged last, member by member, and may replace anything.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, assert_never

from tui.core import wirejson
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImageContent,
    ImagePart,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    ResultsMessage,
    TextPart,
    ThinkingPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
    UserPart,
    members_of,
)
from tui.core.dialects import EncodedRequest
from tui.core.source import WireRequest

NAME: Final = "openai-chat"
PATH: Final = "/chat/completions"

_THINKING_LEFT_OUT: Final = (
    "Thinking that did not come in a reasoning field of Chat Completions was left out."
)
_BUDGET_LEFT_OUT: Final = (
    "The thinking budget in tokens was left out: Chat Completions has an effort, no budget."
)


def encode(request: TurnRequest) -> EncodedRequest:
    """Write the request for one turn, streaming on, usage asked for."""
    left_out: dict[str, None] = {}
    body: dict[str, Any] = {
        "model": request.settings.model,
        "messages": _messages(request, left_out),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    body |= _tools(request.tools, request.settings)
    body |= _settings(request.settings, left_out)
    body |= request.settings.extra_body
    headers = (("content-type", "application/json"), ("accept", "text/event-stream"))
    wire = WireRequest(NAME, PATH, wirejson.dumps(body).encode(), headers)
    return EncodedRequest(wire, tuple(left_out))


def _settings(settings: TurnSettings, left_out: dict[str, None]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if (
        settings.max_output_tokens is not None
        and "max_completion_tokens" not in settings.extra_body
    ):
        members["max_tokens"] = settings.max_output_tokens
    if settings.temperature is not None:
        members["temperature"] = settings.temperature
    if settings.effort is not None:
        members["reasoning_effort"] = settings.effort
    if settings.thinking_tokens is not None:
        left_out[_BUDGET_LEFT_OUT] = None
    return members


def _tools(tools: Sequence[ToolSpec], settings: TurnSettings) -> dict[str, Any]:
    if not tools:
        # Without tools both other fields are refused by OpenAI.
        return {}
    members: dict[str, Any] = {"tools": [_tool(tool) for tool in tools]}
    match settings.tool_choice:
        case "auto":
            pass  # the default with tools, and the word that some servers do not know
        case "none" | "required":
            members["tool_choice"] = settings.tool_choice
        case name:
            kind = next((tool.kind for tool in tools if tool.name == name), "function")
            members["tool_choice"] = {"type": kind, kind: {"name": name}}
    if settings.parallel_calls is not None:
        members["parallel_tool_calls"] = settings.parallel_calls
    return members


def _tool(tool: ToolSpec) -> dict[str, Any]:
    described: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.kind == "function":
        described["parameters"] = dict(tool.schema)
    return {"type": tool.kind, tool.kind: described}


# Messages -------------------------------------------------------------------------------------


def _messages(request: TurnRequest, left_out: dict[str, None]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if request.settings.system:
        messages.append({"role": "system", "content": request.settings.system})
    order: dict[str, int] = {}
    for message in request.messages:
        match message:
            case UserMessage(parts):
                messages.append({"role": "user", "content": _user_content(parts)})
            case AssistantMessage():
                order = {call.ref: place for place, call in enumerate(message.calls)}
                messages.append(_assistant(message, request.call_ids, left_out))
            case ResultsMessage(results):
                ordered = sorted(results, key=lambda result: order.get(result.call, len(order)))
                messages += _results(ordered, request.call_ids)
            case _:
                assert_never(message)
    return messages


def _user_content(parts: Sequence[UserPart]) -> str | list[dict[str, Any]]:
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        # The plain form: many servers know no other.
        return parts[0].text
    content: list[dict[str, Any]] = []
    for part in parts:
        match part:
            case TextPart(text):
                content.append(_text(text))
            case ImagePart(media_type, data):
                content.append(_image(media_type, data))
            case _:
                assert_never(part)
    return content


def _assistant(
    message: AssistantMessage, call_ids: Mapping[str, str], left_out: dict[str, None]
) -> dict[str, Any]:
    text: list[str] = []
    refusal: list[str] = []
    calls: list[dict[str, Any]] = []
    reasoning: dict[str, Any] = {}
    for part in message.parts:
        match part:
            case TextPart():
                text.append(part.text)
            case RefusalPart():
                refusal.append(part.text)
            case CallPart():
                calls.append(_call(part, call_ids))
            case ThinkingPart():
                if not _add_reasoning(reasoning, part.item) and part.text:
                    left_out[_THINKING_LEFT_OUT] = None
            case ProviderPart():
                left_out[
                    f"{part.title or part.kind!r} was left out: what a provider ran or kept itself "
                    "cannot be told in Chat Completions."
                ] = None
            case _:
                assert_never(part)
    content = "".join(text)
    # Null is allowed only beside calls.
    written: dict[str, Any] = {
        "role": "assistant",
        "content": content if content or not calls else None,
    }
    if refusal:
        written["refusal"] = "".join(refusal)
    written |= reasoning
    if calls:
        written["tool_calls"] = calls
    return written


def _call(call: CallPart, call_ids: Mapping[str, str]) -> dict[str, Any]:
    described = (
        {"name": call.name, "input": call.raw}
        if call.kind == "custom"
        # A call without arguments may come as "", but several servers refuse it when it goes back.
        else {"name": call.name, "arguments": call.raw or "{}"}
    )
    return {
        "id": _id(call.ref, call.id, call_ids),
        "type": call.kind,
        call.kind: described,
        **members_of(call, NAME),
    }


def _id(ref: str, id: str | None, call_ids: Mapping[str, str]) -> str:
    return call_ids.get(ref) or id or ref


def _add_reasoning(members: dict[str, Any], item: ProviderItem | None) -> bool:
    """Add the members that a reasoning part came in; False when it did not come in any."""
    if item is None or item.dialect != NAME:
        return False
    # Not wirejson.loads: a number in a detail that is signed must come back as it was.
    value = json.loads(item.raw)
    if not isinstance(value, dict):
        return False
    for name, given in value.items():
        before = members.get(name)
        if isinstance(before, str) and isinstance(given, str):
            members[name] = before + given
        elif isinstance(before, list) and isinstance(given, list):
            members[name] = [*before, *given]
        else:
            members[name] = given
    return True


def _results(results: Iterable[CallResult], call_ids: Mapping[str, str]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    images: list[dict[str, Any]] = []
    for result in results:
        id = _id(result.call, None, call_ids)
        text = f"Error: {result.text}" if result.is_error else result.text
        messages.append({"role": "tool", "tool_call_id": id, "content": text})
        shown = [item for item in result.content if isinstance(item, ImageContent)]
        if shown:
            images.append(_text(f"Images in the result of the call {id}:"))
            images += [_image(item.media_type, item.data) for item in shown]
    if images:
        messages.append({"role": "user", "content": images})
    return messages


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(media_type: str, data: bytes) -> dict[str, Any]:
    url = f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": url}}
