"""The contrast: careless clients on the same bytes, framed so that nobody takes it for the truth."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.app.widgets.wire_table import WireLines
from tui.app.wire.contrasts import ContrastLines


class ContrastTable(WireLines):
    """The owner gives it `ContrastLines` whenever the position changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", show=False),
        Binding("down,j", "scroll_down", show=False),
    ]
    HELP = "Not Verbatim: what clients with well-known mistakes would have made of these bytes."

    def fill(self, lines: ContrastLines) -> None:
        """Show another state of the contrast; the reader stays where they are."""
        self.replace(lines)
