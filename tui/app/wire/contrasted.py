"""One turn beside what careless clients make of it, at any of its positions.

The truth is read by the production pipeline from the bytes up to the position, the clients are
given the same bytes, and neither knows of any behind them. It costs too much for the event loop
and is not safe for two threads at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.app.wire.contrasts import Clients, ContrastLines
from tui.app.wire.exchange import WireExchange
from tui.app.wire.timeline import Timeline
from tui.core.reader import Step


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a turn at some moment while it comes, or when it is over."""

    exchange: WireExchange
    steps: tuple[Step, ...]
    """Its events, the unfinished rest among them."""
    broken: str = ""
    """Why the transport did not end the body properly."""


class Contrasted:
    """The careless clients over one turn."""

    def __init__(self, clients: Clients, timeline: Timeline) -> None:
        """`timeline`: one that nobody else uses, with nothing in it yet."""
        self._clients = clients
        self._timeline = timeline
        self._known: Known | None = None

    def lines(self, known: Known, position: int | None = None) -> ContrastLines:
        """What is to be shown at a position (None: at the last one), by what is known now."""
        timeline = self._timeline
        if known is not self._known:
            found = known.exchange
            timeline.grow(
                found.body, known.steps, found.chunks, over=found.over, broken=known.broken
            )
            self._clients.take(known.steps, found.pieces)
            self._known = known
        position = timeline.last if position is None else min(position, timeline.last)
        turn = timeline.seek(position).turn
        offset = timeline.offset(position)
        return ContrastLines(
            self._clients.at(turn, offset),
            offset=None if turn.closed else offset,
            event_at=timeline.event_at,
        )
