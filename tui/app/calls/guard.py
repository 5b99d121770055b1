"""A guard against keys that were meant for something else: a question listens only after a moment.

Times come in, on the clock of whoever asks; nothing is read here.
"""

from __future__ import annotations

from typing import Final

DELAY: Final = 0.6
"""Seconds a question is on the screen before it can be answered."""


class KeyGuard:
    """For one question. A key that comes too early extends the moment."""

    def __init__(self, delay: float = DELAY) -> None:
        self._delay = delay
        self._opens_at: float | None = None

    def shown(self, now: float) -> None:
        """The question is on the screen; only the first time counts until `hidden`."""
        if self._opens_at is None:
            self._opens_at = now + self._delay

    def hidden(self) -> None:
        """It is not on the screen any more, or it has become another question."""
        self._opens_at = None

    def ready(self, now: float) -> bool:
        return self._opens_at is not None and now >= self._opens_at

    def press(self, now: float) -> bool:
        """Whether a key pressed now counts."""
        if self.ready(now):
            return True
        self._opens_at = now + self._delay
        return False
