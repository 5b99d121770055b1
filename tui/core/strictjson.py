"""Strict JSON: is this text exactly one RFC 8259 object, and if not, why, in plain words.

Used once per call, after the marker and the turn's ending. It closes nothing, repairs nothing
and guesses nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

MAX_DEPTH: Final = 500
"""Nesting beyond this is refused: parsers give up between 200 and 1,000, each somewhere else."""

MAX_INTEGER_DIGITS: Final = 4300
"""CPython's own limit for reading integers (`sys.set_int_max_str_digits`)."""

_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_EXCERPT = 20


class NotStrict(Exception):
    """The text is not one strict JSON object. `str()` is the reason; `position` in characters."""

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason)
        self.position = position


def parse_object(text: str) -> dict[str, Any]:
    """The value of `text`, which must be one JSON object with blanks at most around it.

    Integers are exact whatever their size up to `MAX_INTEGER_DIGITS`; half a surrogate pair
    written as an escape is kept.

    Raises:
        NotStrict: anything else, duplicate keys, NaN and Infinity included.
    """
    _check_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
    except json.JSONDecodeError as error:
        raise _translated(text, error) from None
    except RecursionError:
        raise NotStrict(f"it is nested more than {MAX_DEPTH} levels deep") from None
    if not isinstance(value, dict):
        raise NotStrict(f"it is {_kind(value)}, but arguments are one JSON object", 0)
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = match[0][0]
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotStrict(f"it is nested more than {MAX_DEPTH} levels deep", match.start())
        elif mark in "]}":
            depth -= 1


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise NotStrict(f"the key {key!r} stands twice in one object")
        members[key] = value
    return members


def _no_constant(name: str) -> NoReturn:
    raise NotStrict(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise NotStrict(f"the number {text[:_EXCERPT]} is larger than a tool can be given")
    return value


def _bounded(text: str) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise NotStrict(f"an integer of {len(text)} digits is longer than a tool can be given")
    return int(text)


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case _:
            return "an array"


_REASONS: Final = {
    "Extra data": "more text follows after the end of the object",
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Illegal trailing comma before end of object": "a comma stands before the closing brace",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
    "Expecting ':' delimiter": "a colon is missing after a key",
    "Expecting ',' delimiter": "a comma or the end of the object or array is missing",
    "Invalid control character at": "a control character stands unescaped in a string",
    "Unterminated string starting at": "a string is never closed",
    "Invalid \\escape": "a backslash begins no JSON escape",
    "Invalid \\uXXXX escape": "a \\u escape lacks its four hexadecimal digits",
}


def _translated(text: str, error: json.JSONDecodeError) -> NotStrict:
    reason = next(
        (words for start, words in _REASONS.items() if error.msg.startswith(start)), error.msg
    )
    excerpt = text[max(0, error.pos - _EXCERPT // 2) : error.pos + _EXCERPT]
    place = f"at character {error.pos} (near {excerpt!r})" if excerpt else "at its end"
    return NotStrict(f"it is not valid JSON: {reason} {place}", error.pos)
