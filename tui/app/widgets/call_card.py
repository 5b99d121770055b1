"""The card of one call: a head that always stands, and a body of facts, views and questions.

A model comes in and is drawn at the pace of `flush`; what a person wants done with the call goes
out as messages. The body exists only while the card is open, so that a long conversation costs
one line for each of its finished calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.message import Message

from tui.app.calls.edits import UnusableText, editable
from tui.app.calls.facts import fact_lines
from tui.app.calls.lines import Ink, Line, LineSource, clipped, justified, width_of
from tui.app.calls.model import FORMING_STATES, CallModel
from tui.app.calls.raw import RawLines
from tui.app.calls.status import head_line
from tui.app.calls.views import (
    KEYS,
    View,
    best_view,
    copied_words,
    follows_model,
    source_of,
)
from tui.app.calls.waiting import Waiting
from tui.app.keys_in_order import KeysInOrder
from tui.app.widgets.answer_form import AnswerForm
from tui.app.widgets.approval_bar import APPROVAL_BINDINGS, ApprovalBar
from tui.app.widgets.call_body import CallBody
from tui.app.widgets.call_lines import CallLines, InkBlock
from tui.core.states import CallState
from tui.session.updates import Decision, Scope

Openness = Literal["collapsed", "compact", "open"]

_CLASSES = {state: f"-{state.value.replace(' ', '-')}" for state in CallState}
_APPROVING = frozenset({"allow", "deny", "deny_why", "edit", "allow_all"})


class CallCard(KeysInOrder, Vertical):
    """One call. Only the chosen card of a panel can have the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"view('{view}')", view.capitalize(), id=f"call.view-{view}", show=False)
            for view, key in KEYS.items()
        ),
        Binding("enter", "open", "Open", id="call.open"),
        Binding("escape", "leave_rows", "Back", id="call.back"),
        Binding("c", "copy", "Copy", id="call.copy"),
        Binding("i", "whole_digest", "Digest", id="call.digest", show=False),
        Binding("pageup", "scroll(-1)", "Page up", id="call.page-up", show=False),
        Binding("pagedown,space", "scroll(1)", "Page down", id="call.page-down", show=False),
        Binding("home,g", "to_start", "Start", id="call.start", show=False),
        Binding("x", "cancel", "Cancel", id="call.cancel"),
        Binding("r", "run_again", "Run again", id="call.run-again"),
        Binding("b", "branch", "Branch", id="call.branch"),
        *APPROVAL_BINDINGS,
    ]
    HELP = (
        "One call. 1 to 5 change the view, Enter goes through its rows and opens them, "
        "c copies the source of the view."
    )

    class AboutCall(Message):
        """Something is wanted of the call `ref`."""

        def __init__(self, ref: str) -> None:
            super().__init__()
            self.ref = ref

    class Clicked(AboutCall):
        pass

    class RunAgain(AboutCall):
        """Run the finished call once more, for a person to see; the conversation stays."""

    class AnswerByHand(AboutCall):
        """Give another result to the finished call, in a branch of the conversation."""

    class BranchHere(AboutCall):
        """Go on from this call in a branch of the conversation."""

    class CancelAsked(AboutCall):
        """Stop the running tool."""

    class CopyAsked(Message):
        """Take `text`, the source of a view, out of the screen; `what` it is called."""

        def __init__(self, text: str, what: str) -> None:
            super().__init__()
            self.text = text
            self.what = what

    def __init__(self, model: CallModel, clock: Callable[[], float]) -> None:
        super().__init__()
        self.model = model
        self.can_focus = False
        self.view = View.TREE
        self.view_chosen = False
        self._clock = clock
        self._now = clock()
        self._head = InkBlock(self.head_lines, classes="head")
        self._body: CallBody | None = None
        self._openness: Openness = "collapsed"
        self._sources: dict[View, tuple[int, LineSource]] = {}
        self._whole_digest = False
        self._sought: re.Pattern[str] | None = None
        """What is to be marked and brought into sight as soon as the lines are there."""
        self.add_class("-collapsed")

    def compose(self) -> ComposeResult:
        yield self._head

    # -- drawing -----------------------------------------------------------------------------

    @property
    def openness(self) -> Openness:
        return self._openness

    @property
    def lines(self) -> CallLines | None:
        """The view of the call, while the card is open."""
        return None if self._body is None else self._body.lines

    @property
    def bar(self) -> ApprovalBar | None:
        return None if self._body is None else self._body.bar

    @property
    def form(self) -> AnswerForm | None:
        """The form that is open in the card."""
        return None if self._body is None else self._body.form

    def set_openness(self, openness: Openness) -> None:
        """Collapsed to its head, compact with a few lines, or open."""
        if openness == self._openness:
            return
        self.remove_class(f"-{self._openness}")
        self.add_class(f"-{openness}")
        self._openness = openness
        if openness == "collapsed" and self._body is not None:
            self._body.remove()
            self._body = None
            self._sources.clear()
        self._mount_body()

    def _mount_body(self) -> None:
        # Behind the head, so not before it is there.
        if self._openness != "collapsed" and self._body is None and self._head.is_attached:
            self._body = CallBody(
                self.model,
                facts=self.fact_lines,
                tabs=self.tab_lines,
                clock=self._clock,
                home=self.focus,
            )
            self.mount(self._body)

    def flush(self, now: float, waiting: Waiting, *, on_screen: bool) -> None:
        """Draw what changed, as of `now`."""
        self._now = now
        state_class = _CLASSES[self.model.state]
        if not self.has_class(state_class):
            self.remove_class(*_CLASSES.values())
            self.add_class(state_class)
        self._mount_body()
        self._head.renew()
        body = self._body
        if body is None or not body.lines.is_attached:
            return
        if not self.view_chosen:
            self.view = best_view(self.model)
        self._show_view(body.lines)
        body.lines.flush()
        if self._sought is not None and body.lines.scrollable_content_region.width > 0:
            body.lines.mark(self._sought)
            self._sought = None
        body.facts.renew()
        body.tabs.renew()
        body.flush_question(
            now,
            waiting,
            is_open=self._openness == "open",
            on_screen=on_screen,
            height=self.size.height,
        )

    def head_lines(self, width: int) -> list[Line]:
        return [head_line(self.model, self._now, width)]

    def fact_lines(self, width: int) -> list[Line]:
        return fact_lines(self.model, self._now, width, whole_digest=self._whole_digest)

    def tab_lines(self, width: int) -> list[Line]:
        """The names of the views, and how much of this one is seen."""
        left: Line = []
        for view in View:
            if view is View.EDIT and self.model.edited is None:
                continue
            left.append((f" {KEYS[view]} {view} ", Ink.CHOSEN if view is self.view else Ink.MUTED))
        lines = self.lines
        if lines is None or not lines.line_count:
            return [clipped(left, width)]
        first, count = lines.first_visible, lines.line_count
        last = min(first + lines.rows_visible, count)
        place = f"{first + 1:,}–{last:,} of {count:,}" if last - first < count else ""
        more = ""
        if lines.following:
            more = "following" if place else ""
        elif lines.source.grows and last < count:
            more = "↓ End follows"
        # The views are keys to press, so they stay; the place gives way to them.
        room = width - width_of(left) - 2
        where = next(
            (each for each in (f"{place}  {more}".strip(), more, place) if len(each) <= room), ""
        )
        title = lines.source.title if self.view in (View.RAW, View.RESULT) else ""
        if title and room - len(where) - 2 >= len(title):
            left.append((f"  {title}", Ink.MUTED))
        return [justified(left, [(where, Ink.MUTED)], width)]

    def _show_view(self, lines: CallLines) -> None:
        revision = self.model.revision if follows_model(self.view) else 0
        known = self._sources.get(self.view)
        if known is not None and known[0] == revision:
            lines.show(known[1])
            return
        source = source_of(self.model, self.view)
        self._sources[self.view] = (revision, source)
        if known is not None and lines.source is known[1]:
            lines.replace(source)
            return
        lines.show(source)
        if isinstance(source, RawLines):
            fault = source.fault_line(lines.scrollable_content_region.width)
            if fault is not None:
                lines.go_to(fault)

    # -- views -------------------------------------------------------------------------------

    def action_view(self, name: str) -> None:
        view = View(name)
        if view is View.EDIT and self.model.edited is None:
            return
        self.view, self.view_chosen = view, True
        if self.lines is not None:
            self.lines.end_rows()
        self.redraw()

    def show_found(self, view: View, pattern: re.Pattern[str] | None) -> None:
        """Show a view, with what `pattern` finds in it marked and in sight."""
        self.view, self.view_chosen = view, True
        self._sought = pattern

    def redraw(self) -> None:
        """Draw at once what a key has changed."""
        body = self._body
        if body is not None and body.lines.is_attached:
            self._show_view(body.lines)
            body.facts.renew()
            body.tabs.renew()

    def on_key(self, event: Key) -> None:
        """What is typed for a form that does not have the focus yet answers nothing here."""
        if self.form is not None and self.form.take_early(event.character):
            event.stop()
            event.prevent_default()

    def action_open(self) -> None:
        """Go through the rows; in them, open the one at the cursor."""
        lines = self.lines
        if self.form is not None:
            self.form.focus_text()
        elif lines is None:
            self.post_message(self.Clicked(self.model.ref))
        elif lines.cursor is None:
            lines.begin_rows()
        else:
            lines.toggle_row()
        self.redraw()

    def action_leave_rows(self) -> None:
        if self.lines is not None:
            self.lines.end_rows()

    def move_rows(self, by: int) -> bool:
        """Move the row cursor, in row mode; whether it was row mode."""
        if self.lines is None or self.lines.cursor is None:
            return False
        self.lines.move_cursor(by)
        self.redraw()
        return True

    def action_scroll(self, pages: int) -> None:
        if self.lines is not None:
            by = pages * max(self.lines.rows_visible - 1, 1)
            self.lines.scroll_to(y=self.lines.scroll_y + by, animate=False, immediate=True)
            self.redraw()

    def action_to_start(self) -> None:
        if self.lines is not None:
            self.lines.scroll_to(y=0, animate=False, immediate=True)
            self.redraw()

    def action_whole_digest(self) -> None:
        self._whole_digest = not self._whole_digest
        self.redraw()

    def action_copy(self) -> None:
        lines = self.lines
        source = source_of(self.model, self.view) if lines is None else lines.source
        self.post_message(self.CopyAsked(source.text, copied_words(self.model, self.view)))

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.model.ref))

    # -- what can be wanted of a call --------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        approval = self.model.approval if self.model.wants_person else None
        state = self.model.state
        if action in _APPROVING:
            if approval is None:
                return False
            only_here = approval.by_hand or approval.was_started
            if action == "allow":
                once = parameters[:1] == ("once",)
                return not approval.by_hand and (once or not approval.was_started)
            return not only_here if action == "edit" else True
        match action:
            case "by_hand":
                return not self.model.active or approval is not None
            case "cancel":
                return state is CallState.RUNNING
            case "run_again" | "branch":
                return not self.model.active and state not in FORMING_STATES
            case "leave_rows":
                return self.lines is not None and self.lines.cursor is not None
            case _:
                return True

    def action_cancel(self) -> None:
        self.post_message(self.CancelAsked(self.model.ref))

    def action_run_again(self) -> None:
        self.post_message(self.RunAgain(self.model.ref))

    def action_branch(self) -> None:
        self.post_message(self.BranchHere(self.model.ref))

    def action_allow(self, scope: Scope) -> None:
        if self.bar is not None:
            self.bar.allow(scope, self._clock())

    def action_allow_all(self) -> None:
        if self.bar is not None:
            self.bar.allow_all(self._clock())

    def action_deny(self) -> None:
        if self.bar is not None:
            self.bar.decide(Decision("deny"), self._clock())

    def action_deny_why(self) -> None:
        if self._body is not None:
            self._body.ask("reason")

    def action_by_hand(self) -> None:
        if not self.model.wants_person:
            self.post_message(self.AnswerByHand(self.model.ref))
        elif self.form is not None and self.form.purpose == "answer":
            self.form.focus_text()
        elif self._body is not None:
            self._body.ask("answer")

    def action_edit(self) -> None:
        try:
            text = editable(self.model.raw, is_text=self.model.is_text)
        except UnusableText as problem:
            self.notify(str(problem), severity="warning", markup=False)
            return
        if self._body is not None:
            self._body.ask("edit", text)
