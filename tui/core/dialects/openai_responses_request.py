"""Writing a request for OpenAI Responses: a `TurnRequest` in, one HTTP request out.

Owns the shape of the body and how settings and tools are spelled. The conversation's items are
`openai_responses_input`'s; which of it may be sent, and under which ids, `core.history` has
decided. It knows no key and no host.

- Nothing is kept at the provider (`store: false`), so reasoning is asked for in encrypted form
  and goes back with the conversation.
- `extra_body` is merged last, member by member, and may replace anything (`store`, `include`).
https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tui.core.conversation import ToolSpec, TurnRequest, TurnSettings
from tui.core.dialects import EncodedRequest
from tui.core.dialects.openai_responses_input import NAME, InputWriter, dumps
from tui.core.errors import UsageError
from tui.core.source import WireRequest

PATH: Final = "/responses"

_WITHOUT_REASONING: Final = ("gpt-3", "gpt-4", "chatgpt-4o")
"""Beginnings of model names for which OpenAI refuses to be asked for encrypted reasoning
("Encrypted content is not supported with this model")."""


def encode(request: TurnRequest) -> EncodedRequest:
    """The request for one turn, streaming on.

    Raises:
        UsageError: `extra_body` or a tool's schema holds a value that JSON has no form for.
    """
    settings = request.settings
    writer = InputWriter(request)
    left_out: list[str] = []
    body: dict[str, Any] = {"model": settings.model}
    if settings.system:
        body["instructions"] = settings.system
    body |= _tools(request.tools, settings, left_out)
    body |= _settings(settings, left_out)
    body |= {"stream": True, "store": False}
    if not settings.model.rpartition("/")[2].startswith(_WITHOUT_REASONING):
        body["include"] = ["reasoning.encrypted_content"]
    try:
        # Items that came from the provider are text and stay so: only members are merged.
        members = {name: dumps(value) for name, value in body.items()}
        members["input"] = f"[{','.join(writer.items())}]"
        members |= {name: dumps(value) for name, value in settings.extra_body.items()}
        text = ",".join(f"{dumps(name)}:{value}" for name, value in members.items())
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"the request cannot be written as JSON: {error}",
            hint="look for dates, NaN or Infinity in extra_body and in the tools' schemas",
        ) from error
    # A lone half of a surrogate pair stands inside a string; this writes it as its JSON escape.
    wire = f"{{{text}}}".encode("utf-8", "backslashreplace")
    headers = (("content-type", "application/json"), ("accept", "text/event-stream"))
    return EncodedRequest(
        WireRequest(NAME, PATH, wire, headers), tuple(dict.fromkeys(left_out + writer.left_out))
    )


def _settings(settings: TurnSettings, left_out: list[str]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if settings.max_output_tokens is not None:
        members["max_output_tokens"] = settings.max_output_tokens
    if settings.temperature is not None:
        members["temperature"] = settings.temperature
    if settings.effort is not None:
        members["reasoning"] = {"effort": settings.effort, "summary": "auto"}
    if settings.thinking_tokens is not None:
        left_out.append(
            "The thinking budget in tokens was left out: Responses has an effort, no budget."
        )
    return members


def _tools(
    tools: Sequence[ToolSpec], settings: TurnSettings, left_out: list[str]
) -> dict[str, Any]:
    if not tools:
        if settings.tool_choice not in ("auto", "none"):
            left_out.append("The tool choice was left out: no tool is offered.")
        return {}
    members: dict[str, Any] = {"tools": [_tool(tool) for tool in tools]}
    match settings.tool_choice:
        case "auto":
            pass  # the default with tools
        case "none" | "required":
            members["tool_choice"] = settings.tool_choice
        case name:
            kind = next((tool.kind for tool in tools if tool.name == name), "function")
            members["tool_choice"] = {"type": kind, "name": name}
    if settings.parallel_calls is not None:
        members["parallel_tool_calls"] = settings.parallel_calls
    return members


def _tool(tool: ToolSpec) -> dict[str, Any]:
    described = {"type": tool.kind, "name": tool.name, "description": tool.description}
    if tool.kind == "custom":
        return described
    # Strict schemas would change what the model may write; ours are the tools' own.
    return {**described, "parameters": dict(tool.schema), "strict": False}
