"""Turns written by hand, fragment by fragment, with the times at which their bytes came."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tui.app.calls.model import CallModel
from tui.app.calls.pace import TurnClock
from tui.core import events as ev
from tui.core.conversation import ToolSpec
from tui.core.turn import Turn
from tui.session.updates import Approval, Arrivals, Decision, TurnHandle

__all__ = ["Writing", "approval_of", "one_call"]


class Writing:
    """A turn that a test writes. Every event takes `size` bytes of the body."""

    def __init__(
        self, prefix: str = "t1", *, tools: Mapping[str, ToolSpec] | None = None, at: float = 0.0
    ) -> None:
        self.turn = Turn("openai-chat", ref_prefix=prefix, tools=tools)
        self.arrivals = Arrivals()
        self.handle = TurnHandle(
            f"exchange-{prefix}", self.turn, self.arrivals, "demo", "openai-chat", "demo-1"
        )
        self.at = at

    def feed(self, event: ev.DialectEvent, size: int = 0) -> None:
        start = self.arrivals.total
        self.arrivals.add(size or 60, self.at)
        self.turn.feed(event, start, self.arrivals.total)

    def open(self, key: str, name: str | None, id: str | None = None, **more: object) -> None:
        self.feed(ev.CallOpened(ev.Key(key), id, name, **more))  # type: ignore[arg-type]

    def write(self, key: str, text: str, step: int = 13, every: float = 0.0) -> None:
        """Write `text` in fragments of `step` characters, `every` seconds apart."""
        for start in range(0, len(text), step):
            self.at += every
            piece = text[start : start + step]
            self.feed(ev.ArgumentFragment(ev.Key(key), piece), 60 + len(piece))

    def close(self, key: str) -> None:
        self.feed(ev.CallClosed(ev.Key(key)))

    def end(self, reason: str = "tool_calls", broken: str = "") -> None:
        if reason:
            self.feed(ev.StopReasonGiven(reason))
            self.feed(ev.TurnEnded())
        self.turn.close(broken=broken)


def one_call(*fragments: str, closed: bool = True, kind: str = "function") -> CallModel:
    """The model of a call that came in these fragments, pulled."""
    writing = Writing()
    writing.open("0", "tool", "call_1", kind=kind)
    for fragment in fragments:
        writing.feed(ev.ArgumentFragment(ev.Key("0"), fragment))
    if closed:
        writing.close("0")
        writing.end()
    model = CallModel(writing.turn.calls[0], writing.handle, TurnClock(writing.arrivals, 0.0))
    model.pull()
    return model


def approval_of(
    writing: Writing,
    number: int = 0,
    *,
    by_hand: bool = False,
    was_started: bool = False,
    read_only: bool = False,
    origin: str = "demo shop",
    claims: tuple[str, ...] = (),
    reason: str = "your rules ask before a tool changes things",
) -> Approval:
    """What the session asks for final call `number`. Needs a running event loop."""
    answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
    return Approval(
        writing.turn.final_calls[number],
        origin=origin,
        read_only=read_only,
        by_hand=by_hand,
        was_started=was_started,
        reason=reason,
        claims=claims,
        _answer=answer,
    )
