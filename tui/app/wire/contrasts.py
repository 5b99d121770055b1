"""The contrast: what clients with well-known mistakes would have made of these very bytes.

Values from whoever ran those clients come in; lines that cannot be taken for the true state go
out. Nothing here decodes, runs or stores anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from tui.app.calls.lines import Ink, Line, spelled
from tui.app.calls.texts import InkedLines
from tui.app.calls.words import counted

BANNER: Final = "≠ NOT VERBATIM ≠  what a careless client would have done with these bytes"
EDGE: Final = "≠ │ "
CARELESS: Final = "wire-careless"
"""Ink of everything that is not true."""
_SHOWN: Final = 600
"""Characters of a value that are shown."""


class Contrast(Protocol):
    """One careless client and these bytes. Texts are as received."""

    @property
    def name(self) -> str: ...
    @property
    def mistake(self) -> str:
        """What it does, in words."""
        ...

    @property
    def went_wrong_at(self) -> int | None:
        """Byte of the body from which it was wrong; None when it got this stream right."""
        ...

    @property
    def true(self) -> str: ...
    @property
    def careless(self) -> str: ...
    @property
    def consequence(self) -> str: ...


Contraster = Callable[[str, bytes, Sequence[tuple[int, float]]], Sequence[Contrast]]
"""Dialect, body and (end offset, seconds) of each chunk → one contrast for each client."""


def went_wrong(contrasts: Sequence[Contrast], offset: int | None = None) -> list[Contrast]:
    """Those that had gone wrong when `offset` bytes had come (None: all of them), first first."""
    wrong = [
        each
        for each in contrasts
        if each.went_wrong_at is not None and (offset is None or each.went_wrong_at < offset)
    ]
    return sorted(wrong, key=lambda each: each.went_wrong_at or 0)


class ContrastLines(InkedLines):
    """Every client that had gone wrong by a position, and the names of those that had not."""

    title = "not Verbatim: careless clients on these bytes"
    words = True

    def __init__(
        self,
        contrasts: Sequence[Contrast],
        *,
        offset: int | None = None,
        event_at: Callable[[int], int | None] = lambda offset: None,
    ) -> None:
        """`offset`: bytes that had come. `event_at`: the number of the event at a byte."""
        self.wrong = went_wrong(contrasts, offset)
        lines: list[Line] = [[(BANNER, CARELESS)], [(EDGE.rstrip(), CARELESS)]]
        for each in self.wrong:
            lines += _one(each, event_at)
        right = [each for each in contrasts if each not in self.wrong]
        if right:
            when = "" if offset is None else f" in the first {offset:,} bytes"
            lines.append(_edged([(f"Nothing wrong{when}: ", Ink.MUTED), *_names(right)]))
        if not contrasts:
            lines.append(_edged([("No careless client was run on these bytes.", Ink.MUTED)]))
        super().__init__(lines, text="\n".join("".join(text for text, _ in each) for each in lines))

    @property
    def told(self) -> str:
        """The whole in a sentence."""
        return f"{counted(len(self.wrong), 'careless client')} would have gone wrong"


def _one(each: Contrast, event_at: Callable[[int], int | None]) -> list[Line]:
    offset = each.went_wrong_at or 0
    number = event_at(offset)
    where = f"went wrong at byte {offset:,}" + (f", in #{number}" if number is not None else "")
    return [
        _edged([(spelled(each.name), Ink.STRONG), (f"  {where}", Ink.PROBLEM)]),
        _edged([(f"it {_lowered(spelled(each.mistake))}", Ink.MUTED)]),
        _edged([("true      ", Ink.MUTED), (_value(each.true), Ink.PLAIN)]),
        _edged([("careless  ", Ink.MUTED), (_value(each.careless), CARELESS)]),
        _edged([("so        ", Ink.MUTED), (spelled(each.consequence), Ink.PROBLEM)]),
        _edged([]),
    ]


def _edged(line: Line) -> Line:
    return [(EDGE, CARELESS), *line]


def _names(contrasts: Sequence[Contrast]) -> Line:
    return [(", ".join(spelled(each.name) for each in contrasts), Ink.MUTED)]


def _value(text: str) -> str:
    if not text:
        return "(nothing)"
    shown = spelled(text[:_SHOWN])
    return f"{shown} … {len(text):,} characters" if len(text) > _SHOWN else shown


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
