"""Garbage collection at moments nobody types in.

A full collection goes through every object of the conversation: half a second for one call of a
megabyte, measured in the middle of a typed word. What a turn leaves behind lives as long as the
conversation, so it is set apart (`gc.freeze`) when the turn is over, and looked through again only
after the conversation was left. Source: https://docs.python.org/3/library/gc.html
"""

from __future__ import annotations

import gc
from typing import Final

_NEVER: Final = 1_000_000_000
_IDLE_TICKS: Final = 30


class Garbage:
    """Takes the full collections over from Python, from `begin` to `end`; told of each second."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._was_busy = True
        self._conversations = 1
        self._idle = 0

    def begin(self) -> None:
        young, middle, _ = self._before
        gc.set_threshold(young, middle, _NEVER)

    def end(self) -> None:
        gc.set_threshold(*self._before)
        gc.unfreeze()

    def tick(self, *, busy: bool, conversations: int) -> None:
        """A second has passed.

        Args:
            busy: something streams or runs.
            conversations: how many have been opened so far; with another, one was left.
        """
        if busy:
            self._was_busy, self._idle = True, 0
        elif conversations > self._conversations:
            self._conversations, self._was_busy = conversations, False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        elif self._was_busy:
            self._was_busy = False
            gc.collect(1)
            gc.freeze()
        else:
            self._idle += 1
            if self._idle % _IDLE_TICKS == 0:
                # Since the last turn only: what was frozen is not gone through.
                gc.collect()
