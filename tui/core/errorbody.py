"""The words of an error body: bytes that are not a stream in, what the server meant out.

Knows the shapes in which providers, gateways and web frameworks report errors, JSON, SSE, HTML
and plain text, and gives back their own words. What they mean for the user is `core.response`'s.
"""

from __future__ import annotations

import html
import re
from typing import Any, Final

from tui.core import wirejson
from tui.core.sse import SSEDecoder, SSEEvent

__all__ = ["clean", "error_words", "readable"]

_LONGEST: Final = 2_000
"""Characters of a server's words that are shown; more is a page, not a message."""

_MESSAGE_KEYS: Final = ("error", "message", "detail", "errors", "error_description", "title", "msg")
_KIND_KEYS: Final = ("type", "code", "status", "__type", "error_type")
_NO_KIND: Final = frozenset({"error", "about:blank"})


def error_words(value: Any) -> str:
    """What an error object says, "" when it says nothing.

    Shapes: `{"error": {"message", "type", "code"}}` (OpenAI, Anthropic, Azure, Google),
    `{"error": "text"}` (Ollama, TGI), `{"message"}`, `{"detail": "text" | [{"loc", "msg"}]}`
    (FastAPI), `{"errors": [...]}`, `{"title", "detail"}` (RFC 9457), lists of any of them, and
    `metadata.raw` (OpenRouter: what the provider behind it said).
    """
    return _words(value, 0)


def _words(value: Any, depth: int) -> str:
    match value:
        case str():
            return value.strip()
        case list() if depth < 6:
            return "; ".join(filter(None, (_words(item, depth + 1) for item in value[:5])))
        case {"msg": str(message), "loc": [*where]}:
            return f"{'.'.join(map(str, where))}: {message}"
        case dict() if depth < 6:
            return _words_of_object(value, depth)
        case _:
            return ""


def _words_of_object(value: dict[str, Any], depth: int) -> str:
    nested = value.get("error")
    if isinstance(nested, dict | list) and (words := _words(nested, depth + 1)):
        return words
    found = next(
        (words for key in _MESSAGE_KEYS if (words := _words(value.get(key), depth + 1))), ""
    )
    if not found:
        return ""
    names = (value[key] for key in _KIND_KEYS if isinstance(value.get(key), str))
    kind = next((name for name in names if name not in _NO_KIND and not name.isdigit()), "")
    if kind and kind not in found:
        found = f"{kind}: {found}"
    behind = value.get("metadata")
    if isinstance(behind, dict) and (raw := _words(behind.get("raw"), depth + 1)):
        found = f"{found} ({_words_of_text(raw)})"
    return found


def readable(body: bytes) -> str:
    """The words of a whole body of unknown format, at most 2,000 characters; "" for nothing."""
    words = clean(_words_of_text(body.decode("utf-8-sig", errors="replace").strip()))
    return words if len(words) <= _LONGEST else words[:_LONGEST] + " …"


def clean(text: str) -> str:
    """`text` on one line, without anything that a terminal would obey or that cannot be encoded."""
    one_line = " ".join(text.split())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in one_line)


def _words_of_text(text: str) -> str:
    if text[:1] in ("{", "[", '"'):
        try:
            return error_words(wirejson.loads(text)) or text
        except ValueError:
            # One JSON document on each line, or one that was cut: the first line may still speak.
            first, _, rest = text.partition("\n")
            return (_words_of_text(first.strip()) if rest else "") or text
    if text[:1] == "<":
        return _words_of_html(text)
    return _words_of_events(text) or text


def _words_of_events(text: str) -> str:
    """The words of an error that was framed as an event stream."""
    # Words cut out of JSON may hold half a surrogate pair.
    items = SSEDecoder().feed(text.encode(errors="replace") + b"\n\n")
    for item in items:
        if isinstance(item, SSEEvent) and item.data not in ("", "[DONE]"):
            return _words_of_text(item.data) if item.data[:1] in "{[" else item.data
    return ""


def _words_of_html(text: str) -> str:
    for tag in ("title", "h1"):
        if found := re.search(rf"<{tag}\b[^>]*>([^<]+)", text, re.IGNORECASE):
            return " ".join(html.unescape(found[1]).split())
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
