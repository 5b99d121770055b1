"""JSON as it stands on the wire: reading an event's payload, and cutting exact text out of it.

`loads` gives values for the envelope. Whatever is stored, run or sent back is cut out as text
with `member_text`, because no parser returns numbers, escapes and spacing as they were.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

import orjson

MAX_DEPTH: Final = 600
"""Levels of nesting: more than arguments may have inside their envelope, and few enough for the
standard library, which runs into the interpreter's own limit when it writes and cuts out."""

_WHITESPACE = " \t\n\r"
_raw_decode = json.JSONDecoder().raw_decode


def loads(text: str) -> Any:
    """The value of a JSON text.

    orjson first; the standard library where orjson refuses half a surrogate pair, which may
    legally be cut between two events. Integers beyond 64 bits come back as floats: never use
    this for arguments that will be acted on.

    Raises:
        ValueError: the text is not JSON, or it is nested more than `MAX_DEPTH` levels deep.
    """
    value: Any
    try:
        value = orjson.loads(text)
    except (ValueError, UnicodeEncodeError):
        try:
            value = json.loads(text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(value):
        raise ValueError("nested too deeply")
    return value


def _too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            member
            for each in level
            for member in (each.values() if isinstance(each, dict) else each)
            if isinstance(member, dict | list)
        ]
        if not level:
            return False
    return bool(level)


def dumps(value: Any) -> str:
    """Compact JSON text of `value`; non-ASCII is kept, lone surrogates become escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, separators=(",", ":"))
    return text


def member_text(text: str, *path: str | int) -> str | None:
    """The exact text of the value at `path` (keys and indexes) in the JSON document `text`.

    None when there is nothing at that path. Of duplicate keys the last counts, as in `loads`.

    Raises:
        ValueError: the text is not JSON up to that place.
    """
    span = member_span(text, *path)
    return None if span is None else text[span[0] : span[1]]


def member_span(text: str, *path: str | int) -> tuple[int, int] | None:
    """Where `member_text` stands in `text`, in characters.

    Raises:
        ValueError: the text is not JSON up to that place.
    """
    position = _skip(text, 0)
    for step in path:
        found = (
            _member(text, position, step)
            if isinstance(step, str)
            else _element(text, position, step)
        )
        if found is None:
            return None
        position = found
    return position, _value_end(text, position)


def element_texts(text: str) -> Iterator[str]:
    """The exact text of each element of the JSON array `text`, in one pass over it.

    Raises:
        ValueError: the text is not JSON up to that place.
    """
    position = _element(text, _skip(text, 0), 0)
    while position is not None:
        end = _value_end(text, position)
        yield text[position:end]
        after = _skip(text, end)
        position = _skip(text, after + 1) if text.startswith(",", after) else None


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in _WHITESPACE:
        position += 1
    return position


def _value_end(text: str, position: int) -> int:
    end: int = _raw_decode(text, position)[1]
    return end


def _member(text: str, position: int, key: str) -> int | None:
    if not text.startswith("{", position):
        return None
    position = _skip(text, position + 1)
    found = None
    while text.startswith('"', position):
        name, position = scanstring(text, position + 1)
        position = _skip(text, position)
        if not text.startswith(":", position):
            raise ValueError(f"no colon after a key at character {position}")
        position = _skip(text, position + 1)
        if name == key:
            found = position
        position = _skip(text, _value_end(text, position))
        if not text.startswith(",", position):
            break
        position = _skip(text, position + 1)
    return found


def _element(text: str, position: int, index: int) -> int | None:
    if not text.startswith("[", position):
        return None
    position = _skip(text, position + 1)
    for _ in range(index):
        if text.startswith("]", position):
            return None
        position = _skip(text, _value_end(text, position))
        if not text.startswith(",", position):
            return None
        position = _skip(text, position + 1)
    return None if text.startswith("]", position) else position
