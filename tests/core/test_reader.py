"""The reader: how the end of a body and the end of its turn bear on each other."""

from __future__ import annotations

import pytest

from tests import wire
from tui.core.reader import TurnReader

CALLING = wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))


@pytest.mark.parametrize(
    ("cut", "cancelled", "outcome", "runs"),
    [
        (0, False, "complete", 1),
        (0, True, "incomplete", 0),
        (4, False, "incomplete", 0),
        (4, True, "incomplete", 0),
    ],
    ids=["broken after the end", "cancelled after the end", "broken before", "cancelled before"],
)
def test_how_the_transport_ends_says_nothing_of_a_turn_that_has_ended(
    cut: int, cancelled: bool, outcome: str, runs: int
) -> None:
    reader = TurnReader("anthropic")
    reader.feed(CALLING[: len(CALLING) - cut])
    reader.close(broken="the connection was reset", cancelled=cancelled)
    assert (reader.turn.outcome, len(reader.final_calls)) == (outcome, runs)


def test_a_turn_that_had_not_ended_says_how_its_body_broke() -> None:
    reader = TurnReader("anthropic")
    reader.feed(wire.start())
    reader.close(broken="the connection was reset")
    assert reader.turn.problem == "the connection was reset"
