"""Small bodies for the tests of the linter, written as a server would write them."""

from __future__ import annotations

import json
from typing import Any

from tui.lint.linter import all_findings
from tui.lint.reading import Reading, read


def chat(*deltas: dict[str, Any], finish: str | None = "tool_calls", done: bool = True) -> bytes:
    """A Chat Completions body: one chunk for each delta, the finish reason and [DONE]."""
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    if finish is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    events = [json.dumps({"id": "c", "choices": [choice]}) for choice in choices]
    return b"".join(b"data: %b\n\n" % each.encode() for each in [*events, *["[DONE]"] * done])


def entry(
    arguments: str | None, *, name: str | None = None, id: str | None = None, index: int = 0
) -> dict[str, Any]:
    """A delta with one entry of `tool_calls`; with a name it begins a call."""
    function: dict[str, Any] = {} if arguments is None else {"arguments": arguments}
    begun: dict[str, Any] = {}
    if name is not None:
        function["name"] = name
        begun = {"id": id or f"call_{index}", "type": "function"}
    return {"tool_calls": [{"index": index, **begun, "function": function}]}


def call(*fragments: str, finish: str | None = "tool_calls", done: bool = True) -> bytes:
    """A body with one call of `run`, its arguments in these fragments."""
    later = [entry(fragment) for fragment in fragments[1:]]
    return chat(entry(fragments[0], name="run"), *later, finish=finish, done=done)


def say(*texts: str) -> bytes:
    """A body of prose alone."""
    return chat(*({"content": text} for text in texts), finish="stop")


def reading(body: bytes, dialect: str = "openai-chat", **others: Any) -> Reading:
    return read(dialect, [body], **others)


def codes(body: bytes, dialect: str = "openai-chat", **others: Any) -> list[str]:
    return [found.code for found in all_findings(reading(body, dialect, **others))]
