"""The messages of a conversation: all of them as data, about sixty of them as widgets.

Text and marks come in through `TurnView` and are drawn at this list's own pace; nothing is drawn
for a single fragment. Follows the end only while the reader is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, process_time

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.app.shown_message import Severity, ShownMessage
from tui.app.turn_view import TurnView
from tui.app.widgets.following_scroll import FollowingScroll
from tui.app.widgets.message_view import MessageView

MOUNTED = 60
"""Messages that are widgets at the same time, unless the reader asks for earlier ones."""

EARLIER = 50
"""Messages that `show earlier` adds."""

_FLUSH_SECONDS = 0.045


class ShowEarlier(Static):
    """The row above the first message that is mounted."""

    class Asked(Message):
        pass

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Asked())


class MessageList(FollowingScroll):
    """See the module."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
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

    # -- what is said ------------------------------------------------------------------------

    def add_user(self, message_id: str, text: str, title: str = "you") -> None:
        shown = ShownMessage(message_id, "user", title, closed=True)
        shown.run("text", "text").append(text)
        self._add(shown)

    def begin_turn(self, turn_id: str, title: str = "assistant") -> TurnView:
        """A message of the assistant. `title` is the name above it: the model."""
        shown = ShownMessage(turn_id, "assistant", title)
        self._add(shown)
        return TurnView(shown, self.mark_changed)

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

    @property
    def mounted(self) -> tuple[ShownMessage, ...]:
        """Those of them that are widgets."""
        return tuple(self._records[self._first_mounted :])

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
        await self.remove_children()
        self._earlier = ShowEarlier(Content())
        self.forget_place()

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
            self.show_new_below()
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
            self.show_new_below()

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
        self._first_mounted += excess
        self._show_earlier_row()

    def _show_earlier_row(self) -> None:
        count = self._first_mounted
        if count and not self._earlier.is_attached:
            self.mount(self._earlier, before=0)
        self._earlier.display = bool(count)
        self._earlier.update(Content(f"▲ {count:,} earlier · click or press e to show more"))

    # -- earlier messages --------------------------------------------------------------------

    def action_follow(self) -> None:
        super().action_follow()
        self._unmount_oldest()

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
