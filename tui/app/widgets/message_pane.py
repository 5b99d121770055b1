"""The message pane: what was said, in order, with a mark where each call stands.

Text and marks come in through `TurnView`, drawn at the pane's own pace; source text, copies and
confirmed links go out. Not one character of a call's arguments is accepted here. Keeps every
message as data and about sixty of them as widgets; follows the end only while the reader is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from tui.app.copying import copy_out
from tui.app.markdown.render import code_blocks_in, links_in
from tui.app.safe import clean, notify
from tui.app.shown_message import CallMark, ProviderMark, Severity, ShownMessage
from tui.app.widgets.link_confirm import LinkConfirm
from tui.app.widgets.message_view import MessageView
from tui.app.widgets.prose import Prose

MOUNTED = 60
"""Messages that are widgets at the same time, unless the reader asks for earlier ones."""

EARLIER = 50
"""Messages that `show earlier` adds."""

_FLUSH_SECONDS = 0.045
_SEEK_TURNS = 50
"""Refreshes that a message which was just mounted may take to be laid out."""


class TurnView:
    """A handle on one message of the assistant while it is written."""

    def __init__(self, pane: MessagePane, shown: ShownMessage) -> None:
        self._pane = pane
        self._shown = shown

    def append_text(self, key: str, text: str) -> None:
        self._shown.run("text", key).append(text)
        self._pane.mark_changed(self._shown)

    def append_thinking(self, key: str, text: str) -> None:
        self._shown.run("thinking", key).append(text)
        self._pane.mark_changed(self._shown)

    def append_refusal(self, key: str, text: str) -> None:
        self._shown.run("refusal", key).append(text)
        self._pane.mark_changed(self._shown)

    def add_call_marker(self, ref: str, label: str) -> None:
        """Mark where a call began. `label` is its name; its arguments belong elsewhere."""
        if self._shown.call(ref) is None:
            self._shown.parts.append(CallMark(ref, label))
            self._pane.mark_changed(self._shown)

    def update_call_marker(
        self, ref: str, glyph: str, word: str, colour: str = "", label: str | None = None
    ) -> None:
        """Show another state; an unknown `ref` changes nothing. `label`: the name came late."""
        mark = self._shown.call(ref)
        if mark is not None:
            mark.glyph, mark.word = glyph, word
            mark.colour = colour or mark.colour
            mark.label = mark.label if label is None else label
            self._pane.mark_changed(self._shown)

    def add_provider_item(self, key: str, kind: str, title: str) -> None:
        self._shown.parts.append(ProviderMark(key, kind, title))
        self._pane.mark_changed(self._shown)

    def close_turn(self, outcome_words: str = "", severity: Severity = "warning") -> None:
        """The turn is over. `outcome_words` say why it is not complete; empty when it is."""
        self._shown.closed = True
        self._shown.outcome = outcome_words
        if outcome_words:
            self._shown.severity = severity
        self._pane.mark_changed(self._shown)


class ShowEarlier(Static):
    """The row above the first message that is mounted."""

    class Asked(Message):
        pass

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Asked())


class MessagePane(VerticalScroll):
    """The messages of one conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "previous_message", "Previous", id="messages.previous", show=False),
        Binding("down,j", "next_message", "Next", id="messages.next", show=False),
        Binding("y", "copy_message", "Copy", id="messages.copy"),
        Binding("c", "copy_code", "Copy code", id="messages.copy-code"),
        Binding("o", "open_link", "Links", id="messages.links"),
        Binding("t", "toggle_thinking", "Thinking", id="messages.thinking"),
        Binding("r", "ask('regenerate')", "Again", id="messages.regenerate"),
        Binding("E", "ask('edit')", "Edit", id="messages.edit"),
        Binding("b", "ask('branch')", "Branch", id="messages.branch"),
        Binding("left_square_bracket", "sibling(-1)", "Other branch", id="messages.older-branch"),
        Binding("right_square_bracket", "sibling(1)", "Other branch", id="messages.newer-branch"),
        Binding("e", "show_earlier", "Earlier", id="messages.earlier", show=False),
        Binding("end,G", "follow", "To the end", id="messages.end", show=False),
    ]
    HELP = "What was said. Copying gives the text as it was received."

    class LinkChosen(Message):
        """A person saw the whole address and said yes to opening it. http or https only."""

        def __init__(self, url: str) -> None:
            super().__init__()
            self.url = url

    class AboutMessage(Message):
        """Something is wanted of a message."""

        def __init__(self, message_id: str) -> None:
            super().__init__()
            self.message_id = message_id

    class RegenerateAsked(AboutMessage):
        """Ask for it again, as a branch."""

    class EditAsked(AboutMessage):
        """Edit it and send it beside the old one."""

    class BranchAsked(AboutMessage):
        """Go on from it."""

    class SiblingAsked(AboutMessage):
        """Show what stands at its place in another branch, `step` further."""

        def __init__(self, message_id: str, step: int) -> None:
            super().__init__(message_id)
            self.step = step

    def __init__(
        self,
        *,
        copies_folder: Path | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`copies_folder`: where a copy too long for a clipboard is saved."""
        super().__init__(name=name, id=id, classes=classes)
        self.copies_folder = copies_folder
        self._records: list[ShownMessage] = []
        self._by_id: dict[str, ShownMessage] = {}
        self._views: dict[str, MessageView] = {}
        self._first_mounted = 0
        self._earlier = ShowEarlier(Content())
        self._loading_many = False
        self._dirty: dict[str, ShownMessage] = {}
        self._flush_due = False
        self._next_flush = 0.0
        self._flush_cost = 0.0
        self._chosen: str | None = None
        self._code_turn = 0

    # -- what is said ------------------------------------------------------------------------

    def add_user(self, message_id: str, text: str, title: str = "you") -> None:
        shown = ShownMessage(message_id, "user", title, closed=True)
        shown.run("text", "text").append(text)
        self._add(shown)

    def begin_turn(self, turn_id: str, title: str = "assistant") -> TurnView:
        """A message of the assistant. `title` is the name above it: the model."""
        shown = ShownMessage(turn_id, "assistant", title)
        self._add(shown)
        return TurnView(self, shown)

    def add_notice(self, text: str, severity: Severity = "information") -> None:
        """A line from us between the messages; not part of the conversation."""
        self._add(
            ShownMessage(
                f"notice-{len(self._records)}",
                "notice",
                outcome=text,
                severity=severity,
                closed=True,
            )
        )

    def mark_branch(self, message_id: str, place: int, count: int) -> None:
        """Say at a message that it begins branch `place` of `count`; an unknown one is passed over."""
        shown = self._by_id.get(message_id)
        if shown is not None and shown.branch != (place, count):
            shown.branch = (place, count)
            if (view := self._views.get(message_id)) is not None:
                view.show_branch()

    def source_of(self, message_id: str) -> str:
        """The prose of a message as received, fragments joined with nothing.

        Raises:
            KeyError: there is no such message.
        """
        return self._by_id[message_id].source

    @property
    def shown(self) -> tuple[ShownMessage, ...]:
        """Every message and notice, oldest first, mounted or not."""
        return tuple(self._records)

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Add many messages at once (a conversation resumed): the last ones are mounted after."""
        self._loading_many = True
        try:
            yield
        finally:
            self._loading_many = False
            self._first_mounted = max(len(self._records) - MOUNTED, 0)
            self._mount_from(self._first_mounted)
            self.action_follow()

    async def clear(self) -> None:
        """Forget every message."""
        self._records.clear()
        self._by_id.clear()
        self._views.clear()
        self._dirty.clear()
        self._first_mounted = 0
        self._chosen = None
        await self.remove_children()
        self._earlier = ShowEarlier(Content())
        self.anchor(False)
        self._anchor_released = False
        self._show_new_below(shown=False)

    # -- drawing -----------------------------------------------------------------------------

    def mark_changed(self, shown: ShownMessage) -> None:
        """Draw `shown` soon: not before twice the cost of the last drawing has passed."""
        self._dirty[shown.id] = shown
        if not self._flush_due and self.is_attached:
            self._flush_due = True
            self.set_timer(max(self._next_flush - monotonic(), 0.001), self.flush)

    def flush(self) -> None:
        """Draw what changed now."""
        self._flush_due = False
        started = process_time()
        self._flush_cost = 0.0
        changed, self._dirty = self._dirty, {}
        for message_id in changed:
            if (view := self._views.get(message_id)) is not None:
                view.flush()
        if not self.following:
            self._show_new_below()
        self._next_flush = monotonic() + _FLUSH_SECONDS

        def note_cost() -> None:
            self._flush_cost = process_time() - started
            self._next_flush = monotonic() + max(2 * self._flush_cost, _FLUSH_SECONDS)

        self.call_after_refresh(note_cost)

    @property
    def last_flush_cost(self) -> float:
        """CPU seconds of the last drawing, layout and paint included; 0 while it is under way."""
        return self._flush_cost

    def _add(self, shown: ShownMessage) -> None:
        if shown.id in self._by_id:
            raise ValueError(f"there is a message {shown.id!r} already")
        self._records.append(shown)
        self._by_id[shown.id] = shown
        if self._loading_many or not self.is_attached:
            return
        self._mount_from(len(self._records) - 1)
        if shown.role == "user":
            self.action_follow()
        elif self.following:
            self._unmount_oldest()
        else:
            self._show_new_below()

    def _mount_from(self, start: int) -> None:
        views = [MessageView(shown) for shown in self._records[start:]]
        self._views.update((view.shown.id, view) for view in views)
        self._show_earlier_row()
        if views:
            self.mount(*views)

    def _unmount_oldest(self) -> None:
        excess = len(self._records) - self._first_mounted - MOUNTED
        if excess < EARLIER // 5:
            return
        for shown in self._records[self._first_mounted : self._first_mounted + excess]:
            if shown.id in self._views:
                self._views.pop(shown.id).remove()
            if self._chosen == shown.id:
                self._chosen = None
        self._first_mounted += excess
        self._show_earlier_row()

    def _show_earlier_row(self) -> None:
        count = self._first_mounted
        if count and not self._earlier.is_attached:
            self.mount(self._earlier, before=0)
        self._earlier.display = bool(count)
        self._earlier.update(Content(f"▲ {count:,} earlier · click or press e to show more"))

    # -- following the end -------------------------------------------------------------------

    @property
    def following(self) -> bool:
        """Whether the pane stays at the end while text arrives."""
        return not (self.is_anchored and self._anchor_released)

    def watch_virtual_size(self) -> None:
        # Textual moves content that is shorter than its anchored place down to the end of it.
        tall = self.virtual_size.height > self.scrollable_content_region.height
        if tall and not self.is_anchored:
            self.anchor()
        elif not tall and self.is_anchored:
            self.anchor(False)
            self._anchor_released = False
            self.scroll_home(animate=False, force=True, immediate=True)

    def on_resize(self) -> None:
        following = self.following
        self.watch_virtual_size()
        if following and self.is_anchored:
            # The region shrank (a question took the room): the end stays in sight.
            self.anchor()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self.following and new_value > old_value and new_value >= self.max_scroll_y - 1:
            # Textual takes up following only at the very last row, which moves away meanwhile.
            self.anchor()
        if self.following:
            self._show_new_below(shown=False)

    def release_anchor(self) -> None:
        """A person scrolls: no more following, unless they are at the end all the same."""
        if self.max_scroll_y > 0:
            super().release_anchor()
            self.call_after_refresh(self._follow_if_at_end)

    def _follow_if_at_end(self) -> None:
        if not self.following and self.scroll_y >= self.max_scroll_y:
            self.action_follow()

    def action_follow(self) -> None:
        if self.is_anchored:
            self.anchor()
        self._show_new_below(shown=False)
        self._unmount_oldest()

    def _show_new_below(self, *, shown: bool = True) -> None:
        self.set_class(shown, "-new-below")
        self.border_subtitle = Content("↓ new below · End") if shown else Content()

    # -- earlier messages --------------------------------------------------------------------

    async def action_show_earlier(self) -> None:
        """Mount older messages above, and keep what is being read where it is."""
        if not self._first_mounted:
            return
        start = max(self._first_mounted - EARLIER, 0)
        views = [MessageView(shown) for shown in self._records[start : self._first_mounted]]
        before = self._views[self._records[self._first_mounted].id]
        distance = self.scroll_y - before.virtual_region.y
        self._first_mounted = start
        self._views.update((view.shown.id, view) for view in views)
        self.release_anchor()
        self._show_earlier_row()
        await self.mount(*views, before=before)

        def stay() -> None:
            self.scroll_to(y=before.virtual_region.y + distance, animate=False, force=True)

        self.call_after_refresh(stay)

    async def on_show_earlier_asked(self, event: ShowEarlier.Asked) -> None:
        event.stop()
        await self.action_show_earlier()

    # -- one message -------------------------------------------------------------------------

    @property
    def chosen(self) -> str | None:
        """Id of the message that keys act on; None: the last."""
        return self._chosen

    def choose(self, message_id: str | None) -> None:
        """Make a mounted message the one that keys act on."""
        if self._chosen is not None and (old := self._views.get(self._chosen)) is not None:
            old.remove_class("-chosen")
        if message_id != self._chosen:
            self._code_turn = 0
        self._chosen = message_id
        if message_id is not None and (view := self._views.get(message_id)) is not None:
            view.add_class("-chosen")

    def on_message_view_chosen(self, event: MessageView.Chosen) -> None:
        event.stop()
        self.choose(event.message_id)

    async def action_previous_message(self) -> None:
        ids = self._choosable()
        if not ids:
            return
        if self._chosen not in ids:
            self._go_to(ids[-1])
            return
        view = self._views[self._chosen]
        if view.virtual_region.y < self.scroll_y:
            self.scroll_up(animate=False)
        elif (place := ids.index(self._chosen)) > 0:
            self._go_to(ids[place - 1])
        else:
            await self.action_show_earlier()

    def action_next_message(self) -> None:
        ids = self._choosable()
        if not ids or self._chosen not in ids:
            self.scroll_down(animate=False)
            return
        view = self._views[self._chosen]
        if view.virtual_region.bottom > self.scroll_y + self.scrollable_content_region.height:
            self.scroll_down(animate=False)
        elif (place := ids.index(self._chosen)) < len(ids) - 1:
            self._go_to(ids[place + 1])
        else:
            self.choose(None)
            self.action_follow()

    async def show_found(self, message_id: str, pattern: re.Pattern[str] | None) -> None:
        """Choose a message, bring what `pattern` finds in it into sight, and mark it."""
        if message_id not in self._by_id:
            return
        while message_id not in self._views:
            await self.action_show_earlier()
        self.choose(message_id)
        for prose in self.query(Prose):
            prose.mark(None)
        self._seek(message_id, pattern, _SEEK_TURNS)

    def _seek(self, message_id: str, pattern: re.Pattern[str] | None, turns: int) -> None:
        """Scroll there as soon as it is laid out; what was just opened is not yet."""
        view = self._views.get(message_id)
        if view is None or self._chosen != message_id:
            return
        if turns and not (view.is_mounted and view.virtual_region.height):
            self.call_after_refresh(self._seek, message_id, pattern, turns - 1)
            return
        place = 0
        for prose in view.query(Prose):
            line = prose.mark(pattern)
            if line is not None and not place:
                place = line + _offset_in(prose, view)
        self.release_anchor()
        top = view.virtual_region.y + place - self.scrollable_content_region.height // 3
        goal = top if place else view.virtual_region.y
        self.scroll_to(y=max(goal, 0), animate=False, force=True, immediate=True)

    def _go_to(self, message_id: str) -> None:
        self.choose(message_id)
        self.scroll_to_widget(self._views[message_id], animate=False)

    def _choosable(self) -> list[str]:
        return [
            shown.id for shown in self._records[self._first_mounted :] if shown.role != "notice"
        ]

    def _acted_on(self) -> ShownMessage | None:
        ids = self._choosable()
        if self._chosen in ids:
            return self._by_id[self._chosen]
        return self._by_id[ids[-1]] if ids else None

    def action_ask(self, what: str) -> None:
        shown = self._acted_on()
        if shown is not None:
            kinds = {"regenerate": self.RegenerateAsked, "edit": self.EditAsked}
            self.post_message(kinds.get(what, self.BranchAsked)(shown.id))

    def action_sibling(self, step: int) -> None:
        shown = self._acted_on()
        if shown is not None:
            self.post_message(self.SiblingAsked(shown.id, step))

    def action_copy_message(self) -> None:
        shown = self._acted_on()
        if shown is not None:
            self._copy(shown.source, "the message")

    def action_copy_code(self) -> None:
        """Copy a code block of the message; pressed again, the next one."""
        shown = self._acted_on()
        if shown is None:
            return
        blocks = code_blocks_in(shown.source)
        if not blocks:
            notify(self, "This message has no code block.", severity="warning")
            return
        place = self._code_turn % len(blocks)
        self._code_turn = place + 1
        language, code = blocks[place]
        name = f"{language} block" if language else "code block"
        self._copy(code, f"{name} {place + 1} of {len(blocks)}")

    def _copy(self, text: str, what: str) -> None:
        copied = copy_out(text, what, self.app.copy_to_clipboard, self.copies_folder)
        notify(self, clean(copied.told), severity="error" if copied.failed else "information")

    def action_toggle_thinking(self) -> None:
        shown = self._acted_on()
        view = None if shown is None else self._views.get(shown.id)
        if view is None or not view.toggle_thinking():
            notify(self, "This message has no thinking to show.", severity="warning")

    def action_open_link(self) -> None:
        shown = self._acted_on()
        urls = [] if shown is None else links_in(shown.source)
        if urls:
            self._confirm(urls)
        else:
            notify(self, "This message has no web address.", severity="warning")

    def on_prose_link_clicked(self, event: Prose.LinkClicked) -> None:
        event.stop()
        self._confirm([event.url])

    def _confirm(self, urls: list[str]) -> None:
        def chosen(url: str | None) -> None:
            if url is not None:
                self.post_message(self.LinkChosen(url))

        self.app.push_screen(LinkConfirm(urls), chosen)


def _offset_in(prose: Prose, view: MessageView) -> int:
    """Lines from the top of `view` to the top of `prose`."""
    offset = 0
    for widget in prose.ancestors_with_self:
        if widget is view or not isinstance(widget, Widget):
            break
        offset += widget.virtual_region.y
    return offset
