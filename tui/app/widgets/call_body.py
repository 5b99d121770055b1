"""What stands below the head of a call's card: facts, a view of the call, and its question.

Owns the question of a person: the bar with its keys, and the form for a reason, an answer or an
edit. Answers go out as the messages of the bar.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical

from tui.app.calls.edits import UnusableText, answer_of, checked_arguments
from tui.app.calls.lines import Line
from tui.app.calls.model import CallModel
from tui.app.calls.waiting import Waiting
from tui.app.widgets.answer_form import AnswerForm, Purpose
from tui.app.widgets.approval_bar import ApprovalBar
from tui.app.widgets.call_lines import CallLines, InkBlock
from tui.session.updates import Decision

_LEAST_HEIGHT = 14
"""Of an open card in the style sheet: room for a question without a list."""


class CallBody(Vertical):
    """See the module.

    Args:
        facts, tabs: make their lines for a width.
        clock: seconds, for the moment of a key.
        home: takes the focus back when a form that had it is closed.
    """

    def __init__(
        self,
        model: CallModel,
        *,
        facts: Callable[[int], list[Line]],
        tabs: Callable[[int], list[Line]],
        clock: Callable[[], float],
        home: Callable[[], object],
    ) -> None:
        super().__init__()
        self.model = model
        self.facts = InkBlock(facts, classes="facts")
        self.tabs = InkBlock(tabs, classes="tabs")
        self.lines = CallLines()
        self.bar = ApprovalBar(model)
        self.form: AnswerForm | None = None
        """The form that is open."""
        self._clock = clock
        self._home = home

    def compose(self) -> ComposeResult:
        yield self.facts
        yield self.tabs
        yield self.lines
        yield self.bar

    def flush_question(
        self, now: float, waiting: Waiting, *, is_open: bool, on_screen: bool, height: int
    ) -> None:
        """Show the bar and the form as the question stands.

        Args:
            is_open: the card is the open one.
            height: of the card, in rows.
        """
        asks = self.model.wants_person
        self.bar.display = asks and is_open and self.form is None
        self.bar.flush(now, waiting, on_screen=on_screen and is_open, room=height - _LEAST_HEIGHT)
        # A form lives as long as its question. A call answered by hand has one from the start.
        if self.form is not None and not asks:
            self._close_form()
        elif self.form is None and self._by_hand and is_open:
            self._open_form("answer", focus=False)
        if self.form is not None and self._by_hand:
            self.bar.display = is_open

    def ask(self, purpose: Purpose, text: str = "") -> None:
        """Open the form for `purpose`, if the question has been on the screen long enough."""
        if self.bar.press(self._clock()):
            self._open_form(purpose, text, focus=True)

    def _open_form(self, purpose: Purpose, text: str = "", *, focus: bool) -> None:
        if self.form is not None:
            self.form.remove()
        self.form = AnswerForm(purpose, text)
        self.bar.display = purpose == "answer" and self._by_hand
        self.mount(self.form)
        if focus:
            self.form.focus_text()

    @property
    def _by_hand(self) -> bool:
        approval = self.model.approval
        return approval is not None and approval.open and approval.by_hand

    def _close_form(self) -> None:
        if self.form is None:
            return
        had_focus = self.form.has_focus_within
        self.form.remove()
        self.form = None
        if had_focus:
            self._home()

    def on_answer_form_closed(self, event: AnswerForm.Closed) -> None:
        event.stop()
        if self._by_hand and self.form is not None and self.form.purpose == "answer":
            self._home()
        else:
            self._close_form()

    def on_answer_form_submitted(self, event: AnswerForm.Submitted) -> None:
        event.stop()
        approval, form = self.model.approval, self.form
        if approval is None or not approval.open or form is None:
            return
        try:
            match event.purpose:
                case "reason":
                    decision = Decision("deny", reason=event.text.strip())
                    self.post_message(ApprovalBar.Decided(approval, decision))
                case "answer":
                    answer = answer_of(
                        self.model.ref, event.text, as_json=event.as_json, is_error=event.is_error
                    )
                    self.post_message(
                        ApprovalBar.Decided(approval, Decision("answer", answer=answer))
                    )
                case "edit":
                    text = checked_arguments(event.text, is_text=self.model.is_text)
                    self.model.note_edit(text, event.tell)
                    self.post_message(ApprovalBar.EditAsked(approval, text, event.tell))
        except UnusableText as problem:
            form.complain(str(problem))
            return
        if event.purpose != "answer":
            self._close_form()
