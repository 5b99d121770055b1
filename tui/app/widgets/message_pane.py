"""The message pane: what was said, in order, with a mark where each call stands.

Adds to the list of messages what a person does with one of them: choose it, copy it as it was
received, open its links, branch from it. Source text, copies and confirmed links go out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from tui.app.copying import copy_out
from tui.app.markdown.render import code_blocks_in, links_in
from tui.app.safe import clean, notify
from tui.app.shown_message import ShownMessage
from tui.app.widgets.link_confirm import LinkConfirm
from tui.app.widgets.message_list import MessageList
from tui.app.widgets.message_view import MessageView
from tui.app.widgets.prose import Prose

_SEEK_TURNS = 50
"""Refreshes that a message which was just mounted may take to be laid out."""


class MessagePane(MessageList):
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
        self._chosen: str | None = None
        self._code_turn = 0

    async def clear(self) -> None:
        self._chosen = None
        await super().clear()

    @property
    def chosen(self) -> str | None:
        """Id of the message that keys act on; None: the last. One that is not mounted is none."""
        return self._chosen if self._chosen in self._views else None

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
        return [shown.id for shown in self.mounted if shown.role != "notice"]

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
