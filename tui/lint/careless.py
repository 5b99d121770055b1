"""Careless clients, part one: they decode the wire rightly and are careless with what it says.

Each is an honest reimplementation of one mistake that is filed against real clients again and
again. Each looks at one stream and returns its first slip, or None when it got away with it.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any, Final

from partial_json_parser import Allow, parse_json

from tui.core import events as ev
from tui.core.parts import LiveCall, LiveText
from tui.core.states import CallState
from tui.lint.mistake import Seen, Slip, as_call, shown, truth_of

_TRIED: Final = 400
"""Fragments of a call after which the parsing clients are not followed any further."""

_BLANKS: Final = " \t\r\n"


def bubble(seen: Seen) -> Slip | None:
    """Appends the arguments to the prose."""
    first = next(
        (
            placed.start
            for placed in seen.events
            if isinstance(placed.event, ev.ArgumentFragment) and placed.event.text
        ),
        None,
    )
    if first is None:
        return None
    pieces = [
        placed.event.text
        for placed in seen.events
        if isinstance(placed.event, ev.TextFragment | ev.ArgumentFragment)
    ]
    added = sum(call.buffer.length for call in seen.turn.calls)
    return Slip(
        first,
        shown(seen.turn.text),
        shown("".join(pieces)),
        f"{added} characters of half-written JSON stand in the message, and are rendered as prose",
    )


def stripped(seen: Seen) -> Slip | None:
    """Strips each fragment."""
    slips = []
    for part in seen.turn.parts:
        if not isinstance(part, LiveText | LiveCall):
            continue
        fragments = part.fragments
        careless = "".join(fragment.text.strip() for fragment in fragments)
        if careless.strip() == part.text.strip():
            continue
        first = next(f for f in fragments if f.text != f.text.strip())
        if isinstance(part, LiveCall):
            consequence = f"{part.name} would be given other text than the model wrote"
        else:
            consequence = "words run together in the message"
        slips.append(Slip(first.start, shown(part.text), shown(careless), consequence))
    return min(slips, default=None)


def first_parse(seen: Seen) -> Slip | None:
    """Runs at the first strict parse."""
    slips = []
    for call in seen.turn.calls:
        text = ""
        for fragment in call.fragments[:_TRIED]:
            text += fragment.text
            value = _strict(text)
            if isinstance(value, dict):
                if call.state is not CallState.FINAL or text.strip(_BLANKS) != call.text.strip(
                    _BLANKS
                ):
                    slips.append(
                        Slip(
                            fragment.end,
                            truth_of(call),
                            as_call(call, text),
                            _consequence(call, text),
                        )
                    )
                break
    return min(slips, default=None)


def tolerant_parse(seen: Seen) -> Slip | None:
    """Runs at the first tolerant parse that gives an object with something in it."""
    slips = []
    for call in seen.turn.calls:
        text = ""
        for fragment in call.fragments[:_TRIED]:
            text += fragment.text
            value = _tolerant(text)
            if isinstance(value, dict) and value:
                if call.state is CallState.FINAL and value == _strict(call.text):
                    break
                guessed = json.dumps(value, ensure_ascii=False)
                slips.append(
                    Slip(
                        fragment.end,
                        truth_of(call),
                        as_call(call, guessed),
                        f"{call.name} would run with what a parser guessed from "
                        f"{len(text)} of {call.buffer.length} characters",
                    )
                )
                break
    return min(slips, default=None)


def by_name(seen: Seen) -> Slip | None:
    """One buffer for each tool name."""
    for number, call in enumerate(seen.turn.calls):
        same = [other for other in seen.turn.calls[:number] if other.name == call.name]
        if same and call.buffer.length:
            owners = [*same, call]
            merged = "".join(
                placed.event.text
                for placed in seen.events
                if isinstance(placed.event, ev.ArgumentFragment)
                and placed.event.key in {owner.key for owner in owners}
            )
            return Slip(
                call.opened_at,
                "; ".join(as_call(owner, owner.text) for owner in owners),
                as_call(call, merged),
                f"{len(owners)} calls of {call.name} become one, whose arguments are "
                + ("no JSON" if _strict(merged) is None else "not what either said"),
            )
    return None


def at_the_marker(seen: Seen) -> Slip | None:
    """Runs at the end of the call, empty text as `{}`, whatever becomes of the turn."""
    slips = []
    for call in seen.turn.calls:
        if call.closed_at is None or call.state is CallState.FINAL:
            continue
        text = call.text.strip(_BLANKS) or "{}"
        if isinstance(_strict(text), dict):
            slips.append(
                Slip(call.closed_at, truth_of(call), as_call(call, text), _consequence(call, text))
            )
    return min(slips, default=None)


def rendered(seen: Seen) -> Slip | None:
    """Stores the rendered message instead of its source."""
    from markdown_it import MarkdownIt

    source = seen.turn.text
    if not source.strip():
        return None
    page = MarkdownIt("gfm-like", {"linkify": False}).render(source)
    text = html.unescape(re.sub(r"<[^>]*>", "", page)).strip("\n")
    if text == source.strip("\n"):
        return None
    first = next(part for part in seen.turn.parts if isinstance(part, LiveText) and part.text)
    return Slip(
        first.opened_at,
        shown(source),
        shown(text),
        "the next request tells the model that it said something it did not say",
    )


def round_trip(seen: Seen) -> Slip | None:
    """Parses the arguments and writes them anew."""
    for call in seen.turn.calls:
        value = _strict(call.text)
        if not isinstance(value, dict) or call.closed_at is None:
            continue
        again = json.dumps(value)
        if again != call.text:
            numbers = _numbers(again) != _numbers(call.text)
            return Slip(
                call.closed_at,
                shown(call.text),
                shown(again),
                "the history that goes back is not what the model wrote: "
                + (
                    "numbers are written otherwise"
                    if numbers
                    else "its prompt cache does not match"
                ),
            )
    return None


def _consequence(call: LiveCall, text: str) -> str:
    if call.state is CallState.FINAL:
        return f"{call.name} would run with {len(text)} of {call.buffer.length} characters"
    return f"{call.name} would run although the call is {call.state}: {call.problem}"


def _strict(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tolerant(text: str) -> Any:
    try:
        return parse_json(text, Allow.ALL)
    except Exception:  # noqa: BLE001 - it raises six kinds on text it cannot read
        return None


def _numbers(text: str) -> list[str]:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return re.findall(r"-?[0-9][0-9.eE+-]*", bare)
