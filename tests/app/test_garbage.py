"""When a full collection is made: never while something streams, and all the same at last."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from tui.app.garbage import Garbage


class Knot:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def garbage() -> Iterator[Garbage]:
    garbage = Garbage()
    garbage.begin()
    yield garbage
    garbage.end()


def old_knot() -> weakref.ref[Knot]:
    """A knot nobody holds any more, old enough for a full collection only."""
    knot = Knot()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(knot)


def test_python_makes_no_full_collection_of_its_own(garbage: Garbage) -> None:
    knot = old_knot()
    full = gc.get_stats()[2]["collections"]
    kept: list[list[int]] = [[] for _ in range(200_000)]
    assert len(kept) == 200_000
    assert gc.get_stats()[2]["collections"] == full
    assert knot() is not None


def test_a_quiet_minute_frees_what_came_since_the_last_turn(garbage: Garbage) -> None:
    garbage.tick(busy=True, conversations=1)
    garbage.tick(busy=False, conversations=1)
    knot = old_knot()
    for _ in range(60):
        garbage.tick(busy=True, conversations=1)
    assert knot() is not None
    garbage.tick(busy=False, conversations=1)
    knot = old_knot()
    for _ in range(60):
        garbage.tick(busy=False, conversations=1)
    assert knot() is None


def test_leaving_a_conversation_frees_what_its_turns_left(garbage: Garbage) -> None:
    knot = old_knot()
    garbage.tick(busy=True, conversations=1)
    garbage.tick(busy=False, conversations=1)
    assert knot() is not None
    garbage.tick(busy=False, conversations=2)
    assert knot() is None


def test_afterwards_python_collects_as_before() -> None:
    before = gc.get_threshold()
    garbage = Garbage()
    garbage.begin()
    garbage.tick(busy=False, conversations=1)
    assert gc.get_freeze_count() > 0
    garbage.end()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
