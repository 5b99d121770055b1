"""What is odd about the argument text of each call: what breaks it, and what breaks those who reuse it.

A text that is not strict gets the name of its fault; a strict one is searched for what other
clients lose: digits, spellings, halves of pairs, escapes that two fragments share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tui.core.arguments import is_high_half, is_low_half
from tui.core.parts import LiveCall
from tui.core.states import CallState
from tui.core.strictjson import NotStrict, parse_object
from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules import harm, spots
from tui.lint.rules.faults import first_fault
from tui.lint.rules.spots import Joined

_BLANKS: Final = " \t\r\n"
_SAFE_INTEGER: Final = 2**53
_LONG_RUN: Final = re.compile(r"[ \t\r\n]{200,}")
_SHOWN: Final = 40


def look(reading: Reading, notes: Notes) -> None:
    for call in reading.turn.calls:
        _call(call, notes)


def _call(call: LiveCall, notes: Notes) -> None:
    joined = Joined(call.fragments)
    whose = f"the arguments of {call.name!r:.60}"
    _joins(joined, whose, call, notes)
    if call.kind == "custom":
        for kind, words, position in harm.harmful(call.text):
            notes.add(f"args.{kind}", f"{whose} hold {words}", joined.offset_of(position))
        return
    if call.closed_at is not None and not call.text.strip(_BLANKS):
        if call.state is CallState.FINAL:
            _blank(call, whose, notes)
        return
    run = _outside_strings(call.text)
    if run is not None:
        said = f"{whose} hold {run.end() - run.start()} blanks in a row"
        notes.add("args.blank-run", said, joined.offset_of(run.start()))
    if call.state is CallState.INCOMPLETE:
        return
    fault = first_fault(call.text)
    if fault is not None:
        said = f"{whose} cannot be used: {fault.message}"
        notes.add(fault.code, said, joined.offset_of(fault.position))
        return
    if call.text != call.text.strip(_BLANKS):
        edge = len(call.text.rstrip(_BLANKS)) if call.text[:1] not in _BLANKS else 0
        notes.add("args.blanks-around", f"{whose} have blanks around", joined.offset_of(edge))
    _values(call, joined, whose, notes)
    _numbers(joined, whose, notes)


def _blank(call: LiveCall, whose: str, notes: Notes) -> None:
    if not call.fragments:
        notes.add("args.absent", f"{whose} never came; that means {{}}", call.opened_at)
    elif call.text:
        notes.add("args.blank-only", f"{whose} are blanks; that means {{}}", call.opened_at)
    else:
        notes.add("args.empty", f"{whose} are empty; that means {{}}", call.opened_at)


def _outside_strings(text: str) -> re.Match[str] | None:
    inside = list(spots.strings(text)) if _LONG_RUN.search(text) else []
    for run in _LONG_RUN.finditer(text):
        if not any(span.start < run.start() < span.end for span in inside):
            return run
    return None


def _joins(joined: Joined, whose: str, call: LiveCall, notes: Notes) -> None:
    """What stands on both sides of a join of two fragments."""
    text = joined.text
    edges = joined.boundaries
    if not edges:
        return
    inside = list(spots.strings(text)) if call.kind == "function" else []
    shared = list(spots.escapes(text)) if "\\" in text and inside else []
    for edge in edges:
        at = joined.offset_of(edge)
        if is_high_half(text[edge - 1]) and is_low_half(text[edge]):
            said = f"{whose}: two events hold one half each of a surrogate pair"
            notes.count("args.surrogate-split", said, at, call.ref)
        cut = _holder(shared, edge)
        if cut is not None and spots.is_pair(cut) and edge == cut.start + 6:
            said = f"{whose}: two fragments hold one escape each of a surrogate pair"
            notes.count("args.surrogate-split", said, at, call.ref)
        elif cut is not None:
            said = f"{whose}: a fragment ends inside the escape {text[cut.start : cut.end]!r}"
            notes.count("args.escape-cut", said, at, call.ref)
        elif (text[edge - 1] in _BLANKS or text[edge] in _BLANKS) and _holder(inside, edge):
            said = f"{whose}: a fragment begins or ends with a blank that belongs to a string"
            notes.count("args.edge-blanks", said, at, call.ref)


def _holder(spans: list[spots.Span], edge: int) -> spots.Span | None:
    """The span (of a sorted list) strictly inside of which `edge` lies."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle].end <= edge:
            low = middle + 1
        else:
            high = middle
    return spans[low] if low < len(spans) and spans[low].holds(edge) else None


def _values(call: LiveCall, joined: Joined, whose: str, notes: Notes) -> None:
    said_of: set[str] = set()
    for text in _texts(parse_object(call.text)):
        for kind, words, _ in harm.harmful(text):
            if kind not in said_of:
                said_of.add(kind)
                notes.add(f"args.{kind}", f"{whose} hold {words}", call.opened_at)
        if "nested" not in said_of and _is_document(text):
            said_of.add("nested")
            position = joined.text.find(text[:2].replace('"', '\\"'))
            said = f"{whose} hold a string that is itself JSON: {text[:_SHOWN]!r}"
            notes.add("args.nested-json", said, joined.offset_of(max(position, 0)))


def _texts(value: Any) -> Iterator[str]:
    """Every key and string of a parsed document."""
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case dict() as members:
                pending += [*members, *members.values()]
            case list() as items:
                pending += items
            case _:
                pass


def _is_document(text: str) -> bool:
    start = text.lstrip(_BLANKS)[:1]
    if start not in ("{", "[") or len(text) < len('{"":0}') - 2:
        return False
    try:
        # Wrapped, so that a list counts too.
        return parse_object(f'{{"value":{text}}}')["value"] not in ({}, [])
    except NotStrict:
        return False


def _numbers(joined: Joined, whose: str, notes: Notes) -> None:
    big: tuple[str, int] | None = None
    respelled: tuple[str, str, int] | None = None
    for literal, position in spots.numbers(joined.text):
        if literal.lstrip("-").isdigit() and abs(int(literal)) > _SAFE_INTEGER:
            big = big or (literal, position)
            continue
        other = _javascript_spelling(literal)
        if other != literal:
            respelled = respelled or (literal, other, position)
    if big is not None:
        said = f"{whose} hold the integer {big[0]:.40}, which is beyond 2^53"
        notes.add("args.big-integer", said, joined.offset_of(big[1]))
    if respelled is not None:
        said = f"{whose} hold {respelled[0]:.40}, which comes back from a parser as {respelled[1]}"
        notes.add("args.number-respelling", said, joined.offset_of(respelled[2]))


def _javascript_spelling(literal: str) -> str:
    """How a number is written after it went through a parser and a serialiser once."""
    if literal.lstrip("-").isdigit():
        return "0" if literal == "-0" else literal
    value = float(literal)
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return repr(value).replace("e-0", "e-")
