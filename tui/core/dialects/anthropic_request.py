"""Writing a request for Anthropic Messages: a `TurnRequest` in, one HTTP request out.

Owns the shape of the body and the provider's rules about it: what has no place there is left
out and said so, in one sentence each. Argument texts go in byte for byte as `input` values.
It knows no key and no host; what history may be sent at all is `core.history`'s business.
Body: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tui.core.conversation import ToolSpec, TurnRequest, TurnSettings
from tui.core.dialects import EncodedRequest
from tui.core.dialects.anthropic_messages import NAME, JsonText, MessagesWriter
from tui.core.errors import UsageError
from tui.core.source import WireRequest

VERSION: Final = "2023-06-01"
DEFAULT_MAX_TOKENS: Final = 8192
"""The API has no default of its own for `max_tokens`. Added to a thinking budget, which counts in it."""

EAGER: Final = "eager_input_streaming"
"""In `extra_body`: put on every tool, so that arguments stream unchecked as they are written.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming
"""


def encode(request: TurnRequest) -> EncodedRequest:
    """The request for one turn, streaming on.

    Raises:
        UsageError: `extra_body` or a tool's schema holds a value that JSON has no form for.
    """
    writer = _Writer(request)
    body = writer.body()
    try:
        text = _json(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"the request cannot be written as JSON: {error}",
            hint="look for dates, NaN or Infinity in extra_body and in the tools' schemas",
        ) from error
    # A lone half of a surrogate pair stands inside a string; this writes it as its JSON escape.
    wire = text.encode("utf-8", "backslashreplace")
    headers = (("anthropic-version", VERSION),)
    return EncodedRequest(WireRequest(NAME, "/v1/messages", wire, headers), writer.left_out)


def _json(value: object) -> str:
    match value:
        case JsonText(text):
            return text
        case Mapping():
            members = (
                f"{json.dumps(str(k), ensure_ascii=False)}:{_json(v)}" for k, v in value.items()
            )
            return "{" + ",".join(members) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_json, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False, allow_nan=False)


class _Writer:
    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self._messages = MessagesWriter(request)
        self._left_out: list[str] = []

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._left_out + self._messages.left_out))

    def body(self) -> dict[str, Any]:
        settings = self._request.settings
        extra = dict(settings.extra_body)
        eager = extra.pop(EAGER, None)
        body: dict[str, Any] = {"model": settings.model, **self._limits(settings)}
        if settings.system.strip():
            body["system"] = settings.system
        tools = [self._tool(tool, eager) for tool in self._request.tools if self._fits(tool)]
        if tools:
            body["tools"] = tools
            body |= _tool_choice(settings)
        elif settings.tool_choice not in ("auto", "none"):
            self._left_out.append("The tool choice was left out: no tool is offered.")
        body["messages"] = [
            {"role": role, "content": blocks} for role, blocks in self._messages.messages()
        ]
        return {**body, **extra, "stream": True}

    def _limits(self, settings: TurnSettings) -> dict[str, Any]:
        budget = settings.thinking_tokens
        most = settings.max_output_tokens
        body: dict[str, Any] = {
            "max_tokens": DEFAULT_MAX_TOKENS + (budget or 0) if most is None else most
        }
        if budget is not None:
            body["thinking"] = (
                {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"}
            )
        if settings.effort is not None:
            body["output_config"] = {"effort": settings.effort}
        if settings.temperature is not None and budget and settings.temperature != 1:
            self._left_out.append("The temperature was left out: with thinking on it must be 1.")
        elif settings.temperature is not None:
            body["temperature"] = settings.temperature
        return body

    # Tools --------------------------------------------------------------------------------

    def _fits(self, tool: ToolSpec) -> bool:
        if tool.kind == "function":
            return True
        self._left_out.append(
            f"The tool {tool.name!r} was left out: it takes free text, and tools here take an object."
        )
        return False

    def _tool(self, tool: ToolSpec, eager: object) -> dict[str, Any]:
        return {
            "name": tool.name,
            **({"description": tool.description} if tool.description else {}),
            "input_schema": {"type": "object", **tool.schema},
            **({EAGER: eager} if eager is not None else {}),
        }


def _tool_choice(settings: TurnSettings) -> dict[str, Any]:
    choice: dict[str, Any]
    match settings.tool_choice:
        case "auto":
            choice = {"type": "auto"}
        case "none":
            return {"tool_choice": {"type": "none"}}
        case "required":
            choice = {"type": "any"}
        case name:
            choice = {"type": "tool", "name": name}
    if settings.parallel_calls is not None:
        choice["disable_parallel_tool_use"] = not settings.parallel_calls
    return {} if choice == {"type": "auto"} else {"tool_choice": choice}
