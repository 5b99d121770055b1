"""The lines around the two halves of the wire pane: what is shown, by which keys, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tui.app.calls.lines import Ink, Line, clipped, flowed, justified, spelled, width_of, wrapped
from tui.app.calls.words import counted, size_words
from tui.app.wire.exchange import WireExchange
from tui.app.wire.view import WireView

NARROW: Final = 110
"""Columns below which the texts go under the table."""
KEYS: Final = (
    "/ find",
    "n N next, previous",
    "f filter",
    "Enter bytes",
    "x contrast",
    "Esc back",
    "Tab other side",
    "F5 time travel",
    "[ ] exchange",
    "c copy",
    "u cURL",
    "w save",
    "a HAR",
)
_FOOT_LINES: Final = 3
_PROBLEM_LINES: Final = 2


def head(view: WireView, found: WireExchange | None, width: int) -> list[Line]:
    """Which exchange this is: two lines, or more when why it ended takes more."""
    handle = view.handle
    number = "" if found is None else f" {found.number}"
    left: Line = [
        (f"wire · exchange{number}", Ink.STRONG),
        (f"  {spelled(handle.endpoint)}, {spelled(handle.turn.model or handle.model)}", Ink.PLAIN),
    ]
    numbers = (
        f"{counted(len(view.log), 'event')}  {size_words(handle.arrivals.total)}  "
        f"{handle.arrivals.last_at or 0.0:.2f} s"
    )
    first = justified(left, [(numbers, Ink.MUTED)], width)
    if found is None:
        return [first, [("reading what is on record …", Ink.MUTED)]]
    stored = found.stored
    status = "no answer" if stored.status is None else f"{stored.status}"
    asked = f"POST {spelled(stored.url)} → {status}  "
    ink = Ink.MUTED if stored.ending == "complete" else Ink.PROBLEM
    ended = f"{stored.ending}: {spelled(stored.problem)}" if stored.problem else stored.ending
    if width_of([(asked + ended, ink)]) <= width:
        return [first, [(asked, Ink.PLAIN), (ended, ink)]]
    rows = wrapped([ended], width)[:_PROBLEM_LINES]
    problem: list[Line] = [[(row, ink)] for row in rows]
    return [first, clipped([(asked, Ink.PLAIN)], width), *problem]


def headings(view: WireView, table_width: int, width: int) -> list[Line]:
    """What the columns of the table are, or what its filter is. `table_width`: without its bar."""
    table = view.table
    if table.filter.empty:
        return [table.headings(table_width)]
    words = f"{table.events:,} of {len(view.log):,} fit “{spelled(table.filter.typed)}”"
    return [clipped([(f"   {words}  f changes it, an empty one shows all", Ink.WORD)], width)]


def tabs(names: Sequence[str], chosen: str, width: int) -> list[Line]:
    """What the second half can show, each with its key."""
    line: Line = [
        (f" {number} {name} ", Ink.CHOSEN if name == chosen else Ink.MUTED)
        for number, name in enumerate(names, start=1)
    ]
    return [clipped(line, width)]


def foot(told: str, width: int) -> list[Line]:
    """The sentence on what is chosen, and the keys: whole ones, as many as there is room for."""
    rows = wrapped([spelled(told)], width)[: _FOOT_LINES - 1]
    lines: list[Line] = [clipped([(row, Ink.STRONG)], width) for row in rows]
    keys = flowed([[(f"{key}  ", Ink.MUTED)] for key in KEYS], width)
    lines += [[("", Ink.PLAIN)]] * (_FOOT_LINES - len(lines) - len(keys))
    return [*lines, *keys][:_FOOT_LINES]
