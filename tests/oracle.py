"""A second opinion on when calls may run, written without our decoders.

Comes in: a prefix of a response body. Goes out: how many calls could at most be final, judged
by the events that a blank line closed inside the prefix and nothing else. Deliberately naive:
it splits text on blank lines and reads JSON with the standard library.
"""

from __future__ import annotations

import json
import re
from typing import Any

_GOOD_ENDINGS = {
    "anthropic": {"tool_use", "end_turn", "stop_sequence"},
    "openai-responses": {"completed"},
    "openai-chat": {"tool_calls", "stop", "function_call", "eos", "tool_use", "end_turn"},
}


def closed_payloads(prefix: bytes) -> list[dict[str, Any]]:
    """The JSON objects of the events that end inside `prefix`."""
    text = prefix.decode("utf-8", "replace").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    blocks = re.split(r"\n\n+", text)[:-1]
    payloads = []
    for block in blocks:
        data = "\n".join(
            line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")
        )
        try:
            value = json.loads(data)
        except ValueError:
            continue
        if isinstance(value, dict):
            payloads.append(value)
    return payloads


def most_final_calls(prefix: bytes, dialect: str) -> int:
    """An upper bound on the calls that may be final when the body ends after `prefix`."""
    payloads = closed_payloads(prefix)
    good = _GOOD_ENDINGS[dialect]
    if dialect == "anthropic":
        if not any(
            (value.get("delta") or {}).get("stop_reason") in good
            for value in payloads
            if value.get("type") == "message_delta"
        ) and not any(
            (value.get("message") or {}).get("stop_reason") in good for value in payloads
        ):
            return 0
        stopped = sum(value.get("type") == "content_block_stop" for value in payloads)
        at_once = sum(len((value.get("message") or {}).get("content") or []) for value in payloads)
        return stopped + at_once
    if dialect == "openai-responses":
        ended = [
            value
            for value in payloads
            if value.get("type") == "response.completed"
            and (value.get("response") or {}).get("status", "completed") in good
        ]
        return 10**6 if ended else 0
    ended = [
        choice
        for value in payloads
        for choice in value.get("choices") or []
        if isinstance(choice, dict) and choice.get("finish_reason") in good
    ]
    return 10**6 if ended else 0
