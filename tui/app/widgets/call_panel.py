"""The call panel: the calls of a conversation in order, one open, the rest in a line or a few.

Turns and the session's updates come in; what a person wants goes out as messages of the cards.
One flush at 20 Hz draws what changed: nothing is drawn for a single fragment. The panel follows
the newest call that forms, or one that waits for a person, until somebody chooses another; the
End key takes that back. It never takes the focus by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from time import monotonic
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.app.calls.gathered import GatheredCalls
from tui.app.calls.model import CallModel
from tui.app.calls.views import View
from tui.app.calls.waiting import Waiting
from tui.app.pacing import Pacer
from tui.app.widgets.approval_bar import ApprovalBar
from tui.app.widgets.call_card import CallCard, Openness
from tui.core.conversation import CallResult
from tui.core.states import CallState
from tui.session.updates import (
    SessionUpdate,
    Tell,
    TurnAdvanced,
    TurnClosed,
    TurnHandle,
    TurnOpened,
)
from tui.store import Edit

MOUNTED: Final = 60
"""Cards that are widgets at the same time, unless earlier ones are asked for."""
EARLIER: Final = 30
"""Cards that `up` at the first one adds, and how many too many there may be."""


class CallPanel(VerticalScroll, can_focus=False):
    """Every call of the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Previous call", id="calls.previous", show=False),
        Binding("down,j", "step(1)", "Next call", id="calls.next", show=False),
        Binding("end,G", "follow", "Follow", id="calls.follow"),
        Binding("n", "next_waiting", "Next waiting", id="calls.next-waiting"),
    ]

    class Chosen(Message):
        """Another call is the open one; `by_person` if somebody chose it."""

        def __init__(self, ref: str, by_person: bool) -> None:
            super().__init__()
            self.ref = ref
            self.by_person = by_person

    class AttentionChanged(Message):
        """The number of calls that wait for a person changed."""

        def __init__(self, waiting: int) -> None:
            super().__init__()
            self.waiting = waiting

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        ticking: bool = True,
        id: str | None = None,
    ) -> None:
        """`clock`: seconds, for the moment of a key. `ticking`: flush by itself, 20 times a second;

        otherwise the owner calls `flush`.
        """
        super().__init__(id=id)
        self._clock = clock
        self._ticking = ticking
        self._calls = GatheredCalls(clock, found=self._show_new, stirred=self._wake)
        self._cards: dict[str, CallCard] = {}
        self._chosen: str | None = None
        self._pinned = False
        self._attention = 0
        self._pacer = Pacer(self, self.flush, self._restless)
        self._empty = Static(
            Content("No calls yet.\nA call appears here while the model is still writing it."),
            classes="empty",
        )
        self._earlier = Static(Content(), classes="earlier")

    def on_mount(self) -> None:
        self.mount(self._empty, self._earlier)
        self._earlier.display = False
        if self._ticking:
            self._pacer.begin()

    # -- what happens ------------------------------------------------------------------------

    def open_turn(self, handle: TurnHandle) -> None:
        """A turn begins; its calls are found as they come."""
        if self._calls.open_turn(handle) and not self.has_focus_within:
            self._pinned = False

    def show_past(
        self,
        handle: TurnHandle,
        states: Mapping[str, CallState],
        results: Mapping[str, CallResult],
        edits: Mapping[str, Edit] | None = None,
    ) -> None:
        """A turn of a conversation that was read back, with what became of its calls."""
        self._calls.show_past(handle, states, results, edits or {})

    def apply(self, update: SessionUpdate) -> None:
        """Take one of the session's updates. Those that are not about calls change nothing."""
        if isinstance(update, TurnOpened | TurnAdvanced | TurnClosed):
            self.open_turn(update.handle)
        self._calls.apply(update)

    def note_sent_back(self, ref: str, raw: str) -> None:
        """A request went out in which the call's argument text is `raw`."""
        self._calls.note_sent_back(ref, raw)

    def note_edit(self, ref: str, text: str, tell: Tell) -> None:
        """The call was run with other arguments: `text`."""
        self._calls.note_edit(ref, text, tell)

    async def clear(self) -> None:
        """Forget every call."""
        self._calls.clear()
        self._cards.clear()
        self._chosen, self._pinned = None, False
        await self.query(CallCard).remove()
        self._earlier.display = False
        self._empty.display = True
        self._tell_attention(0)

    # -- drawing -----------------------------------------------------------------------------

    def _restless(self) -> bool:
        """Something is to be expected of a call, or of a person who is in here."""
        return self._calls.restless or self.has_focus_within

    def _wake(self) -> None:
        self._pacer.wake()

    def flush(self, now: float | None = None) -> None:
        """Draw what came and what changed, as of `now` on the panel's clock."""
        if not self.is_attached:
            return
        now = self._clock() if now is None else now
        calls = self._calls
        calls.gather()
        calls.see(now)
        waiting = calls.waiting
        self._follow(waiting)
        on_screen = self.app.screen is self.screen and self.is_on_screen
        changed = set(calls.changed)
        calls.changed.clear()
        for ref in dict.fromkeys(
            [*calls.active, *changed, *([self._chosen] if self._chosen else [])]
        ):
            card = self._cards.get(ref)
            if card is not None and card.is_attached:
                card.set_openness(self._openness(card.model))
                if card.openness != "collapsed":
                    card.model.pull()
                card.flush(now, waiting, on_screen=on_screen and ref == self._chosen)
        self._tell_attention(len(waiting.models))

    @property
    def wants_attention(self) -> int:
        """How many calls wait for a person."""
        return self._attention

    @property
    def chosen(self) -> CallCard | None:
        """The card that is open."""
        return None if self._chosen is None else self._cards.get(self._chosen)

    @property
    def models(self) -> tuple[CallModel, ...]:
        """Every call, oldest first."""
        return tuple(self._calls.models.values())

    def _show_new(self, models: list[CallModel]) -> None:
        cards = [CallCard(model, self._clock) for model in models]
        self._cards.update((card.model.ref, card) for card in cards)
        self._empty.display = False
        self.mount(*cards[-MOUNTED:])
        for card in cards[:-MOUNTED]:
            del self._cards[card.model.ref]
        self._unmount_oldest()
        if self._chosen is None:
            self._choose(cards[-1].model.ref)

    def _openness(self, model: CallModel) -> Openness:
        if model.ref == self._chosen:
            return "open"
        moving = model.forming or model.state in (CallState.FINAL, CallState.RUNNING)
        return "compact" if moving else "collapsed"

    def _tell_attention(self, waiting: int) -> None:
        if waiting != self._attention:
            self._attention = waiting
            self.set_class(bool(waiting), "-wants-attention")
            self.post_message(self.AttentionChanged(waiting))

    # -- which card is open ------------------------------------------------------------------

    def focus_call(self, ref: str, *, focus: bool = True) -> None:
        """Open the card of a call, and focus it, because a person asked for it."""
        if ref not in self._calls.models:
            return
        self._pinned = True
        self._mount_back_to(ref)
        self._choose(ref, by_person=True)
        if focus:
            self.focus_chosen()

    def show_found(self, ref: str, view: View, pattern: re.Pattern[str] | None) -> None:
        """Open a call at a view, with what `pattern` finds there marked and in sight."""
        self.focus_call(ref)
        if self._chosen == ref and (card := self.chosen) is not None:
            card.show_found(view, pattern)
            self._calls.changed.add(ref)

    def focus_chosen(self) -> bool:
        """Give the focus to the open card; False when there is no call."""
        card = self.chosen
        if card is None:
            return False
        card.focus()
        return True

    def attend(self) -> bool:
        """Focus the open question, else the one that was asked first; False when nothing waits."""
        refs = Waiting.among(self._calls.models.values()).refs
        if not refs:
            return False
        if self._chosen not in refs:
            self._mount_back_to(refs[0])
            self._choose(refs[0])
        return self.focus_chosen()

    def on_approval_bar_decided(self, event: ApprovalBar.Decided) -> None:
        """An answered question gives way to the next one, also where it had been chosen."""
        self._pinned = False

    def action_step(self, by: int) -> None:
        card = self.chosen
        if card is not None and card.move_rows(by):
            return
        refs = list(self._calls.models)
        if self._chosen not in refs:
            return
        place = refs.index(self._chosen) + by
        if 0 <= place < len(refs):
            self.focus_call(refs[place], focus=self.has_focus_within)

    def action_next_waiting(self) -> None:
        """Open the next call that waits for a person."""
        refs = self._calls.waiting.refs
        if refs:
            place = refs.index(self._chosen) + 1 if self._chosen in refs else 0
            self.focus_call(refs[place % len(refs)], focus=self.has_focus_within)

    def action_follow(self) -> None:
        """Open what is newest, and stay with its end."""
        self._pinned = False
        self._follow(self._calls.waiting)
        card = self.chosen
        if card is not None and card.lines is not None:
            card.lines.follow()
            card.redraw()

    def on_call_card_clicked(self, event: CallCard.Clicked) -> None:
        event.stop()
        self.focus_call(event.ref)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Who scrolls among the cards has chosen what to look at."""
        self._pinned = True

    def _follow(self, waiting: Waiting) -> None:
        if self._pinned:
            return
        forming = [model for model in self._calls.active.values() if model.forming]
        wanted: str | None
        if waiting.models:
            wanted = waiting.refs[0]
        elif forming:
            wanted = forming[-1].ref
        elif self._calls.active:
            wanted = (
                self._chosen
                if self._chosen in self._calls.active
                else next(reversed(self._calls.active))
            )
        else:
            wanted = self._chosen
        if wanted is not None and wanted != self._chosen:
            self._choose(wanted)

    def _choose(self, ref: str, *, by_person: bool = False) -> None:
        card, old = self._cards.get(ref), self.chosen
        if card is None or (ref == self._chosen and card.has_class("-chosen")):
            return
        had_focus = old is not None and old.has_focus_within
        self._chosen = ref
        card.can_focus = True
        card.add_class("-chosen")
        card.set_openness("open")
        self._calls.changed.add(ref)
        self._wake()
        if had_focus:
            card.focus(scroll_visible=False)
        if old is not None and old is not card:
            old.can_focus = False
            old.remove_class("-chosen")
            old.set_openness(self._openness(old.model))
            self._calls.changed.add(old.model.ref)
        self.call_after_refresh(self._show_card, card)
        self.post_message(self.Chosen(ref, by_person))

    def _show_card(self, card: CallCard) -> None:
        if card.is_attached:
            self.scroll_to_widget(card, animate=False)

    # -- how many are widgets ----------------------------------------------------------------

    def _unmount_oldest(self) -> None:
        excess = len(self._cards) - MOUNTED
        if excess >= EARLIER:
            for ref in list(self._cards)[:excess]:
                if ref != self._chosen and not self._calls.models[ref].active:
                    self._cards.pop(ref).remove()
        self._show_earlier()

    def _show_earlier(self) -> None:
        hidden = len(self._calls.models) - len(self._cards)
        self._earlier.display = hidden > 0
        if hidden:
            self._earlier.update(
                Content(f"▲ {hidden:,} earlier calls · up at the first shows more")
            )

    def _mount_back_to(self, ref: str) -> None:
        """Make widgets of `ref`, some calls before it, and everything behind it."""
        if ref in self._cards:
            return
        refs = list(self._calls.models)
        first = max(refs.index(ref) - EARLIER, 0)
        present = dict(self._cards)
        cards: dict[str, CallCard] = {}
        before: CallCard | None = None
        for each in reversed(refs[first:]):
            card = present.pop(each, None)
            if card is None:
                card = CallCard(self._calls.models[each], self._clock)
                if before is None:
                    self.mount(card)
                else:
                    self.mount(card, before=before)
                self._calls.changed.add(each)
            cards[each] = before = card
        self._cards = {**present, **dict(reversed(cards.items()))}
        self._show_earlier()
