"""The texts of a turn with marked characters, and a cursor that goes from character to character.

It says where a person wants the cursor to go; the owner moves it and marks what belongs to it.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui.app.widgets.wire_table import WireLines
from tui.app.wire.marked import MarkedLines


class MarkedText(WireLines):
    """The owner gives it `MarkedLines`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"move({chars}, {lines}, {extend})", show=False)
            for key, chars, lines, extend in (
                ("left,h", -1, 0, False),
                ("right,l", 1, 0, False),
                ("up,k", 0, -1, False),
                ("down,j", 0, 1, False),
                ("shift+left,H", -1, 0, True),
                ("shift+right,L", 1, 0, True),
                ("shift+up,K", 0, -1, True),
                ("shift+down,J", 0, 1, True),
            )
        ),
        Binding("pageup", "page(-1)", "Page up", id="wire.text-page-up", show=False),
        Binding("pagedown", "page(1)", "Page down", id="wire.text-page-down", show=False),
    ]
    HELP = "What the events carried. The arrows go from character to character, with Shift they choose."

    class Wanted(Message):
        """The cursor is to move by characters or lines; `extend`: choose all between."""

        def __init__(self, chars: int, lines: int, extend: bool) -> None:
            super().__init__()
            self.chars = chars
            self.lines = lines
            self.extend = extend

    def __init__(self, lines: MarkedLines, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.marked = lines

    def on_mount(self) -> None:
        self.show(self.marked)

    def fill(self, lines: MarkedLines) -> None:
        """Show the texts of another turn."""
        self.marked = lines
        self.show(lines)

    @property
    def text_width(self) -> int:
        """Cells a line has."""
        return self.scrollable_content_region.width

    def show_character(self, part: int, char: int) -> None:
        """Bring a character into sight."""
        self.flush()
        if self.text_width > 0:
            self.reveal(self.marked.line_of(part, char, self.text_width))

    def action_move(self, chars: int, lines: int, extend: bool) -> None:
        self.post_message(self.Wanted(chars, lines, extend))

    def action_page(self, pages: int) -> None:
        self.post_message(self.Wanted(0, pages * max(self.rows_visible - 1, 1), False))
