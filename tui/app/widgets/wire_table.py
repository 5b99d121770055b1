"""The table of SSE events: one line each, drawn as far as it is seen. Says where its cursor goes."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.app.widgets.call_lines import CallLines
from tui.app.wire.contrasts import CARELESS
from tui.app.wire.marked import FOUND, HERE, MARKED
from tui.app.wire.table import TableLines

WIRE_INKS = frozenset(f"ink--{ink}" for ink in (MARKED, FOUND, HERE, CARELESS))


class WireLines(CallLines, can_focus=True):
    """Lines with the inks of the wire pane, scrolled with the keys of any list."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(WIRE_INKS)

    def reveal(self, line: int) -> None:
        """Bring a line into sight, if it is not."""
        margin = min(2, self.rows_visible // 4)
        first, rows = self.first_visible, self.rows_visible
        if not first + margin <= line < first + rows - margin:
            self.go_to(max(line - rows // 3 + 2, 0) if line >= first + rows else line)
        self.flush()


class WireTable(WireLines):
    """The events. The owner gives it `TableLines`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="wire.up", show=False),
        Binding("down,j", "move(1)", "Down", id="wire.down", show=False),
        Binding("pageup", "page(-1)", "Page up", id="wire.page-up", show=False),
        Binding("pagedown", "page(1)", "Page down", id="wire.page-down", show=False),
        Binding("home,g", "to_start", "First", id="wire.first", show=False),
        Binding("end,G", "to_end", "Last", id="wire.last", show=False),
        Binding("enter", "open", "Bytes", id="wire.open", show=False),
    ]
    HELP = "The events of the exchange. Moving marks what each carried; Enter shows its bytes."

    class Moved(Message):
        """The cursor is on another event."""

        def __init__(self, event: int) -> None:
            super().__init__()
            self.event = event

    class Opened(Message):
        """Somebody wants to see the bytes of an event."""

        def __init__(self, event: int) -> None:
            super().__init__()
            self.event = event

    def __init__(self, lines: TableLines, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines = lines

    def on_mount(self) -> None:
        self.show(self.lines)

    def fill(self, lines: TableLines) -> None:
        """Show the events of another exchange."""
        self.lines = lines
        self.show(lines)

    @property
    def chosen(self) -> int | None:
        """The event at the cursor."""
        return None if self.cursor is None else self.lines.number_at(self.cursor)

    def choose(self, event: int) -> None:
        """Put the cursor on an event without saying so; nothing when the filter hides it."""
        self.flush()
        line = self.lines.line_of(event)
        if line is None:
            self.end_rows()
            return
        self.cursor = line
        self.reveal(line)
        self.refresh()

    def action_move(self, by: int) -> None:
        if self.cursor is None:
            self.begin_rows()
        else:
            self.move_cursor(by)
        self._tell()

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(self.rows_visible - 1, 1))

    def action_to_start(self) -> None:
        self.cursor = 0
        self.move_cursor(0)
        self._tell()

    def action_to_end(self) -> None:
        """The last event; while more come, stay with them."""
        self.flush()
        self.cursor = max(self.line_count - 1, 0)
        self.move_cursor(0)
        self._tell()
        if self.lines.grows:
            self.end_rows()
            self.follow()

    def action_open(self) -> None:
        if self.cursor is None:
            self.begin_rows()
            self._tell()
        if (event := self.chosen) is not None:
            self.post_message(self.Opened(event))

    def on_click(self, event: events.Click) -> None:
        line = self.first_visible + event.y
        if self.lines.number_at(line) is not None:
            self.cursor = line
            self.move_cursor(0)
            self._tell()

    def _tell(self) -> None:
        self.flush()
        if (event := self.chosen) is not None:
            self.post_message(self.Moved(event))
