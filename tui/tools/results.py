"""From any Python value a tool returns to content that a model can be sent.

Nothing is guessed from text: a string stays a string. Bytes are an image when their first bytes
say so. What has no JSON form is an error that names the type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import (
    ImageContent,
    JsonContent,
    ResourceContent,
    ResultContent,
    TextContent,
)
from tui.tools.contract import ToolOutcome

_CONTENT: Final = (
    bytes, bytearray, Path, TextContent, JsonContent, ImageContent, ResourceContent,
)  # fmt: skip
"""What makes a list a list of contents rather than one JSON value."""
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_HEX_SHOWN: Final = 64
NOTHING: Final = TextContent("Done. The tool returned nothing.")


def to_outcome(value: Any) -> ToolOutcome:
    """Content for whatever a function returned.

    Raises:
        TypeError: there is no way to write it down.
        OSError: it is the path of an image that cannot be read.
    """
    if isinstance(value, ToolOutcome):
        return value
    return ToolOutcome(to_content(value))


def to_content(value: Any) -> tuple[ResultContent, ...]:
    """None, text, bytes, a path, content, anything with a JSON form, or a list mixing them.

    Raises:
        TypeError, OSError: as `to_outcome`.
    """
    match value:
        case None:
            return (NOTHING,)
        case TextContent() | JsonContent() | ImageContent() | ResourceContent():
            return (value,)
        case str():
            # Not `value` itself: a subclass (a member of a string enum) must not travel on.
            return (TextContent(str.__str__(value)),)
        case bytes() | bytearray() | memoryview():
            return (_from_bytes(bytes(value)),)
        case Path():
            return (_from_path(value),)
        case list() | tuple() if _is_mixed(value):
            return tuple(part for item in value for part in to_content(item)) or (NOTHING,)
        case _:
            return (JsonContent(to_json(value)),)


def image_type(data: bytes) -> str | None:
    """The media type by the first bytes; only the four types that every provider takes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)


def to_json(value: Any) -> str:
    """JSON text of a value: dataclasses, pydantic models, dates, enums, sets included.

    NaN and Infinity, which JSON lacks, become strings.

    Raises:
        TypeError: it has no JSON form.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        pass  # Not plain: pydantic knows more types, and says better what is wrong.
    import pydantic_core

    try:
        try:
            raw = pydantic_core.to_json(value, inf_nan_mode="strings", bytes_mode="base64")
            return raw.decode("utf-8")
        except pydantic_core.PydanticSerializationError:
            # It refuses half a surrogate pair, which `json` writes.
            plain = pydantic_core.to_jsonable_python(value, bytes_mode="base64")
            return json.dumps(plain, ensure_ascii=False, allow_nan=False)
    except (pydantic_core.PydanticSerializationError, ValueError, RecursionError) as error:
        raise TypeError(
            f"the returned {type(value).__name__} cannot be written as JSON: {error}"
        ) from error


def _is_mixed(items: Iterable[Any]) -> bool:
    return any(isinstance(item, _CONTENT) for item in items)


def _from_bytes(data: bytes) -> ResultContent:
    kind = image_type(data)
    if kind is not None:
        return ImageContent(kind, data)
    head = data[:_HEX_SHOWN].hex(" ")
    more = " …" if len(data) > _HEX_SHOWN else ""
    return TextContent(f"[{len(data):,} bytes that are no image, beginning: {head}{more}]")


def _from_path(path: Path) -> ResultContent:
    """An image is sent as one; of any other file the model is told the path."""
    if path.is_file():
        with path.open("rb") as file:
            if image_type(file.read(16)) is not None:
                file.seek(0)
                return _from_bytes(file.read())
    return TextContent(str(path))
