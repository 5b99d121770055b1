"""The model of a call, its pace, the guard of a question, and the head line."""

from __future__ import annotations

import pytest

from tests.app.calls.making import Writing, one_call
from tui.app.calls.facts import fact_lines
from tui.app.calls.guard import KeyGuard
from tui.app.calls.model import CallModel
from tui.app.calls.pace import Pace, TurnClock
from tui.app.calls.status import head_line
from tui.app.calls.words import size_words, time_words
from tui.core import events as ev
from tui.core.conversation import CallResult, TextContent
from tui.core.states import CallState
from tui.session.updates import Arrivals, CallAnswered, CallChanged, CallProgress, CallRan


def head(model: CallModel, now: float, width: int = 120) -> str:
    return "".join(text for text, _ in head_line(model, now, width))


def facts(model: CallModel, now: float = 0.0, width: int = 100) -> str:
    return "\n".join("".join(text for text, _ in line) for line in fact_lines(model, now, width))


def written(text: str, *, every: float = 0.1) -> tuple[Writing, CallModel]:
    writing = Writing()
    clock = TurnClock(writing.arrivals, 100.0)
    writing.open("0", "tool", "call_1")
    writing.write("0", text, every=every)
    model = CallModel(writing.turn.calls[0], writing.handle, clock)
    model.pull()
    return writing, model


def test_a_pull_takes_only_what_is_new() -> None:
    writing, model = written('{"a": 1', every=0.0)
    assert not model.pull()
    before = model.revision
    writing.write("0", "}")
    assert model.pull()
    assert model.revision > before
    assert [fragment.text for fragment in model.fragments] == ['{"a": 1', "}"]
    assert len(model.times) == 2


def test_a_change_of_state_or_name_can_be_seen_without_a_fragment() -> None:
    writing, model = written("{}")
    writing.feed(ev.CallNamed(ev.Key("0"), "late_id", "late_name"))
    assert model.pull()
    assert "late_name" in head(model, 100.0)
    writing.close("0")
    assert model.pull()
    assert "closed" in head(model, 100.0)


def test_a_long_silence_is_visible_as_one() -> None:
    _, model = written('{"a": ' + "1" * 60)
    model.clock.see(100.6)
    assert "silent" not in head(model, 101.0)
    assert "silent 12 s" in head(model, 112.6)
    assert "············" in head(model, 112.6)


def test_the_clock_of_a_turn_trusts_the_earliest_sight_of_an_arrival() -> None:
    arrivals = Arrivals()
    clock = TurnClock(arrivals, 50.0)
    arrivals.add(10, 1.0)
    clock.see(51.4)
    assert clock.at(51.4) == pytest.approx(1.4)
    arrivals.add(10, 2.0)
    clock.see(51.9)  # it had been the screen that was late
    assert clock.at(51.9) == pytest.approx(2.0)
    assert clock.at(54.0) == pytest.approx(4.1)


def test_a_time_that_was_read_before_an_arrival_says_nothing_of_when_it_was_seen() -> None:
    arrivals = Arrivals()
    clock = TurnClock(arrivals, 50.0)
    clock.see(51.0)
    arrivals.add(10, 2.0)
    clock.see(51.0)
    assert clock.at(51.0) == pytest.approx(2.0)  # never before what came
    clock.see(52.5)
    assert clock.at(53.0) == pytest.approx(3.0)


def test_bars_are_as_high_as_what_came_and_dots_where_nothing_did() -> None:
    pace = Pace()
    pace.add(0.1, 10)
    pace.add(1.1, 80)
    assert pace.live_bars(1.2, 4) == " ▁·█"
    assert pace.whole_bars(2) in ("▁█", "█▁")
    assert pace.silence(3.1) == 2.0


def test_the_digest_is_there_once_the_turn_is_over_and_equals_what_will_run() -> None:
    writing, model = written('{"a": 1}')
    assert model.digest == ""
    writing.close("0")
    writing.end()
    model.pull()
    assert model.digest == writing.turn.final_calls[0].digest
    shown = facts(model)
    assert model.digest[:12] in shown
    assert model.digest not in shown
    assert "= what will run" in shown


def test_a_time_from_before_an_arrival_does_not_make_the_turn_seem_older() -> None:
    arrivals = Arrivals()
    clock = TurnClock(arrivals, 100.0)
    arrivals.add(10, 1.0)
    assert clock.at(101.0) == 1.0
    arrivals.add(10, 3.0)
    assert clock.at(101.0) == 3.0
    assert clock.at(103.5) == 3.5


