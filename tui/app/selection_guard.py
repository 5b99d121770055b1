"""A screen on which pressing the mouse on a widget that is being removed is harmless.

Textual 8.2.8 asks the parent of the widget under the mouse for its place without looking
whether there is one (Textualize/textual#6643).
"""

from __future__ import annotations

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget


class SelectionGuard(Screen[None]):
    """Base of every screen that shows text which streams."""

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        widget, offset = super().get_widget_and_offset_at(x, y)
        if widget is not None and widget is not self and widget.parent is None:
            return None, None
        return widget, offset
