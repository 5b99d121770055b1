"""When a full collection is made: never while something streams, and all the same at last."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.chatting import workspace
from tui.app.app import VerbatimApp
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


def quiet(garbage: Garbage, seconds: int = 3, *, conversations: int = 1) -> None:
    for _ in range(seconds):
        garbage.tick(busy=False, typed=False, conversations=conversations)


def turn(garbage: Garbage) -> None:
    garbage.tick(busy=True, typed=False, conversations=1)


def test_python_steps_in_where_nothing_ever_pauses(
    garbage: Garbage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.garbage._MOST", 5)
    garbage.begin()
    gc.collect()
    gc.freeze()
    knot = old_knot()
    kept: list[list[int]] = [[] for _ in range(200_000)]
    assert len(kept) == 200_000
    assert knot() is None


def test_what_a_turn_leaves_is_freed_of_its_garbage_before_it_is_set_apart(
    garbage: Garbage,
) -> None:
    knot = old_knot()
    turn(garbage)
    quiet(garbage)
    assert knot() is None
    assert gc.get_freeze_count() > 0


def test_nothing_is_collected_while_something_streams_or_somebody_types(garbage: Garbage) -> None:
    turn(garbage)
    knot = old_knot()
    for second in range(200):
        garbage.tick(busy=second % 2 == 0, typed=second % 2 == 1, conversations=2)
        quiet(garbage, 2, conversations=2)
    assert knot() is not None
    quiet(garbage, conversations=2)
    assert knot() is None


def test_a_quiet_minute_frees_what_came_since_the_last_turn(garbage: Garbage) -> None:
    turn(garbage)
    quiet(garbage)
    knot = old_knot()
    quiet(garbage, 20)
    assert knot() is not None
    quiet(garbage, 40)
    assert knot() is None


def test_what_was_set_apart_and_given_up_since_is_freed_after_many_turns(
    garbage: Garbage, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Knot()
    knot = weakref.ref(held)
    turn(garbage)
    quiet(garbage)
    del held
    turn(garbage)
    quiet(garbage, 60)
    assert knot() is not None
    monkeypatch.setattr("tui.app.garbage._MANY", 1)
    gc.collect(1)
    turn(garbage)
    quiet(garbage)
    assert knot() is not None, "this takes long, and waits for a longer pause"
    quiet(garbage, 10)
    assert knot() is None


def test_leaving_a_conversation_frees_what_its_turns_left(garbage: Garbage) -> None:
    held = Knot()
    knot = weakref.ref(held)
    turn(garbage)
    quiet(garbage)
    del held
    quiet(garbage)
    assert knot() is not None
    quiet(garbage, conversations=2)
    assert knot() is None


class Told(Garbage):
    """Collects nothing, and keeps whether somebody typed."""

    def __init__(self) -> None:
        super().__init__()
        self.typed: list[bool] = []

    def tick(self, *, busy: bool, typed: bool, conversations: int) -> None:
        self.typed.append(typed)


async def test_the_chat_tells_of_keys_since_the_last_look(tmp_path: Path) -> None:
    told = Told()
    app = VerbatimApp(workspace(tmp_path), garbage=told)
    async with app.run_test() as pilot:
        await pilot.pause()
        told.typed.clear()
        await pilot.press("a")
        app._collect()
        app._collect()
    assert told.typed[:2] == [True, False]


def test_afterwards_python_collects_as_before() -> None:
    before = gc.get_threshold()
    garbage = Garbage()
    garbage.begin()
    quiet(garbage)
    assert gc.get_freeze_count() > 0
    garbage.end()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
