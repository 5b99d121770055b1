"""Working with branches on the chat screen: another answer, another prompt, another result.

What a person asks of a message or a call comes in; the conversation is opened at another head
and goes on from there. The tree itself, and what may be done with it, is `session.branching`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.calls.edits import UnusableText, answer_of
from tui.app.safe import clean_line, notify
from tui.app.selection_guard import SelectionGuard
from tui.app.widgets.answer_form import AnswerForm
from tui.app.widgets.call_card import CallCard
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.prompt import Prompt
from tui.core.conversation import CallResult, ImagePart, TextContent
from tui.core.errors import StoreError, UsageError, VerbatimError
from tui.session.branching import (
    Anew,
    Shape,
    branch_point,
    go_to,
    last_of,
    prompt_anew,
    regenerate,
    replace_result,
    shape_of,
    switch,
)
from tui.session.updates import SessionUpdate, TurnClosed, UserMessageAdded
from tui.session.workspace import OpenConversation, Workspace
from tui.store import MessageNode

_NAME_LIMIT = 60


class BranchingScreen(SelectionGuard):
    """The part of the chat screen that opens branches. The rest of it says how to show one."""

    workspace: Workspace
    editing: Anew | None = None
    """The prompt that is being edited, to be sent beside the old one."""
    at_earlier: bool = False
    """Opened at an earlier message, and nothing sent from there yet."""

    @property
    @abstractmethod
    def opened(self) -> OpenConversation:
        """The conversation that is shown."""

    @abstractmethod
    async def replace_conversation(self, opened: OpenConversation) -> None:
        """Show another conversation, or another branch."""

    @abstractmethod
    def complain(self, error: VerbatimError) -> None:
        """Say what could not be done."""

    @abstractmethod
    def show_state(self, word: str, *, busy: bool) -> None:
        """Say what is going on."""

    # Which message is meant ---------------------------------------------------------------

    def shape(self) -> Shape:
        return shape_of(self.workspace.store, self.opened.id)

    def path(self) -> list[MessageNode]:
        """The messages that are shown."""
        return self.shape().path(self.opened.journal.parent)

    def stored_id(self, shown: str | None) -> str | None:
        """The message of the store that the pane shows as `shown`: a turn goes by its exchange."""
        for node in self.path() if shown is not None else ():
            if shown in (node.id, node.exchange):
                return node.id
        return None

    def _meant(self, shown: str | None, role: str) -> str:
        """The message `shown`, else the chosen one if it has the role, else the newest that has.

        Raises:
            UsageError: there is none.
        """
        path = self.path()
        if shown is not None and (found := self.stored_id(shown)) is not None:
            return found
        chosen = self.stored_id(self.query_one(MessagePane).chosen)
        if any(node.id == chosen and node.role == role for node in path) and chosen is not None:
            return chosen
        return last_of(path, role)

    # What is done with it -----------------------------------------------------------------

    def regenerate(self, shown: str | None = None) -> None:
        """Ask for a turn again; of a prompt, for another answer to it.

        Raises:
            VerbatimError: it cannot be done, and why.
        """
        self.refuse_if_busy()
        message = self._meant(shown, "assistant")
        self.branch(regenerate(self.workspace.store, self.opened.id, message), ask=True)

    def edit_prompt(self, shown: str | None = None) -> None:
        """Take a prompt into the input; what is sent then goes beside it."""
        self.refuse_if_busy()
        self.editing = prompt_anew(self.workspace.store, self._meant(shown, "user"))
        prompt = self.query_one(Prompt)
        prompt.text = self.editing.text
        prompt.focus()
        self.show_state("editing an earlier prompt", busy=False)
        notify(self.app, "editing: Enter sends as a new branch, Esc gives up")

    def branch_here(self, shown: str | None = None) -> None:
        """Stand at a message: what is sent next goes below it."""
        self.refuse_if_busy()
        head = self.opened.journal.parent
        message = self._meant(shown, "assistant")
        self.branch(branch_point(self.workspace.store, self.opened.id, message, head))

    def other_branch(self, shown: str | None, step: int) -> None:
        """Go to what stands at the place of a message in another branch."""
        self.refuse_if_busy()
        store, opened = self.workspace.store, self.opened
        message = self.stored_id(shown) or opened.journal.parent
        if message is None:
            raise UsageError("there is nothing to go to yet")
        shape = self.shape()
        if message == opened.journal.parent and (below := shape.below(message)):
            head = go_to(store, opened.id, below[-1])
        else:
            head = switch(store, opened.id, message, step)
        self.branch(head, quiet=True)

    def answer_again(self, ref: str, text: str) -> None:
        """Give the call `ref` another result, in words, and go on from there."""
        if not ref or not text:
            raise UsageError(
                "/answer takes a call and a text", hint="for example: /answer t1.c1 It arrived."
            )
        self._answer_with(CallResult(ref, (TextContent(text),), origin="person"))

    def _answer_with(self, result: CallResult) -> None:
        self.refuse_if_busy()
        head = replace_result(self.workspace.store, self.opened.id, result.call, result)
        self.branch(head, ask=True)

    def send_edited(self, text: str) -> bool:
        """Send what the person made of an earlier prompt; False when none is being edited."""
        anew, self.editing = self.editing, None
        if anew is not None:
            self.branch(anew.head, prompt=text, images=anew.images)
        return anew is not None

    def give_up(self) -> bool:
        """Leave an edit or an earlier message, nothing changed; False when there was neither."""
        if self.editing is not None:
            self.editing = None
            self.query_one(Prompt).text = ""
            self.show_state("ready", busy=False)
            return True
        if self.at_earlier:
            self.branch(None, quiet=True)
            return True
        return False

    @work(exclusive=True, group="open")
    async def branch(
        self,
        head: str | None,
        *,
        ask: bool = False,
        prompt: str = "",
        images: tuple[ImagePart, ...] = (),
        quiet: bool = False,
    ) -> None:
        """Open the conversation at `head` (None: its own), and go on from there."""
        old = self.opened
        try:
            opened = self.workspace.open(old.id, head=head, target=old.session.target)
            # What was allowed for the conversation is so on all its branches.
            opened.runner.policy = old.runner.policy
            await self.replace_conversation(opened)
            if prompt:
                opened.session.send(prompt, images)
            elif ask:
                opened.session.proceed()
            elif not quiet:
                self._stand_at_earlier(opened)
        except VerbatimError as error:
            if prompt:
                self.query_one(Prompt).restore(prompt)
            self.complain(error)

    def _stand_at_earlier(self, opened: OpenConversation) -> None:
        head = opened.journal.parent
        if head is not None and self.shape().below(head):
            self.at_earlier = True
            self.query_one(MessagePane).add_notice(
                "What you send now begins a branch here. What was said below stays: Esc goes back."
            )
        else:
            notify(self.app, "This is the end of the branch: what you send goes on from here.")

    def refuse_if_busy(self) -> None:
        """Raises: UsageError: the model is still answering."""
        if self.opened.session.busy:
            raise UsageError("the model is still answering", hint="Esc stops it")

    # What is shown of it ------------------------------------------------------------------

    def mark_branches(self) -> None:
        """Say at each message that has others beside it which of how many it is."""
        pane = self.query_one(MessagePane)
        try:
            forks = self.shape().forks(self.opened.journal.parent)
            path = self.path() if forks else []
        except StoreError:
            return  # What is wrong is told by the store itself; the turn goes on without marks.
        for node in path:
            if (found := forks.get(node.id)) is not None:
                place, count = found.place + 1, len(found.ids)
                pane.mark_branch(node.exchange or node.id, place, count)

    def note_message(self, update: SessionUpdate) -> None:
        """A message was added: it may be another one at its place."""
        if isinstance(update, UserMessageAdded | TurnClosed):
            self.at_earlier = False
            self.mark_branches()

    # What a person asks -------------------------------------------------------------------

    @on(MessagePane.RegenerateAsked)
    def _regenerate_asked(self, event: MessagePane.RegenerateAsked) -> None:
        try:
            self.regenerate(event.message_id)
        except VerbatimError as error:
            self.complain(error)

    @on(MessagePane.EditAsked)
    def _edit_asked(self, event: MessagePane.EditAsked) -> None:
        try:
            self.edit_prompt(event.message_id)
        except VerbatimError as error:
            self.complain(error)

    @on(MessagePane.BranchAsked)
    def _branch_asked(self, event: MessagePane.BranchAsked) -> None:
        try:
            self.branch_here(event.message_id)
        except VerbatimError as error:
            self.complain(error)

    @on(MessagePane.SiblingAsked)
    def _sibling_asked(self, event: MessagePane.SiblingAsked) -> None:
        try:
            self.other_branch(event.message_id, event.step)
        except VerbatimError as error:
            self.complain(error)

    @on(CallCard.BranchHere)
    def _branch_at_call(self, event: CallCard.BranchHere) -> None:
        try:
            call = self.workspace.store.call(self.opened.id, event.ref)
            if call is None or call.message is None:
                raise UsageError(f"{event.ref} does not stand in a stored turn yet")
            self.branch_here(call.message)
        except VerbatimError as error:
            self.complain(error)

    @on(CallCard.AnswerByHand)
    def _ask_for_answer(self, event: CallCard.AnswerByHand) -> None:
        def answered(result: CallResult | None) -> None:
            if result is None:
                return
            try:
                self._answer_with(result)
            except VerbatimError as error:
                self.complain(error)

        try:
            resumed = self.workspace.store.results(self.opened.id).get(event.ref)
            call = self.workspace.store.call(self.opened.id, event.ref)
        except StoreError as error:
            self.complain(error)
            return
        name = event.ref if call is None else f"{call.name} ({event.ref})"
        had = "" if resumed is None else "It has a result, which stays on its own branch."
        self.app.push_screen(AnswerDialog(event.ref, name, had), answered)


class AnswerDialog(ModalScreen[CallResult | None]):
    """Asks for another result of a finished call; None when it is given up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", id="answer.close")
    ]

    def __init__(self, ref: str, name: str, had: str = "") -> None:
        super().__init__()
        self._ref = ref
        self._name_of_call = name
        self._had = had
        self._form = AnswerForm("answer")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            name = clean_line(self._name_of_call, _NAME_LIMIT)
            yield Static(Content(f"Another result for {name}"), classes="dialog--title")
            yield self._form
            words = f"The model goes on with it in a new branch. {self._had}".strip()
            yield Static(Content(words), classes="dialog--keys")

    def on_mount(self) -> None:
        self._form.focus_text()

    def on_answer_form_closed(self, event: AnswerForm.Closed) -> None:
        event.stop()
        self.dismiss(None)

    def on_answer_form_submitted(self, event: AnswerForm.Submitted) -> None:
        event.stop()
        try:
            result = answer_of(
                self._ref, event.text, as_json=event.as_json, is_error=event.is_error
            )
        except UnusableText as problem:
            self._form.complain(str(problem))
            return
        self.dismiss(result)
