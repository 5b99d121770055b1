"""The presenter: session updates in, changes of the widgets out.

The one place that knows both vocabularies. It draws nothing and waits for nothing; widgets
redraw at their own pace. Prose goes to the message pane, call arguments to the call panel, and
this module is where the two part: the pane is given text fragments and call names, never more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, assert_never

from tui.app.shown_message import Severity
from tui.app.states_shown import AWAITING_ANSWER, shown
from tui.app.turn_view import TurnView
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.core import events as ev
from tui.core.conversation import AssistantMessage, TextPart, UserMessage
from tui.core.parts import (
    UNKNOWN_EVENT,
    LiveCall,
    LiveProviderItem,
    LiveRefusal,
    LiveText,
    LiveThinking,
)
from tui.core.states import CallState
from tui.core.turn import Turn
from tui.session import updates as up

WAITING, STREAMING = "waiting for the first byte", "streaming"


class Stage(Protocol):
    """What the presenter asks of the screen besides its widgets."""

    def show_state(self, word: str, *, busy: bool) -> None: ...
    def show_usage(self, turn: Turn) -> None: ...
    def show_findings(self, turn: Turn) -> None: ...
    def ask_for(self, approval: up.Approval) -> None: ...
    def became_idle(self, reason: str) -> None: ...


@dataclass(slots=True)
class Presenter:
    """Shows one conversation. Made anew for another."""

    pane: MessagePane
    panel: CallPanel
    stage: Stage
    _views: dict[str, TurnView] = field(default_factory=dict)
    _handles: list[up.TurnHandle] = field(default_factory=list)
    _view_of_call: dict[str, TurnView] = field(default_factory=dict)
    _ended_by: str = ""
    """Why the newest turn is not whole."""

    def take(self, update: up.SessionUpdate) -> None:
        """Show one update."""
        self.panel.apply(update)
        match update:
            case up.UserMessageAdded(message_id, message):
                self.pane.add_user(message_id, text_of(message))
            case up.TurnOpened(handle):
                self._handles.append(handle)
                self._views[handle.exchange] = self.pane.begin_turn(handle.exchange, handle.model)
                self.panel.open_turn(handle)
                self.stage.show_state(WAITING, busy=True)
            case up.TurnAdvanced(handle, steps):
                for step in steps:
                    for event in step.events:
                        self._event(self._views[handle.exchange], handle.turn, event)
                self.stage.show_state(STREAMING, busy=True)
            case up.TurnClosed(handle, _, message):
                self._close(handle, message)
            case up.CallChanged(ref, state):
                self._mark(ref, state)
                if state is CallState.RUNNING:
                    self.stage.show_state("running tools", busy=True)
            case up.ApprovalAsked(approval):
                if approval.by_hand:
                    ref = approval.call.ref
                    self._mark(ref, CallState.AWAITING_APPROVAL, word=AWAITING_ANSWER)
                self.stage.ask_for(approval)
            case up.CallsSentBack(texts):
                for ref, raw in texts.items():
                    self.panel.note_sent_back(ref, raw)
            case up.CallProgress() | up.CallRan() | up.CallAnswered():
                pass  # the call panel's
            case up.TurnLimitReached(limit):
                self.pane.add_notice(
                    f"Stopped after {limit} turns for one prompt. Ctrl+R goes on.", "warning"
                )
            case up.Notice(text, severity):
                self.pane.add_notice(text, severity)
            case up.ExchangeFailed(error):
                # What ended a turn stands below the turn already.
                words = "" if str(error) == self._ended_by else str(error)
                self._ended_by = ""
                if words or error.hint:
                    self.pane.add_notice(f"{words}\n{error.hint}".strip(), "error")
            case up.Idle(reason):
                self.stage.became_idle(reason)
            case _:
                assert_never(update)

    @property
    def handles(self) -> dict[str, up.TurnHandle]:
        """Exchange id → turn, of every turn that is shown."""
        return {handle.exchange: handle for handle in self._handles}

    @property
    def arrived(self) -> tuple[int, int] | None:
        """The number of turns begun, and how many bytes of the newest have come."""
        if not self._handles:
            return None
        return len(self._handles), self._handles[-1].arrivals.total

    def past_turn(self, handle: up.TurnHandle, states: dict[str, CallState]) -> None:
        """Show a turn of a resumed conversation as it looked when it was over."""
        view = self.pane.begin_turn(handle.exchange, handle.model)
        for part in handle.turn.parts:
            if part.choice != 0:
                continue
            match part:
                case LiveText():
                    view.append_text(part.key, part.text)
                case LiveThinking():
                    view.append_thinking(part.key, part.text)
                case LiveRefusal():
                    view.append_refusal(part.key, part.text)
                case LiveProviderItem():
                    view.add_provider_item(part.key, part.kind, part.title)
                case LiveCall():
                    self._view_of_call[part.ref] = view
                    view.add_call_marker(part.ref, part.name)
                    self._mark(part.ref, states.get(part.ref, part.state))
                case _:
                    pass
        view.close_turn(handle.turn.problem, _severity(handle.turn.outcome))
        self.stage.show_findings(handle.turn)

    def _event(self, view: TurnView, turn: Turn, event: ev.DialectEvent) -> None:
        match event:
            case ev.TextFragment(key, text, 0):
                view.append_text(key, text)
            case ev.ThinkingFragment(key, text, 0):
                view.append_thinking(key, text)
            case ev.RefusalFragment(key, text, 0):
                view.append_refusal(key, text)
            case ev.ProviderItemOpened(key, kind, title):
                view.add_provider_item(key, kind, title)
            case ev.UnknownEvent(kind):
                view.add_provider_item(f"unknown:{kind}", kind, UNKNOWN_EVENT)
            case ev.CallOpened(key, _, name, _, 0):
                if (call := _call(turn, key)) is not None:
                    self._view_of_call[call.ref] = view
                    view.add_call_marker(call.ref, name or "(no name yet)")
            case ev.CallNamed(key) | ev.CallClosed(key):
                if (call := _call(turn, key)) is not None:
                    self._mark(call.ref, call.state, call.name or None)
            case _:
                pass

    def _close(self, handle: up.TurnHandle, message: AssistantMessage) -> None:
        for part in message.calls:
            self._mark(part.ref, part.state)
        self._views[handle.exchange].close_turn(message.problem, _severity(message.outcome))
        self._ended_by = message.problem
        self.stage.show_usage(handle.turn)
        self.stage.show_findings(handle.turn)

    def _mark(
        self, ref: str, state: CallState, label: str | None = None, *, word: str = ""
    ) -> None:
        view = self._view_of_call.get(ref)
        if view is not None:
            look = shown(state)
            view.update_call_marker(ref, look.mark(), word or look.word, look.colour, label)


def text_of(message: UserMessage) -> str:
    """What a person typed; images are named."""
    return "".join(
        part.text if isinstance(part, TextPart) else f"[image {part.media_type}]"
        for part in message.parts
    )


def _call(turn: Turn, key: ev.Key) -> LiveCall | None:
    return next((call for call in turn.calls if call.key == key), None)


def _severity(outcome: str | None) -> Severity:
    return "error" if outcome == "error" else "warning"
