"""The wire pane: every SSE event of an exchange beside the characters that the events carried.

Over the chat, which goes on below it. Choosing on one side marks the other; the bytes of an
event, the request, the response and the contrast take the side of the texts when asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final, Literal, assert_never

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.events import Resize

from tui.app.calls.lines import Line, NoteLines
from tui.app.copying import copy_out
from tui.app.safe import notify
from tui.app.screens.time_travel import TimeTravel
from tui.app.selection_guard import SelectionGuard
from tui.app.widgets.ask_line import AskLine
from tui.app.widgets.call_lines import InkBlock
from tui.app.widgets.marked_text import MarkedText
from tui.app.widgets.wire_sides import Side, WireSides
from tui.app.widgets.wire_table import WireTable
from tui.app.wire import frame
from tui.app.wire.contrasted import Contrasted
from tui.app.wire.contrasts import ContrastLines
from tui.app.wire.exchange import WireExchange
from tui.app.wire.exports import curl_of
from tui.app.wire.filters import HINT, parse_filter
from tui.app.wire.raw import event_lines, request_lines, response_lines
from tui.app.wire.saving import KINDS, save_as
from tui.app.wire.source import WireSource
from tui.app.wire.view import Chosen, WireView
from tui.core.errors import VerbatimError

PULL_SECONDS: Final = 0.1
READ_SECONDS: Final = 0.3
"""Until the record of a turn that has ended is looked at again for its end."""

Asking = Literal["find", "filter", "sse", "har"]


class WireScreen(SelectionGuard):
    """The exchange `exchange`, or another of the same conversation after `[` and `]`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="wire.leave"),
        Binding("f4", "leave", "Back", id="wire.close", show=False),
        Binding("f5", "travel", "Time travel", id="wire.travel"),
        Binding("slash", "ask('find')", "Find", id="wire.find"),
        Binding("n", "again(False)", "Next", id="wire.next"),
        Binding("N", "again(True)", "Previous", id="wire.previous"),
        Binding("f", "ask('filter')", "Filter", id="wire.filter"),
        Binding("w", "ask('sse')", "Save", id="wire.save"),
        Binding("a", "ask('har')", "Save HAR", id="wire.har"),
        Binding("u", "curl", "Copy as cURL", id="wire.curl"),
        Binding("c", "copy", "Copy", id="wire.copy"),
        Binding("p", "pretty", "Laid out or not", id="wire.pretty", show=False),
        Binding("x", "contrast", "Contrast", id="wire.contrast"),
        Binding("left_square_bracket", "other(-1)", "Earlier", id="wire.earlier", show=False),
        Binding("right_square_bracket", "other(1)", "Later", id="wire.later", show=False),
        *(
            Binding(str(number), f"side('{side}')", side.capitalize(), show=False)
            for number, side in enumerate(Side, start=1)
        ),
    ]
    AUTO_FOCUS = "WireTable"
    HELP = "What came over the wire, event by event."

    def __init__(
        self,
        source: WireSource,
        exchange: str,
        *,
        event: int | None = None,
        copies_folder: Path | None = None,
    ) -> None:
        """`event`: the event to begin at.

        Raises:
            StoreError: the exchange is not part of the conversation.
        """
        super().__init__()
        self._source = source
        self._exchange_id = exchange
        self._event = event
        self._copies_folder = copies_folder
        self.view = WireView(source.handle(exchange))
        self.exchange: WireExchange | None = None
        self._contrasted: Contrasted | None = None
        self._side = Side.TEXTS
        self._told = ""
        self._as_it_was = False
        self._reading = False
        self._read_at = 0.0

    # -- layout ------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield InkBlock(self.head_lines, id="wire-head")
        with Container(id="wire-body"):
            with Vertical(id="wire-events"):
                yield InkBlock(self._headings, id="wire-headings")
                yield WireTable(self.view.table, id="wire-table")
            with Vertical(id="wire-side"):
                yield InkBlock(self._tabs, id="wire-tabs")
                yield WireSides(self.view.marked, id="wire-sides")
        yield InkBlock(self._foot, id="wire-foot")
        yield AskLine(id="wire-input")

    def on_mount(self) -> None:
        self.set_interval(PULL_SECONDS, self.pull)
        self._read()
        self.call_after_refresh(self._begin)

    def on_resize(self, event: Resize) -> None:
        self.query_one("#wire-body").set_class(event.size.width < frame.NARROW, "-narrow")

    def _begin(self) -> None:
        number = self._event if self._event is not None else min(1, len(self.view.log))
        if number:
            self._choose_event(number)
            self.table.choose(number)
        self.redraw()

    @property
    def table(self) -> WireTable:
        return self.query_one(WireTable)

    @property
    def texts(self) -> MarkedText:
        return self.query_one(MarkedText)

    @property
    def ask_line(self) -> AskLine:
        return self.query_one(AskLine)

    @property
    def _over(self) -> bool:
        """Whether what is on record is all there will be."""
        return self.exchange is not None and self.exchange.over

    @property
    def told(self) -> str:
        """The sentence on what is chosen, as it is shown."""
        return self._told

    def pull(self) -> None:
        """Take in and draw what came; read the exchange again once it is over."""
        if not self.is_attached or not self.table.is_attached:
            return
        if self.view.pull():
            self.redraw()
            if self._side is Side.CONTRAST and not self._reading:
                self._read()
        self.table.flush()
        self.texts.flush()
        # The screen may know that a turn is over before it is written down.
        late = monotonic() - self._read_at >= READ_SECONDS
        if self.view.handle.turn.closed and late and not self._reading and not self._over:
            self._read()

    def redraw(self) -> None:
        """Draw what a key or an arrival has changed."""
        self.table.flush()
        self.texts.flush()
        for block in self.query(InkBlock):
            block.renew()

    def head_lines(self, width: int) -> list[Line]:
        return frame.head(self.view, self.exchange, width)

    def _headings(self, width: int) -> list[Line]:
        # The scroll bar of the table takes a column that the headings have.
        table_width = self.table.scrollable_content_region.width or width
        return frame.headings(self.view, table_width, width)

    def _tabs(self, width: int) -> list[Line]:
        return frame.tabs([*Side], self._side, width)

    def _foot(self, width: int) -> list[Line]:
        return frame.foot(self._told, width)

    # -- what is on record -------------------------------------------------------------------

    @work(exclusive=True, group="wire-read")
    async def _read(self) -> None:
        self._reading = True
        handle = self.view.handle
        try:
            self.exchange = await asyncio.to_thread(self._source.read, self._exchange_id, handle)
        except VerbatimError as error:
            # Stays so that a record that cannot be read is not read, and told of, again and again.
            self._complain(error)
            return
        self._reading = False
        self._read_at = monotonic()
        self._show_side()
        self.redraw()

    # -- choosing ----------------------------------------------------------------------------

    @on(WireTable.Moved)
    def _moved(self, event: WireTable.Moved) -> None:
        self._choose_event(event.event)

    def _choose_event(self, number: int) -> None:
        chosen = self.view.choose_event(number)
        if chosen.stretch is not None:
            self.texts.show_character(chosen.stretch.part, chosen.stretch.start)
        self._event = number
        self._say(chosen.told)
        if self._side is Side.EVENT:
            self._show_side()

    @on(WireTable.Opened)
    def _opened(self, event: WireTable.Opened) -> None:
        self._event = event.event
        self.action_side("texts" if self._side is Side.EVENT else "event")

    @on(MarkedText.Wanted)
    def _wanted(self, event: MarkedText.Wanted) -> None:
        if event.lines:
            width = self.texts.text_width
            chosen = self.view.move_lines(event.lines, width, extend=event.extend)
        else:
            chosen = self.view.move(event.chars, extend=event.extend)
        if chosen is None:
            self.texts.scroll_relative(y=event.lines, animate=False)
            return
        here = self.view.cursor
        if here is not None:
            self.texts.show_character(*here)
        self._follow(chosen)

    def _follow(self, chosen: Chosen) -> None:
        """Mark and show in the table what belongs to the chosen characters."""
        numbers = [number for number in chosen.events if number > 0]
        if numbers:
            self._event = numbers[0]
            self.table.choose(numbers[-1])
            self.table.choose(numbers[0])
        self._say(chosen.told)

    def action_again(self, back: bool) -> None:
        if self.view.word:
            self._find(self.view.word, back=back, again=True)
        else:
            self.action_ask("find")

    def _find(self, word: str, *, back: bool = False, again: bool = False) -> None:
        chosen = self.view.find(word, back=back, again=again)
        if chosen.stretch is not None:
            if self._side is not Side.TEXTS:
                self.action_side("texts")
            self.texts.show_character(chosen.stretch.part, chosen.stretch.start)
        self._follow(chosen)
        if not chosen.events and len(self._source.exchanges()) > 1:
            self._say(f"{chosen.told}; [ and ] show the other exchanges, n finds it there")

    def _say(self, told: str) -> None:
        self._told = told
        self.redraw()

    # -- the other side ----------------------------------------------------------------------

    def action_side(self, name: str) -> None:
        """Show something else in the second half."""
        self._side = Side(name)
        self._show_side()
        self.redraw()

    def _show_side(self) -> None:
        sides, found = self.query_one(WireSides), self.exchange
        match self._side:
            case Side.TEXTS:
                sides.show_texts()
            case Side.EVENT:
                number = self._event
                sides.show_lines(
                    Side.EVENT,
                    NoteLines("No event is chosen.")
                    if number is None
                    else event_lines(self.view.log, number, found),
                )
            case Side.REQUEST:
                as_it_was = self._as_it_was
                lines = None if found is None else request_lines(found, as_it_was=as_it_was)
                sides.show_lines(Side.REQUEST, lines)
            case Side.RESPONSE:
                sides.show_lines(Side.RESPONSE, None if found is None else response_lines(found))
            case Side.CONTRAST:
                sides.show_contrast(self._contrast())
            case _:
                assert_never(self._side)

    def _contrast(self) -> Callable[[], ContrastLines] | None:
        """Runs the careless clients on what is on record."""
        found, handle = self.exchange, self.view.handle
        if found is None:
            return None
        if self._contrasted is None:
            self._contrasted = self._source.contrasted(found, handle)
        return partial(self._contrasted.lines, self._source.known(found, handle))

    def action_contrast(self) -> None:
        self.action_side("texts" if self._side is Side.CONTRAST else "contrast")

    def action_pretty(self) -> None:
        self._as_it_was = not self._as_it_was
        if self._side is Side.REQUEST:
            self._show_side()

    def action_other(self, by: int) -> None:
        """Show the exchange before or after this one."""
        try:
            ids = list(self._source.exchanges())
            place = ids.index(self._exchange_id) + by
            if not 0 <= place < len(ids):
                notify(self.app, "There is no exchange beyond this one.")
                return
            word = self.view.word
            self.view = WireView(self._source.handle(ids[place]))
            self.view.word = word
        except VerbatimError as error:
            self._complain(error)
            return
        self._exchange_id, self._event, self._told = ids[place], None, ""
        self.exchange, self._contrasted = None, None
        self.table.fill(self.view.table)
        self.texts.fill(self.view.marked)
        self._read()
        self._begin()

    def action_travel(self) -> None:
        """The same turn in time travel, at the chosen event."""
        self.app.switch_screen(
            TimeTravel(
                self._source,
                self._exchange_id,
                position=self._event,
                copies_folder=self._copies_folder,
            )
        )

    def action_leave(self) -> None:
        if self.ask_line.asking:
            self.ask_line.close()
            self.table.focus()
        else:
            self.dismiss(None)

    # -- asking for words --------------------------------------------------------------------

    def action_ask(self, what: Asking) -> None:
        """Open the line in which words are typed."""
        if what in ("sse", "har") and not self._on_record():
            return
        number = 0 if self.exchange is None else self.exchange.number
        place = (self._copies_folder or Path.cwd()) / f"exchange-{number}"
        match what:
            case "find":
                title = "find in what came, e.g. a word of a call's arguments"
                self.ask_line.ask(what, title, self.view.word)
            case "filter":
                self.ask_line.ask(what, f"filter: {HINT}", self.view.table.filter.typed)
            case "sse" | "har":
                # Said above the line: a name stands in it, where its title would be.
                self._say(f"Save as {KINDS}; Enter saves, Esc leaves")
                self.ask_line.ask(what, f"save as {KINDS}", f"{place}.{what}")
            case _:
                assert_never(what)

    @on(AskLine.Answered)
    def _answered(self, event: AskLine.Answered) -> None:
        typed = event.typed
        self.table.focus()
        if event.purpose == "filter":
            self._filter(typed)
        elif event.purpose == "find":
            if typed:
                self._find(typed, again=typed == self.view.word)
        elif typed:
            self._save(Path(typed).expanduser())

    def _filter(self, typed: str) -> None:
        wanted = parse_filter(typed)
        self.view.table.keep(wanted)
        if wanted.problem:
            notify(self.app, wanted.problem, severity="warning")
        self.redraw()
        if self._event is not None and self.view.table.line_of(self._event) is not None:
            self.table.choose(self._event)
        elif self.view.table.events:
            self.table.action_to_start()

    # -- taking it out -----------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what the second half shows, as it was received."""
        side = self.query_one(WireSides)
        self._copy(side.text(), f"the {side.side}")

    def action_curl(self) -> None:
        found = self._on_record()
        if found is not None:
            self._copy(curl_of(found), "the cURL command, the key as a variable")

    def _copy(self, text: str, what: str) -> None:
        copied = copy_out(text, what, self.app.copy_to_clipboard, self._copies_folder)
        notify(self.app, copied.told, severity="error" if copied.failed else "information")

    def _save(self, path: Path) -> None:
        found = self._on_record()
        if found is None:
            return
        try:
            notify(self.app, save_as(found, path))
        except VerbatimError as error:
            self._complain(error)

    def _on_record(self) -> WireExchange | None:
        found = self.exchange
        if found is None or not found.over:
            notify(self.app, "The exchange is not over yet.", severity="warning")
            return None
        return found

    def _complain(self, error: VerbatimError) -> None:
        notify(self.app, f"{error}\n{error.hint}".strip(), severity="error")