@pytest.mark.parametrize("width", [50, 58, 78])
def test_whether_what_runs_is_what_came_is_not_cut_off_in_a_narrow_panel(width: int) -> None:
    writing, model = written('{"a": 1}')
    writing.close("0")
    model.pull()
    assert "nothing runs before the turn ends" in facts(model, width=width)
    writing.end()
    model.pull()
    assert "= what will run" in facts(model, width=width)
    model.sent_back = True
    shown = facts(model, width=width)
    assert "= what will run" in shown
    assert "= sent back byte for byte" in shown


def test_a_call_that_a_person_answered_is_not_said_to_have_run() -> None:
    model = one_call('{"a": 1}')
    model.apply(CallChanged(model.ref, CallState.AWAITING_APPROVAL), 1.0)
    answer = CallResult(model.ref, (TextContent("lost"),), origin="person")
    model.apply(CallAnswered(model.ref, answer), 2.0)
    model.apply(CallChanged(model.ref, CallState.RETURNED), 2.0)
    assert "what was run" not in facts(model)
    assert "written by hand; no tool gave it" in facts(model)


def test_a_call_that_was_cancelled_before_its_start_is_not_said_to_have_run() -> None:
    model = one_call('{"a": 1}')
    model.apply(CallChanged(model.ref, CallState.CANCELLED), 1.0)
    assert "what was" not in facts(model)
    model = one_call('{"a": 1}')
    model.apply(CallChanged(model.ref, CallState.RUNNING), 1.0)
    assert "= what runs" in facts(model)
    model.apply(CallChanged(model.ref, CallState.CANCELLED), 2.0)
    assert "= what was started" in facts(model)


def test_going_back_byte_for_byte_is_said_only_when_it_is_so() -> None:
    model = one_call('{"a": 1}')
    assert "sent back" not in facts(model)
    model.note_sent('{"a": 1}')
    assert "= sent back byte for byte" in facts(model)
    model.note_sent('{"a":1}')
    assert "≠ what was sent back" in facts(model)


def test_an_incomplete_call_says_why_how_much_and_its_last_characters() -> None:
    writing, model = written('{"a": "' + "x" * 200 + "the end")
    writing.end("length")
    model.pull()
    shown = facts(model)
    assert "output limit" in shown
    assert "214 characters in 17 fragments; the last 80:" in shown
    assert shown.rstrip().endswith("xxxthe end")
    assert "incomplete" in head(model, 100.0)


def test_a_contradiction_shows_both_texts_where_they_differ() -> None:
    writing, model = written('{"a": 1}')
    writing.feed(ev.CallClosed(ev.Key("0"), '{"a": 2}'))
    writing.end()
    model.pull()
    shown = facts(model, width=140)
    assert "differ from character 6 on" in shown
    assert 'came: {"a": 1}' in shown
    assert 'said: {"a": 2}' in shown


def test_a_run_is_followed_from_its_start_to_its_result() -> None:
    model = one_call("{}")
    model.apply(CallChanged(model.ref, CallState.RUNNING), 10.0)
    model.apply(CallProgress(model.ref, "half way", 0.5), 11.0)
    assert "running" in head(model, 13.0)
    assert "for 3.0 s" in head(model, 13.0)
    assert "50%" in head(model, 13.0)
    assert "half way" in facts(model)
    model.apply(CallRan(model.ref, 4.0, "", "", None), 14.1)
    model.apply(CallChanged(model.ref, CallState.FAILED), 14.1)
    model.apply(CallAnswered(model.ref, CallResult(model.ref, (TextContent("no"),), True)), 14.1)
    assert "failed" in head(model, 20.0)
    assert "ran 4.0 s" in head(model, 20.0)
    assert not model.active


def test_a_head_gives_way_from_the_least_needed_and_never_overflows() -> None:
    _, model = written('{"a": 1}')
    for width in range(4, 140, 3):
        line = head(model, 101.0, width)
        assert len(line) <= width
    assert head(model, 101.0, 40).startswith("~ forming  tool")
    assert "8 B" in head(model, 101.0, 60)


def test_a_key_that_comes_too_early_delays_the_question() -> None:
    guard = KeyGuard(0.6)
    assert not guard.press(0.0)
    guard.hidden()
    guard.shown(10.0)
    guard.shown(10.5)
    assert not guard.ready(10.5)
    assert not guard.press(10.5)
    assert not guard.ready(11.0)
    assert guard.press(11.2)
    guard.hidden()
    assert not guard.ready(20.0)


def test_sizes_and_times_in_words() -> None:
    assert [size_words(n) for n in (0, 1023, 1536, 3 << 20)] == [
        "0 B",
        "1023 B",
        "1.5 KB",
        "3.0 MB",
    ]
    assert [time_words(n) for n in (0.44, 12.2, 125)] == ["0.4 s", "12 s", "2 min 05 s"]
