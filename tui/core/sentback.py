"""What a request really says of earlier calls: read back out of its own bytes.

Comes in: a request body as it is about to be sent. Goes out: the argument text under each call
id, exactly. It shares nothing with the encoders that wrote the body, so it can contradict them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.core import wirejson


def argument_texts(dialect: str, body: bytes) -> Mapping[str, str]:
    """Call id → argument text for every call in the request; empty when it cannot be read."""
    try:
        text = body.decode("utf-8", "surrogatepass")
        value = wirejson.loads(text)
    except (ValueError, UnicodeDecodeError):
        return {}
    if not isinstance(value, dict):
        return {}
    match dialect:
        case "anthropic":
            return _inputs(text, value)
        case "openai-chat":
            return {
                call["id"]: call["function"]["arguments"]
                for message in value.get("messages", ())
                for call in message.get("tool_calls") or ()
                if "function" in call
            }
        case _:
            return {
                item["call_id"]: item["arguments"]
                for item in value.get("input", ())
                if isinstance(item, dict) and item.get("type") == "function_call"
            }


def _inputs(text: str, value: dict[str, Any]) -> dict[str, str]:
    """Anthropic's `input` is an object: its text is cut out of the body, not written anew."""
    found = {}
    # One pass over the whole: a long conversation has megabytes and hundreds of calls.
    texts = wirejson.element_texts(wirejson.member_text(text, "messages") or "[]")
    for message, exact in zip(value.get("messages", ()), texts, strict=False):
        content = message.get("content")
        if not isinstance(content, list):
            continue
        for place, block in enumerate(content):
            if block.get("type") == "tool_use":
                raw = wirejson.member_text(exact, "content", place, "input")
                found[block["id"]] = raw if raw is not None else ""
    return found
