"""The list of stored conversations, over the store: opens, renames, pins, deletes, takes back."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import on

from tui.app.safe import notify
from tui.app.widgets.conversation_list import ConversationList, ConversationRow
from tui.store import Store, StoredConversation

_SHOWN = 500
_DAY = 86_400.0


class Conversations(ConversationList):
    """Args: `opened` is told the id of the conversation a person chose."""

    def __init__(self, store: Store, opened: Callable[[str], object]) -> None:
        super().__init__()
        self._store = store
        self._tell_opened = opened
        self._deleted: str | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self._read()

    def _read(self) -> None:
        found = self._store.list_conversations(limit=_SHOWN)
        figures = self._store.figures([each.id for each in found])
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

    @on(ConversationList.PinAsked)
    def _pin(self, event: ConversationList.PinAsked) -> None:
        event.stop()
        self._store.pin(event.conversation_id, event.pinned)
        self._read()

    @on(ConversationList.DeleteAsked)
    def _delete(self, event: ConversationList.DeleteAsked) -> None:
        event.stop()
        self._deleted = event.conversation_id
        self._store.delete(event.conversation_id)
        self._read()
        notify(self.app, "Deleted. u takes it back.")

    def key_u(self) -> None:
        """Take back the last deletion."""
        if self._deleted is not None:
            self._store.undelete(self._deleted)
            self._deleted = None
            self._read()


def _row(stored: StoredConversation, now: float, calls: int, size: int) -> ConversationRow:
    return ConversationRow(
        stored.id,
        stored.title or "untitled",
        stored.model,
        _when(stored.updated, now),
        size=size,
        calls=calls,
        pinned=stored.pinned,
    )


def _when(moment: float, now: float) -> str:
    local = time.localtime(moment)
    if time.strftime("%Y%j", local) == time.strftime("%Y%j", time.localtime(now)):
        return time.strftime("today %H:%M", local)
    if now - moment < 6 * _DAY:
        return time.strftime("%a %H:%M", local)
    return time.strftime("%Y-%m-%d", local)
