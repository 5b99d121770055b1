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
        self._doze: Timer | None = None

    def begin(self) -> None:
        began = monotonic()
        self._doze = None
        self._draw()

        def drawn() -> None:
            cost = monotonic() - began
            if self._restless():
                pause = min(max(FRAME_SECONDS - cost, cost * PAUSE_FOR_COST), LONGEST_PAUSE)
                self._widget.set_timer(pause, self.begin)
            else:
                self._doze = self._widget.set_timer(DOZE_SECONDS, self.begin)

        self._widget.call_after_refresh(drawn)

    def wake(self) -> None:
        """Draw soon, though nothing was to be expected."""
        if self._doze is not None:
            self._doze.stop()
            self._doze = None
            self._widget.call_next(self.begin)
