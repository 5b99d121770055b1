"""How the turn ended, and what the ending does to its calls."""

from __future__ import annotations

from tui.core import endings
from tui.core.endings import ending_of
from tui.core.events import ProviderErrorReported, StopReasonGiven
from tui.core.parts import LiveCall
from tui.core.turn import Turn
from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules.faults import first_fault

_LIMITS = (
    endings.TABLE["anthropic", "max_tokens"].words,
    endings.TABLE["openai-chat", "model_length"].words,
)
_FILTERED = endings.TABLE["openai-chat", "content_filter"].words
_REFUSED = endings.TABLE["anthropic", "refusal"].words
_PAUSED = endings.TABLE["anthropic", "pause_turn"].words


def look(reading: Reading, notes: Notes) -> None:
    if reading.refused:
        return
    turn = reading.turn
    if _error(reading, notes) or turn.damage:
        return
    if turn.stop_reason is None:
        _no_reason(reading, notes)
    else:
        _reason(turn, turn.stop_reason, _place(reading), notes)
    if turn.refusal:
        at = next((part.opened_at for part in turn.parts if part.text == turn.refusal), 0)
        notes.count("turn.refusal", "the model refused in a field of its own", at)
    if turn.outcome == "complete" and turn.stop_reason and not turn.calls:
        announced = any(found.code.endswith("calls-missing") for found in turn.findings)
        if not turn.parts and not announced:
            said = "the turn is complete, and holds neither prose nor a call"
            notes.add("turn.empty", said, _place(reading))


def _place(reading: Reading) -> int:
    """The byte at which the event with the last stop reason begins; the end when none came."""
    places = [
        step.item.start
        for step in reading.steps
        if any(isinstance(event, StopReasonGiven) for event in step.events)
    ]
    return places[-1] if places else len(reading.body)


def _error(reading: Reading, notes: Notes) -> bool:
    turn = reading.turn
    for step in reading.steps:
        for event in step.events:
            if not isinstance(event, ProviderErrorReported):
                continue
            at = step.item.start
            came = any(part.opened_at < at for part in turn.parts)
            whole = [call for call in turn.calls if _looks_whole(call, at)]
            if whole:
                said = f"an error came when {len(whole)} calls looked whole; none of them runs"
                notes.add("turn.error-after-call", said, at)
            elif came or turn.calls:
                notes.add("turn.error-in-stream", f"an error broke the turn off: {turn.error}", at)
            else:
                said = f"the stream holds nothing but an error: {turn.error}"
                notes.add("turn.error-at-once", said, at)
            return True
    return False


def _looks_whole(call: LiveCall, at: int) -> bool:
    """Whether a client that looks at the text or the marker alone would have run it by then."""
    if call.closed_at is not None:
        return call.closed_at <= at
    return bool(call.text.strip()) and first_fault(call.text) is None


def _no_reason(reading: Reading, notes: Notes) -> None:
    turn = reading.turn
    if turn.ended_at is not None:
        said = "the end marker came, and nothing said why the turn ended"
        notes.add("turn.no-ending", said, max(turn.ended_at - 1, 0))
        return
    opened = [call for call in turn.calls if call.closed_at is None]
    said = f"the body ends after {len(reading.body)} bytes, before the turn did"
    if opened:
        notes.add(
            "turn.cut-in-call",
            f"{said}, inside the call {opened[-1].name!r:.60}",
            len(reading.body),
        )
    else:
        notes.add("turn.cut", said, len(reading.body))


def _reason(turn: Turn, reason: str, at: int, notes: Notes) -> None:
    ending = ending_of(turn.dialect, reason)
    calls = f"; {len(turn.calls)} calls are not run" if turn.calls else ""
    if (turn.dialect, reason) not in endings.TABLE:
        notes.add("turn.unknown-ending", f"the stop reason {reason!r:.60} is not known{calls}", at)
    elif ending.words in _LIMITS:
        if turn.dialect == "openai-responses" and "filter" in turn.stop_detail:
            _with_calls("turn.filtered", "a content filter stopped the turn", turn, at, notes)
        else:
            _with_calls("turn.limit", f"the turn was cut: {ending.words}", turn, at, notes)
    elif ending.words == _FILTERED:
        _with_calls("turn.filtered", "a content filter stopped the turn", turn, at, notes)
    elif ending.words == _REFUSED:
        notes.count("turn.refusal", f"the provider refused to go on{calls}", at)
    elif ending.words == _PAUSED:
        notes.add("turn.paused", f"the provider paused the turn{calls}", at)
    elif ending.outcome != "complete":
        notes.add("turn.gave-up", f"the turn ended because {ending.words}{calls}", at)
    elif turn.calls and "tool" not in reason and "call" not in reason and reason != "completed":
        said = f"the stop reason is {reason!r:.40}, and the turn holds calls; they may run"
        notes.add("turn.stop-with-calls", said, at)
    elif not turn.calls and turn.dialect == "anthropic" and reason == "tool_use":
        # The Chat decoder says the same of its dialect by itself.
        notes.add("turn.calls-missing", f"the stop reason is {reason!r}, and no call came", at)


def _with_calls(code: str, said: str, turn: Turn, at: int, notes: Notes) -> None:
    if turn.calls:
        names = ", ".join(repr(call.name)[:60] for call in turn.calls[:3])
        notes.add(f"{code}-in-call", f"{said}; the calls it holds are not run: {names}", at)
    else:
        notes.add(code, said, at)
