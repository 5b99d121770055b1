"""Reads a request body of any dialect: JSON bytes in, one neutral `Situation` out.

It takes the wire as documented, from our encoders or from any other client, and looks only for
what the script needs: the last words of the user, the calls and results since then, the tools
offered. It judges nothing and refuses only a body that is no JSON object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tui.core.errors import UsageError

ORDER_ID: Final = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])-?(\d{3,6})(?!\d)")

_SAID: Final = re.compile(
    r"(error\b|the call was (not run|cancelled)|the user did not allow|the tool did not answer"
    r"|the client stopped|it failed)",
    re.IGNORECASE,
)
"""How a failure begins in dialects whose results carry no error flag."""
_FLAG: Final = re.compile(r"\s*error:\s*", re.IGNORECASE)
"""What such a dialect's encoder puts before the words of a failure."""
_SHOWN: Final = "Images in the result of the call"
"""How a user message begins that is no person's: results there hold text only."""
_DENIED: Final = re.compile(r"did not allow|denied|declined|not approved", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SeenResult:
    """One call and what came back for it."""

    name: str
    text: str
    failed: bool

    @property
    def denied(self) -> bool:
        return self.failed and _DENIED.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class Situation:
    """What a request asks, from the last user message on."""

    text: str
    """The last user message, without surrounding white space."""
    rounds: int = 0
    """Turns with calls since then."""
    results: tuple[SeenResult, ...] = ()
    """The results of the latest of these turns, in the order in which they were sent."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The schemas of the tools that may be called, by name."""

    @property
    def order_ids(self) -> tuple[str, ...]:
        """Order numbers in the text, as the shop writes them, each once."""
        found = (f"{m[1].upper()}-{m[2]}" for m in ORDER_ID.finditer(self.text))
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _Asked:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class _Returned:
    id: str
    text: str
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class _Told:
    text: str


_Entry = _Asked | _Returned | _Told


def parse(body: bytes) -> Mapping[str, Any]:
    """The request as an object.

    Raises:
        UsageError: it is not a JSON object.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the request body is not JSON: {error}") from error
    if not isinstance(request, dict):
        raise UsageError(f"the request body is a JSON {type(request).__name__}, not an object")
    return request


def understand(dialect: str, request: Mapping[str, Any]) -> Situation:
    """The situation that a request of `dialect` describes."""
    entries = _responses(request) if dialect == "openai-responses" else _messages(request)
    text, rounds = "", 0
    asked: dict[str, _Asked] = {}
    results: list[SeenResult] = []
    calling = False
    for entry in entries:
        match entry:
            case _Told() if entry.text.startswith(_SHOWN):
                pass
            case _Told():
                text, rounds, calling = entry.text, 0, False
                asked.clear()
                results.clear()
            case _Asked():
                if not calling:
                    rounds += 1
                    results.clear()
                calling = True
                asked[entry.id] = entry
            case _Returned():
                calling = False
                call = asked.get(entry.id, _Asked(entry.id, "a tool"))
                failed = entry.flagged or _SAID.match(entry.text) is not None
                flag = _FLAG.match(entry.text) if failed else None
                words = entry.text[flag.end() :] if flag is not None else entry.text
                results.append(SeenResult(call.name, words, failed))
    return Situation(text.strip(), rounds, tuple(results), _tools(request))


def _messages(request: Mapping[str, Any]) -> Iterator[_Entry]:
    """Anthropic Messages and Chat Completions: they differ in where calls and results stand."""
    for message in _objects(request.get("messages")):
        content = message.get("content")
        match message.get("role"):
            case "user":
                yield from _user(content)
            case "assistant":
                for block in _objects(content):
                    if block.get("type") == "tool_use":
                        yield _Asked(_str(block, "id"), _str(block, "name"))
                for call in _objects(message.get("tool_calls")):
                    inner = call.get("function") or call.get("custom")
                    name = _str(inner, "name") if isinstance(inner, dict) else ""
                    yield _Asked(_str(call, "id"), name)
            case "tool":
                yield _Returned(_str(message, "tool_call_id"), _text(content))
            case _:
                pass


def _user(content: object) -> Iterator[_Entry]:
    for block in _objects(content):
        if block.get("type") == "tool_result":
            text = _text(block.get("content"))
            yield _Returned(_str(block, "tool_use_id"), text, block.get("is_error") is True)
    yield from _told(content)


def _told(content: object) -> Iterator[_Told]:
    """One for each text: prompts that follow a failed turn arrive together in one message."""
    if isinstance(content, str):
        yield _Told(content)
    for block in _objects(content):
        if words := _str(block, "text"):
            yield _Told(words)


def _responses(request: Mapping[str, Any]) -> Iterator[_Entry]:
    given = request.get("input")
    if isinstance(given, str):
        yield _Told(given)
    for item in _objects(given):
        match item.get("type", "message"):
            case "message" if item.get("role") == "user":
                yield from _told(item.get("content"))
            case "function_call" | "custom_tool_call":
                yield _Asked(_str(item, "call_id"), _str(item, "name"))
            case "function_call_output" | "custom_tool_call_output":
                yield _Returned(_str(item, "call_id"), _text(item.get("output")))
            case _:
                pass


def _tools(request: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    choice = request.get("tool_choice")
    if choice == "none" or (isinstance(choice, dict) and choice.get("type") == "none"):
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    for tool in _objects(request.get("tools")):
        inner = tool.get("function")
        told = inner if isinstance(inner, dict) else tool
        schema = told.get("input_schema") or told.get("parameters")
        if name := _str(told, "name"):
            found[name] = schema if isinstance(schema, dict) else {}
    return found


def _text(content: object) -> str:
    """The words of a content field: a string, or blocks of which those with text count."""
    if isinstance(content, str):
        return content
    return "\n".join(_str(b, "text") for b in _objects(content) if isinstance(b.get("text"), str))


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _str(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""
