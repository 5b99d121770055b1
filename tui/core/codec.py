"""The stored and exported form of conversation values: JSON text, one object per value.

Every object names its kind under `type` (the table below); tuples are arrays, bytes are
base64 text. Non-ASCII is escaped, so half a surrogate pair survives. Unknown fields are refused:
a newer file is not half understood.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import fields, is_dataclass
from typing import Any, Final, cast

from tui.core import conversation as c
from tui.core.errors import VerbatimError
from tui.core.states import CallState

KINDS: Final[dict[str, type]] = {
    "user": c.UserMessage,
    "assistant": c.AssistantMessage,
    "results": c.ResultsMessage,
    "text": c.TextPart,
    "thinking": c.ThinkingPart,
    "refusal": c.RefusalPart,
    "provider": c.ProviderPart,
    "call": c.CallPart,
    "image": c.ImagePart,
    "provider_item": c.ProviderItem,
    "result": c.CallResult,
    "text_content": c.TextContent,
    "json_content": c.JsonContent,
    "image_content": c.ImageContent,
    "resource_content": c.ResourceContent,
}
_NAMES: Final = {kind: name for name, kind in KINDS.items()}


class CodecError(VerbatimError):
    """A stored or imported value is not one of ours."""


def encode_message(message: c.Message) -> str:
    """The message as ASCII JSON text; `decode_message` gives an equal value back."""
    return json.dumps(_plain(message), separators=(",", ":"))


def decode_message(text: str) -> c.Message:
    """The message that `encode_message` wrote.

    Raises:
        CodecError: the text is not such a message.
    """
    value = _decoded(text)
    if not isinstance(value, c.UserMessage | c.AssistantMessage | c.ResultsMessage):
        raise CodecError(f"a stored message is {type(value).__name__}, not a message")
    return value


def encode_result(result: c.CallResult) -> str:
    """The result of one call as ASCII JSON text."""
    return json.dumps(_plain(result), separators=(",", ":"))


def decode_result(text: str) -> c.CallResult:
    """The result that `encode_result` wrote.

    Raises:
        CodecError: the text is not such a result.
    """
    value = _decoded(text)
    if not isinstance(value, c.CallResult):
        raise CodecError(f"a stored result is {type(value).__name__}, not a result")
    return value


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"type": _NAMES[type(value)], **named}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value


def _decoded(text: str) -> Any:
    try:
        return _value(json.loads(text))
    except (ValueError, TypeError, KeyError, binascii.Error) as error:
        raise CodecError(f"a stored value cannot be read: {error}") from error


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_value(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    kind = KINDS[plain["type"]]
    members = {name: _value(item) for name, item in plain.items() if name != "type"}
    if kind in (c.ImagePart, c.ImageContent):
        members["data"] = base64.b64decode(members["data"], validate=True)
    if kind is c.CallPart:
        members["state"] = CallState(members["state"])
    return cast(Any, kind)(**members)
