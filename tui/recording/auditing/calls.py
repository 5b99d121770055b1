"""Kinds about calls: how many there are, what their argument text holds, where it is cut."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tui.core.parts import LiveCall, LiveProviderItem, LiveText
from tui.core.states import CallState
from tui.core.strictjson import NotStrict, parse_object
from tui.recording.auditing.kind import Kind
from tui.recording.auditing.seen import Seen

_LONG: Final = 400
"""Characters: enough for every provider to send several fragments."""
_ESCAPE_BEGUN: Final = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9A-Fa-f]{0,3})?)$")
_NUMBER: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', re.DOTALL)
_EXACT: Final = 2**53


def _any_call(test: Callable[[LiveCall], bool]) -> Callable[[Seen], bool]:
    return lambda seen: any(test(call) for call in seen.calls)


def _any_cut(test: Callable[[str, str], bool]) -> Callable[[Seen], bool]:
    return lambda seen: any(
        test(before, after) for call in seen.calls for before, after in seen.cuts(call)
    )


def _two(seen: Seen) -> bool:
    return sum(call.state is CallState.FINAL for call in seen.calls) >= 2


def _same_tool(seen: Seen) -> bool:
    return any(count > 1 for count in Counter(call.name for call in seen.calls).values())


def _interleaved(seen: Seen) -> bool:
    spans = [
        (pieces[0].start, pieces[-1].start)
        for call in seen.calls
        if len(pieces := [piece for piece in call.fragments if piece.text]) > 1
    ]
    return any(a[0] < b[0] < a[1] for a in spans for b in spans)


def _fragmented(call: LiveCall) -> bool:
    return call.buffer.length >= _LONG and len(call.fragments) >= 10


def _in_one_piece(call: LiveCall) -> bool:
    return call.buffer.length > 2 and sum(bool(piece.text) for piece in call.fragments) == 1


def _place(seen: Seen, *, before: bool) -> bool:
    places = [place for place, part in enumerate(seen.turn.parts) if isinstance(part, LiveCall)]
    prose = [
        place
        for place, part in enumerate(seen.turn.parts)
        if isinstance(part, LiveText) and part.text.strip()
    ]
    if not places or not prose:
        return False
    return min(prose) < min(places) if before else max(prose) > min(places)


def _strict_problem(call: LiveCall) -> str:
    try:
        parse_object(call.text)
    except NotStrict as problem:
        return str(problem)
    return ""


def _invalid(call: LiveCall) -> bool:
    return call.state is CallState.INVALID and not _lenient(call.text)


def _lenient(text: str) -> bool:
    """Whether an ordinary parser takes the text."""
    try:
        json.loads(text, strict=True)
    except ValueError:
        return False
    return True


def _duplicate_keys(call: LiveCall) -> bool:
    found: list[bool] = []

    def pairs(members: list[tuple[str, Any]]) -> None:
        found.append(len({name for name, _ in members}) < len(members))

    try:
        json.loads(call.text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return any(found)


def _not_an_object(call: LiveCall) -> bool:
    return _lenient(call.text) and not call.text.lstrip().startswith("{")


def _text_behind(call: LiveCall) -> bool:
    """One whole value with something after it."""
    try:
        _, end = json.JSONDecoder().raw_decode(call.text.lstrip())
    except (ValueError, RecursionError):
        return False
    return bool(call.text.lstrip()[end:].strip())


def _numbers(call: LiveCall) -> list[str]:
    return [match[1] for match in _NUMBER.finditer(call.text) if match[1]]


def _respelled(text: str) -> bool:
    """Whether a reader that makes doubles of numbers would write `text` otherwise."""
    number = float(text)
    if math.isinf(number):
        return True
    return text != (
        str(int(number)) if number.is_integer() and abs(number) < 1e21 else repr(number)
    )


def _nested(call: LiveCall) -> bool:
    try:
        document = parse_object(call.text)
    except NotStrict:
        return False
    return any(
        isinstance(value, str) and value[:1] in ("{", "[") and _lenient(value)
        for value in document.values()
    )


def _spaced(call: LiveCall) -> bool:
    """Whether writing the parsed document compactly, as JavaScript does, changes the text."""
    try:
        document = parse_object(call.text)
    except NotStrict:
        return False
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) != call.text


KINDS: Final = (
    Kind(
        "calls.two",
        "only the first call of a turn is run, or the last one overwrites the others",
        _two,
        "from-json A.json B.json --name ONE --name TWO --dialect D -o OUT",
    ),
    Kind(
        "calls.same-tool",
        "calls are told apart by the name of their tool, and two to one tool become one",
        _same_tool,
        "from-json A.json B.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.interleaved",
        "fragments are appended to the call that came last, whichever they name",
        _interleaved,
        "interleave FILE -o OUT",
    ),
    Kind(
        "calls.fragmented",
        "arguments are parsed from one event, or rebuilt at a cost that grows with their length",
        _any_call(_fragmented),
        "from-json LONG.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.in-one-piece",
        "a call is opened by one event and its arguments are looked for in later ones only",
        _any_call(_in_one_piece),
        "refragment FILE --whole -o OUT",
    ),
    Kind(
        "calls.no-arguments",
        "an empty argument text is an error, or the call never ends",
        lambda seen: any(
            call.state is CallState.FINAL and not call.text.strip() for call in seen.calls
        ),
        "from-json --call TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.prose-before",
        "prose is lost, or the call is shown before it",
        lambda seen: _place(seen, before=True),
        "from-json A.json --name TOOL --before TEXT --dialect D -o OUT",
    ),
    Kind(
        "calls.prose-after",
        "everything behind the first call is taken for arguments, or joined to the prose before",
        lambda seen: _place(seen, before=False),
        "from-json A.json --name TOOL --after TEXT --dialect D -o OUT",
    ),
    Kind(
        "calls.invalid-json",
        "what the model got wrong is repaired by guess and run, or the client crashes",
        _any_call(_invalid),
        "from-json BAD.json --invalid --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.duplicate-keys",
        "of two values under one key the last is run, though the person approved the first",
        _any_call(_duplicate_keys),
        'from-json --call \'TOOL={"a":1,"a":2}\' --invalid --dialect D -o OUT',
    ),
    Kind(
        "calls.not-an-object",
        "an array or a bare string reaches a tool that expects named arguments",
        _any_call(_not_an_object),
        "from-json --call 'TOOL=[1]' --invalid --dialect D -o OUT",
    ),
    Kind(
        "calls.text-behind",
        "the parser stops at the first whole value and drops what follows it",
        _any_call(_text_behind),
        "from-json --call 'TOOL={}{\"a\":1}' --invalid --dialect D -o OUT",
    ),
    Kind(
        "calls.number-respelled",
        "1.0 or 1e2 goes back to the provider as 1 or 100: the history is not what it wrote",
        _any_call(lambda call: any(map(_respelled, _numbers(call)))),
        "from-json --call 'TOOL={\"a\":1.0}' --dialect D -o OUT",
    ),
    Kind(
        "calls.big-integer",
        "an integer beyond 2^53 is rounded, and the tool gets another customer's number",
        _any_call(
            lambda call: any(
                text.lstrip("-").isdigit() and abs(int(text)) > _EXACT for text in _numbers(call)
            )
        ),
        "from-json --call 'TOOL={\"a\":90071992547409931}' --dialect D -o OUT",
    ),
    Kind(
        "calls.spacing",
        "arguments are parsed and written anew before they are stored or sent back",
        _any_call(_spaced),
        "from-json PRETTY.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.nested-json",
        "a string that holds JSON is parsed as if it were a value, or unescaped twice",
        _any_call(_nested),
        "from-json NESTED.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.escapes",
        "escapes of the argument text are resolved too early, with those of the event",
        _any_call(lambda call: "\\" in call.text),
        "from-json ESCAPES.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.non-ascii",
        "argument text is decoded as Latin-1, or counted in bytes where characters are meant",
        _any_call(lambda call: not call.text.isascii()),
        "from-json UNICODE.json --name TOOL --dialect D -o OUT",
    ),
    Kind(
        "calls.escape-split",
        "each fragment is unescaped alone, and a backslash at its end is lost",
        _any_cut(lambda before, _: bool(_ESCAPE_BEGUN.search(before))),
        "refragment FILE --in-escapes -o OUT",
    ),
    Kind(
        "calls.surrogate-escape-split",
        r"\ud83d at the end of one fragment becomes U+FFFD before \ude80 comes",
        _any_cut(
            lambda before, after: bool(
                re.search(r"\\u[dD][89abAB][0-9a-fA-F]{2}(\\(u[0-9a-fA-F]{0,3})?)?$", before)
                and re.match(r"[\\u0-9a-fA-F]", after)
            )
        ),
        "refragment FILE --size 6 --in-escapes -o OUT",
    ),
    Kind(
        "calls.pair-split",
        "half a surrogate pair, cut between two events, cannot be encoded and raises",
        _any_cut(lambda before, _: "\ud800" <= before[-1:] <= "\udbff"),
        "refragment FILE --in-pairs -o OUT",
    ),
    Kind(
        "calls.run-by-provider",
        "a call that the provider ran itself is run again by the client",
        lambda seen: any(
            isinstance(part, LiveProviderItem) and ("tool" in part.kind or "call" in part.kind)
            for part in seen.turn.parts
        ),
        "edit FILE --path content_block.type --json '\"server_tool_use\"' -o OUT",
    ),
)
