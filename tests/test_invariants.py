"""The design's invariants over every stream we have: chunks mean nothing, nothing acts early."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import feeding
from tests.oracle import most_final_calls
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tests.verdicts import (
    BYTES,
    RANDOM,
    case_differences,
    case_verdict,
    stream_differences,
    verdict,
)
from tui.core.reader import TurnReader
from tui.core.states import CallState
from tui.recording.split import Split

SMALL = 20_000
"""Bytes: streams up to this size are cut at more places."""

STREAMS = streams()
CASES = cases()

KNOWN_DIFFERENCES: dict[str, list[str]] = {
    # The manifest joins deltas only; the whole input stands in message_start, and is the call's.
    "anthropic/vercel-ai--anthropic-anthropic-programmatic-tool-calling.1-part3": [
        "call rollDie: raw",
        "call rollDie: 1 fragments for 0",
    ],
}


def read(body: bytes, dialect: str, chunks: list[bytes] | None = None) -> TurnReader:
    reader = TurnReader(dialect)
    for chunk in [body] if chunks is None else chunks:
        reader.feed(chunk)
    reader.close()
    return reader


def picture(body: bytes, dialect: str, chunks: list[bytes] | None = None) -> tuple[Any, ...]:
    """Everything a turn holds that could depend on how its bytes were cut."""
    turn = read(body, dialect, chunks).turn
    return (
        turn.message(),
        turn.findings,
        turn.usage,
        turn.final_calls,
        [(part.key, part.opened_at, part.closed, part.fragments) for part in turn.parts],
        [(call.closed_at, call.state, call.problem) for call in turn.calls],
    )


@needs_shared
@pytest.mark.parametrize("stream", STREAMS, ids=by_id)
def test_recorded_streams_come_to_what_their_manifest_states(stream: RecordedStream) -> None:
    said = verdict(stream.read(), stream.dialect)
    assert stream_differences(stream, said) == KNOWN_DIFFERENCES.get(stream.id, [])


@needs_shared
@pytest.mark.parametrize("case", CASES, ids=by_id)
def test_wire_cases_come_to_what_they_state_however_they_are_cut(case: WireCase) -> None:
    whole = case_verdict(case)
    assert case_differences(case, whole) == []
    stated = Split("at", offsets=tuple(case.spec.get("chunks", ())))
    for split in (BYTES, stated, *RANDOM):
        assert case_verdict(case, split) == whole


@needs_shared
@pytest.mark.parametrize("stream", STREAMS, ids=by_id)
def test_chunks_mean_nothing(stream: RecordedStream) -> None:
    body, dialect = stream.read(), stream.dialect
    whole = picture(body, dialect)
    small = len(body) <= SMALL
    cuts = list(feeding.two_way_splits(body, limit=12 if small else 3))
    if small:
        cuts.append(list(feeding.every_byte(body)))
    for chunks in [*cuts, *(list(split.chunks(body)) for split in RANDOM[: 3 if small else 1])]:
        assert picture(body, dialect, chunks) == whole


@needs_shared
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_chunks_mean_nothing_in_any_chunking(data: st.DataObject) -> None:
    stream = data.draw(
        st.sampled_from([each for each in STREAMS if each.path.stat().st_size < 6000])
    )
    body = stream.read()
    chunks = data.draw(feeding.chunkings(body))
    assert picture(body, stream.dialect, chunks) == picture(body, stream.dialect)


def cut_offsets(body: bytes, many: int) -> list[int]:
    """Offsets around the end of events, where acting early would show, and some between."""
    ends = [offset for offset in range(1, len(body)) if body[offset - 1 : offset + 1] == b"\n\n"]
    near = {end + shift for end in ends[-many:] for shift in (-2, -1, 0, 1, 2)}
    even = range(0, len(body), max(1, len(body) // many))
    return sorted(offset for offset in near.union(even) if 0 <= offset <= len(body))


@needs_shared
@pytest.mark.parametrize("stream", [each for each in STREAMS if each.manifest["calls"]], ids=by_id)
def test_no_call_is_final_before_its_marker_and_its_turns_ending(stream: RecordedStream) -> None:
    body, dialect = stream.read(), stream.dialect
    whole = {call.ref: call for call in read(body, dialect).turn.calls}
    for offset in cut_offsets(body, 12 if len(body) <= SMALL else 4):
        prefix = body[:offset]
        turn = read(prefix, dialect).turn
        final = [call for call in turn.calls if call.state is CallState.FINAL]
        assert len(final) <= most_final_calls(prefix, dialect), f"early act at byte {offset}"
        for call in final:
            after = whole[call.ref]
            assert call.text == after.text
            assert after.closed_at is not None
            assert after.closed_at <= offset


@needs_shared
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_streams_are_read_without_a_crash(data: st.DataObject) -> None:
    stream = data.draw(
        st.sampled_from([each for each in STREAMS if each.path.stat().st_size < 9000])
    )
    body = bytearray(stream.read())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body)))
        end = min(len(body), start + data.draw(st.integers(0, 40)))
        body[start:end] = data.draw(st.binary(max_size=6))
    turn = read(bytes(body), stream.dialect).turn
    assert turn.outcome in ("complete", "incomplete", "error")
    assert {call.ref for call in turn.final_calls} <= {
        call.ref for call in turn.calls if call.state is CallState.FINAL
    }


@needs_shared
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_malformed_event_in_the_middle_stops_the_calls_it_could_have_touched(
    data: st.DataObject,
) -> None:
    stream = data.draw(
        st.sampled_from(
            [each for each in STREAMS if each.manifest["calls"] and each.path.stat().st_size < 9000]
        )
    )
    body = stream.read()
    blocks = body.split(b"\n\n")
    index = data.draw(st.integers(0, len(blocks) - 1))
    if b"data:" not in blocks[index] or b"[DONE]" in blocks[index]:
        return
    start = len(b"\n\n".join(blocks[:index])) + (2 if index else 0)
    broken = b"\n\n".join([*blocks[:index], b'data: {"torn', *blocks[index + 1 :]])
    turn = read(broken, stream.dialect).turn
    assert turn.outcome == "error"
    for call in turn.calls:
        if call.opened_at < start and call.closed_at is not None and call.closed_at > start:
            assert call.state is not CallState.FINAL
