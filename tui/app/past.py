"""The past in the panes of the chat: a turn as it was, with nobody to ask and nothing to run."""

from __future__ import annotations

from tui.app.presenter import Presenter
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.app.wire.timeline import Timeline
from tui.core.reader import Step
from tui.core.turn import Turn
from tui.session.updates import Approval, TurnAdvanced, TurnClosed, TurnHandle, TurnOpened


class _Past:
    """The presenter's stage here: nothing is running, and nobody is asked."""

    def show_state(self, word: str, *, busy: bool) -> None:
        pass

    def show_usage(self, turn: Turn) -> None:
        pass

    def show_findings(self, turn: Turn) -> None:
        pass

    def ask_for(self, approval: Approval) -> None:
        pass

    def became_idle(self, reason: str) -> None:
        pass


class PastTurn:
    """One turn in two panes that show nothing else. `like` says whose it is."""

    def __init__(self, pane: MessagePane, panel: CallPanel, like: TurnHandle) -> None:
        self._pane = pane
        self._panel = panel
        self._like = like
        self._handle: TurnHandle | None = None
        self._presenter: Presenter | None = None
        self.position: int | None = None
        """The position that the panes show."""

    async def show(self, timeline: Timeline, position: int) -> Turn:
        """Show the turn as it was at a position; returns it as it was."""
        before = self.position
        if before is None or position < before or self._handle is None:
            turn = await self._begin_anew(timeline, position)
        else:
            turn = timeline.seek(position).turn
            handle = self._handle
            timeline.note_arrivals(handle.arrivals, before, position)
            steps = timeline.steps[before:position]
            if position > timeline.events:
                steps = [*steps, *timeline.rest]
            handle.steps.extend(steps)
            self._take(handle, steps)
        self.position = position
        self._panel.flush()
        return turn

    async def _begin_anew(self, timeline: Timeline, position: int) -> Turn:
        card = self._panel.chosen
        chosen = (card.model.ref, card.view) if card is not None and card.view_chosen else None
        with self._pane.app.batch_update():
            await self._pane.clear()
            await self._panel.clear()
            turn = timeline.seek(position).turn
            handle = self._handle = timeline.handle(self._like)
            self._presenter = Presenter(self._pane, self._panel, _Past())
            self._presenter.take(TurnOpened(handle))
            self._take(handle, handle.steps)
            card = self._panel.chosen
            if chosen is not None and card is not None and card.model.ref == chosen[0]:
                card.action_view(chosen[1])
        return turn

    def _take(self, handle: TurnHandle, steps: list[Step]) -> None:
        presenter = self._presenter
        if presenter is None:
            return
        presenter.take(TurnAdvanced(handle, tuple(steps)))
        if handle.turn.closed:
            presenter.take(TurnClosed(handle, "", handle.turn.message()))
