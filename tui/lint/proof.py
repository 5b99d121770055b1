"""Proofs on one stream: chunk boundaries mean nothing, and no prefix lets a call run early.

A reading comes in; how many places were tried and what went wrong at them comes out. The body is
not read anew for each place. For splits: dialect and turn see nothing but the events of the
grammar, so at every place the events around it are compared, and whole readings at some places
and byte by byte. For cuts: between two ends of events nothing but the unfinished rest differs,
so the end of input is tried once for each kind of rest (none, whole, torn) of each event.
"""

from __future__ import annotations

import copy
import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui.core import wirejson
from tui.core.dialects import DecoderSettings
from tui.core.events import CallClosed, CallOpened, StopReasonGiven
from tui.core.finalise import FinalCall
from tui.core.reader import TurnReader
from tui.core.response import BodyGate
from tui.core.sse import Comment, SSEDecoder
from tui.core.turn import Turn
from tui.lint.reading import Reading

ALL_UP_TO: Final = 20_000
"""Bytes: every place of a body up to this size is tried."""
SAMPLE: Final = 2_000
"""Places of a larger body, spread evenly; those around the ends of events come on top."""
_AROUND: Final = 2
_AROUND_EVENTS: Final = 400
_WHOLE_READINGS: Final = 12
"""Places at which the whole body is read in two chunks, besides the reading byte by byte."""
_BYTE_BY_BYTE: Final = 64 * 1024
_SHOWN: Final = 20
"""Problems that are put into words; more would say nothing new."""


@dataclass(frozen=True, slots=True)
class SplitProof:
    tried: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutProof:
    tried: int
    early_acts: tuple[str, ...]


