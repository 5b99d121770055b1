"""Asks before a web address is opened, and shows all of it.

Addresses come in already judged (http or https); the one a person picked goes out, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.app.safe import content


class LinkConfirm(ModalScreen[str | None]):
    """Dismissed with the address to open, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Leave it", id="links.cancel")
    ]

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__()
        self._urls = tuple(urls)

    def compose(self) -> ComposeResult:
        title = "Open this address?" if len(self._urls) == 1 else "Open which address?"
        with Vertical(classes="dialog"):
            yield Static(Content(title), classes="dialog--title")
            yield OptionList(*(Option(content(url)) for url in self._urls))
            yield Static(
                Content("Enter opens it in your browser · Esc leaves it"), classes="dialog--keys"
            )

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._urls[event.option_index])
