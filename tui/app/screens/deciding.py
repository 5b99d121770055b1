"""What a person decides about calls: answers to questions, runs by hand, what is copied or opened.

The cards and messages say what is wanted; the session and its dispatcher are told here.
"""

from __future__ import annotations

from pathlib import Path

from textual import on, work

from tui.app.copying import copy_out
from tui.app.safe import notify
from tui.app.screens.finding import FindingScreen
from tui.app.widgets.approval_bar import ApprovalBar
from tui.app.widgets.call_card import CallCard
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.message_view import MessageView
from tui.app.widgets.prompt import Prompt
from tui.core.errors import VerbatimError
from tui.session.updates import Decision


class DecidingScreen(FindingScreen):
    """The part of the chat screen that carries out what is wanted of a call or a message."""

    copies_folder: Path | None = None
    """Where a copy too long for a clipboard is saved."""
    _again: str = ""
    """The call that the next `r` runs again, although it may change things."""

    @on(CallPanel.Chosen)
    def _another_call(self) -> None:
        self._again = ""

    @on(CallPanel.AttentionChanged)
    def _attention(self, event: CallPanel.AttentionChanged) -> None:
        self.query_one("#work").set_class(event.waiting > 0, "-asking")

    @on(CallCard.CopyAsked)
    def _copy(self, event: CallCard.CopyAsked) -> None:
        copied = copy_out(event.text, event.what, self.app.copy_to_clipboard, self.copies_folder)
        notify(self.app, copied.told, severity="error" if copied.failed else "information")

    @on(ApprovalBar.Decided)
    def _decided(self, event: ApprovalBar.Decided) -> None:
        event.approval.decide(event.decision)
        self._after_decision()

    @on(ApprovalBar.EditAsked)
    def _edited(self, event: ApprovalBar.EditAsked) -> None:
        event.approval.decide(Decision("edit", edited=event.text, tell=event.tell))
        self._after_decision()

    def _after_decision(self) -> None:
        # The next question keeps the keys where they are; after the last they go to the prompt.
        if self.query_one(CallPanel).wants_attention <= 1:
            self.query_one(Prompt).focus()

    @on(CallCard.CancelAsked)
    def _cancel_call(self, event: CallCard.CancelAsked) -> None:
        self.opened.runner.dispatcher.cancel(event.ref)

    @on(CallCard.RunAgain)
    def _run_again(self, event: CallCard.RunAgain) -> None:
        model = next(
            (each for each in self.query_one(CallPanel).models if each.ref == event.ref), None
        )
        entry = self.workspace.registry.get(model.name) if model is not None else None
        harmless = entry is not None and entry.spec.read_only and entry.tool.trusted
        if not harmless and self._again != event.ref:
            # One key, perhaps meant for the prompt, must not change anything out there.
            self._again = event.ref
            notify(self.app, f"{event.ref} may change things. r again runs it once more.")
            return
        self._again = ""
        self._by_hand(event.ref)

    @work(group="by-hand")
    async def _by_hand(self, ref: str) -> None:
        try:
            outcome = await self.opened.session.run_again(ref)
        except VerbatimError as error:
            self.complain(error)
            return
        self.query_one(MessagePane).add_notice(
            f"{ref} run again by hand, for you alone: {outcome.state}\n{outcome.result.text}"
        )

    @on(MessageView.CallMarkChosen)
    def _show_call(self, event: MessageView.CallMarkChosen) -> None:
        self.query_one(CallPanel).focus_call(event.ref)

    @on(MessagePane.LinkChosen)
    def _open_link(self, event: MessagePane.LinkChosen) -> None:
        self.app.open_url(event.url)
