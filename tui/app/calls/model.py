"""The model of one call on the screen: what it is now and what became of it.

A live call, its turn and the session's updates come in; the provisional view, the fragments with
their times, and the state in words go out. Text is as received; whoever draws it cleans it.
Nothing here is run, stored or sent, and no clock is read.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from tui.app.calls.pace import Pace, TurnClock
from tui.core.arguments import Fragment
from tui.core.conversation import CallResult
from tui.core.parts import LiveCall
from tui.core.provisional import ProvisionalBuilder, ProvisionalView
from tui.core.states import CallState
from tui.session.updates import (
    Approval,
    CallAnswered,
    CallChanged,
    CallProgress,
    CallRan,
    Tell,
    TurnHandle,
)

FORMING_STATES = frozenset({CallState.FORMING, CallState.CLOSED})
WAITING_STATES = frozenset({CallState.FINAL, CallState.AWAITING_APPROVAL, CallState.RUNNING})
"""States in which something is still to come, the stream being over."""


@dataclass(frozen=True, slots=True)
class EditedRun:
    """Arguments that a person changed before a run. The call's own text stays what it was."""

    original: str
    edited: str
    tell: Tell


_BLANKS = " \t\r\n"


class CallModel:
    """One call. `revision` grows whenever something that can be seen has changed."""

    def __init__(self, call: LiveCall, handle: TurnHandle, clock: TurnClock) -> None:
        self.call = call
        self.handle = handle
        self.clock = clock
        self.fragments: list[Fragment] = []
        self.times = array("d")
        """Seconds since the request at which each fragment was complete."""
        self.pace = Pace()
        self.builder = None if call.kind == "custom" else ProvisionalBuilder()
        self.view: ProvisionalView | None = None if self.builder is None else self.builder.view()
        self.revision = 0
        self.approval: Approval | None = None
        self.progress: CallProgress | None = None
        self.ran: CallRan | None = None
        self.result: CallResult | None = None
        self.edited: EditedRun | None = None
        self.sent_back: bool | None = None
        """Whether it went back byte for byte; None while it has not been sent."""
        self.running_since: float | None = None
        """On the screen's clock; the start of a run, None before it and for past calls."""
        self.run_seconds: float | None = None
        self._later: CallState | None = None
        self._later_problem = ""
        self._digest = ""
        self._dispatched_unchanged: bool | None = None
        self._seen: tuple[object, ...] = ()
        self._finished = False

    @property
    def ref(self) -> str:
        return self.call.ref

    @property
    def name(self) -> str:
        return self.call.name or "unnamed"

    @property
    def is_text(self) -> bool:
        """Its arguments are free text, not JSON."""
        return self.builder is None

    @property
    def state(self) -> CallState:
        """What the session said last, else what the turn says."""
        return self.call.state if self._later is None else self._later

    @property
    def problem(self) -> str:
        return self._later_problem or self.call.problem

    @property
    def forming(self) -> bool:
        return self.call.state in FORMING_STATES and self._later is None

    @property
    def active(self) -> bool:
        """Something is still to be expected of it."""
        return self.forming or self.state in WAITING_STATES or self.wants_person

    @property
    def wants_person(self) -> bool:
        """A person is asked something that nobody has answered."""
        return self.approval is not None and self.approval.open

    @property
    def raw(self) -> str:
        """The argument text, joined anew at each call."""
        return self.call.buffer.text

    @property
    def digest(self) -> str:
        """SHA-256 of the raw text; empty while it is forming."""
        if not self._digest and self._finished:
            self._digest = self.call.buffer.digest()
        return self._digest

    @property
    def dispatched_unchanged(self) -> bool | None:
        """Whether what may be dispatched is the text that came; None when nothing may."""
        if self._dispatched_unchanged is None and self._finished:
            for final in self.handle.turn.final_calls:
                if final.ref == self.ref:
                    self._dispatched_unchanged = final.digest == self.digest
        return self._dispatched_unchanged

    @property
    def opened_at(self) -> float:
        """Seconds since the request at which the call began."""
        at = self.handle.arrivals.time_of(self.call.opened_at + 1)
        return self.pace.first_at or 0.0 if at is None else at

    @property
    def ended_at(self) -> float | None:
        """Seconds since the request at which its last byte or its marker came; None before."""
        if self.call.closed_at is not None:
            at = self.handle.arrivals.time_of(self.call.closed_at)
            if at is not None:
                return at
        return None if self.forming else self.pace.last_at

    def elapsed(self, now: float) -> float:
        """Seconds from the call's beginning to its end, or to `now` on the screen's clock."""
        ended = self.ended_at
        if ended is None:
            ended = self.clock.at(now) if self.forming else self.opened_at
        return max(ended - self.opened_at, 0.0)

    def pull(self) -> bool:
        """Take what came since the last time; return whether anything can be seen to change.

        Costs the new fragments, never the buffer.
        """
        new = self.call.buffer.since(len(self.fragments))
        arrivals, last = self.handle.arrivals, self.pace.last_at or 0.0
        for fragment in new:
            at = arrivals.time_of(fragment.end)
            last = last if at is None else at
            self.times.append(last)
            self.pace.add(last, len(fragment.text))
            if self.builder is not None:
                self.builder.feed(fragment.text)
        self.fragments += new
        if not self.forming and not self._finished:
            self._finished = True
            if self.builder is not None:
                self.builder.finish()
        seen = (
            len(self.fragments),
            self.state,
            self.problem,
            self.call.name,
            self.call.id,
            self.wants_person,
            self._finished,
        )
        if seen == self._seen:
            return False
        self._seen = seen
        if self.builder is not None:
            self.view = self.builder.view()
        self.revision += 1
        return True

    def change(self, state: CallState, problem: str, now: float) -> None:
        """The session says what became of it."""
        if self.state is CallState.RUNNING and self.running_since is not None and self.ran is None:
            self.run_seconds = now - self.running_since
        self._later, self._later_problem = state, problem
        if state is CallState.RUNNING:
            self.running_since, self.progress, self.ran = now, None, None
        self.revision += 1

    def apply(
        self, update: CallChanged | CallProgress | CallRan | CallAnswered, now: float
    ) -> None:
        """Take one of the session's updates about this call."""
        match update:
            case CallChanged(_, state, problem):
                self.change(state, problem, now)
            case CallProgress():
                self.progress = update
            case CallRan():
                self.ran, self.run_seconds = update, update.seconds
            case CallAnswered(_, result):
                self.result = result
        self.revision += 1

    def ask(self, approval: Approval) -> None:
        self.approval = approval
        self.revision += 1

    def note_edit(self, edited: str, tell: Tell) -> None:
        self.edited = EditedRun(self.raw, edited, tell)
        self.revision += 1

    def note_sent(self, raw: str) -> None:
        """Its text went out in a later request as `raw`.

        Blanks around the object are no part of it in a dialect that embeds it, and a call
        without any text goes back as `{}`.
        """
        own = self.raw.strip(_BLANKS)
        self.sent_back = raw.strip(_BLANKS) == (own or "{}") or raw == self.raw
        self.revision += 1

    def restore(self, state: CallState | None, result: CallResult | None) -> None:
        """A call of a conversation that was read back."""
        self._later = state if state is not None and state is not self.call.state else None
        self.result = result
        self.revision += 1
