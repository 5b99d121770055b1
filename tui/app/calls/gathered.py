"""The calls of a conversation as models: found in its turns, fed, and told what became of them.

Turns and the session's updates come in; which models are new and which changed comes out. It draws
nothing and knows no widget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from tui.app.calls.model import CallModel
from tui.app.calls.pace import TurnClock
from tui.app.calls.waiting import Waiting
from tui.core.conversation import CallResult
from tui.core.states import CallState
from tui.session.updates import (
    ApprovalAsked,
    CallAnswered,
    CallChanged,
    CallProgress,
    CallRan,
    CallsSentBack,
    ExchangeFailed,
    Idle,
    Notice,
    SessionUpdate,
    Tell,
    TurnAdvanced,
    TurnClosed,
    TurnHandle,
    TurnLimitReached,
    TurnOpened,
    UserMessageAdded,
)
from tui.store import Edit


@dataclass(slots=True, eq=False)
class _Turn:
    """A turn in which calls are still looked for."""

    handle: TurnHandle
    clock: TurnClock
    found: int = 0


class GatheredCalls:
    """See the module.

    Args:
        clock: seconds, for the moment a turn began to be shown or an update came.
        found: told of models that are new, oldest first.
        stirred: called when something has changed that was not to be expected.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        found: Callable[[list[CallModel]], None],
        stirred: Callable[[], None],
    ) -> None:
        self.models: dict[str, CallModel] = {}
        """Every call, oldest first."""
        self.active: dict[str, CallModel] = {}
        """Those of which something is still to be expected."""
        self.changed: set[str] = set()
        """Those that have to be drawn anew; whoever draws them empties this."""
        self._clock = clock
        self._found = found
        self._stirred = stirred
        self._turns: list[_Turn] = []

    @property
    def restless(self) -> bool:
        """Whether something may come at any moment."""
        return bool(self.active or self.changed or self._turns)

    @property
    def waiting(self) -> Waiting:
        """The calls that wait for a person."""
        return Waiting.among(self.active.values())

    def open_turn(self, handle: TurnHandle) -> bool:
        """A turn begins; its calls are found as they come. Whether it is new here."""
        if any(turn.handle is handle for turn in self._turns):
            return False
        self._turns.append(_Turn(handle, TurnClock(handle.arrivals, self._clock())))
        self._stirred()
        return True

    def show_past(
        self,
        handle: TurnHandle,
        states: Mapping[str, CallState],
        results: Mapping[str, CallResult],
        edits: Mapping[str, Edit],
    ) -> None:
        """A turn of a conversation that was read back, with what became of its calls."""
        clock = TurnClock(handle.arrivals, self._clock())
        new = []
        for call in handle.turn.calls:
            if call.ref not in self.models:
                model = CallModel(call, handle, clock)
                model.restore(states.get(call.ref), results.get(call.ref))
                if (edit := edits.get(call.ref)) is not None:
                    model.note_edit(edit.text, edit.told)
                new.append(model)
        self._add(new, past=True)

    def apply(self, update: SessionUpdate) -> None:
        """Take one of the session's updates. Those that are not about calls change nothing."""
        match update:
            case TurnOpened():
                pass  # its owner opens it
            case TurnAdvanced() | TurnClosed():
                self.gather()
            case CallChanged(ref) | CallProgress(ref) | CallRan(ref) | CallAnswered(ref):
                self.discover()
                if (model := self.models.get(ref)) is not None:
                    model.apply(update, self._clock())
                    self.touch(model)
            case ApprovalAsked(approval):
                self.discover()
                if (model := self.models.get(approval.call.ref)) is not None:
                    model.ask(approval)
                    self.touch(model)
            case (
                UserMessageAdded()
                | CallsSentBack()
                | TurnLimitReached()
                | Notice()
                | ExchangeFailed()
                | Idle()
            ):
                pass
            case _:
                assert_never(update)

    def note_sent_back(self, ref: str, raw: str) -> None:
        """A request went out in which the call's argument text is `raw`."""
        if (model := self.models.get(ref)) is not None and model.sent_back is None:
            model.note_sent(raw)
            self.touch(model)

    def note_edit(self, ref: str, text: str, tell: Tell) -> None:
        """The call was run with other arguments: `text`."""
        if (model := self.models.get(ref)) is not None:
            model.note_edit(text, tell)
            self.touch(model)

    def gather(self) -> None:
        """Find what is new and take what came. Done as it comes, so that no frame has much to do."""
        self.discover()
        for model in list(self.active.values()):
            if model.pull():
                self.changed.add(model.ref)
            if not model.active:
                del self.active[model.ref]
                self.changed.add(model.ref)

    def see(self, now: float) -> None:
        """Take notice of when what came was seen. A time that is drawn with may be older."""
        for model in self.active.values():
            model.clock.see(now)

    def discover(self) -> None:
        """Find the calls that have begun."""
        new = []
        for turn in list(self._turns):
            calls = turn.handle.turn.calls
            for call in calls[turn.found :]:
                if call.ref not in self.models:
                    new.append(CallModel(call, turn.handle, turn.clock))
            turn.found = len(calls)
            if turn.handle.turn.closed:
                self._turns.remove(turn)
        self._add(new, past=False)

    def touch(self, model: CallModel) -> None:
        """Something of `model` has changed."""
        if model.active:
            self.active[model.ref] = model
        self.changed.add(model.ref)
        self._stirred()

    def clear(self) -> None:
        """Forget every call."""
        self.models.clear()
        self.active.clear()
        self.changed.clear()
        self._turns.clear()

    def _add(self, models: Iterable[CallModel], *, past: bool) -> None:
        new = list(models)
        for model in new:
            self.models[model.ref] = model
            if model.active or not past:
                # Until it has been pulled once, also when it is over already.
                self.active[model.ref] = model
            self.changed.add(model.ref)
        if new:
            self._found(new)
