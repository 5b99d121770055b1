"""An input in which a paste is spelled before it is taken in, and keys act in their order."""

from __future__ import annotations

from textual.events import Paste
from textual.widgets import Input

from tui.app.keys_in_order import KeysInOrder
from tui.app.safe import clean


class PlainInput(KeysInOrder, Input):
    """One line of text."""

    def _on_paste(self, event: Paste) -> None:
        # The handler of the base class would insert the text as it is.
        event.prevent_default()
        event.stop()
        lines = event.text.splitlines()
        if lines:
            self.insert_text_at_cursor(clean(lines[0]))
