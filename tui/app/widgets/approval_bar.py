"""The question that a call waits with: what will run, why it is asked, and the keys that answer.

Decisions go out as messages; nothing is decided here. A key counts only when the question has
been on the screen for a moment; until then the keys are dim and each press starts the moment anew.
"""

from __future__ import annotations

from typing import Final

from textual.binding import Binding
from textual.message import Message

from tui.app.calls.facts import one_line
from tui.app.calls.guard import KeyGuard
from tui.app.calls.lines import Ink, Line, flowed, justified, shortened, spelled, width_of, wrapped
from tui.app.calls.model import CallModel
from tui.app.calls.waiting import LISTED, Waiting
from tui.app.calls.words import counted
from tui.app.widgets.call_lines import InkBlock
from tui.session.updates import Approval, Decision, Scope, Tell

APPROVAL_BINDINGS: Final = (
    Binding("a", "allow('once')", "Allow once", id="approval.allow-once"),
    Binding("s", "allow('conversation')", "Allow here", id="approval.allow-conversation"),
    Binding("T", "allow('always')", "Allow always", id="approval.allow-always", show=False),
    Binding("d", "deny", "Deny", id="approval.deny"),
    Binding("D", "deny_why", "Deny, say why", id="approval.deny-why", show=False),
    Binding("h", "by_hand", "By hand", id="approval.by-hand"),
    Binding("e", "edit", "Edit", id="approval.edit"),
    Binding("asterisk", "allow_all", "Allow all", id="approval.allow-all", show=False),
)
"""Of the card that the bar lies in: they act only while that card has the focus."""

_MOST_REASON_LINES: Final = 2


