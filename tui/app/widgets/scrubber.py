"""The scrubber below time travel: a bar with ticks, and two lines on the place it is at."""

from __future__ import annotations

from textual import events
from textual.message import Message

from tui.app.calls.lines import Line
from tui.app.widgets.call_lines import InkBlock
from tui.app.wire.scrubbing import bar, cell_position, place_lines
from tui.app.wire.timeline import Timeline
from tui.core.turn import Turn


class Scrubber(InkBlock, can_focus=True):
    """Has the focus in time travel; the keys are the screen's. `renew` draws what changed."""

    HELP = "The time of one turn. Left and right go from event to event, space plays."

    class Sought(Message):
        """Somebody clicked on the bar."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(self._lines_at, id=id)
        self.timeline: Timeline | None = None
        self.turn: Turn | None = None
        self.speed = 1.0
        self.playing = False
        self._ticks: tuple[int, list[tuple[int, str]]] = (-1, [])

    def _lines_at(self, width: int) -> list[Line]:
        timeline, turn = self.timeline, self.turn
        if timeline is None or turn is None:
            return [[("reading the turn again …", "muted")], [("", "plain")], [("", "plain")]]
        if self._ticks[0] != timeline.events:
            self._ticks = (timeline.events, timeline.ticks())
        return [
            bar(timeline, self._ticks[1], width),
            *place_lines(timeline, turn, self.speed, self.playing, width),
        ]

    def on_click(self, event: events.Click) -> None:
        if self.timeline is not None and event.y == 0:
            last = max(self.timeline.last, 1)
            self.post_message(self.Sought(cell_position(event.x, last, self.size.width)))
