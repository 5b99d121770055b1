"""What is odd about the calls as such: their ids, names and places, whatever their arguments say."""

from __future__ import annotations

from tui.core.parts import UNKNOWN_EVENT, LiveCall, LiveProviderItem, LiveText, LiveThinking
from tui.core.states import CallState
from tui.core.strictjson import NotStrict, parse_object
from tui.core.turn import Turn
from tui.lint.notes import Notes
from tui.lint.reading import Reading


def look(reading: Reading, notes: Notes) -> None:
    turn = reading.turn
    seen_ids: set[tuple[int, str]] = set()
    seen: set[tuple[int, str, str]] = set()
    for call in turn.calls:
        whose = f"the call {call.name!r:.60}"
        if call.id is not None and (call.choice, call.id) in seen_ids:
            said = f"{whose} has the id {call.id!r:.60} of a call before it"
            notes.add("call.id-duplicated", said, call.opened_at)
        elif call.id is not None:
            seen_ids.add((call.choice, call.id))
        what = (call.choice, call.name, call.text)
        if what in seen and call.text.strip():
            said = f"{whose} stands twice in this turn, with the same arguments"
            notes.add("call.same-twice", said, call.opened_at)
        seen.add(what)
        _state(call, whose, notes)
    _places(turn, notes)


def _state(call: LiveCall, whose: str, notes: Notes) -> None:
    at = call.opened_at
    if call.contradiction:
        notes.add("call.contradicted", f"{whose} is invalid: {call.contradiction}", at)
    elif call.suspicion:
        notes.add("call.under-suspicion", f"{whose} is held back: {call.suspicion}", at)
    elif call.state is CallState.INVALID and not call.name:
        notes.add("call.nameless", "a call never got a name", at)
    elif call.state is CallState.INVALID and call.misfit is not None and _is_strict(call.text):
        code = "call.schema-misfit"
        if "there is no tool named" in call.problem:
            code = "call.unknown-tool"
        notes.add(code, f"{whose} is invalid: {call.problem}", at)
    elif call.state is CallState.INCOMPLETE and call.closed_at is None:
        said = f"{whose} never came to its end: {call.buffer.length} characters of arguments came"
        notes.add("call.unclosed", said, at)


def _is_strict(text: str) -> bool:
    try:
        parse_object(text)
    except NotStrict:
        return not text.strip()
    return True


def _places(turn: Turn, notes: Notes) -> None:
    """Calls among the other parts of the turn."""
    first = turn.calls[0] if turn.calls else None
    for part in turn.parts:
        if isinstance(part, LiveProviderItem):
            if part.title == UNKNOWN_EVENT:
                notes.count("turn.unknown-event", f"an event {part.kind!r:.60}", part.opened_at)
            elif "tool" in part.kind or part.kind.endswith(("_call", "_call_output")):
                said = f"the provider ran {part.title or part.kind!r:.60} itself"
                notes.count("turn.provider-tools", said, part.opened_at)
        if first is None:
            continue
        if isinstance(part, LiveText) and part.choice == first.choice:
            late = [f for f in part.fragments if f.start > first.opened_at and f.text]
            if late:
                notes.add("text.after-call", "prose came after a call had begun", late[0].start)
        elif isinstance(part, LiveThinking):
            signed = " and is signed" if part.signature else ""
            said = f"thinking goes with calls{signed}: it has to be sent back as it came"
            notes.count("turn.thinking-with-calls", said, part.opened_at)
    others = {part.choice for part in turn.parts} - {0}
    if others:
        said = f"the response has {len(others) + 1} choices; only calls of the first can run"
        at = next(part.opened_at for part in turn.parts if part.choice in others)
        notes.add("turn.several-choices", said, at)