class ApprovalBar(InkBlock):
    """One question, and a list of all that wait."""

    class Decided(Message):
        """A person answered: give `decision` to `approval.decide`."""

        def __init__(self, approval: Approval, decision: Decision) -> None:
            super().__init__()
            self.approval = approval
            self.decision = decision

    class EditAsked(Message):
        """A person wants other arguments to be run, as a run of their own.

        `text` is strict JSON (or free text for a custom tool) and has not been checked against
        the schema. `tell` is what the model is to be told.
        """

        def __init__(self, approval: Approval, text: str, tell: Tell) -> None:
            super().__init__()
            self.approval = approval
            self.text = text
            self.tell: Tell = tell

    def __init__(self, model: CallModel) -> None:
        super().__init__(self._question)
        self.model = model
        self._waiting = Waiting(())
        self._listed: tuple[str, ...] = ()
        self._one = KeyGuard()
        self._all = KeyGuard()
        self._now = 0.0
        self._room = 0

    @property
    def asked(self) -> Approval | None:
        """The approval that is open."""
        approval = self.model.approval
        return approval if approval is not None and approval.open else None

    @property
    def ready(self) -> bool:
        """Whether a key counts now."""
        return self._one.ready(self._now)

    @property
    def offers_all(self) -> bool:
        """Whether one key allows every call that waits: all of them are listed here."""
        return self._waiting.all_allowable(self._listable)

    def flush(self, now: float, waiting: Waiting, *, on_screen: bool, room: int) -> None:
        """Draw the question as of `now`. `on_screen`: a person can see it.

        `room`: lines there are for a list of all that wait.
        """
        self._now, self._waiting, self._room = now, waiting, room
        listed = waiting.refs if self.offers_all else ()
        if listed != self._listed:
            self._listed = listed
            self._all.hidden()
        if on_screen and self.asked is not None:
            self._one.shown(now)
            self._all.shown(now)
        else:
            self._one.hidden()
            self._all.hidden()
        self.renew()

    def decide(self, decision: Decision, now: float) -> None:
        """Answer the question, if a key counts at `now`."""
        approval = self.asked
        if approval is not None and self.press(now):
            self.post_message(self.Decided(approval, decision))

    def allow(self, scope: Scope, now: float) -> None:
        self.decide(Decision("allow", scope), now)

    def allow_all(self, now: float) -> None:
        """Allow every call that waits, once; only when all of them are listed here."""
        if not self.offers_all or not self._all.press(now) or not self.press(now):
            self.renew()
            return
        for model in self._waiting.models:
            if model.approval is not None and model.approval.open:
                self.post_message(self.Decided(model.approval, Decision("allow")))

    def press(self, now: float) -> bool:
        """Whether a key pressed at `now` counts; one that comes too early delays the next."""
        self._now = max(self._now, now)
        counts = self._one.press(now)
        if not counts:
            self.renew()
        return counts

    def _question(self, width: int) -> list[Line]:
        approval = self.asked
        if approval is None:
            return []
        lines = self._headline(approval, width)
        reason = spelled(approval.reason)
        if approval.was_started:
            reason = (
                "It had been started when Verbatim died. Whether it took effect is unknown; "
                "look before you run it again."
            )
        # To a call that only a person answers, no rule has anything to say.
        told = [reason] if reason and not approval.by_hand else []
        if approval.claims:
            told.append(f"the server says: {spelled(', '.join(approval.claims))}")
        for words in told:
            rows = wrapped([words], max(width - 2, 10))[:_MOST_REASON_LINES]
            lines += [[("  ", Ink.PLAIN), (row, Ink.MUTED)] for row in rows]
        lines += self._list(width)
        lines += self._keys(approval, width)
        return lines

    def _headline(self, approval: Approval, width: int) -> list[Line]:
        if approval.by_hand:
            words = "? Your answer is wanted:"
        elif approval.was_started:
            words = "¿ What became of this call?"
        else:
            words = "? May this call run?"
        effect = "reads only" if approval.read_only else "may change things"
        left: list[Line] = [
            [(words, Ink.FINAL)],
            [(f"  {spelled(approval.call.name)}", Ink.STRONG)],
            [(f"  {spelled(approval.origin)}", Ink.PLAIN)],
        ]
        if not approval.by_hand:
            left.append([(f"  {effect}", Ink.MUTED if approval.read_only else Ink.WORD)])
        place, count = self._waiting.place(self.model.ref), len(self._waiting.models)
        right: Line = [(f"{place} of {count}", Ink.STRONG)] if count > 1 else []
        size: Line = [(f"  {counted(len(approval.call.raw), 'character')}", Ink.MUTED)]
        if sum(map(width_of, [*left, size, right])) < width:
            left.append(size)
        # Where it lives and what it may do are what a person decides by: never cut away.
        first, *more = flowed(left, width - width_of(right) - 1 if right else width)
        return [justified(first, right, width) if right else first, *more]

    def _list(self, width: int) -> list[Line]:
        models = self._waiting.models
        if len(models) < 2 or not self._listable:
            return []
        lines: list[Line] = []
        for model in models[: self._listable]:
            mark = "▸ " if model is self.model else "  "
            row = shortened(f"  {mark}{one_line(model)}", width)
            lines.append([(row, Ink.STRONG if model is self.model else Ink.PLAIN)])
        if len(models) > self._listable:
            lines.append([(f"    and {len(models) - self._listable} more", Ink.MUTED)])
        return lines

    @property
    def _listable(self) -> int:
        """Calls that can be listed, leaving a line to say how many more there are."""
        return min(LISTED, max(self._room - 1, 0))

    def _keys(self, approval: Approval, width: int) -> list[Line]:
        if approval.by_hand:
            keys = [("h", "answer"), ("d", "deny"), ("D", "deny, say why")]
        elif approval.was_started:
            keys = [("a", "run again"), ("h", "answer by hand"), ("d", "mark as failed")]
        else:
            keys = [
                ("a", "allow once"),
                ("s", "in this conversation"),
                ("T", "always, this tool"),
                ("d", "deny"),
                ("D", "say why"),
                ("h", "by hand"),
                ("e", "edit"),
            ]
        if self.offers_all:
            keys.append(("*", f"allow all {len(self._waiting.models)}"))
        ready = self.ready
        groups: list[Line] = [
            [
                ("  ", Ink.PLAIN),
                (key, Ink.CHOSEN if ready else Ink.MUTED),
                (f" {words} ", Ink.PLAIN if ready else Ink.MUTED),
            ]
            for key, words in keys
        ]
        if not ready:
            groups.append([("  … a moment", Ink.MUTED)])
        return flowed(groups, width)
