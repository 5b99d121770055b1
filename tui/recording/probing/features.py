"""What the recorded answers of one endpoint say of its server: a row for each feature.

Answers come in by the code of their probe, read as fixtures are; values go out, as text for a
table and as plain values for scripts. A feature that no answer shows is None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from tui.core import events as ev
from tui.core.parts import LiveCall, LivePart, LiveText, LiveThinking
from tui.core.sse import Comment, SSEEvent
from tui.core.states import CallState
from tui.recording.auditing.seen import Seen
from tui.recording.making.blocks import ArrivalTimes

Plain = str | int | float | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class Answers:
    """What came back from one endpoint."""

    by_probe: Mapping[str, Seen]
    """Responses of any status; a probe without a response is not in it."""

    def good(self, code: str) -> Seen | None:
        """The answer to a probe, if it is a stream."""
        seen = self.by_probe.get(code)
        if seen is None or (seen.recording.head is not None and seen.recording.head.status >= 300):
            return None
        return seen

    def streams(self) -> list[Seen]:
        return [seen for code in self.by_probe if (seen := self.good(code)) is not None]

    def called(self, *codes: str) -> list[LiveCall]:
        """The calls in the answers to these probes, or to all."""
        asked = [self.good(code) for code in codes] if codes else self.streams()
        return [call for seen in asked if seen is not None for call in seen.calls]


@dataclass(frozen=True, slots=True)
class Feature:
    code: str
    label: str
    read: Callable[[Answers], Plain]


def _answered(answers: Answers) -> str:
    return f"{len(answers.streams())} of {len(answers.by_probe)} with a stream"


def _sizes(parts: list[LivePart]) -> list[int]:
    return [len(piece.text) for part in parts for piece in part.fragments if piece.text]


def _pieces(sizes: list[int]) -> str | None:
    if not sizes:
        return None
    average = sum(sizes) / len(sizes)
    return f"{len(sizes)} of {average:.1f} characters, at most {max(sizes)}"


def _text_pieces(answers: Answers) -> str | None:
    seen = answers.good("prose")
    parts: list[LivePart] = []
    if seen is not None:
        parts = [part for part in seen.turn.parts if isinstance(part, LiveText)]
    return _pieces(_sizes(parts))


def _argument_pieces(answers: Answers) -> str | None:
    calls: list[LivePart] = list(answers.called("long-arguments") or answers.called())
    return _pieces(_sizes(calls))


def _fragmented(answers: Answers) -> bool | None:
    long = [call for call in answers.called() if call.buffer.length >= 40]
    return any(len(_sizes([call])) > 1 for call in long) if long else None


def _first_piece(answers: Answers) -> str | None:
    """What comes with, or directly behind, the opening of a call."""
    firsts = [call.fragments[0].text for call in answers.called("one-call") if call.fragments]
    return None if not firsts else "empty" if not firsts[0] else f"{len(firsts[0])} characters"


def _parallel(answers: Answers) -> str | None:
    seen = answers.good("parallel-calls")
    if seen is None:
        return None
    count = len(seen.calls)
    if count < 2:
        return f"{count} call{'' if count == 1 else 's'}"
    one, two = seen.calls[:2]
    apart = not one.fragments or one.fragments[-1].start <= two.opened_at
    return f"{count} calls, {'one after the other' if apart else 'at the same time'}"


def _no_arguments(answers: Answers) -> str | None:
    calls = answers.called("no-arguments")
    if not calls:
        return None
    text = calls[0].text
    return "empty text" if not text else ascii(text)[1:-1][:40]


def _marker(answers: Answers) -> bool | None:
    calls = [call for call in answers.called() if call.state is not CallState.INCOMPLETE]
    return all(call.closed_at is not None for call in calls) if calls else None


def _call_ids(answers: Answers) -> str | None:
    ids = [call.id for call in answers.called()]
    if not ids:
        return None
    if not all(ids):
        return "missing"
    repeated = "" if len(set(ids)) == len(ids) else ", repeated"
    prefix = re.match(r"[A-Za-z]+[_-]", str(ids[0]))
    shape = f"{prefix[0]}…" if prefix else f"{len(str(ids[0]))} characters, no prefix"
    return shape + repeated


def _stop_reasons(answers: Answers) -> list[str] | None:
    given = [seen.turn.stop_reason for seen in answers.streams()]
    return list(dict.fromkeys(ascii(reason)[1:-1] for reason in given if reason)) or None


def _every(test: Callable[[Seen], bool]) -> Callable[[Answers], Plain]:
    """`yes`, `no`, or in how many of the streams."""

    def read(answers: Answers) -> Plain:
        found = [test(seen) for seen in answers.streams()]
        if not found or all(found) or not any(found):
            return all(found) if found else None
        return f"in {sum(found)} of {len(found)}"

    return read


def _usage(seen: Seen) -> bool:
    return seen.turn.usage.output_tokens is not None


def _limit(answers: Answers) -> str | None:
    seen = answers.good("output-limit")
    if seen is None:
        return None
    reason = ascii(seen.turn.stop_reason)[1:-1]
    if seen.ending.outcome != "incomplete":
        if any(call.state is CallState.INVALID for call in seen.calls):
            # Servers without an ending for it close what the limit cut as if it were whole.
            return f"{reason}; call closed, and no JSON"
        return "not reached"
    calls = [
        f"{call.buffer.length} characters{', closed all the same' if call.closed_at else ''}"
        for call in seen.calls
    ]
    return f"{reason}; call: {calls[-1]}" if calls else f"{reason}; no call had begun"


def _history(answers: Answers) -> str | None:
    seen = answers.by_probe.get("awkward-history")
    # Where nothing else was answered either, the refusal says nothing of the history.
    if seen is None or not answers.streams():
        return None
    if answers.good("awkward-history") is not None:
        return "refused in the stream" if seen.turn.error else "accepted"
    return f"refused with {seen.recording.head.status if seen.recording.head else 'no status'}"


def _wide_characters(answers: Answers) -> str | None:
    seen = answers.good("unicode")
    if seen is None or seen.turn.text.isascii():
        return None
    if "\ufffd" in seen.turn.text:
        return "damaged (U+FFFD)"
    raw = any(byte > 0x7F for byte in seen.body)
    return "as UTF-8" if raw else "as \\u escapes"


def _thinking(answers: Answers) -> bool | None:
    streams = answers.streams()
    if not streams:
        return None
    return any(isinstance(part, LiveThinking) for seen in streams for part in seen.turn.parts)


def _keep_alives(seen: Seen) -> bool:
    return any(isinstance(step.item, Comment) for step in seen.steps) or any(
        isinstance(event, ev.KeepAlive) for event in seen.events
    )


def _events_per_chunk(answers: Answers) -> float | None:
    events = sum(
        isinstance(step.item, SSEEvent) for seen in answers.streams() for step in seen.steps
    )
    chunks = sum(len(seen.recording.chunks) for seen in answers.streams())
    return round(events / chunks, 1) if chunks else None


def _chunks_cut(answers: Answers) -> bool | None:
    """Whether chunks ended inside events."""
    streams = answers.streams()
    if not streams:
        return None
    return any(
        not seen.body[:edge].endswith((b"\n\n", b"\r\n\r\n", b"\r\r"))
        for seen in streams
        for edge in seen.edges()
    )


# Times ---------------------------------------------------------------------------------------


def _first_byte(answers: Answers) -> float | None:
    times = [seen.recording.chunks[0][1] for seen in answers.streams() if seen.recording.chunks]
    return _median(times)


def _first_fragment(answers: Answers) -> float | None:
    """Seconds until the first text or argument fragment."""
    times: list[float] = []
    for seen in answers.streams():
        if not seen.recording.chunks:
            continue
        ends = [
            piece.end
            for part in seen.turn.parts
            if isinstance(part, LiveText | LiveCall)
            for piece in part.fragments
            if piece.text
        ]
        if ends:
            times.append(ArrivalTimes(seen.recording)(min(ends)))
    return _median(times)


def _longest_gap(answers: Answers) -> float | None:
    gaps = [
        later[1] - earlier[1]
        for seen in answers.streams()
        for earlier, later in pairwise(seen.recording.chunks)
    ]
    return round(max(gaps), 3) if gaps else None


def _bytes_per_character(answers: Answers) -> float | None:
    """Bytes of the body for each character of text and arguments: the weight of the envelope."""
    characters = sum(
        len(part.text)
        for seen in answers.streams()
        for part in seen.turn.parts
        if isinstance(part, LiveText | LiveCall)
    )
    size = sum(len(seen.body) for seen in answers.streams())
    return round(size / characters, 1) if characters else None


def _median(times: list[float]) -> float | None:
    return round(sorted(times)[len(times) // 2], 3) if times else None


FEATURES: Final = (
    Feature("answered", "requests answered", _answered),
    Feature("text-pieces", "text fragments (mean)", _text_pieces),
    Feature("arguments-fragment", "arguments come in fragments", _fragmented),
    Feature("argument-pieces", "argument fragments (mean)", _argument_pieces),
    Feature("first-fragment", "first fragment of a call", _first_piece),
    Feature("parallel-calls", "two calls asked for", _parallel),
    Feature("no-arguments", "a call without arguments", _no_arguments),
    Feature("call-ids", "call ids", _call_ids),
    Feature("marker", "every call has its marker", _marker),
    Feature("stop-reasons", "stop reasons", _stop_reasons),
    Feature(
        "end-marker", "end marker of the turn", _every(lambda seen: seen.turn.ended_at is not None)
    ),
    Feature("done", "[DONE]", _every(lambda seen: b"[DONE]" in seen.body)),
    Feature("usage", "usage reported", _every(_usage)),
    Feature("output-limit", "output limit in mid-call", _limit),
    Feature("awkward-history", "history with 1.0, 1e2, \\/ ...", _history),
    Feature("unicode", "characters outside ASCII", _wide_characters),
    Feature("thinking", "thinking", _thinking),
    Feature(
        "event-lines",
        "`event:` lines",
        _every(
            lambda seen: any(
                isinstance(step.item, SSEEvent) and step.item.type for step in seen.steps
            )
        ),
    ),
    Feature("keep-alives", "keep-alives", _every(_keep_alives)),
    Feature("crlf", "CRLF line ends", _every(lambda seen: b"\r\n" in seen.body)),
    Feature("events-per-chunk", "events per chunk", _events_per_chunk),
    Feature("chunks-in-events", "chunks end inside events", _chunks_cut),
    Feature("bytes-per-character", "bytes per character", _bytes_per_character),
    Feature("first-byte", "first byte after, s (median)", _first_byte),
    Feature("first-text", "first fragment after, s (median)", _first_fragment),
    Feature("longest-gap", "longest gap, s", _longest_gap),
)


def features_of(answers: Answers) -> dict[str, Plain]:
    """Every feature by its code."""
    return {feature.code: feature.read(answers) for feature in FEATURES}


def as_words(value: Plain) -> str:
    """A feature's value for a table."""
    match value:
        case None:
            return "-"
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(value)
        case _:
            return str(value)


def findings_of(seen: Seen) -> list[dict[str, Any]]:
    """What the reader found odd in one answer."""
    return [
        {"code": found.code, "message": found.message, "offset": found.offset}
        for found in seen.turn.findings
    ]
