"""Time travel: one turn as it was after any of its events, in the same panes that showed it live.

Bytes up to a position go through the production pipeline and into panes of their own. It is the
past: nothing is asked, run, stored or sent from here, whatever the calls say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Resize

from tui.app.calls.lines import Ink, Line, flowed, justified, spelled
from tui.app.copying import copy_out
from tui.app.past import PastTurn
from tui.app.safe import notify
from tui.app.selection_guard import SelectionGuard
from tui.app.widgets.call_card import CallCard
from tui.app.widgets.call_lines import InkBlock
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.contrast_table import ContrastTable
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.message_view import MessageView
from tui.app.widgets.scrubber import Scrubber
from tui.app.wire.contrasted import Contrasted, Known
from tui.app.wire.playback import Playback
from tui.app.wire.source import WireSource
from tui.app.wire.timeline import Timeline
from tui.core.errors import VerbatimError
from tui.session.updates import TurnHandle

NARROW: Final = 110
"""Columns below which the call panel goes under the messages."""
TICK_SECONDS: Final = 0.05
GROW_SECONDS: Final = 0.5
KEYS: Final = (
    "←→ event",
    "[ ] fragment",
    "o O call opens",
    "c C closes",
    "e ending",
    "space play",
    "+ - speed",
    "x contrast",
    "F4 wire",
    "Esc back",
)


class TimeTravel(SelectionGuard):
    """The turn of one exchange, finished or still coming."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f5", "leave", "Back", id="travel.leave"),
        Binding("f4", "wire", "Wire", id="travel.wire"),
        Binding("right,l", "step(1)", "Next event", id="travel.next"),
        Binding("left,h", "step(-1)", "Previous event", id="travel.previous"),
        Binding("right_square_bracket,shift+right", "fragment(1)", "Next fragment", show=False),
        Binding("left_square_bracket,shift+left", "fragment(-1)", "Previous fragment", show=False),
        Binding("o", "opening(1)", "Next opening", id="travel.opening", show=False),
        Binding("O", "opening(-1)", "Previous opening", show=False),
        Binding("c", "closing(1)", "Next closing", id="travel.closing", show=False),
        Binding("C", "closing(-1)", "Previous closing", show=False),
        Binding("e", "ending", "Ending", id="travel.ending", show=False),
        Binding("home,g", "to(0)", "Start", id="travel.start", show=False),
        Binding("end,G", "to(-1)", "End", id="travel.end", show=False),
        Binding("space", "play", "Play", id="travel.play"),
        Binding("plus,equals_sign", "speed(1)", "Faster", id="travel.faster", show=False),
        Binding("minus", "speed(-1)", "Slower", id="travel.slower", show=False),
        Binding("x", "contrast", "Contrast", id="travel.contrast"),
    ]
    AUTO_FOCUS = "Scrubber"
    HELP = "One turn at any of its events, as it looked then."

    def __init__(
        self,
        source: WireSource,
        exchange: str,
        *,
        position: int | None = None,
        copies_folder: Path | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`position`: where to begin (None: where the turn is now). `clock`: seconds, for playing.

        Raises:
            StoreError: the exchange is not part of the conversation.
        """
        super().__init__()
        self._source = source
        self._exchange = exchange
        self._begin_at = position
        self._copies_folder = copies_folder
        self._like: TurnHandle = source.handle(exchange)
        self.timeline: Timeline | None = None
        self._known: Known | None = None
        self._contrasted: Contrasted | None = None
        self._past: PastTurn | None = None
        self._playback = Playback(clock)
        self._number = 0
        self._wanted = 0
        self._moving = False

    # -- layout ------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield InkBlock(self.head_lines, id="travel-head")
        with Container(id="travel-panes"):
            yield MessagePane(id="travel-messages", copies_folder=self._copies_folder)
            yield CallPanel(id="travel-calls", clock=self._turn_time)
        yield ContrastTable(id="travel-contrast")
        yield Scrubber(id="travel-scrubber")
        yield InkBlock(self._keys, id="travel-keys")

    def on_mount(self) -> None:
        self.query_one(ContrastTable).display = False
        self._read()
        self.set_interval(TICK_SECONDS, self.tick)

    def on_resize(self, event: Resize) -> None:
        self.query_one("#travel-panes").set_class(event.size.width < NARROW, "-narrow")

    @property
    def scrubber(self) -> Scrubber:
        return self.query_one(Scrubber)

    @property
    def shown(self) -> int | None:
        """The position that the panes show."""
        return None if self._past is None else self._past.position

    @property
    def pane(self) -> MessagePane:
        return self.query_one(MessagePane)

    @property
    def panel(self) -> CallPanel:
        return self.query_one(CallPanel)

    def head_lines(self, width: int) -> list[Line]:
        """Says that this is the past."""
        number = f" {self._number}" if self._number else ""
        model = spelled(self._like.turn.model or self._like.model)
        left: Line = [
            (f"time travel · exchange{number}", Ink.STRONG),
            (f"  {spelled(self._like.endpoint)}, {model}", Ink.PLAIN),
        ]
        return [justified(left, [("the past: nothing runs from here", Ink.FORMING)], width)]

    def _keys(self, width: int) -> list[Line]:
        return flowed([[(f"{key}  ", Ink.MUTED)] for key in KEYS], width)

    def _turn_time(self) -> float:
        return 0.0 if self.timeline is None else self.timeline.time(self.timeline.position)

    # -- what is on record -------------------------------------------------------------------

    @work(exclusive=True, group="travel-read")
    async def _read(self) -> None:
        like = self._like
        try:
            found = await asyncio.to_thread(self._source.read, self._exchange, like)
            timeline = await asyncio.to_thread(self._source.timeline, found, like)
            self._number = found.number
            self.timeline = self.scrubber.timeline = timeline
            self._known = self._source.known(found, like)
            self._contrasted = self._source.contrasted(found, like)
            begin = timeline.last if self._begin_at is None else self._begin_at
            self.query_one("#travel-head", InkBlock).renew()
            self.go(begin)
            while not timeline.over:
                await asyncio.sleep(GROW_SECONDS)
                found = await asyncio.to_thread(self._source.read, self._exchange, like)
                at_end = self._wanted == timeline.last
                known = self._known = self._source.known(found, like)
                timeline.grow(
                    found.body, known.steps, found.chunks, over=found.over, broken=known.broken
                )
                if at_end:
                    self.go(timeline.last)
                self.scrubber.renew()
        except VerbatimError as error:
            notify(self.app, f"{error}\n{error.hint}".strip(), severity="error")

    # -- going somewhere ---------------------------------------------------------------------

    def go(self, position: int) -> None:
        """Show the turn as it was at a position. Fast keys are answered with the last of them."""
        timeline = self.timeline
        if timeline is None:
            return
        self._wanted = min(max(position, 0), timeline.last)
        if not self._moving and self._wanted != self.shown:
            self._moving = True
            self._move()

    @work(group="travel-move")
    async def _move(self) -> None:
        try:
            while self.timeline is not None and self._wanted != self.shown:
                await self._show(self.timeline, self._wanted)
        finally:
            self._moving = False

    async def _show(self, timeline: Timeline, position: int) -> None:
        if self._past is None:
            self._past = PastTurn(self.pane, self.panel, self._like)
        self.scrubber.turn = await self._past.show(timeline, position)
        self.scrubber.renew()
        self._fill_contrast()

    def _stop(self) -> None:
        self._playback.hold()
        self.scrubber.playing = False
        self.scrubber.renew()

    # -- keys --------------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        self._stop()
        self.go(self._wanted + by)

    def action_fragment(self, by: int) -> None:
        self._stop()
        if self.timeline is not None:
            self.go(self.timeline.next_fragment(self._wanted, by))

    def action_opening(self, by: int) -> None:
        self._stop()
        if self.timeline is not None:
            self.go(self.timeline.next_opening(self._wanted, by))

    def action_closing(self, by: int) -> None:
        self._stop()
        if self.timeline is not None:
            self.go(self.timeline.next_closing(self._wanted, by))

    def action_ending(self) -> None:
        """The event that says why the turn ended; pressed there, the end of the body."""
        self._stop()
        if self.timeline is not None:
            ending = self.timeline.ending()
            self.go(self.timeline.last if self._wanted == ending else ending)

    def action_to(self, position: int) -> None:
        self._stop()
        if self.timeline is not None:
            self.go(self.timeline.last if position < 0 else position)

    @on(Scrubber.Sought)
    def _sought(self, event: Scrubber.Sought) -> None:
        self._stop()
        self.go(event.position)

    def action_play(self) -> None:
        """Play from here at the recorded pace times the speed, or hold."""
        timeline = self.timeline
        if timeline is None:
            return
        if self._playback.playing:
            self._stop()
            return
        if self._wanted >= timeline.last:
            self.go(0)
        self._playback.start(timeline.time(self._wanted))
        self.scrubber.playing = True
        self.scrubber.renew()

    def tick(self) -> None:
        """Go on playing."""
        timeline, now = self.timeline, self._playback.now
        if timeline is None or now is None:
            return
        self.go(max(timeline.at_time(now), self._wanted))
        if self._wanted >= timeline.last and timeline.over:
            self._stop()

    def action_speed(self, by: int) -> None:
        self._playback.change_speed(by)
        self.scrubber.speed = self._playback.speed
        self.scrubber.renew()

    def action_contrast(self) -> None:
        table = self.query_one(ContrastTable)
        table.display = not table.display
        self._fill_contrast()
        if not table.display:
            self.scrubber.focus()

    def _fill_contrast(self) -> None:
        """What the careless clients had done by the position that is shown."""
        table = self.query_one(ContrastTable)
        if table.display and self._contrasted is not None and self._known is not None:
            table.derive(partial(self._contrasted.lines, self._known, self.shown or 0))

    def action_wire(self) -> None:
        """The same exchange in the wire pane, at the event that is shown."""
        from tui.app.screens.wire import WireScreen  # each leads to the other

        event = None if self.timeline is None else min(self._wanted, self.timeline.events)
        self.app.switch_screen(
            WireScreen(
                self._source, self._exchange, event=event or None, copies_folder=self._copies_folder
            )
        )

    def action_leave(self) -> None:
        if self.focused is not self.scrubber and isinstance(self.focused, MessagePane | CallCard):
            self.scrubber.focus()
        else:
            self.dismiss(None)

    @on(MessageView.CallMarkChosen)
    def _show_call(self, event: MessageView.CallMarkChosen) -> None:
        self.panel.focus_call(event.ref)

    @on(CallCard.CopyAsked)
    def _copy(self, event: CallCard.CopyAsked) -> None:
        copied = copy_out(event.text, event.what, self.app.copy_to_clipboard, self._copies_folder)
        notify(self.app, copied.told, severity="error" if copied.failed else "information")
