"""Errors that stand inside a Chat Completions stream: recognising them, and taking their words.

Status 200 promises nothing: servers and gateways report errors as an `error` member (beside
choices or alone), as `{"object": "error"}`, in an `event: error`, in a framework's own shape, or
glued to a chunk that was being written when they struck. A payload comes in; out comes what was
reported, or None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from tui.core.errorbody import error_words
from tui.core.events import ProviderErrorReported

_GLUED: Final = re.compile(r'\{\s*"(?:error|detail)"\s*:')
_FRAMEWORK: Final = {"detail": (str, list), "errors": (str, list), "message": (str,)}
"""What FastAPI, RFC 9457 and gateways call their words, in an object that is no chunk."""


def reported(
    payload: Mapping[str, Any], raw: str, *, event_type: str
) -> ProviderErrorReported | None:
    """The error that a payload carries, None when it carries none.

    Args:
        payload: the JSON object of one event.
        raw: its text.
        event_type: the `event` field of the event, "" when there was none.
    """
    error = payload.get("error")
    if error:
        return _report(error, raw)
    groq = payload.get("x_groq")
    if isinstance(groq, dict) and groq.get("error"):
        return _report(groq["error"], raw)
    for choice in _choices(payload):
        # A chunk of OpenRouter whose upstream failed for one choice only.
        if isinstance(choice, dict) and choice.get("error"):
            return _report(choice["error"], raw)
    named = (
        event_type == "error" or payload.get("object") == "error" or payload.get("type") == "error"
    )
    bare = "choices" not in payload and any(
        payload.get(key) and isinstance(payload[key], types) for key, types in _FRAMEWORK.items()
    )
    return _report(dict(payload), raw) if named or bare else None


def glued(text: str) -> ProviderErrorReported | None:
    """The error object at the end of an event that is not JSON as a whole."""
    for found in _GLUED.finditer(text):
        tail = text[found.start() :]
        try:
            value = json.loads(tail)
        except (ValueError, RecursionError):
            continue
        return reported(value, tail, event_type="error")
    return None


def plain(text: str) -> ProviderErrorReported:
    """An `event: error` whose data is not JSON."""
    return ProviderErrorReported(text.strip(), "", text)


def _report(error: object, raw: str) -> ProviderErrorReported:
    # OpenAI names the kind in `type`, OpenRouter and many gateways a number or a word in `code`.
    kind = ""
    if isinstance(error, dict):
        words = (error.get(key) for key in ("type", "code"))
        kind = next((word for word in words if isinstance(word, str) and word != "error"), "")
    message = error_words(error) or "an error was reported without words"
    return ProviderErrorReported(message.removeprefix(f"{kind}: "), kind, raw)


def _choices(payload: Mapping[str, Any]) -> list[Any]:
    choices = payload.get("choices")
    return choices if isinstance(choices, list) else []
