"""The list of stored conversations, over the store: what a person asks of a row is done here.

While it is open it is read again when anybody, another window too, has written to the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual import on

from tui.app.safe import notify
from tui.app.widgets.conversation_list import ConversationList, ConversationRow
from tui.core.errors import StoreError
from tui.store import Store, StoredConversation

POLL_SECONDS: Final = 1.0

_SHOWN = 500
_DAY = 86_400.0


class Conversations(ConversationList):
    """Args: `opened` is told the id of the conversation a person chose."""

    def __init__(
        self, store: Store, opened: Callable[[str], object], *, current: str | None = None
    ) -> None:
        """`current`: the open conversation, which is not deleted while it is open."""
        super().__init__()
        self._store = store
        self._tell_opened = opened
        self._open_id = current
        self._last_deleted: str | None = None
        self._version = -1
        self._complained = ""

    def on_mount(self) -> None:
        super().on_mount()
        self.poll()
        self.set_interval(POLL_SECONDS, self.poll)

    def poll(self) -> None:
        """Read the rows again if anything was written since."""
        try:
            version = self._store.data_version()
        except StoreError as error:
            self._complain(error)
            return
        if version != self._version:
            self._version = version
            self._read()

    def _complain(self, error: StoreError) -> None:
        """Once for each thing that is wrong, not each time it is looked again."""
        words = f"{error}\n{error.hint}".strip()
        if words != self._complained:
            self._complained = words
            notify(self.app, words, severity="error")

    def _read(self) -> None:
        try:
            found = self._store.list_conversations(limit=_SHOWN, deleted=self.deleted)
            figures = self._store.figures([each.id for each in found])
        except StoreError as error:
            self._complain(error)
            return
        self._complained = ""
        now = time.time()
        self.rows = tuple(
            _row(each, now, *figures.get(each.id, (0, 0)))
            for each in found
            if each.head is not None
        )

    @on(ConversationList.Opened)
    def _open(self, event: ConversationList.Opened) -> None:
        event.stop()
        self.dismiss(None)
        self._tell_opened(event.conversation_id)

    @on(ConversationList.Renamed)
    def _rename(self, event: ConversationList.Renamed) -> None:
        event.stop()
        self._store.rename(event.conversation_id, event.title)
        self._read()

    @on(ConversationList.Tagged)
    def _tag(self, event: ConversationList.Tagged) -> None:
        event.stop()
        self._store.tag(event.conversation_id, event.tags)
        self._read()

    @on(ConversationList.PinAsked)
    def _pin(self, event: ConversationList.PinAsked) -> None:
        event.stop()
        self._store.pin(event.conversation_id, event.pinned)
        self._read()

    @on(ConversationList.DeleteAsked)
    def _delete(self, event: ConversationList.DeleteAsked) -> None:
        event.stop()
        if event.conversation_id == self._open_id:
            notify(self.app, "This conversation is open. Ctrl+N begins another; then delete it.")
            return
        self._last_deleted = event.conversation_id
        self._store.delete(event.conversation_id)
        self._read()
        notify(self.app, "Deleted. u takes it back, v shows all that was deleted.")

    @on(ConversationList.UndoAsked)
    def _take_back(self, event: ConversationList.UndoAsked) -> None:
        event.stop()
        conversation = event.conversation_id or self._last_deleted
        if conversation is None:
            notify(self.app, "Nothing was deleted just now. v shows all that was deleted.")
            return
        self._store.undelete(conversation)
        if conversation == self._last_deleted:
            self._last_deleted = None
        self._read()

    @on(ConversationList.PurgeAsked)
    def _purge(self, event: ConversationList.PurgeAsked) -> None:
        event.stop()
        if event.conversation_id == self._last_deleted:
            self._last_deleted = None
        self._store.purge(event.conversation_id)
        self._read()

    @on(ConversationList.ViewAsked)
    def _view(self, event: ConversationList.ViewAsked) -> None:
        event.stop()
        self.deleted = event.deleted
        self._read()


def _row(stored: StoredConversation, now: float, calls: int, size: int) -> ConversationRow:
    when = stored.updated if stored.deleted_at is None else stored.deleted_at
    return ConversationRow(
        stored.id,
        stored.title or "untitled",
        stored.model,
        _when(when, now),
        size=size,
        calls=calls,
        pinned=stored.pinned,
        tags=stored.tags,
        recorded=stored.recorded,
    )


def _when(moment: float, now: float) -> str:
    local = time.localtime(moment)
    if time.strftime("%Y%j", local) == time.strftime("%Y%j", time.localtime(now)):
        return time.strftime("today %H:%M", local)
    if now - moment < 6 * _DAY:
        return time.strftime("%a %H:%M", local)
    return time.strftime("%Y-%m-%d", local)
