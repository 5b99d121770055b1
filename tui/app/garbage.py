"""Garbage collection at moments nobody types in.

A full collection goes through every object of the conversation: half a second for one call of a
megabyte, measured in the middle of a typed word. So it waits until nothing streams and nobody
types. What a turn leaves behind lives as long as the conversation: once freed of its garbage it is
set apart (`gc.freeze`), and looked through again only after many turns, or when the conversation
was left. Source: https://docs.python.org/3/library/gc.html
"""

from __future__ import annotations

import gc
from typing import Final

_QUIET_TICKS: Final = 3
_LONG_QUIET_TICKS: Final = 10
_IDLE_TICKS: Final = 30
_MANY: Final = 200
"""Middle collections, each after some 7,000 new objects: about twenty prompts. Widgets that have
scrolled out of reach since then are garbage among what was set apart."""
_MOST: Final = 500
"""So many, and Python collects whatever somebody is doing: else a model that never pauses would fill
the memory. A call of four megabytes comes to less."""


class Garbage:
    """Takes the full collections over from Python, from `begin` to `end`; told of each second."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._conversations = 1
        self._quiet = 0
        self._left_behind = True
        self._whole_at = 0

    def begin(self) -> None:
        young, middle, _ = self._before
        gc.set_threshold(young, middle, _MOST)
        self._whole_at = _middle_collections()

    def end(self) -> None:
        gc.set_threshold(*self._before)
        gc.unfreeze()

    def tick(self, *, busy: bool, typed: bool, conversations: int) -> None:
        """A second has passed.

        Args:
            busy: something streams or runs.
            typed: a person pressed a key or moved the mouse.
            conversations: how many have been opened so far; with another, one was left.
        """
        if busy or typed:
            self._quiet = 0
            self._left_behind = self._left_behind or busy
            return
        self._quiet += 1
        if self._quiet < _QUIET_TICKS:
            return
        many = _middle_collections() - self._whole_at >= _MANY
        if conversations > self._conversations or (many and self._quiet >= _LONG_QUIET_TICKS):
            self._conversations = conversations
            self._whole_at = _middle_collections()
            gc.unfreeze()
            self._set_apart()
        elif self._left_behind:
            self._set_apart()
        elif self._quiet % _IDLE_TICKS == 0:
            # Since the last turn only: what was frozen is not gone through.
            gc.collect()

    def _set_apart(self) -> None:
        self._left_behind = False
        gc.collect()
        gc.freeze()


def _middle_collections() -> int:
    return int(gc.get_stats()[1]["collections"])
