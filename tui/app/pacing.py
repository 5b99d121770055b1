"""When to draw what grows: often while something moves, seldom else, never most of the time.

Recipe and figures: a frame is followed by a pause twice as long as it took, layout and paint
included, so that keys and the stream go on however slow a frame is.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from textual.timer import Timer
from textual.widget import Widget

FRAME_SECONDS: Final = 0.05
PAUSE_FOR_COST: Final = 2.0
LONGEST_PAUSE: Final = 0.5
DOZE_SECONDS: Final = 0.25
"""Between two frames while nothing moves: an open chat should cost next to nothing."""


class Pacer:
    """Calls `draw` at its pace from `begin` on, for as long as `widget` lives.

    Args:
        restless: whether something may change at any moment; else `wake` tells of it.
    """

    def __init__(
        self, widget: Widget, draw: Callable[[], object], restless: Callable[[], bool]
    ) -> None:
        self._widget = widget
        self._draw = draw
        self._restless = restless
        self._pause: Timer | None = None
        self._dozing = False
        self._drawing = False
        """A frame was begun and is not on the screen yet."""

    def begin(self) -> None:
        # A pause that is over only puts this in line: it comes though the timer was stopped since,
        # and every second coming would be one more frame after each pause, for good.
        if self._drawing:
            return
        self._stop_pause()
        self._drawing = True
        began = monotonic()
        self._draw()

        def drawn() -> None:
            self._drawing = False
            cost = monotonic() - began
            self._dozing = not self._restless()
            pause = min(max(FRAME_SECONDS - cost, cost * PAUSE_FOR_COST), LONGEST_PAUSE)
            self._pause = self._widget.set_timer(
                DOZE_SECONDS if self._dozing else pause, self.begin
            )

        self._widget.call_after_refresh(drawn)

    def wake(self) -> None:
        """Draw soon, though nothing was to be expected."""
        if self._dozing:
            self._stop_pause()
            self._widget.call_next(self.begin)

    def _stop_pause(self) -> None:
        self._dozing = False
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
