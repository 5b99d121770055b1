"""Careless with calls: parsed too early, merged under the wrong key, run too soon, written anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from typing import Any, Final

from partial_json_parser import loads as tolerant_loads

from tui.core.parts import LiveCall
from tui.core.states import CallState
from tui.lint.careless.outcome import (
    Contrast,
    Scene,
    around,
    first_difference,
    same,
    too_early,
    wrong,
)
from tui.lint.careless.wire import Delta

_SAFE: Final = 2**53
_LONGEST: Final = 20_000
"""Characters of a buffer that are parsed anew at each fragment; what is longer is not run early."""


def stripped_fragments(scene: Scene) -> Contrast | None:
    """Strips every fragment before it is joined."""
    name, mistake = "stripped-fragments", "fragments are stripped before they are joined"
    for call in scene.calls:
        stripped = "".join(fragment.text.strip() for fragment in call.fragments)
        true = "".join(fragment.text for fragment in call.fragments)
        at = first_difference(true, stripped)
        if at is None:
            continue
        offset = next(f.start for f in call.fragments if f.text != f.text.strip())
        said = f"{call.name}: {_blanks(len(true) - len(stripped))} lost"
        if _parses(true, json.loads) is not None:
            parses = _parses(stripped, json.loads) is not None
            said += ", and it still parses" if parses else ": the text no longer parses"
        return wrong(name, mistake, offset, around(true, at), around(stripped, at), said)
    return same(name, mistake) if scene.calls else None


def first_parse(scene: Scene) -> Contrast | None:
    """Runs a call as soon as its text parses."""
    mistake = "the buffer is parsed at every fragment, and the call run at the first success"

    def strictly(text: str) -> Any:
        # Cheap to see, and most fragments end elsewhere: no text without its brace parses.
        return json.loads(text) if text.rstrip().endswith("}") else None

    return _parsed_early("run-at-first-parse", mistake, scene, strictly)


def tolerant_parse(scene: Scene) -> Contrast | None:
    """The same with a parser that closes what is open."""
    mistake = (
        "a tolerant parser closes what is open, and the call is run as soon as it has a member"
    )
    return _parsed_early("run-at-tolerant-parse", mistake, scene, tolerant_loads)


def _parsed_early(
    name: str, mistake: str, scene: Scene, parse: Callable[[str], Any]
) -> Contrast | None:
    for call in scene.calls:
        buffer = ""
        for fragment in call.fragments:
            buffer += fragment.text
            if len(buffer) > _LONGEST or buffer.lstrip()[:1] not in ("", "{"):
                break
            value = _parses(buffer, parse)
            if not isinstance(value, dict) or not value:
                continue
            if call.state is CallState.FINAL and value == _parses(call.text, json.loads):
                break
            said = f"{call.name} runs with {_compact(value)}{too_early(call)}"
            return wrong(name, mistake, fragment.start, _truth(call), _compact(value), said)
    return same(name, mistake) if scene.calls else None


def keyed_by_name(scene: Scene) -> Contrast | None:
    """Collects the fragments of a call under the tool's name."""
    mistake = "fragments are collected under the tool's name"

    def key(delta: Delta, names: dict[Hashable, str]) -> Hashable:
        return names.get(delta.index, "")

    return _merged("keyed-by-tool-name", mistake, scene, key)


def keyed_by_index(scene: Scene) -> Contrast | None:
    """Chat Completions: collects the fragments of a call under its index and nothing else."""
    if scene.dialect != "openai-chat":
        return None
    mistake = "fragments are collected under their index, whatever id they carry"
    return _merged("keyed-by-index", mistake, scene, lambda delta, _: delta.index)


def _merged(
    name: str,
    mistake: str,
    scene: Scene,
    key_of: Callable[[Delta, dict[Hashable, str]], Hashable],
) -> Contrast | None:
    names: dict[Hashable, str] = {}
    owners: dict[Hashable, LiveCall] = {}
    buffers: dict[Hashable, list[str]] = {}
    mixed: tuple[int, Hashable, LiveCall, LiveCall] | None = None
    for delta in scene.deltas:
        if delta.what == "open":
            names[delta.index] = delta.name
        if delta.what != "fragment" or not delta.text:
            continue
        key = key_of(delta, names)
        buffers.setdefault(key, []).append(delta.text)
        owner = scene.owners.get((delta.offset, delta.text))
        if owner is None:
            continue
        before = owners.setdefault(key, owner)
        if mixed is None and before is not owner:
            mixed = (delta.offset, key, before, owner)
    if mixed is None:
        return same(name, mistake) if scene.calls else None
    at, key, one, other = mixed
    text = "".join(buffers[key])
    said = f"two calls ({one.name}, {other.name}) become one text"
    said += ", and it runs" if _parses(text, json.loads) is not None else ", which does not parse"
    return wrong(name, mistake, at, f"{one.text} | {other.text}", text, said)


def run_at_marker(scene: Scene) -> Contrast | None:
    """Runs a call when its block ends, without waiting for the end of the turn."""
    name, mistake = "run-at-marker", "a call is run when its block ends, not when its turn has"
    for call in scene.calls:
        if call.state is CallState.FINAL or call.closed_at is None:
            continue
        value = _parses(call.text, json.loads) if call.text.strip() else {}
        if not isinstance(value, dict):
            continue
        said = f"{call.name} runs{too_early(call)}"
        return wrong(name, mistake, call.closed_at - 1, _truth(call), _compact(value), said)
    return same(name, mistake) if scene.calls else None


def round_trip(scene: Scene) -> Contrast | None:
    """Sends parsed arguments back, as a client in JavaScript writes them."""
    name, mistake = "json-round-trip", "arguments are parsed, and written anew when they go back"
    for call in scene.calls:
        if call.state is not CallState.FINAL or call.kind == "custom" or not call.text.strip():
            continue
        again = _written_anew(call.text)
        at = first_difference(call.text, again)
        if at is None:
            continue
        offset = _offset(call, at)
        said = "the model's words come back in another spelling, and its prompt cache misses"
        if _parses(call.text, json.loads) != _parses(again, json.loads):
            said = "the model reads other values than it wrote"
        return wrong(name, mistake, offset, around(call.text, at), around(again, at), said)
    return same(name, mistake) if scene.calls else None


def _written_anew(text: str) -> str:
    def number(literal: str) -> int | float:
        value = float(literal)
        # A double that is whole is written without a point, as JavaScript does.
        return int(value) if value.is_integer() and abs(value) < 1e21 else value

    def integer(literal: str) -> int | float:
        exact = int(literal)
        return exact if abs(exact) <= _SAFE else number(literal)

    value = json.loads(text, parse_int=integer, parse_float=number)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _offset(call: LiveCall, position: int) -> int:
    at = call.opened_at
    for fragment in call.fragments:
        if position < 0:
            break
        at = fragment.start
        position -= len(fragment.text)
    return at


def _blanks(number: int) -> str:
    return "1 blank is" if number == 1 else f"{number} blanks are"


def _truth(call: LiveCall) -> str:
    return f"{call.state}: {call.text}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _parses(text: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text)
    except Exception:  # noqa: BLE001 - a careless client swallows whatever its parser raises
        return None
