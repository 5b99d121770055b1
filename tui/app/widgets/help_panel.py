"""Help: what the keys do, and what the marks of a call mean.

Sections of keys come in as data; the marks come from the one table that every widget draws from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.safe import clean_line
from tui.app.states_shown import SHOWN


@dataclass(frozen=True, slots=True)
class HelpSection:
    """A heading and rows of (key, what it does)."""

    title: str
    rows: tuple[tuple[str, str], ...]


class HelpPanel(ModalScreen[None]):
    """Closed with Escape, F1 or q."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "dismiss", "Close", id="help.close")
    ]

    def __init__(self, sections: Sequence[HelpSection] = (), *, ascii_only: bool = False) -> None:
        super().__init__()
        self._sections = tuple(sections)
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content("Help"), classes="dialog--title")
            with VerticalScroll():
                for section in self._sections:
                    yield Static(Content(clean_line(section.title)), classes="help--heading")
                    yield Static(
                        _table(
                            [(_key(key), Content(clean_line(what))) for key, what in section.rows]
                        )
                    )
                yield Static(Content("What the marks of a call mean"), classes="help--heading")
                yield Static(
                    _table(
                        [
                            (state.label(ascii_only=self._ascii_only), Content(state.meaning))
                            for state in SHOWN.values()
                        ]
                    )
                )
            yield Static(Content("Esc closes"), classes="dialog--keys")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def _key(key: str) -> Content:
    return Content.styled(clean_line(key), "bold $primary")


def _table(rows: Sequence[tuple[Content, Content]]) -> Content:
    wide = max((name.cell_length for name, _ in rows), default=0) + 2
    return Content("\n").join(
        name.pad_right(wide - name.cell_length) + meaning for name, meaning in rows
    )
