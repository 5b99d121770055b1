"""The stream as a naive client takes it apart: texts, argument fragments, beginnings and ends.

Written apart from the dialect decoders on purpose: it trusts every shape, knows no rule for
the odd ones and skips what it does not understand, as most clients do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tui.core import wirejson
from tui.core.reader import Step
from tui.lint.rules.payloads import payloads_of

What = Literal["text", "open", "fragment", "close"]


@dataclass(frozen=True, slots=True)
class Delta:
    what: What
    offset: int
    """Byte at which the event begins."""
    text: str = ""
    index: int | str | None = None
    name: str = ""


def deltas_of(dialect: str, steps: Iterable[Step]) -> Iterator[Delta]:
    """The deltas of every event that is a JSON object."""
    taken = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses}[dialect]
    for value, offset in payloads_of(steps):
        yield from taken(value, offset)


def deltas_of_line(dialect: str, line: str) -> Iterator[Delta]:
    """The same from a line that somebody split: what is not whole JSON behind `data:` is dropped."""
    taken = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses}[dialect]
    if line.startswith("data:"):
        try:
            value = wirejson.loads(line[5:])
        except ValueError:
            return
        if isinstance(value, dict):
            yield from taken(value, 0)


def words_of(deltas: Iterable[Delta]) -> str:
    """The text and the arguments that are in the deltas."""
    return "".join(delta.text for delta in deltas if delta.what in ("text", "fragment"))


def _anthropic(value: dict[str, Any], at: int) -> Iterator[Delta]:
    index = value.get("index")
    match value:
        case {
            "type": "content_block_start",
            "content_block": {"type": "tool_use", "name": str(name)},
        }:
            yield Delta("open", at, index=index, name=name)
        case {"type": "content_block_delta", "delta": {"text": str(text)}}:
            yield Delta("text", at, text)
        case {"type": "content_block_delta", "delta": {"partial_json": str(text)}}:
            yield Delta("fragment", at, text, index)
        case {"type": "content_block_stop"}:
            yield Delta("close", at, index=index)
        case _:
            pass


def _chat(value: dict[str, Any], at: int) -> Iterator[Delta]:
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or choice.get("index") not in (0, None):
        return
    delta = choice.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    if isinstance(delta.get("content"), str):
        yield Delta("text", at, delta["content"])
    entries = delta.get("tool_calls")
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        function = entry.get("function")
        function = function if isinstance(function, dict) else {}
        index = entry.get("index") or 0
        if isinstance(function.get("name"), str) and function["name"]:
            yield Delta("open", at, index=index, name=function["name"])
        if isinstance(function.get("arguments"), str):
            yield Delta("fragment", at, function["arguments"], index)
    if choice.get("finish_reason"):
        yield Delta("close", at)


def _responses(value: dict[str, Any], at: int) -> Iterator[Delta]:
    index = value.get("item_id") or value.get("output_index")
    match value:
        case {"type": "response.output_item.added", "item": {"type": "function_call"} as item}:
            yield Delta("open", at, index=item.get("id") or index, name=str(item.get("name") or ""))
        case {"type": "response.output_text.delta", "delta": str(text)}:
            yield Delta("text", at, text)
        case {"type": "response.function_call_arguments.delta", "delta": str(text)}:
            yield Delta("fragment", at, text, index)
        case {"type": "response.output_item.done", "item": {"type": "function_call"} as item}:
            yield Delta("close", at, index=item.get("id") or index)
        case _:
            pass
