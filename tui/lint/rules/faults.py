"""Why argument text is not one strict JSON object: one code for each way models and servers break it.

Text in, the first fault out. `core.finalise` decides whether a call runs; this gives its verdict
a name that a person can look up.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from tui.core.strictjson import NotStrict, parse_object
from tui.lint.rules.spots import repeated_key

SPECIAL_TOKEN: Final = re.compile(
    r"<\|[\w /.-]{1,40}\|>|<[｜|][^<>]{1,40}[｜|]>|</s>|<end_of_turn>|<eos>|\[/?(?:INST|TOOL_CALLS)\]"
)
"""What chat templates use between messages and must never reach a client."""

_BLANKS: Final = " \t\r\n"
_SHOWN: Final = 24
_LITERAL: Final = re.compile(r"(?:None|True|False|undefined)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    code: str
    message: str
    position: int
    """Character of the argument text."""


def first_fault(text: str) -> Fault | None:
    """The first thing that keeps `text` from being one strict JSON object; None when it is one."""
    try:
        parse_object(text)
    except NotStrict as problem:
        return _named(text, problem)
    return None


def _named(text: str, problem: NotStrict) -> Fault:
    said = str(problem)
    try:
        value = json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        return _broken(text, error)
    except _NotJson as error:
        return Fault("args.nan", said, max(text.find(str(error)), 0))
    except (RecursionError, ValueError):
        value = {}
    if not isinstance(value, dict):
        if isinstance(value, str) and first_fault(value) is None:
            message = "the arguments are a JSON string that holds the object"
            return Fault("args.double-encoded", message, 0)
        return Fault("args.not-an-object", said, problem.position or 0)
    again = repeated_key(text)
    if again is not None and "stands twice" in said:
        return Fault("args.duplicate-keys", f"the key {again[0]!r} stands twice", again[1])
    if "nested" in said:
        return Fault("args.too-deep", said, problem.position or 0)
    return Fault("args.number-too-large", said, problem.position or 0)


def _broken(text: str, error: json.JSONDecodeError) -> Fault:
    at = error.pos
    near = f" (near {text[max(0, at - _SHOWN // 2) : at + _SHOWN]!r})"
    rest = text[at:]
    code, message = "args.invalid-json", f"it is not JSON: {error.msg}{near}"
    if error.msg.startswith("Extra data"):
        code, message = _extra(text, at)
    elif error.msg.startswith("Invalid control character"):
        code = "args.control-character"
        message = f"U+{ord(text[at]):04X} stands unescaped in a string{near}"
    elif error.msg.startswith("Invalid \\"):
        code, message = "args.invalid-escape", f"a backslash begins no JSON escape{near}"
    elif error.msg.startswith("Unterminated string") or not rest.strip(_BLANKS):
        code = "args.unfinished"
        message = f"the text ends in the middle of the document: {text[-_SHOWN:]!r}"
        at = len(text)
    elif not text.lstrip(_BLANKS).startswith("{"):
        code, message = _wrong_start(text)
    elif rest[:1] in "}]" or error.msg.startswith("Illegal trailing comma"):
        code, message = "args.trailing-comma", f"a comma stands before a closing bracket{near}"
    elif rest[:1] == "'" or _LITERAL.match(rest) or re.match(r"[A-Za-z_]\w*\s*:", rest):
        code, message = "args.not-json-syntax", f"it is written as another language's literal{near}"
    return Fault(code, message, at)


def _extra(text: str, at: int) -> tuple[str, str]:
    first, rest = text[:at].strip(_BLANKS), text[at:].strip(_BLANKS)
    if rest[:1] == "{":
        if rest == first:
            return "args.repeated", "the same object stands twice, one behind the other"
        return "args.two-objects", f"a second object follows: {rest[:_SHOWN]!r}"
    if SPECIAL_TOKEN.match(rest):
        return "args.special-token", f"a token of the chat template follows: {rest[:_SHOWN]!r}"
    return "args.trailing-text", f"text follows the end of the object: {rest[:_SHOWN]!r}"


def _wrong_start(text: str) -> tuple[str, str]:
    start = text.lstrip(_BLANKS)
    if start.startswith("```"):
        return "args.fenced", "the object stands in a Markdown fence"
    if start.startswith("<"):
        return "args.markup", f"the arguments are markup: {start[:_SHOWN]!r}"
    if '":' in start or start.rstrip(_BLANKS).endswith(("}", "]")):
        message = f"the beginning of the object is missing: the text starts with {start[:_SHOWN]!r}"
        return "args.first-fragment-missing", message
    return "args.not-json", f"the arguments are prose: {start[:_SHOWN]!r}"


class _NotJson(Exception):
    pass


def _constant(name: str) -> NoReturn:
    raise _NotJson(name)
