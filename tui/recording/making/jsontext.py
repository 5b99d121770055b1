"""One value of an event's JSON text changed, the rest of the text left as it was.

Spacing, the order of members and the spelling of numbers are part of what a stream is; rewriting
an event through a parser would lose them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tui.core import wirejson

Path = Sequence[str | int]


def has(text: str, path: Path) -> bool:
    """Whether the document `text` holds anything at `path`; False when it is no JSON."""
    try:
        return wirejson.member_span(text, *path) is not None
    except ValueError:
        return False


def value_at(text: str, path: Path) -> Any:
    """The value at `path`; None when there is none."""
    try:
        found = wirejson.member_text(text, *path)
        return None if found is None else json.loads(found)
    except ValueError:
        return None


def put(text: str, path: Path, value: str) -> str:
    """`text` with the JSON text `value` at `path`; a member that is not there yet is added last.

    Raises:
        KeyError: what should hold it is not there, or is an array without that place.
    """
    span = wirejson.member_span(text, *path)
    if span is not None:
        return text[: span[0]] + value + text[span[1] :]
    members = _members(text, path)
    members[str(path[-1])] = value
    return _with_members(text, path, members)


def without(text: str, path: Path) -> str:
    """`text` without the object member at `path`; unchanged where there is none."""
    if not has(text, path):
        return text
    members = _members(text, path)
    members.pop(str(path[-1]), None)
    return _with_members(text, path, members)


def spelled(value: str, *, ascii_only: bool) -> str:
    """A JSON string; half a surrogate pair is always an escape."""
    if ascii_only:
        return json.dumps(value)
    text = json.dumps(value, ensure_ascii=False)
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def is_ascii_spelling(text: str, path: Path) -> bool:
    """Whether the string at `path` says with escapes what could have stood there as it is.

    Half a surrogate pair could not, so it says nothing of how the server spells.
    """
    literal = wirejson.member_text(text, *path) or ""
    value = str(value_at(text, path))
    return literal.isascii() and any(
        char > "\x7f" and not "\ud800" <= char <= "\udfff" for char in value
    )


def _members(text: str, path: Path) -> dict[str, str]:
    holder = wirejson.member_text(text, *path[:-1])
    parsed = json.loads(holder) if holder is not None else None
    if not isinstance(parsed, dict) or not isinstance(path[-1], str):
        raise KeyError(".".join(map(str, path)))
    return {name: wirejson.member_text(holder or "", name) or "null" for name in parsed}


def _with_members(text: str, path: Path, members: dict[str, str]) -> str:
    span = wirejson.member_span(text, *path[:-1])
    if span is None:
        raise KeyError(".".join(map(str, path)))
    holder = text[span[0] : span[1]]
    comma, colon = (", ", ": ") if '": ' in holder else (",", ":")
    inner = comma.join(f"{json.dumps(name)}{colon}{value}" for name, value in members.items())
    return f"{text[: span[0]]}{{{inner}}}{text[span[1] :]}"
