"""Going to a place: a hit of the search is opened, brought into sight and marked.

The search screen says where; the conversation, the branch and the view of the call in which the
words stand are found here.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import work

from tui.app.calls.views import View
from tui.app.marking import pattern_of
from tui.app.safe import notify
from tui.app.screens.branching import BranchingScreen
from tui.app.screens.compare import CompareScreen
from tui.app.screens.conversations import Conversations
from tui.app.screens.search import Found, SearchScreen
from tui.app.tags import tags_of, written
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.core.codec import decode_message
from tui.core.conversation import ResultsMessage
from tui.core.errors import UsageError, VerbatimError
from tui.session.branching import go_to
from tui.session.comparing import Branch
from tui.store import Hit


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a hit stands. `call`: in its arguments, or in its result on this branch."""

    message: str | None
    call: str | None = None
    view: View = View.RAW


class FindingScreen(BranchingScreen):
    """The part of the chat screen that goes to what was searched for."""

    _searched: str = ""
    _searched_here: bool = False

    def search(self, text: str = "") -> None:
        """Open the search, with `text` or with what was searched for last."""

        def found(place: Found | None) -> None:
            if place is not None:
                self._searched, self._searched_here = place.text, place.here
                self.go_to_hit(place.hit, place.words)

        screen = SearchScreen(
            self.workspace.store,
            self.opened.id,
            text=text or self._searched,
            here=self._searched_here,
        )
        self.app.push_screen(screen, found)

    @work(exclusive=True, group="open")
    async def go_to_hit(self, hit: Hit, words: tuple[str, ...]) -> None:
        """Open the conversation and the branch of `hit`, and show it there."""
        try:
            place = self._place_of(hit, words)
            if hit.conversation != self.opened.id:
                await self._open_at(hit.conversation, place.message)
            elif place.message is not None and place.message not in {
                node.id for node in self.path()
            }:
                self.refuse_if_busy()
                await self._open_at(hit.conversation, place.message)
        except VerbatimError as error:
            self.complain(error)
            return
        pattern = pattern_of(words)
        if place.call is not None:
            self.query_one(CallPanel).show_found(place.call, place.view, pattern)
        elif place.message is not None:
            shown = {node.id: node.exchange or node.id for node in self.path()}
            pane = self.query_one(MessagePane)
            pane.focus()
            await pane.show_found(shown.get(place.message, place.message), pattern)

    async def _open_at(self, conversation: str, message: str | None) -> None:
        head = None if message is None else go_to(self.workspace.store, conversation, message)
        same = conversation == self.opened.id
        target = self.opened.session.target if same else None
        await self.replace_conversation(self.workspace.open(conversation, head=head, target=target))

    def _place_of(self, hit: Hit, words: tuple[str, ...]) -> _Place:
        store = self.workspace.store
        if hit.call_ref is not None:
            call = store.call(hit.conversation, hit.call_ref)
            view = View.RESULT if hit.kind == "result" else View.RAW
            return _Place(None if call is None else call.message, hit.call_ref, view)
        if hit.message is None:
            return _Place(None)
        stored = store.message(hit.message)
        message = decode_message(stored.body) if stored.role == "results" else None
        if not isinstance(message, ResultsMessage):
            return _Place(hit.message)
        pattern = pattern_of(words)
        for result in message.results:
            if pattern is not None and pattern.search(result.text):
                return _Place(hit.message, result.call, View.RESULT)
        return _Place(hit.message, message.results[0].call, View.RESULT)

    def compare(self) -> None:
        """This branch beside the others at the chosen message, or beside another conversation."""
        store, opened = self.workspace.store, self.opened
        head = opened.journal.parent
        if head is None:
            raise UsageError("there is nothing to compare yet")
        left, shape = Branch(opened.id, head), self.shape()
        chosen = self.stored_id(self.query_one(MessagePane).chosen)
        forks = shape.forks(head)
        # Where none is chosen, the last parting: what a person has just made.
        at = chosen if chosen in forks else next(reversed(forks), None)
        if at is not None:
            found = forks[at]
            ids = [*found.ids[found.place + 1 :], *found.ids[: found.place]]
            rights = [Branch(opened.id, store.newest_leaf(id)) for id in ids]
            self.app.push_screen(CompareScreen(store, left, rights))
            return

        def chosen_conversation(conversation: str) -> None:
            right = Branch(conversation, None)
            self.app.push_screen(CompareScreen(store, left, [right]))

        notify(self.app, "This conversation has one branch: choose another one to compare with.")
        self.app.push_screen(Conversations(store, chosen_conversation, current=opened.id))

    def file_away(self, what: str, text: str) -> None:
        """Give the conversation a title, tags or a pin; without `text`, tell those it has."""
        store, opened = self.workspace.store, self.opened
        stored = store.conversation(opened.id)
        match what:
            case "title" if text:
                store.rename(opened.id, text)
                opened.journal.named = True
                told = f"Its title is “{text}” now."
            case "title":
                told = f"Its title is “{stored.title or 'untitled'}”. /title TEXT changes it."
            case "tag" if text:
                tags = () if text == "-" else tags_of(text)
                store.tag(opened.id, tags)
                told = f"Its tags are {written(tags)} now." if tags else "It has no tags any more."
            case "tag":
                has = f"are {written(stored.tags)}" if stored.tags else "are none"
                told = f"Its tags {has}. /tag TAG ... changes them."
            case _:
                store.pin(opened.id, not stored.pinned)
                told = "No longer pinned." if stored.pinned else "Pinned to the top of the list."
        notify(self.app, told)
