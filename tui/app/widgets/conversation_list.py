"""The stored conversations in a list: to open, rename, tag, pin or delete one, or take one back.

Rows come in as an attribute and may be replaced at any time; what a person wants done goes out
as messages. Deleting is asked twice, and so is removing for ever, which has a key of its own and
is offered only among what was deleted. Knows no database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.app.safe import clean_line
from tui.app.tags import tags_of, written
from tui.app.widgets.plain_input import PlainInput

_TITLE_LIMIT = 200
_TITLES = {False: "Conversations", True: "Deleted conversations"}
_KEYS = "Enter open · / filter · r rename · t tags · p pin · d delete · v deleted · Esc"


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation as the list shows it. `when` is ready for people (`today 14:02`)."""

    id: str
    title: str
    model: str = ""
    when: str = ""
    size: int = 0
    """Bytes stored for it."""
    calls: int = 0
    pinned: bool = False
    tags: tuple[str, ...] = ()
    recorded: bool = True
    """False: it was asked not to be kept on the disk."""


class ConversationList(ModalScreen[None]):
    """Lists conversations, pinned ones first, and filters them while one types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="conversations.close"),
        Binding("slash", "filter", "Filter", id="conversations.filter"),
        Binding("d", "delete", "Delete", id="conversations.delete"),
        Binding("r", "rename", "Rename", id="conversations.rename"),
        Binding("t", "tag", "Tags", id="conversations.tag"),
        Binding("p", "pin", "Pin", id="conversations.pin"),
        Binding("u", "undo", "Take back", id="conversations.undo"),
        Binding("v", "view", "Deleted", id="conversations.deleted"),
        Binding("X", "purge", "Remove for ever", id="conversations.purge"),
    ]

    rows: reactive[tuple[ConversationRow, ...]] = reactive((), init=False)
    deleted: reactive[bool] = reactive(False, init=False)
    """Whether the rows are the deleted ones."""

    class Opened(Message):
        def __init__(self, conversation_id: str) -> None:
            super().__init__()
            self.conversation_id = conversation_id

    class DeleteAsked(Message):
        """A person asked for it twice."""

        def __init__(self, conversation_id: str) -> None:
            super().__init__()
            self.conversation_id = conversation_id

    class Renamed(Message):
        def __init__(self, conversation_id: str, title: str) -> None:
            super().__init__()
            self.conversation_id = conversation_id
            self.title = title

    class Tagged(Message):
        """It is to have exactly these tags."""

        def __init__(self, conversation_id: str, tags: tuple[str, ...]) -> None:
            super().__init__()
            self.conversation_id = conversation_id
            self.tags = tags

    class UndoAsked(Message):
        """Take back what was deleted: this one, or (None) the last."""

        def __init__(self, conversation_id: str | None) -> None:
            super().__init__()
            self.conversation_id = conversation_id

    class PurgeAsked(Message):
        """A person asked twice to remove a deleted one for ever."""

        def __init__(self, conversation_id: str) -> None:
            super().__init__()
            self.conversation_id = conversation_id

    class ViewAsked(Message):
        """Show the deleted ones, or the others again."""

        def __init__(self, deleted: bool) -> None:
            super().__init__()
            self.deleted = deleted

    class PinAsked(Message):
        def __init__(self, conversation_id: str, pinned: bool) -> None:
            super().__init__()
            self.conversation_id = conversation_id
            self.pinned = pinned

    def __init__(self, rows: Sequence[ConversationRow] = ()) -> None:
        super().__init__()
        self.set_reactive(ConversationList.rows, tuple(rows))
        self._listed: list[ConversationRow] = []
        self._condemned: str | None = None
        """Id of the conversation that the same key, pressed again, deletes."""
        self._renaming: str | None = None
        self._tagging: str | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(_TITLES[False]), classes="dialog--title")
            yield PlainInput(placeholder="/ to filter", id="filter", compact=True)
            yield OptionList(id="conversations")
            yield Static(Content(), classes="conversations--empty")
            yield PlainInput(placeholder="new title", id="title", compact=True)
            yield PlainInput(placeholder="tags, apart by spaces", id="tags", compact=True)
            yield Static(Content(), classes="dialog--keys")

    def on_mount(self) -> None:
        self.query_one("#title", Input).display = False
        self.query_one("#tags", Input).display = False
        self._list()
        self._say_keys()
        self.query_one("#conversations", OptionList).focus()

    def watch_rows(self) -> None:
        if self.is_mounted:
            self._list()

    def watch_deleted(self, deleted: bool) -> None:
        self._condemned = None
        self.query_one(".dialog--title", Static).update(Content(_TITLES[deleted]))
        if self.is_mounted:
            self._list()
            self._say_keys()

    def _list(self) -> None:
        options = self.query_one("#conversations", OptionList)
        current = self._current()
        words = self.query_one("#filter", Input).value.casefold().split()
        rows = [row for row in self.rows if _matches(row, words)]
        self._listed = sorted(rows, key=lambda row: not row.pinned)
        options.clear_options()
        width = max(options.scrollable_content_region.width or self.app.size.width - 16, 24)
        options.add_options([Option(_row(row, width)) for row in self._listed])
        if self._listed:
            ids = [row.id for row in self._listed]
            options.highlighted = ids.index(current.id) if current and current.id in ids else 0
        if options.has_focus and not self._listed:
            # Else Textual gives the keys to the filter, and they are typed there.
            self.set_focus(None)
        options.display = bool(self._listed)
        if self._listed and self.focused is None:
            options.focus()
        empty = self.query_one(".conversations--empty", Static)
        empty.display = not self._listed
        none = "Nothing is deleted." if self.deleted else "No conversation has been kept yet."
        empty.update(Content("No conversation matches." if self.rows else none))

    def _current(self) -> ConversationRow | None:
        place = self.query_one("#conversations", OptionList).highlighted
        return self._listed[place] if place is not None and place < len(self._listed) else None

    def on_resize(self) -> None:
        self.call_after_refresh(self._list)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input.id == "filter":
            self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "filter":
            self.query_one("#conversations", OptionList).focus()
            return
        text = event.value.strip()
        if text and self._renaming is not None:
            self.post_message(self.Renamed(self._renaming, text))
        elif self._tagging is not None:
            self.post_message(self.Tagged(self._tagging, tags_of(text)))
        self._stop_writing()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if not self.deleted:
            self.post_message(self.Opened(self._listed[event.option_index].id))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        row = self._current()
        if row is None or row.id != self._condemned:
            self._condemned = None
            self._say_keys()

    def on_key(self, event: Key) -> None:
        if event.key == "down" and self.query_one("#filter", Input).has_focus:
            event.stop()
            self.query_one("#conversations", OptionList).focus()

    def action_leave(self) -> None:
        if self._renaming is not None or self._tagging is not None:
            self._stop_writing()
        elif self._condemned is not None:
            self._condemned = None
            self._say_keys()
        elif self.deleted:
            self.post_message(self.ViewAsked(deleted=False))
        else:
            self.dismiss(None)

    def action_filter(self) -> None:
        self.query_one("#filter", Input).focus()

    def action_delete(self) -> None:
        row = self._twice("d again deletes “{}”; u takes it back · Esc keeps it")
        if row is not None:
            self.post_message(self.DeleteAsked(row.id))

    def action_purge(self) -> None:
        row = self._twice("X again removes “{}” and its recordings for ever · Esc keeps it")
        if row is not None:
            self.post_message(self.PurgeAsked(row.id))

    def _twice(self, question: str) -> ConversationRow | None:
        """The row, when it was asked about already; else ask."""
        row = self._current()
        if row is None:
            return None
        if self._condemned == row.id:
            self._condemned = None
            self._say_keys()
            return row
        self._condemned = row.id
        title = clean_line(row.title, 40) or "this conversation"
        self._say(Content.styled(question.format(title), "$error"))
        return None

    def action_rename(self) -> None:
        row = self._current()
        if row is not None:
            self._renaming = row.id
            self._write("#title", clean_line(row.title, _TITLE_LIMIT))
            self._say(Content("Enter gives the new title · Esc keeps the old one"))

    def action_tag(self) -> None:
        row = self._current()
        if row is not None:
            self._tagging = row.id
            self._write("#tags", clean_line(" ".join(row.tags), _TITLE_LIMIT))
            self._say(Content("Enter gives these tags and no others · Esc keeps the old ones"))

    def action_pin(self) -> None:
        row = self._current()
        if row is not None:
            self.post_message(self.PinAsked(row.id, not row.pinned))

    def action_undo(self) -> None:
        row = self._current() if self.deleted else None
        if row is not None or not self.deleted:
            self.post_message(self.UndoAsked(None if row is None else row.id))

    def action_view(self) -> None:
        self.post_message(self.ViewAsked(not self.deleted))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("delete", "rename", "tag", "pin"):
            return not self.deleted
        return self.deleted if action == "purge" else True

    def _write(self, name: str, text: str) -> None:
        box = self.query_one(name, Input)
        box.value = text
        box.display = True
        box.focus()

    def _stop_writing(self) -> None:
        self._renaming = self._tagging = None
        for name in ("#title", "#tags"):
            self.query_one(name, Input).display = False
        self.query_one("#conversations", OptionList).focus()
        self._say_keys()

    def _say_keys(self) -> None:
        if self.deleted:
            self._say(Content("u takes it back · X removes it for ever · / filter · v, Esc back"))
        else:
            self._say(Content(_KEYS))

    def _say(self, words: Content) -> None:
        self.query_one(".dialog--keys", Static).update(words)


def _matches(row: ConversationRow, words: Sequence[str]) -> bool:
    text = f"{row.title} {row.model} {written(row.tags)}".casefold()
    return all(word in text for word in words)


def _row(row: ConversationRow, width: int) -> Content:
    """Two lines: the title with its pin and its time, then model, calls and size."""
    inner = width - 3
    when = Content.styled(clean_line(row.when, 24), "$text-muted")
    pin = Content.styled("★ ", "$warning") if row.pinned else Content()
    title = Content.styled(clean_line(row.title, _TITLE_LIMIT) or "untitled", "bold")
    room = max(inner - when.cell_length - pin.cell_length - 1, 8)
    title = title.truncate(room, ellipsis=True)
    first = (
        pin
        + title
        + Content(" " * max(inner - pin.cell_length - title.cell_length - when.cell_length, 1))
        + when
    )
    calls = "1 call" if row.calls == 1 else f"{row.calls:,} calls"
    facts = [clean_line(row.model, 40) or "no model yet", calls, _size(row.size)]
    second = Content.styled(" · ".join(facts), "$text-muted")
    if not row.recorded:
        second = Content.styled("no record", "$warning") + Content(" · ") + second
    if row.tags:
        second += Content("  ") + Content.styled(clean_line(written(row.tags), 80), "$accent")
    return first + Content("\n") + second.truncate(inner, ellipsis=True)


def _size(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:,.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"
