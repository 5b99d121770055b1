"""The contrast: what clients with well-known mistakes would have made of these very bytes.

Values from whoever ran those clients come in; lines that cannot be taken for the true state go
out. Nothing here decodes, runs or stores anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from tui.app.calls.lines import Ink, Line, spelled
from tui.app.calls.texts import InkedLines
from tui.core.reader import Step
from tui.core.turn import Turn

BANNER: Final = "NOT VERBATIM: what a careless client would have done with these bytes"
EDGE: Final = "≠ │ "
"""Before every line, those that go on from the one above too."""
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


class Clients(Protocol):
    """Careless clients over one response."""

    def take(self, steps: Sequence[Step], chunks: Sequence[bytes]) -> None:
        """All events and all chunks that have come by now."""
        ...

    def at(self, turn: Turn, offset: int) -> Sequence[Contrast]:
        """One contrast for each client on the first `offset` bytes; `turn` is the truth there."""
        ...


ClientsOf = Callable[[str], Clients]
"""The clients for a dialect, to which nothing has been given."""


def careless_clients(dialect: str) -> Clients:
    """The careless clients of `tui.lint`."""
    from tui.lint.contrast import CarelessClients  # only who looks at it pays for the import

    return CarelessClients(dialect)


class ContrastLines(InkedLines):
    """Every client that has gone wrong, the first first, and the names of those that have not."""

    title = "not Verbatim: careless clients on these bytes"
    words = True

    def __init__(
        self,
        contrasts: Sequence[Contrast],
        *,
        offset: int | None = None,
        event_at: Callable[[int], int | None] = lambda offset: None,
    ) -> None:
        """`event_at`: the number of the event at a byte.

        `offset`: bytes that had come, where the contrasts are of a turn that was not over.
        """
        self.wrong = sorted(
            (each for each in contrasts if each.went_wrong_at is not None),
            key=lambda each: each.went_wrong_at or 0,
        )
        truth = "true" if offset is None else "true so far"
        lines: list[Line] = [[(BANNER, CARELESS)], []]
        for each in self.wrong:
            lines += _one(each, event_at, truth)
        right = [each for each in contrasts if each not in self.wrong]
        if right:
            when = "" if offset is None else f" in the first {offset:,} bytes"
            lines.append([(f"Nothing wrong{when}: ", Ink.MUTED), *_names(right)])
        if not contrasts:
            lines.append([("No careless client was run on these bytes.", Ink.MUTED)])
        super().__init__(
            lines,
            text="\n".join(EDGE + "".join(text for text, _ in each) for each in lines),
        )

    def count(self, width: int) -> int:
        return super().count(width - len(EDGE))

    def complete(self, width: int) -> bool:
        return super().complete(width - len(EDGE))

    def line(self, index: int, width: int) -> Line:
        return [(EDGE, CARELESS), *super().line(index, width - len(EDGE))]


def _one(each: Contrast, event_at: Callable[[int], int | None], truth: str) -> list[Line]:
    offset = each.went_wrong_at or 0
    number = event_at(offset)
    room = max(len(truth), len("careless")) + 2
    where = f"went wrong at byte {offset:,}" + (f", in #{number}" if number is not None else "")
    return [
        [(spelled(each.name), Ink.STRONG), (f"  {where}", Ink.PROBLEM)],
        [(spelled(each.mistake), Ink.MUTED)],
        [(f"{truth}: ".rjust(room), Ink.MUTED), (_value(each.true), Ink.PLAIN)],
        [("careless: ".rjust(room), Ink.MUTED), (_value(each.careless), CARELESS)],
        [("so: ".rjust(room), Ink.MUTED), (spelled(each.consequence), Ink.PROBLEM)],
        [],
    ]


def _names(contrasts: Sequence[Contrast]) -> Line:
    return [(", ".join(spelled(each.name) for each in contrasts), Ink.MUTED)]


def _value(text: str) -> str:
    if not text:
        return "(nothing)"
    shown = spelled(text[:_SHOWN])
    return f"{shown} … {len(text):,} characters" if len(text) > _SHOWN else shown
