"""Pace: when the text of a call arrived, as numbers and as a small picture.

Arrival times in seconds since the request and sizes in characters come in; a sparkline, silence
and the time it took come out. `TurnClock` relates those seconds to the screen's clock, which is
passed in and never read here.
"""

from __future__ import annotations

from typing import Final

from tui.session.updates import Arrivals

BUCKET_SECONDS: Final = 0.25
SILENT_AFTER: Final = 2.0
"""Seconds without a fragment from which a forming call is said to be silent."""

_BARS: Final = "▁▂▃▄▅▆▇█"
_NOTHING: Final = "·"
_LIVE_CELL: Final = 0.5
"""Seconds that one cell of a live sparkline covers."""


class TurnClock:
    """Now, in seconds since the request of one turn was sent.

    The screen sees an arrival some time after it, never before: the smallest difference ever
    seen between the two clocks is the best guess.
    """

    def __init__(self, arrivals: Arrivals, now: float) -> None:
        self._arrivals = arrivals
        self._origin = now - (arrivals.last_at or 0.0)
        self._seen = arrivals.total
        self._latest = now

    def see(self, now: float) -> None:
        """Take notice of what has arrived; `now` was read just now, later than the arrivals."""
        last = self._arrivals.last_at
        if last is not None and now > self._latest and self._arrivals.total != self._seen:
            self._seen = self._arrivals.total
            self._origin = min(self._origin, now - last)
        self._latest = max(self._latest, now)

    def at(self, now: float) -> float:
        """Seconds since the request at `now`, which may have been read a while ago."""
        return max(now - self._origin, self._arrivals.last_at or 0.0)


class Pace:
    """When how many characters came. Costs a few numbers a second, whatever the stream."""

    def __init__(self) -> None:
        self.first_at: float | None = None
        self.last_at: float | None = None
        self._buckets: dict[int, int] = {}

    def add(self, at: float, chars: int) -> None:
        if self.first_at is None:
            self.first_at = at
        self.last_at = at
        bucket = int(at / BUCKET_SECONDS)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + chars

    def silence(self, at: float) -> float:
        """Seconds since the last fragment, as of turn time `at`; 0 before the first."""
        return 0.0 if self.last_at is None else max(at - self.last_at, 0.0)

    def live_bars(self, at: float, cells: int) -> str:
        """The last `cells` half seconds; a dot stands for one in which nothing came."""
        per_cell = int(_LIVE_CELL / BUCKET_SECONDS)
        last = int(at / _LIVE_CELL)
        first_cell = 0 if self.first_at is None else int(self.first_at / _LIVE_CELL)
        sums = [
            sum(self._buckets.get(cell * per_cell + each, 0) for each in range(per_cell))
            if cell >= first_cell
            else -1
            for cell in range(last - cells + 1, last + 1)
        ]
        return _drawn(sums)

    def whole_bars(self, cells: int) -> str:
        """All of it in at most `cells` cells of equal time."""
        if not self._buckets:
            return ""
        first, last = min(self._buckets), max(self._buckets)
        cells = min(cells, last - first + 1)
        sums = [0] * cells
        for bucket, chars in self._buckets.items():
            sums[(bucket - first) * cells // (last - first + 1)] += chars
        return _drawn(sums)


def _drawn(sums: list[int]) -> str:
    most = max(sums, default=0)
    return "".join(
        " " if each < 0 else _NOTHING if each == 0 else _BARS[(each * len(_BARS) - 1) // most]
        for each in sums
    )
