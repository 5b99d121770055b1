"""Searching what was said, called and returned, in this conversation or in all of them.

Words come in as they are typed, the store is asked in a thread, and the hit a person chose goes
out with the words, for the chat to go there. Texts of others are cut and cleaned for one line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.app.marking import MARK_STYLE
from tui.app.safe import clean_line
from tui.app.widgets.plain_input import PlainInput
from tui.core.errors import StoreError
from tui.store import Hit, Store
from tui.store.search import split_words

LIMIT = 200
"""Hits that are listed, the newest."""

_PAUSE_SECONDS = 0.05
"""Between the last key and the question to the store."""

_KIND_WIDTH = 11
_TITLE_LIMIT = 200
_KEYS = "Enter goes there · Ctrl+G this conversation or all · Esc closes"


@dataclass(frozen=True, slots=True)
class Found:
    """Where a person wants to go."""

    hit: Hit
    words: tuple[str, ...]
    text: str
    """The words as they were typed."""
    here: bool


class SearchScreen(ModalScreen[Found | None]):
    """Args: `conversation` is the open one; `here` begins in it alone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", id="search.close"),
        Binding("ctrl+g", "where", "This or all", id="search.where", priority=True),
        Binding("ctrl+f", "again", "Search", id="search.again", show=False, priority=True),
    ]

    def __init__(
        self, store: Store, conversation: str, *, text: str = "", here: bool = False
    ) -> None:
        super().__init__()
        self._store = store
        self._conversation = conversation
        self._text = text
        self._here = here
        self._rows: list[Hit | None] = []
        """What each row of the list stands for; None for the title above some hits."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(), classes="dialog--title")
            yield PlainInput(
                self._text,
                placeholder='words, or "a phrase": all of them must be there',
                id="words",
                compact=True,
            )
            yield OptionList(id="hits")
            yield Static(Content(), classes="search--none")
            yield Static(Content(_KEYS), classes="dialog--keys")

    def on_mount(self) -> None:
        self.query_one("#words", Input).focus()
        self._show([], asked=False)
        self._ask()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(split_words(self.query_one("#words", Input).value))

    @work(exclusive=True, group="search")
    async def _ask(self) -> None:
        words = self.query_one("#words", Input).value
        if not split_words(words):
            self._show([], asked=False)
            return
        await asyncio.sleep(_PAUSE_SECONDS)
        conversation = self._conversation if self._here else None
        try:
            hits = await asyncio.to_thread(
                self._store.search, words, conversation=conversation, limit=LIMIT + 1
            )
        except StoreError as error:
            self._show([], asked=True, problem=f"{error} {error.hint}".strip())
            return
        self._show(hits, asked=True)

    def _show(self, hits: Sequence[Hit], *, asked: bool, problem: str = "") -> None:
        options = self.query_one("#hits", OptionList)
        none = self.query_one(".search--none", Static)
        more = len(hits) > LIMIT
        hits = hits[:LIMIT]
        where = "this conversation" if self._here else "all conversations"
        count = f": {'the newest ' if more else ''}{_number(len(hits), 'hit')}" if asked else ""
        note = " (one more word narrows it)" if more else ""
        self.query_one(".dialog--title", Static).update(Content(f"Search in {where}{count}{note}"))
        options.clear_options()
        width = max(options.scrollable_content_region.width or self.app.size.width - 10, 30)
        self._rows = []
        for title, group in _grouped(hits):
            self._rows.append(None)
            options.add_option(Option(_heading(title, len(group), width), disabled=True))
            for hit in group:
                self._rows.append(hit)
                options.add_option(Option(_line(hit, width)))
        options.display = bool(hits)
        none.display = not hits
        if problem:
            none.update(Content(clean_line(problem, _TITLE_LIMIT)))
        else:
            none.update(
                Content("Nothing holds these words." if asked else "Type what to look for.")
            )
        if hits:
            options.highlighted = 1

    def on_resize(self) -> None:
        self._ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._ask()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._go(self.query_one("#hits", OptionList).highlighted)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._go(event.option_index)

    def on_key(self, event: Key) -> None:
        # The list is gone through while the words keep the focus.
        moves = {
            "down": "cursor_down",
            "up": "cursor_up",
            "pagedown": "page_down",
            "pageup": "page_up",
        }
        if event.key in moves and self.query_one("#words", Input).has_focus:
            event.stop()
            event.prevent_default()
            getattr(self.query_one("#hits", OptionList), f"action_{moves[event.key]}")()

    def action_where(self) -> None:
        self._here = not self._here
        self._ask()

    def action_again(self) -> None:
        words = self.query_one("#words", Input)
        words.focus()
        words.action_select_all()

    def _go(self, place: int | None) -> None:
        hit = self._rows[place] if place is not None and place < len(self._rows) else None
        if hit is not None:
            text = self.query_one("#words", Input).value
            self.dismiss(Found(hit, self.words, text, self._here))


def _grouped(hits: Sequence[Hit]) -> list[tuple[str, list[Hit]]]:
    """(title, hits) of each conversation, the one with the newest hit first."""
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.conversation, []).append(hit)
    return [(group[0].title, group) for group in groups.values()]


def _heading(title: str, count: int, width: int) -> Content:
    right = Content.styled(_number(count, "hit"), "$text-muted")
    room = max(width - 3 - right.cell_length, 8)
    left = Content.styled(clean_line(title, _TITLE_LIMIT) or "untitled", "bold")
    left = left.truncate(room, ellipsis=True)
    return left + Content(" " * max(width - 2 - left.cell_length - right.cell_length, 1)) + right


def _line(hit: Hit, width: int) -> Content:
    kind = Content.styled(f"  {hit.kind}".ljust(_KIND_WIDTH + 2), "$text-muted")
    room = max(width - 2 - kind.cell_length, 10)
    before = clean_line(hit.before)
    cut = max(room // 3, 4)
    if len(before) > cut:
        before = "…" + before[-cut:]
    snippet = Content.assemble(
        before, (clean_line(hit.match), MARK_STYLE), clean_line(hit.after)
    ).truncate(room, ellipsis=True)
    return kind + snippet


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
