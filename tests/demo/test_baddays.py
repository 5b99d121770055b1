"""What goes wrong on request: each fault in every dialect, and what our reader makes of it."""

from __future__ import annotations

import json

import pytest

from tests.demo.talking import (
    ALL,
    ORDER,
    argument_fragments,
    asked,
    available,
    read,
    returns,
    steps,
    turns,
)
from tui.core.conversation import RefusalPart
from tui.core.events import KeepAlive
from tui.core.parts import LiveCall, LiveText
from tui.core.reader import TurnReader
from tui.core.response import error_from
from tui.core.sse import Comment, UnfinishedEvent
from tui.core.states import CallState
from tui.demo import render
from tui.demo.answer import answer

every_dialect = pytest.mark.parametrize("dialect", ALL)


def states(reader: TurnReader) -> list[CallState]:
    return [call.state for call in reader.turn.calls]


@every_dialect
@pytest.mark.parametrize("text", ["break", "cut clean", "limit", "error"])
def test_a_turn_that_ends_badly_leaves_its_call_incomplete(dialect: str, text: str) -> None:
    reader = read(dialect, text)
    assert states(reader) == [CallState.INCOMPLETE]
    assert reader.turn.outcome == ("error" if text == "error" else "incomplete")
    assert reader.final_calls == ()
    assert 250 < reader.turn.calls[0].buffer.length <= 300


@every_dialect
def test_break_stops_inside_an_event_and_says_that_the_connection_failed(dialect: str) -> None:
    body = asked(dialect, "break")
    assert answer(dialect, body).broken
    assert isinstance(steps(dialect, body)[-1].item, UnfinishedEvent)


@every_dialect
def test_cut_clean_ends_between_two_events_and_the_connection_is_fine(dialect: str) -> None:
    body = asked(dialect, "cut clean")
    assert not answer(dialect, body).broken
    assert render(dialect, body)[-1].endswith(b"\n\n")


@pytest.mark.parametrize(
    ("dialect", "word"),
    [("anthropic", "max_tokens"), ("openai-chat", "length"), ("openai-responses", "incomplete")],
)
def test_the_limit_is_given_in_the_dialects_own_word(dialect: str, word: str) -> None:
    assert read(dialect, "limit").turn.stop_reason == word


@every_dialect
def test_an_error_event_carries_its_words(dialect: str) -> None:
    assert "asked to fail" in read(dialect, "error").turn.error


@every_dialect
@pytest.mark.parametrize("text", ["bad json", "wrong type", "unknown tool"])
def test_a_wrong_call_is_invalid_and_corrected_after_it_was_told(dialect: str, text: str) -> None:
    first, second, third = turns(dialect, text, returns(ORDER))
    assert states(first) == [CallState.INVALID]
    assert [c.arguments for c in second.final_calls] == [{"order_id": "A-4471"}]
    assert third.turn.calls == []
    assert "**A-4471** is **shipped**" in third.turn.message().text


@every_dialect
def test_bad_json_is_closed_by_its_marker_and_still_no_json(dialect: str) -> None:
    reader = read(dialect, "bad json")
    assert reader.turn.outcome == "complete"
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(reader.turn.calls[0].buffer.text)


@every_dialect
def test_a_refusal_is_one(dialect: str) -> None:
    message = read(dialect, "refuse").turn.message()
    if dialect == "anthropic":
        assert message.stop_reason == "refusal"
        assert message.text.startswith("I can't help")
    else:
        assert [type(part) for part in message.parts] == [RefusalPart]


@every_dialect
def test_two_at_once_alternate_their_fragments_and_text_follows(dialect: str) -> None:
    reader = read(dialect, "two at once")
    assert [type(part) for part in reader.turn.parts] == [LiveCall, LiveCall, LiveText]
    assert [c.arguments for c in reader.final_calls] == [
        {"order_id": "A-4471"},
        {"order_id": "A-4463"},
    ]
    first, second = reader.turn.calls
    assert first.opened_at < second.opened_at
    ends = [call.buffer.fragments[-1].end for call in (first, second)]
    begins = [call.buffer.fragments[0].start for call in (first, second)]
    assert max(begins) < min(ends)


@every_dialect
def test_halves_of_emoji_arrive_in_different_events_and_become_whole(dialect: str) -> None:
    fragments = argument_fragments(dialect, asked(dialect, "split emoji"))
    assert any("\ud800" <= fragment[-1] <= "\udbff" for fragment in fragments)
    (call,) = read(dialect, "split emoji").final_calls
    assert not isinstance(call.arguments, str)
    assert "🚀🚀, parcels 📦📦📦" in call.arguments["description"]
    assert "🎉" in call.raw


@every_dialect
def test_long_arguments_are_20_kilobytes_and_fit_the_shop(dialect: str) -> None:
    (call,) = read(dialect, "long").final_calls
    assert 19_000 <= len(call.raw.encode()) <= 20_500
    assert not isinstance(call.arguments, str)
    assert len(call.arguments["description"]) <= 20_000


@every_dialect
def test_loop_calls_again_after_every_result(dialect: str) -> None:
    seen = list(turns(dialect, "loop", returns(ORDER), at_most=7))
    assert len(seen) == 7
    assert all(len(reader.final_calls) == 1 for reader in seen)
    assert "Round 7" in seen[-1].turn.message().text


@every_dialect
def test_keepalive_says_nothing_for_ten_seconds_but_that_it_lives(dialect: str) -> None:
    body = asked(dialect, "keepalive")
    alive = [
        step
        for step in steps(dialect, body)
        if isinstance(step.item, Comment) or any(isinstance(e, KeepAlive) for e in step.events)
    ]
    assert len(alive) >= 5
    silences = [chunk.wait for chunk in answer(dialect, body).chunks if chunk.wait >= 0.9]
    assert len(silences) == 5
    assert 6 < sum(silences) < 15


@every_dialect
def test_slow_takes_many_times_as_long_as_the_same_text_otherwise(dialect: str) -> None:
    def pace(text: str) -> float:
        chunks = answer(dialect, asked(dialect, text)).chunks
        return sum(chunk.wait for chunk in chunks) / len(chunks)

    assert pace("slow") > 5 * pace("hello")


@every_dialect
@pytest.mark.parametrize(("text", "status"), [("http 429", 429), ("http 500", 500)])
def test_an_http_error_speaks_the_dialects_error_shape(
    dialect: str, text: str, status: int
) -> None:
    planned = answer(dialect, asked(dialect, text))
    body = b"".join(chunk.data for chunk in planned.chunks)
    assert planned.head.status == status
    assert planned.head.header("retry-after") == ("2" if status == 429 else None)
    assert json.loads(body)["error"]["message"].startswith("The demo was asked")
    assert "The demo was asked" in str(error_from(planned.head, body))


@every_dialect
def test_html_comes_with_status_200_and_is_no_stream(dialect: str) -> None:
    planned = answer(dialect, asked(dialect, "html"))
    assert planned.head.status == 200
    reader = TurnReader(available(dialect), head=planned.head)
    for chunk in planned.chunks:
        reader.feed(chunk.data)
    reader.close()
    assert "web page" in reader.turn.error


@pytest.mark.parametrize(
    "text",
    [
        "How long will order A-4471 take?",
        "There was an error with my order A-4471, please look",
        "Is there a limit on how late the order A-4471 can be?",
    ],
)
def test_an_everyday_sentence_does_not_set_off_a_bad_day(text: str) -> None:
    reader = read("anthropic", text)
    assert [call.name for call in reader.final_calls] == ["lookup_order"]
