"""Which dialect is this body? Told from the first events, for recordings that do not say."""

from __future__ import annotations

from typing import Final

from tui.core import wirejson
from tui.core.sse import Comment, SSEDecoder, SSEEvent

_LOOKED_AT: Final = 64 * 1024
_ANTHROPIC: Final = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
    }
)


def dialect_of(body: bytes) -> str | None:
    """The dialect's name, or None when nothing in the first 64 KB tells."""
    decoder = SSEDecoder()
    items: list[SSEEvent] = [
        item for item in decoder.feed(body[:_LOOKED_AT]) if not isinstance(item, Comment)
    ]
    texts = [(item.type, item.data) for item in items]
    unfinished = decoder.close()
    if unfinished is not None:
        texts.append((unfinished.type, unfinished.data))
    for name, data in texts:
        found = _dialect_of_event(name, data)
        if found is not None:
            return found
    # An error alone: only Messages nests it in an event that is typed as one.
    return "anthropic" if any(_is_nested_error(data) for _, data in texts) else None


def _is_nested_error(data: str) -> bool:
    try:
        value = wirejson.loads(data)
    except ValueError:
        return False
    return isinstance(value, dict) and (
        value.get("type") == "error" and isinstance(value.get("error"), dict)
    )


def _dialect_of_event(name: str, data: str) -> str | None:
    try:
        value = wirejson.loads(data)
    except ValueError:
        value = None
    kind = value.get("type") if isinstance(value, dict) else None
    kind = kind if isinstance(kind, str) else name
    if kind in _ANTHROPIC:
        return "anthropic"
    if kind.startswith("response."):
        return "openai-responses"
    if isinstance(value, dict) and (
        "choices" in value or value.get("object") == "chat.completion.chunk"
    ):
        return "openai-chat"
    if data.strip() == "[DONE]":
        return "openai-chat"
    return None