def places(reading: Reading, sample: int | None = None) -> list[int]:
    """The offsets to try, the edges of the body left out.

    Args:
        sample: how many; None means all of a small body, else `SAMPLE` and those near event ends.
    """
    size = len(reading.body)
    if size < 2:
        return []
    if (sample is None and size <= ALL_UP_TO) or (sample is not None and sample >= size - 1):
        return list(range(1, size))
    many = SAMPLE if sample is None else sample
    chosen = {1 + (size - 1) * index // many for index in range(many)}
    if sample is None:
        ends = [step.item.end for step in reading.steps]
        every = max(1, len(ends) // _AROUND_EVENTS)
        # The last events decide what may run: none of them is left out.
        for end in {*ends[::every], *ends[-_AROUND_EVENTS // 8 :]}:
            chosen.update(range(end - _AROUND, end + _AROUND + 1))
    return sorted(offset for offset in chosen if 0 < offset < size)


# Splits -----------------------------------------------------------------------------------


def every_split(
    reading: Reading, sample: int | None = None, settings: DecoderSettings | None = None
) -> SplitProof:
    """Cut the body in two at every place, and compare with the body in one piece."""
    offsets = places(reading, sample)
    body = reading.body
    found: list[str] = []
    edges = _edges(reading)
    for number, (start, end) in enumerate(itertools.pairwise(edges)):
        inside = _within(offsets, start, end)
        if not inside:
            continue
        # One event more, so that a machine left in another state is found out.
        after = edges[min(number + 2, len(edges) - 1)]
        piece = body[start:after]
        head = reading.head if start == 0 else None
        expected = _items(head, piece, first=start == 0)
        found += [
            f"cut at byte {offset}, the events from byte {start} differ"
            for offset in inside
            if _items(head, piece[: offset - start], piece[offset - start :], first=start == 0)
            != expected
        ]
    whole = _picture(reading.turn)
    for offset in offsets[:: max(1, len(offsets) // _WHOLE_READINGS)]:
        if _picture(_read(reading, [body[:offset], body[offset:]], settings)) != whole:
            found.append(f"cut at byte {offset}, the turn differs")
    if len(body) <= _BYTE_BY_BYTE:
        singles = [body[at : at + 1] for at in range(len(body))]
        if _picture(_read(reading, singles, settings)) != whole:
            found.append("byte by byte, the turn differs")
    return SplitProof(len(offsets), tuple(found[:_SHOWN]))


def _items(head: Any, *chunks: bytes, first: bool) -> Any:
    """What the machines before the dialect make of the chunks."""
    gate = BodyGate(head)
    decoder = SSEDecoder()
    items: list[Any] = []
    for chunk in chunks:
        items += decoder.feed(gate.feed(chunk) if first else chunk)
    if first:
        items.append(gate.close())
        items += decoder.feed(gate.rest())
    return [*items, decoder.close()]


def _read(reading: Reading, chunks: Sequence[bytes], settings: DecoderSettings | None) -> Turn:
    reader = _reader(reading, settings)
    for chunk in chunks:
        reader.feed(chunk)
    reader.close(broken=reading.broken)
    return reader.turn


def _picture(turn: Turn) -> tuple[Any, ...]:
    """Everything a turn holds that could depend on how its bytes were cut, states apart.

    The states depend on the tools offered too, and those are not offered here.
    """
    return (
        [
            (type(part), part.key, part.opened_at, part.closed, part.fragments)
            for part in turn.parts
        ],
        [(call.id, call.name, call.closed_at, call.contradiction) for call in turn.calls],
        turn.findings,
        turn.usage,
        (turn.outcome, turn.stop_reason, turn.problem, turn.error, turn.ended_at),
    )


# Cuts -------------------------------------------------------------------------------------


def every_cut(
    reading: Reading, sample: int | None = None, settings: DecoderSettings | None = None
) -> CutProof:
    """End the body at every place and look for calls that may run although they should not.

    A call that is final at a cut is an early act when the whole stream does not have it final
    with the same text, or when its marker or the turn's ending lies behind the cut.
    """
    offsets = places(reading, sample)
    body = reading.body
    needs = _needs(reading)
    whole = _reader(reading, settings)
    whole.feed(body)
    whole.close(broken=reading.broken)
    final = {call.ref: call.raw for call in whole.final_calls}
    opening = _openings(reading)
    reader = _reader(reading, settings)
    found: list[str] = []
    edges = _edges(reading)
    for start, end in itertools.pairwise(edges):
        inside = _within(offsets, start, end)
        # Where no call was begun, and the event begins none, no end of input makes one final.
        if inside and (reader.turn.calls or (start, end) in opening):
            for offset in _distinct(body, start, inside):
                ended = _copied(reader)
                ended.feed(body[start:offset])
                ended.close()
                found += [
                    f"cut at byte {offset}, the call {call.name!r} may run: {problem}"
                    for call in ended.final_calls
                    if (problem := _early(call, offset, final, needs))
                ]
        reader.feed(body[start:end])
    return CutProof(len(offsets), tuple(found[:_SHOWN]))


def _distinct(body: bytes, start: int, offsets: Sequence[int]) -> Iterator[int]:
    """The first and the last of each run of places that leave the same kind of rest."""
    kind: object = None
    last = -1
    for offset in offsets:
        rest = _rest(body[start:offset])
        if rest != kind:
            if last >= 0:
                yield last
            yield offset
            kind, last = rest, -1
        else:
            last = offset
    if last >= 0:
        yield last


def _rest(piece: bytes) -> object:
    """What kind of unfinished event a piece of an event leaves."""
    decoder = SSEDecoder()
    items = decoder.feed(piece)
    unfinished = decoder.close()
    if unfinished is None:
        return len(items), "none"
    data = unfinished.data
    try:
        wirejson.loads(data)
    except ValueError:
        # A torn `[DONE]` is taken for harmless by one dialect: it is a kind of its own.
        return len(items), "end" if "[DONE]".startswith(data.strip()) else "torn"
    return len(items), unfinished.type, data, unfinished.partial_line


def _copied(reader: TurnReader) -> TurnReader:
    # Fragments never change: naming them as their own copies leaves a copy the cost of its lists.
    kept: dict[int, Any] = {id(each): each for part in reader.turn.parts for each in part.fragments}
    kept |= {id(each): each for each in reader.turn.findings}
    return copy.deepcopy(reader, kept)


def _early(call: FinalCall, offset: int, final: dict[str, str], needs: dict[str, int]) -> str:
    if call.ref not in final:
        return "in the whole stream it is not final"
    if final[call.ref] != call.raw:
        return "in the whole stream it has another text"
    if needs[call.ref] > offset:
        return f"its marker or the turn's ending comes only at byte {needs[call.ref]}"
    return ""


def _needs(reading: Reading) -> dict[str, int]:
    """For each call, the byte after which its marker and the first stop reason have come."""
    reasons: dict[int, int] = {}
    markers: dict[str, int] = {}
    for step in reading.steps:
        for event in step.events:
            match event:
                case StopReasonGiven(_, choice):
                    reasons.setdefault(choice, step.item.end)
                case CallClosed(key):
                    markers.setdefault(key, step.item.end)
                case _:
                    pass
    size = len(reading.body)
    return {
        call.ref: max(markers.get(call.key, size), reasons.get(call.choice, size))
        for call in reading.turn.calls
    }


def _openings(reading: Reading) -> set[tuple[int, int]]:
    """The stretches between edges whose event begins a call."""
    edges = _edges(reading)
    ends = {
        step.item.end
        for step in reading.steps
        if not isinstance(step.item, Comment)
        and any(isinstance(event, CallOpened) for event in step.events)
    }
    return {(start, end) for start, end in itertools.pairwise(edges) if end in ends}


# Both -------------------------------------------------------------------------------------


def _edges(reading: Reading) -> list[int]:
    """Offsets between which one event stands each, from 0 to the end of the body."""
    return sorted({0, *(step.item.end for step in reading.steps), len(reading.body)})


def _within(offsets: Sequence[int], start: int, end: int) -> Sequence[int]:
    return offsets[bisect_left(offsets, start + 1) : bisect_left(offsets, end + 1)]


def _reader(reading: Reading, settings: DecoderSettings | None) -> TurnReader:
    return TurnReader(reading.turn.dialect, head=reading.head, settings=settings)
