"""The scrubber in two lines: where in the turn the screen is, and what stands at that place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tui.app.calls.lines import Ink, Line, cells, clipped, justified, spelled, width_of
from tui.app.wire.events import kind_of
from tui.app.wire.meaning import is_trouble, meaning_of
from tui.app.wire.timeline import Timeline
from tui.core.turn import Turn

TICKS: Final = {"open": "┬", "close": "┴", "end": "┤"}
_RANKS: Final = ("end", "open", "close")
HERE: Final = "█"
SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)


def bar(timeline: Timeline, ticks: Sequence[tuple[int, str]], width: int) -> Line:
    """The line of the turn: `━` what had come, `─` what had not, ticks, and the place."""
    last = max(timeline.last, 1)
    width = max(width, 1)
    glyphs = [
        "━" if cell_position(cell, last, width) <= timeline.position else "─"
        for cell in range(width)
    ]
    for kind in reversed(_RANKS):
        for place, each in ticks:
            if each == kind:
                glyphs[position_cell(place, last, width)] = TICKS[kind]
    here = position_cell(timeline.position, last, width)
    before, after = "".join(glyphs[:here]), "".join(glyphs[here + 1 :])
    return [(before, Ink.STRONG), (HERE, Ink.CARET), (after, Ink.MUTED)]


def position_cell(position: int, last: int, width: int) -> int:
    """The cell of a bar of `width` cells that shows a position."""
    return position * (width - 1) // max(last, 1)


def cell_position(cell: int, last: int, width: int) -> int:
    """The first position that a cell of the bar shows."""
    return -(-cell * last // max(width - 1, 1))


def place_lines(
    timeline: Timeline, turn: Turn, speed: float, playing: bool, width: int
) -> list[Line]:
    """Position, time and byte; then the event that brought the turn here."""
    position = timeline.position
    how = f"▶ playing ×{speed:g}" if playing else f"‖ held ×{speed:g}"
    if not timeline.over:
        how += ", still coming"
    right: Line = [(how, Ink.STRONG if playing else Ink.MUTED)]
    left: Line = [
        (f"event {min(position, timeline.events):,} of {timeline.events:,}", Ink.STRONG),
        (f"  {timeline.time(position):.3f} s", Ink.PLAIN),
        (f"  byte {timeline.offset(position):,} of {len(timeline.body):,}", Ink.PLAIN),
    ]
    first = justified(left, right, width)
    if width_of(left) + cells(how) + 1 > width:
        first = clipped(left, width)
    return [first, clipped(_what(timeline, turn), width)]


def _what(timeline: Timeline, turn: Turn) -> Line:
    position = timeline.position
    if position == 0:
        return [("before the first byte", Ink.MUTED)]
    if position > timeline.events:
        outcome = turn.outcome or "open"
        why = f": {turn.problem}" if turn.problem else ""
        return [
            ("the body ended, the turn is judged: ", Ink.MUTED),
            (spelled(outcome + why), Ink.STRONG),
        ]
    step = timeline.steps[position - 1]
    trouble = Ink.PROBLEM if is_trouble(step) else Ink.PLAIN
    return [
        (f"#{position} ", Ink.MUTED),
        (spelled(kind_of(step)), Ink.MUTED),
        ("  ", Ink.PLAIN),
        (spelled(meaning_of(step, turn)[:400]), trouble),
    ]
