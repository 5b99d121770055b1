"""From an MCP tool result to our content. Foreign values in; nothing in them is trusted."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

from tui.core.conversation import (
    ImageContent,
    JsonContent,
    ResourceContent,
    ResultContent,
    TextContent,
)
from tui.tools.contract import ToolOutcome
from tui.tools.results import NOTHING, image_type


def outcome_of(result: Any) -> ToolOutcome:
    """From an `mcp_types.CallToolResult`.

    Structured content is added as JSON unless a text block says the same already, as servers
    do for older clients.
    """
    content = [_content(block) for block in result.content]
    structured = result.structured_content
    if structured is not None and not _says(content, structured):
        content.append(JsonContent(json.dumps(structured, ensure_ascii=False)))
    return ToolOutcome(tuple(content) or (NOTHING,), is_error=bool(result.is_error))


def _says(content: Sequence[ResultContent], value: Any) -> bool:
    # A plain value is wrapped, in {"result": ...} by the SDK, in {"content": ...} by the file
    # system server, and sent as text beside that.
    only = list(value.values()) if isinstance(value, dict) and len(value) == 1 else [None]
    plain = only[0]
    for item in content:
        if isinstance(item, TextContent):
            if plain is not None and item.text == str(plain):
                return True
            try:
                if json.loads(item.text) == value:
                    return True
            except (ValueError, RecursionError):
                continue
    return False


def _content(block: Any) -> ResultContent:
    match block.type:
        case "text":
            return TextContent(block.text)
        case "image":
            return _binary(block.data, block.mime_type, "image")
        case "audio":
            return _binary(block.data, block.mime_type, "audio")
        case "resource_link":
            return ResourceContent(str(block.uri), block.mime_type or "", None)
        case "resource":
            return _resource(block.resource)
        case other:
            return TextContent(f"[content of the unknown type {other!r}]")


def _resource(resource: Any) -> ResultContent:
    uri, media_type = str(resource.uri), resource.mime_type or ""
    text = getattr(resource, "text", None)
    if text is not None:
        return ResourceContent(uri, media_type, text)
    if media_type.startswith("image/"):
        return _binary(resource.blob, media_type, f"image {uri}")
    return ResourceContent(uri, media_type, None)


def _binary(encoded: str, media_type: str, word: str) -> ResultContent:
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return TextContent(f"[{word} {media_type}: its base64 cannot be read]")
    # The bytes decide: a provider refuses a whole request over an image that is none.
    kind = image_type(data)
    if kind is None:
        return TextContent(
            f"[{word} {media_type}, {len(data):,} bytes, which cannot be shown here]"
        )
    return ImageContent(kind, data)
