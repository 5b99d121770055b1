"""Playing a turn: from the seconds of a clock to the seconds of the turn, at any speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from tui.app.wire.scrubbing import SPEEDS


class Playback:
    """Holds until it is started, and when it is held. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._from: tuple[float, float] | None = None
        """Seconds of the turn and of the clock at which playing began."""
        self.speed = 1.0

    @property
    def playing(self) -> bool:
        return self._from is not None

    @property
    def now(self) -> float | None:
        """Seconds of the turn that have been played; None while it is held."""
        if self._from is None:
            return None
        at, since = self._from
        return at + (self._clock() - since) * self.speed

    def start(self, at: float) -> None:
        """Play on from `at` seconds of the turn."""
        self._from = (at, self._clock())

    def hold(self) -> None:
        self._from = None

    def change_speed(self, by: int) -> None:
        """So many speeds faster or slower, from here on."""
        now = self.now
        place = bisect_right(SPEEDS, self.speed) - 1 + by
        self.speed = SPEEDS[min(max(place, 0), len(SPEEDS) - 1)]
        if now is not None:
            self.start(now)
