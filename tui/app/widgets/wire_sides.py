"""The second half of the wire pane: the texts, one event, the request, the response, the contrast."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from textual.app import ComposeResult
from textual.widgets import ContentSwitcher

from tui.app.calls.lines import LineSource
from tui.app.widgets.contrast_table import ContrastTable
from tui.app.widgets.marked_text import MarkedText
from tui.app.widgets.wire_table import WireLines
from tui.app.wire.contrasts import ContrastLines
from tui.app.wire.marked import MarkedLines


class Side(StrEnum):
    """What can be shown."""

    TEXTS = "texts"
    EVENT = "event"
    REQUEST = "request"
    RESPONSE = "response"
    CONTRAST = "contrast"


class WireSides(ContentSwitcher):
    """Shows one side at a time. The owner gives what is to be read on it."""

    def __init__(self, marked: MarkedLines, *, id: str | None = None) -> None:
        super().__init__(initial="wire-texts", id=id)
        self._marked = marked
        self.side = Side.TEXTS

    def compose(self) -> ComposeResult:
        yield MarkedText(self._marked, id="wire-texts")
        yield WireLines(id="wire-reading")
        yield ContrastTable(id="wire-contrast")

    def show_texts(self) -> None:
        self.side, self.current = Side.TEXTS, "wire-texts"

    def show_lines(self, side: Side, lines: LineSource | None) -> None:
        """An event, the request or the response; None leaves what is there until it is known."""
        reading = self.query_one("#wire-reading", WireLines)
        if lines is not None:
            reading.show(lines)
        self.side, self.current = side, "wire-reading"
        reading.flush()

    def show_contrast(self, lines: Callable[[], ContrastLines] | None) -> None:
        """`lines` runs in a thread; None while nothing is on record."""
        self.side, self.current = Side.CONTRAST, "wire-contrast"
        if lines is not None:
            self.query_one(ContrastTable).derive(lines)

    def text(self) -> str:
        """All of the side that is shown, as it was received."""
        match self.side:
            case Side.TEXTS:
                return self.query_one(MarkedText).marked.text
            case Side.CONTRAST:
                return self.query_one(ContrastTable).source.text
            case _:
                return self.query_one("#wire-reading", WireLines).source.text
