"""The head of a call's card in one line: state, name, and how the call came or ran, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui.app.calls.lines import Ink, Line, cells, clipped, shortened, spelled
from tui.app.calls.model import CallModel
from tui.app.calls.pace import SILENT_AFTER
from tui.app.calls.words import counted, size_words, time_words
from tui.app.states_shown import AWAITING_ANSWER, shown
from tui.core.states import CallState

LOUD_AFTER: Final = 10.0
"""Seconds from which silence is shown as a problem."""

_BARS: Final = 12
_MEASURABLE: Final = 0.1
"""Seconds below which a rate means nothing."""
_NAME: Final = 20
_WORD: Final = len("incomplete")
_ALIGNED_FROM: Final = 100
_ID_FROM: Final = 124


def state_ink(state: CallState) -> Ink:
    return Ink(shown(state).colour.removeprefix("call-"))


def head_line(model: CallModel, now: float, width: int) -> Line:
    """State and name at the left, numbers at the right; the least needed give way first."""
    state = model.state
    how = shown(state)
    ink = state_ink(state)
    word = how.word
    if state is CallState.AWAITING_APPROVAL and model.approval and model.approval.by_hand:
        word = AWAITING_ANSWER
    aligned = width >= _ALIGNED_FROM
    name = spelled(model.name)
    left: Line = [
        (f"{how.mark()} ", ink),
        (word.ljust(_WORD) if aligned else word, ink),
        ("  ", Ink.PLAIN),
        (_padded(shortened(name, max(width // 3, _NAME)), _NAME if aligned else 0), Ink.STRONG),
    ]
    if width >= _ID_FROM:
        left.append((f"  {shortened(spelled(model.call.id or 'no id'), 16)}", Ink.MUTED))
    numbers = _numbers(model, now)
    taken = sum(cells(text) for text, _ in left)
    while len(numbers) > 1 and taken + 2 + _joined(numbers) > width:
        numbers.remove(min(numbers, key=lambda number: number.rank))
    gap = width - taken - _joined(numbers)
    if gap < 1:
        return clipped(left, width)
    line = [*left, (" " * gap, Ink.PLAIN)]
    for place, number in enumerate(numbers):
        line += [("  ", Ink.PLAIN)] if place else []
        line.append((number.text, number.ink))
    return clipped(line, width)


def progress_bar(fraction: float, cells: int = 10) -> str:
    done = round(fraction * cells)
    return "█" * done + "░" * (cells - done)


@dataclass(frozen=True, slots=True)
class _Number:
    rank: int
    """The lowest gives way first."""
    text: str
    ink: Ink


def _numbers(model: CallModel, now: float) -> list[_Number]:
    """What stands at the right, in columns that are the same for every card."""
    if model.state is CallState.RUNNING:
        return _run_numbers(model, now)
    buffer, elapsed = model.call.buffer, model.elapsed(now)
    rate = int(buffer.size / elapsed) if elapsed >= _MEASURABLE else 0
    numbers = [
        _Number(1, f"{size_words(rate)}/s".rjust(10) if rate else " " * 10, Ink.MUTED),
        _Number(2, counted(buffer.count, "fragment").rjust(15), Ink.MUTED),
        _Number(4, time_words(elapsed).rjust(6), Ink.MUTED),
        _Number(5, size_words(buffer.size).rjust(8), Ink.PLAIN),
    ]
    if model.run_seconds is not None:
        numbers.insert(0, _Number(6, f"ran {time_words(model.run_seconds)}", Ink.PLAIN))
    if model.state is CallState.FORMING and not model.handle.turn.closed:
        at = model.clock.at(now)
        silence = model.pace.silence(at)
        if silence >= SILENT_AFTER:
            loud = Ink.PROBLEM if silence >= LOUD_AFTER else Ink.STRONG
            numbers.insert(0, _Number(7, f"silent {time_words(silence)}", loud))
        numbers.append(_Number(6, model.pace.live_bars(at, _BARS), Ink.FORMING))
    else:
        numbers.append(_Number(3, model.pace.whole_bars(_BARS).ljust(_BARS), Ink.MUTED))
    return numbers


def _run_numbers(model: CallModel, now: float) -> list[_Number]:
    numbers = []
    if model.progress is not None and model.progress.fraction is not None:
        fraction = model.progress.fraction
        numbers.append(_Number(1, f"{progress_bar(fraction)} {fraction:.0%}", Ink.RUNNING))
    since = now if model.running_since is None else model.running_since
    numbers.append(_Number(2, f"for {time_words(max(now - since, 0.0))}", Ink.RUNNING))
    return numbers


def _joined(numbers: list[_Number]) -> int:
    return sum(cells(each.text) for each in numbers) + 2 * max(len(numbers) - 1, 0)


def _padded(text: str, size: int) -> str:
    return text + " " * max(size - cells(text), 0)
