"""Turns read from bytes for the tests of the wire pane, and a careless client that is made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests import wire
from tui.app.wire.timeline import Reading, Timeline
from tui.core.reader import Step
from tui.core.turn import Turn
from tui.session.updates import Arrivals, TurnHandle

MARCH = wire.call_turn(
    wire.call(
        1,
        "toolu_1",
        "create_ticket",
        '{"order_id": "A-4471", ',
        '"summary": "from 3 Ma',
        "r",
        'ch to 5 May", ',
        '"note": "K\\u00fcche"}',
    ),
    words="I write that in March. No: in April.",
)
"""In the summary, three events make one word."""


def read(
    body: bytes,
    dialect: str = "anthropic",
    *,
    size: int = 64,
    broken: str = "",
    close: bool = True,
) -> TurnHandle:
    """A turn read from `body` in chunks of `size` bytes that came 10 ms apart."""
    reader = Reading(dialect).reader()
    arrivals, steps = Arrivals(), []
    for end, at in chunks_of(body, size):
        start = arrivals.total
        arrivals.add(end - start, at)
        steps += reader.feed(body[start:end])
    if close:
        steps += reader.close(broken=broken)
    return TurnHandle("exchange-1", reader.turn, arrivals, "demo", dialect, "demo-1", steps)


def chunks_of(body: bytes, size: int = 64) -> list[tuple[int, float]]:
    """(end offset, seconds) of each chunk."""
    ends = [*range(size, len(body), size), len(body)] if body else []
    return [(end, round(number * 0.01, 2)) for number, end in enumerate(ends, start=1)]


def timeline(body: bytes, dialect: str = "anthropic", *, size: int = 64) -> Timeline:
    """The whole turn of `body`."""
    handle = read(body, dialect, size=size)
    return Timeline(Reading(dialect), body, handle.steps, chunks_of(body, size))


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A contrast as whoever runs careless clients gives it."""

    name: str
    went_wrong_at: int | None
    mistake: str = "Takes an open string for a closed one"
    true: str = "forming"
    careless: str = "[b]called[/b] \x1b[2J"
    consequence: str = "half a ticket is filed"


class MadeUpClients:
    """One that goes wrong in the middle of `MARCH`, one at its end, one never."""

    def take(self, steps: Sequence[Step], chunks: Sequence[bytes]) -> None:
        pass

    def at(self, turn: Turn, offset: int) -> list[MadeUp]:
        truth = "closed" if turn.closed else f"{offset} bytes"
        late, eager = (at if at < offset else None for at in (len(MARCH) - 1, len(MARCH) // 2))
        return [
            MadeUp("late", late, true=truth),
            MadeUp("eager", eager, true=truth),
            MadeUp("lucky", None),
        ]


def made_up(dialect: str) -> MadeUpClients:
    return MadeUpClients()
