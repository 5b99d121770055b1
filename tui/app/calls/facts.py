"""The few lines below the head of an open card: identity, why, where, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tui.app.calls.lines import (
    Ink,
    Line,
    clipped,
    clipped_tail,
    flowed,
    shortened,
    spelled,
    wrapped,
)
from tui.app.calls.model import WAITING_STATES, CallModel
from tui.app.calls.raw import fault_position
from tui.app.calls.words import counted, time_words
from tui.app.states_shown import shown
from tui.core.scanner import FrontierKind
from tui.core.states import CallState

SHORT_DIGEST: Final = 12
LAST_CHARACTERS: Final = 80
_AROUND: Final = 24
"""Characters shown on each side of a fault."""
_MOST_LINES: Final = 4
_LABEL: Final = 7

_EXPECTED: Final = {
    FrontierKind.START: "nothing has come yet",
    FrontierKind.KEY: "a key comes next",
    FrontierKind.AFTER_KEY: "a colon comes next",
    FrontierKind.VALUE: "a value comes next",
    FrontierKind.STRING: "in a string",
    FrontierKind.NUMBER: "in a number",
    FrontierKind.LITERAL: "in a word",
    FrontierKind.AFTER_VALUE: "a comma or a closing bracket comes next",
    FrontierKind.DONE: "the outermost bracket is closed; only the marker ends the call",
    FrontierKind.BROKEN: "not JSON any more",
}


def fact_lines(
    model: CallModel, now: float, width: int, *, whole_digest: bool = False
) -> list[Line]:
    """At most about a dozen lines; while the call forms always the same number or more."""
    lines = [_identity(model, width)]
    state = model.state
    if model.forming:
        lines.append(_where(model, width))
    else:
        lines += _text_kept(model, width, whole_digest)
    problem = model.problem
    if problem:
        ink = Ink.PROBLEM if state is not CallState.FORMING else Ink.PLAIN
        lines += _labelled("why", spelled(problem), width, ink)
    lines += _fault(model, width)
    if state is CallState.INCOMPLETE:
        lines += _what_came(model, width)
    if model.call.other_text is not None:
        lines += _contradiction(model, width)
    if state is CallState.RUNNING and model.progress is not None and model.progress.text:
        lines.append(_label("report", [(spelled(model.progress.text), Ink.RUNNING)], width))
    if model.ran is not None and state is not CallState.RUNNING:
        words = f"{time_words(model.ran.seconds)}; 5 shows the result"
        if model.ran.traceback:
            words += " and the traceback"
        lines.append(_label("ran", [(words, Ink.MUTED)], width))
    if _by_hand(model):
        words = "written by hand; no tool gave it"
        lines.append(_label("answer", [(words, Ink.STRONG)], width))
    if model.edited is not None:
        words = "the arguments were edited before the run; 6 shows the difference"
        lines.append(_label("edited", [(words, Ink.STRONG)], width))
    return lines


def _label(label: str, pieces: Sequence[tuple[str, str]], width: int) -> Line:
    return clipped([(label.ljust(_LABEL), Ink.MUTED), *pieces], width)


def _labelled(label: str, text: str, width: int, ink: Ink) -> list[Line]:
    rows = wrapped([text], max(width - _LABEL, 10))
    if len(rows) > _MOST_LINES:
        rows = [*rows[: _MOST_LINES - 1], shortened(rows[_MOST_LINES - 1], width - 12) + " …"]
    return [_label(label if not at else "", [(row, ink)], width) for at, row in enumerate(rows)]


def _identity(model: CallModel, width: int) -> Line:
    call = model.call
    identity = spelled(call.id) if call.id is not None else "no id came"
    kind = ", free text" if model.is_text else ""
    return _label("id", [(identity, Ink.PLAIN), (f"  {call.ref}{kind}", Ink.MUTED)], width)


def _where(model: CallModel, width: int) -> Line:
    if model.state is CallState.CLOSED:
        words = "nothing runs before the turn ends"
        return _label("at", [("the end; ", Ink.MUTED), (words, Ink.FORMING)], width)
    view = model.view
    if view is None:
        return _label("at", [("free text, as it comes", Ink.MUTED)], width)
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{spelled(step)}" for step in view.path()
    ).lstrip(".")
    where = clipped_tail(path, max(width // 2, 10))
    expected = _EXPECTED[view.kind]
    if view.kind in (FrontierKind.STRING, FrontierKind.NUMBER):
        expected += f", {counted(view.raw_chars, 'character')} so far"
    return _label("at", [(f"{where}  " if where else "", Ink.KEY), (expected, Ink.MUTED)], width)


def _text_kept(model: CallModel, width: int, whole: bool) -> list[Line]:
    digest = model.digest if whole else model.digest[:SHORT_DIGEST]
    size = counted(model.call.buffer.length, "character")
    groups: list[Line] = [[(digest, Ink.PLAIN), (f"  SHA-256 of {size}  ", Ink.MUTED)]]
    run = "what will run" if model.state in WAITING_STATES else "what was run"
    run = "what runs" if model.state is CallState.RUNNING else run
    if model.state in (CallState.UNKNOWN, CallState.CANCELLED):
        run = "what was started"
    # Of a call read back it is not known whether its start came before its cancelling.
    unrun = model.state is CallState.CANCELLED and model.running_since is None
    unrun = unrun or model.state is CallState.DENIED
    if unrun or model.edited is not None or _by_hand(model):
        pass
    elif model.dispatched_unchanged:
        groups.append([(f"= {run}  ", Ink.DONE)])
    elif model.dispatched_unchanged is False:
        groups.append([(f"≠ {run}  ", Ink.PROBLEM)])
    if model.sent_back:
        groups.append([("= sent back byte for byte", Ink.DONE)])
    elif model.sent_back is False:
        groups.append([("≠ what was sent back", Ink.PROBLEM)])
    rows = flowed(groups, max(width - _LABEL, 10))
    return [_label("" if place else "text", row, width) for place, row in enumerate(rows)]


def _by_hand(model: CallModel) -> bool:
    """Whether the answer to a call came from a person, who may have let it run or not."""
    answered = model.state in (CallState.RETURNED, CallState.FAILED)
    return answered and model.result is not None and model.result.origin == "person"


def _fault(model: CallModel, width: int) -> list[Line]:
    position = fault_position(model)
    if position is None:
        return []
    raw = model.raw
    before = spelled(raw[max(position - _AROUND, 0) : position])
    at = spelled(raw[position : position + 1]) or "end of the text"
    after = spelled(raw[position + 1 : position + 1 + _AROUND])
    lines = []
    if model.forming and model.view is not None and model.view.fault is not None:
        words = f"not JSON from character {position:,} on: {model.view.fault.reason}"
        lines += _labelled("fault", spelled(words), width, Ink.PROBLEM)
    pieces: list[tuple[str, str]] = [
        (f"character {position:,}:  ", Ink.MUTED),
        ("…" if position > _AROUND else "", Ink.MUTED),
        (before, Ink.PLAIN),
        ("▶", Ink.MARK),
        (at, Ink.FAULT),
        ("◀", Ink.MARK),
        (after, Ink.PLAIN),
    ]
    lines.append(_label("" if lines else "fault", pieces, width))
    return lines


def _what_came(model: CallModel, width: int) -> list[Line]:
    buffer = model.call.buffer
    amount = f"{counted(buffer.length, 'character')} in {counted(buffer.count, 'fragment')}"
    if not buffer.length:
        return [_label("came", [(f"{amount}: nothing at all", Ink.MUTED)], width)]
    last = spelled(buffer.tail(LAST_CHARACTERS))
    words = f"{amount}; the last {min(buffer.length, LAST_CHARACTERS)}:"
    rows = _labelled("", last, width, Ink.PLAIN)
    return [_label("came", [(words, Ink.MUTED)], width), *rows]


def _contradiction(model: CallModel, width: int) -> list[Line]:
    raw, other = model.raw, model.call.other_text or ""
    at = next(
        (n for n, (one, two) in enumerate(zip(raw, other, strict=False)) if one != two),
        min(len(raw), len(other)),
    )
    rows = [
        (f"the fragments give {counted(len(raw), 'character')}, the end of the call says ", raw),
        (f"{counted(len(other), 'character')}; they differ from character {at:,} on", other),
    ]
    lines = _labelled("other", "".join(words for words, _ in rows), width, Ink.PROBLEM)
    for word, text in (("came", raw), ("said", other)):
        shown_text = spelled(text[max(at - _AROUND, 0) : at + _AROUND])
        lines.append(_label("", [(f"{word}: ", Ink.MUTED), (shown_text, Ink.PLAIN)], width))
    return lines


def one_line(model: CallModel) -> str:
    """A call in a list of calls that wait: its name and the beginning of its text."""
    beginning = "".join(fragment.text for fragment in model.fragments[:40])[:200]
    return f"{shown(model.state).mark()} {spelled(model.name)}  {spelled(beginning)}"
