"""Time travel: at each position the turn is what a fresh read of the prefix makes of it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from tests import wire
from tests.app.wire.making import MARCH, chunks_of, read, timeline
from tests.shared import RecordedStream, by_id, needs_shared, streams
from tui.app.wire import timeline as module
from tui.app.wire.timeline import Reading, Timeline
from tui.core.reader import TurnReader
from tui.core.states import CallState
from tui.core.turn import Turn

TWO_CALLS = wire.call_turn(
    wire.call(1, "a", "first", '{"x": ', "1}"), wire.call(2, "b", "second", '{"y"', ": 2}")
)


def state(turn: Turn) -> dict[str, Any]:
    """Everything a turn says of itself."""
    parts = [
        {
            **{
                each.name: getattr(part, each.name)
                for each in fields(part)
                if each.name != "buffer"
            },
            "fragments": part.fragments,
        }
        for part in turn.parts
    ]
    return {
        "parts": parts,
        "findings": turn.findings,
        "usage": turn.usage,
        "ids": (turn.id, turn.model, turn.revision, turn.ended_at),
        "end": (turn.stop_reason, turn.stop_detail, turn.outcome, turn.problem, turn.error),
        "final": [call.ref for call in turn.final_calls],
    }


def fresh(travelled: Timeline, position: int) -> TurnReader:
    reader = travelled.reading.reader()
    reader.feed(travelled.body[: travelled.offset(position)])
    if position > travelled.events:
        reader.close(broken=travelled.reading.broken)
    return reader


def assert_true_everywhere(travelled: Timeline, positions: list[int]) -> None:
    for position in positions:
        turn = travelled.seek(position).turn
        assert travelled.position == position
        assert state(turn) == state(fresh(travelled, position).turn)


@pytest.mark.parametrize("every", [1, 3, 256])
def test_each_position_equals_a_fresh_read_of_the_prefix_in_both_directions(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEYFRAME_EVENTS", every)
    for body in (MARCH, TWO_CALLS, MARCH[:-40], MARCH[:700]):
        travelled = timeline(body)
        forth = list(range(travelled.last + 1))
        assert_true_everywhere(travelled, [*forth, *reversed(forth), *forth[::3], *forth[::-2]])


@needs_shared
@pytest.mark.parametrize("stream", streams()[::8], ids=by_id)
def test_recorded_streams_can_be_gone_through_backwards(
    stream: RecordedStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEYFRAME_EVENTS", 16)
    travelled = timeline(stream.read(), stream.dialect, size=1000)
    last = travelled.last
    step = max(last // 12, 1)
    assert_true_everywhere(travelled, [last, *range(last - 1, -1, -step), *range(0, last, step)])


def test_a_copy_that_was_kept_is_not_changed_by_reading_on() -> None:
    travelled = timeline(TWO_CALLS)
    travelled.seek(travelled.last)
    early = state(travelled.seek(3).turn)
    travelled.seek(travelled.last)
    assert state(travelled.seek(3).turn) == early


def test_long_streams_have_a_bounded_number_of_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEYFRAME_EVENTS", 2)
    monkeypatch.setattr(module, "MOST_KEYFRAMES", 5)
    body = wire.call_turn(wire.call(1, "a", "first", *["x"] * 200))
    travelled = timeline(body)
    travelled.seek(travelled.last)
    assert len(travelled._keyframes) <= 7


def test_jumps_lead_to_openings_closings_fragments_and_the_ending() -> None:
    travelled = timeline(TWO_CALLS)
    first = travelled.next_opening(0, 1)
    assert [call.name for call in travelled.seek(first).turn.calls] == ["first"]
    second = travelled.next_opening(first, 1)
    assert [call.name for call in travelled.seek(second).turn.calls] == ["first", "second"]
    assert travelled.next_opening(second, 1) == first
    assert travelled.next_opening(second, -1) == first
    closing = travelled.next_closing(second, 1)
    assert [call.state for call in travelled.seek(closing).turn.calls] == [CallState.CLOSED] * 2
    before = travelled.next_closing(closing, -1)
    assert [call.state for call in travelled.seek(before).turn.calls] == [CallState.CLOSED]
    fragment = travelled.next_fragment(second, 1)
    assert travelled.seek(fragment).turn.calls[1].buffer.text == '{"y"'
    assert travelled.seek(travelled.ending()).turn.stop_reason == "tool_use"
    assert not travelled.seek(travelled.ending()).turn.closed
    assert travelled.seek(travelled.last).turn.closed
    assert [kind for _, kind in travelled.ticks()] == ["open", "close", "open", "close", "end"]


def test_times_and_bytes_are_those_of_the_position() -> None:
    travelled = timeline(MARCH, size=50)
    for position in range(travelled.last + 1):
        at = travelled.time(position)
        offset = travelled.offset(position)
        assert (
            at == next((at for end, at in chunks_of(MARCH, 50) if end >= offset), 0) or not offset
        )
        assert travelled.at_time(at) >= position
    assert travelled.at_time(0.0) == 0
    assert travelled.at_time(1e9) == travelled.last


def test_the_handle_of_a_position_holds_what_had_come_and_no_more() -> None:
    like = read(MARCH)
    travelled = timeline(MARCH)
    travelled.seek(6)
    handle = travelled.handle(like)
    assert len(handle.steps) == 6
    assert handle.arrivals.total == travelled.offset(6)
    assert handle.arrivals.time_of(travelled.offset(6)) == travelled.time(6)
    assert handle.exchange == like.exchange


def test_a_turn_that_is_still_coming_grows_and_can_be_gone_back_in() -> None:
    half = read(TWO_CALLS[:900], close=False)
    travelled = Timeline(
        Reading("anthropic"), TWO_CALLS[:900], half.steps, chunks_of(TWO_CALLS[:900]), over=False
    )
    assert travelled.last == travelled.events == len(half.steps)
    assert not travelled.seek(travelled.last).turn.closed
    whole = read(TWO_CALLS)
    travelled.grow(TWO_CALLS, whole.steps, chunks_of(TWO_CALLS), over=True)
    assert_true_everywhere(travelled, [travelled.last, *range(travelled.last, -1, -1)])


def test_a_body_that_broke_off_ends_as_it_did_live() -> None:
    body = MARCH[:900]
    live = read(body, broken="the connection was reset")
    travelled = Timeline(
        Reading("anthropic", broken="the connection was reset"), body, live.steps, chunks_of(body)
    )
    assert state(travelled.seek(travelled.last).turn) == state(live.turn)
    assert "reset" in travelled.seek(travelled.last).turn.problem
