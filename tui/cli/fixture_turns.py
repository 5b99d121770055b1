"""Whole turns written for fixtures: from documents, or from a turn of another dialect.

The composition root's business because it needs both sides: `recording` holds what is read and
kept, the demo's wire writers know how each provider writes a turn. A plan is what they share.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tui.core.arguments import join_halves
from tui.core.endings import ending_of
from tui.core.parts import LiveCall, LiveProviderItem, LiveRefusal, LiveText, LiveThinking
from tui.core.reader import TurnReader
from tui.core.source import ResponseHead
from tui.core.turn import Turn
from tui.demo.answer import wire_of
from tui.demo.plan import Call, End, Piece, Plan, Prose, Refusal, Thinking, Together
from tui.demo.wire import MODEL, Pen
from tui.recording.format import Recording
from tui.recording.making.blocks import dialect_in
from tui.recording.making.fragments import Cutting

_ASKED: Final = {"stream": True, "stream_options": {"include_usage": True}}
_HEAD: Final = ResponseHead(200, (("content-type", "text/event-stream; charset=utf-8"),))


@dataclass(frozen=True, slots=True)
class FixturePen(Pen):
    """Cuts arguments as told, and text that was recorded where the recording cut it."""

    cutting: Cutting = field(default_factory=Cutting)
    recorded: Mapping[str, list[str]] = field(default_factory=dict)

    def prose(self, text: str) -> list[str]:
        # A frozen dataclass with slots is built anew by the decorator, which bare super() misses.
        return self.recorded.get(text) or Pen.prose(self, text)

    def arguments(self, text: str) -> list[str]:
        return self.recorded.get(text) or self.cutting.pieces(text)


def written(
    plan: Plan,
    dialect: str,
    *,
    cutting: Cutting | None = None,
    recorded: Mapping[str, list[str]] | None = None,
) -> Recording:
    """The turn that `plan` is, as that provider writes it. Equal arguments give equal bytes."""
    cutting = cutting or Cutting()
    pen = FixturePen(cutting.seed, random.Random(cutting.seed), 0, cutting, recorded or {})
    body = b"".join(sent.data for sent in wire_of(dialect).write(plan, pen, _ASKED))
    return Recording(body, dialect=dialect, model=MODEL, head=_HEAD)


@dataclass(frozen=True, slots=True)
class Translated:
    recording: Recording
    left_out: tuple[str, ...] = ()
    """What has no counterpart, one sentence each."""


def translated(recording: Recording, dialect: str, *, cutting: Cutting | None = None) -> Translated:
    """The turn of `recording` in another dialect: same prose, thinking, argument texts and ending.

    Without `cutting` fragments are cut where they were cut. Ids, usage and signatures are made up.
    """
    reader = TurnReader(dialect_in(recording), head=recording.head)
    reader.feed(recording.body)
    reader.close(broken=recording.problem if recording.ending != "complete" else "")
    turn = reader.turn
    fragments: dict[str, list[str]] = {}
    for part in turn.parts:
        if not (isinstance(part, LiveCall) and cutting is not None):
            fragments[part.text] = [piece.text for piece in part.fragments if piece.text]
    plan = Plan(_pieces(turn), _end(turn))
    made = written(plan, dialect, cutting=cutting, recorded=fragments)
    return Translated(
        Recording(
            made.body,
            dialect=dialect,
            model=made.model,
            head=made.head,
            ending=recording.ending,
            problem=recording.problem,
            results=recording.results,
        ),
        _left_out(turn),
    )


def _pieces(turn: Turn) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    reach = -1  # where the last call so far stopped forming
    for part in turn.parts:
        if part.choice != 0:
            continue
        text = join_halves(part.text)
        match part:
            case LiveCall():
                call = Call(part.name, text, whole=part.closed_at is not None)
                last = pieces[-1] if pieces else None
                if part.opened_at < reach and isinstance(last, Call):
                    pieces[-1] = Together((last, call))
                elif part.opened_at < reach and isinstance(last, Together):
                    pieces[-1] = Together((*last.calls, call))
                else:
                    pieces.append(call)
                reach = max(reach, *(piece.start for piece in part.fragments), part.opened_at)
            case LiveText() if text:
                pieces.append(Prose(text))
            case LiveThinking() if text:
                pieces.append(Thinking(text))
            case LiveRefusal() if text:
                pieces.append(Refusal(text))
            case _:
                pass
    if turn.outcome == "incomplete" and pieces and isinstance(last := pieces[-1], Prose):
        pieces[-1] = Prose(last.text, whole=False)
    return tuple(pieces)


def _end(turn: Turn) -> End:
    if turn.error or turn.damage:
        return "error"
    if turn.stop_reason is None:
        return "cut"
    if turn.stop_reason == "refusal":
        return "refused"
    if ending_of(turn.dialect, turn.stop_reason).outcome == "incomplete":
        return "limit"
    return "calls" if turn.calls and turn.stop_reason not in ("stop", "end_turn") else "done"


def _left_out(turn: Turn) -> tuple[str, ...]:
    kinds = {part.kind: None for part in turn.parts if isinstance(part, LiveProviderItem)}
    notes = [f"{kind!r} was left out: it has no counterpart in other dialects." for kind in kinds]
    if any(call.kind == "custom" for call in turn.calls):
        notes.append("Calls with free text became calls with the same text as arguments.")
    if any(part.choice != 0 for part in turn.parts):
        notes.append("Choices other than the first were left out.")
    return tuple(notes)
