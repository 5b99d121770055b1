"""The turn gate: what a turn's end makes of its calls."""

from __future__ import annotations

from typing import Any

import pytest

from tui.core import events as ev
from tui.core.conversation import CallPart, TextPart, ThinkingPart, ToolSpec
from tui.core.endings import TABLE, ending_of
from tui.core.errors import ProtocolViolation
from tui.core.events import Key
from tui.core.finalise import FinalCall, Invalid, finalise
from tui.core.parts import LiveCall
from tui.core.states import CallEvent, CallState
from tui.core.turn import Turn

K, L = Key("k"), Key("l")


def fed(*events: ev.DialectEvent, dialect: str = "anthropic", **closing: object) -> Turn:
    turn = Turn(dialect)
    for number, event in enumerate(events):
        turn.feed(event, number * 10, number * 10 + 9)
    turn.close(**closing)  # type: ignore[arg-type]
    return turn


def call(key: Key = K, raw: str = "{}", *, closed: bool = True) -> list[ev.DialectEvent]:
    events: list[ev.DialectEvent] = [
        ev.CallOpened(key, "id", "tool"),
        ev.ArgumentFragment(key, raw),
    ]
    return [*events, ev.CallClosed(key)] if closed else events


GOOD: list[ev.DialectEvent] = [ev.StopReasonGiven("tool_use"), ev.TurnEnded()]


def states(turn: Turn) -> list[CallState]:
    return [found.state for found in turn.calls]


def test_a_closed_call_of_a_turn_that_ended_well_is_final() -> None:
    turn = fed(*call(), *GOOD)
    assert (states(turn), turn.outcome) == ([CallState.FINAL], "complete")
    assert [found.ref for found in turn.final_calls] == ["t1.c1"]


def test_a_closed_call_is_not_final_while_the_turn_runs() -> None:
    turn = Turn("anthropic")
    for event in [*call(), *GOOD]:
        turn.feed(event, 0, 1)
        assert turn.final_calls == ()
    assert states(turn) == [CallState.CLOSED]


def test_a_call_without_its_marker_is_incomplete_even_when_it_parses_and_the_turn_ended_well() -> (
    None
):
    turn = fed(*call(closed=False), *GOOD)
    assert (states(turn), turn.final_calls) == ([CallState.INCOMPLETE], ())
    assert "never said that its arguments were complete" in turn.calls[0].problem


@pytest.mark.parametrize(("dialect", "reason"), sorted(TABLE))
def test_each_row_of_the_table_gates_the_calls_of_its_turn(dialect: str, reason: str) -> None:
    turn = fed(*call(), ev.StopReasonGiven(reason), ev.TurnEnded(), dialect=dialect)
    row = TABLE[dialect, reason]
    assert turn.outcome == row.outcome
    assert states(turn) == [CallState.FINAL if row.calls_may_run else CallState.INCOMPLETE]


def test_an_unknown_stop_reason_lets_nothing_run() -> None:
    turn = fed(*call(), ev.StopReasonGiven("vibes"), ev.TurnEnded())
    assert states(turn) == [CallState.INCOMPLETE]
    assert "'vibes'" in turn.calls[0].problem
    assert not ending_of("anthropic", "vibes").calls_may_run


def test_without_a_stop_reason_the_turn_is_incomplete_and_nothing_runs() -> None:
    turn = fed(*call(), ev.TurnEnded())
    assert (turn.outcome, states(turn)) == ("incomplete", [CallState.INCOMPLETE])


def test_an_error_after_a_whole_call_stops_it() -> None:
    turn = fed(*call(), ev.ProviderErrorReported("overloaded", "overloaded_error"), *GOOD)
    assert (turn.outcome, states(turn)) == ("error", [CallState.INCOMPLETE])
    assert turn.problem == "overloaded_error: overloaded"


def test_a_broken_stream_stops_a_call_whose_turn_had_already_said_why_it_ended() -> None:
    turn = fed(*call(), *GOOD, broken="the connection was reset")
    assert (turn.outcome, states(turn)) == ("incomplete", [CallState.INCOMPLETE])
    assert turn.calls[0].problem == "the connection was reset"


def test_an_ending_that_no_blank_line_closed_lets_nothing_run() -> None:
    turn = fed(*call(), *GOOD, unterminated=True)
    assert states(turn) == [CallState.INCOMPLETE]


def test_a_malformed_event_stops_the_calls_open_at_that_point_and_no_others() -> None:
    turn = fed(
        *call(K),
        ev.CallOpened(L, "id2", "tool"),
        ev.MalformedEvent("not JSON", "{"),
        ev.ArgumentFragment(L, "{}"),
        ev.CallClosed(L),
        *GOOD,
    )
    assert states(turn) == [CallState.FINAL, CallState.INCOMPLETE]
    assert turn.outcome == "error"
    assert [found.code for found in turn.findings] == ["turn.malformed-event"]


def test_an_unattributed_fragment_stops_its_suspects() -> None:
    turn = fed(
        ev.CallOpened(K, "a", "tool"),
        ev.CallOpened(L, "b", "tool"),
        ev.UnattributedFragment('{"x":1}', "it names no call", (K,)),
        ev.CallClosed(K),
        ev.CallClosed(L),
        *GOOD,
    )
    assert states(turn) == [CallState.INCOMPLETE, CallState.FINAL]


def test_a_marker_that_repeats_other_arguments_makes_the_call_invalid_and_keeps_both() -> None:
    turn = fed(
        ev.CallOpened(K, "a", "tool"),
        ev.ArgumentFragment(K, '{"a":1}'),
        ev.CallClosed(K, full='{"a":2}'),
        *GOOD,
    )
    found = turn.calls[0]
    assert (found.state, found.text, found.other_text) == (CallState.INVALID, '{"a":1}', '{"a":2}')


def test_a_marker_that_brings_the_whole_arguments_stands_for_the_fragments_that_never_came() -> (
    None
):
    turn = fed(ev.CallOpened(K, "a", "tool"), ev.CallClosed(K, full='{"a":2}'), *GOOD)
    assert turn.final_calls[0].raw == '{"a":2}'


@pytest.mark.parametrize(
    ("ending", "state"),
    [("tool_use", CallState.FINAL), ("max_tokens", CallState.INCOMPLETE)],
)
def test_an_empty_buffer_is_an_empty_object_only_after_a_good_ending(
    ending: str, state: CallState
) -> None:
    turn = fed(ev.CallOpened(K, "a", "t"), ev.CallClosed(K), ev.StopReasonGiven(ending))
    assert states(turn) == [state]


def test_one_invalid_call_does_not_stop_its_neighbour() -> None:
    turn = fed(*call(K, '{"who": Anna}'), *call(L), *GOOD)
    assert states(turn) == [CallState.INVALID, CallState.FINAL]


def test_to_those_who_look_on_a_turn_is_over_only_when_each_of_its_calls_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn = Turn("anthropic")
    for event in [*call(K, "{"), *call(L), *GOOD]:
        turn.feed(event, 0, 1)
    seen: list[tuple[bool, list[CallState], tuple[object, ...]]] = []

    def looked_at(**about: Any) -> FinalCall | Invalid:
        seen.append((turn.closed, states(turn), turn.final_calls))
        return finalise(**about)

    def ended(self: LiveCall, event: CallEvent, problem: str) -> None:
        assert self.misfit is None or self.misfit.problem == problem
        assert (event is CallEvent.FOUND_INVALID) == (self.misfit is not None)
        end(self, event, problem)

    end = LiveCall.end
    monkeypatch.setattr("tui.core.turn.finalise", looked_at)
    monkeypatch.setattr(LiveCall, "end", ended)
    turn.close()
    assert seen == [
        (False, [CallState.CLOSED, CallState.CLOSED], ()),
        (False, [CallState.INVALID, CallState.CLOSED], ()),
    ]
    assert turn.closed


def test_an_unknown_tool_is_invalid_where_the_tools_are_known() -> None:
    turn = Turn("anthropic", tools={"other": ToolSpec("other", "", {"type": "object"})})
    for event in [*call(), *GOOD]:
        turn.feed(event, 0, 1)
    turn.close()
    assert states(turn) == [CallState.INVALID]


def test_calls_of_further_choices_are_judged_by_their_own_ending_and_never_run() -> None:
    turn = fed(
        ev.CallOpened(K, "a", "tool", choice=0),
        ev.CallOpened(L, "b", "tool", choice=1),
        ev.CallClosed(K),
        ev.CallClosed(L),
        ev.StopReasonGiven("length", choice=0),
        ev.StopReasonGiven("tool_calls", choice=1),
        dialect="openai-chat",
    )
    assert states(turn) == [CallState.INCOMPLETE, CallState.FINAL]
    assert turn.final_calls == ()
    assert (turn.stop_reason, turn.outcome) == ("length", "incomplete")


def test_parts_keep_the_order_in_which_the_stream_began_them() -> None:
    turn = fed(
        ev.ThinkingFragment(Key("0"), "hm"),
        ev.ThinkingSigned(Key("0"), "si"),
        ev.ThinkingSigned(Key("0"), "g"),
        ev.TextFragment(Key("1"), "Let "),
        ev.CallOpened(K, "a", "tool"),
        ev.TextFragment(Key("1"), "me."),
        ev.TextFragment(Key("2"), ""),
        ev.ArgumentFragment(K, "{}"),
        ev.CallClosed(K),
        *GOOD,
    )
    assert turn.message().parts == (
        ThinkingPart("hm", "sig"),
        TextPart("Let me."),
        CallPart("t1.c1", "a", "tool", "{}", state=CallState.FINAL),
    )
    assert (turn.text, turn.thinking) == ("Let me.", "hm")


def test_half_a_pair_in_each_of_two_fragments_is_one_character() -> None:
    turn = fed(
        ev.TextFragment(K, "x\ud83d"),
        ev.TextFragment(K, "\ude00"),
        ev.StopReasonGiven("end_turn"),
    )
    assert turn.text == "x😀"


def test_what_comes_after_the_end_marker_changes_nothing_but_a_finding() -> None:
    turn = fed(*call(), *GOOD, ev.CallOpened(L, "b", "tool"), ev.TextFragment(Key("z"), "late"))
    assert (len(turn.calls), turn.text) == (1, "")
    assert [found.code for found in turn.findings] == ["turn.after-end", "turn.after-end"]


def test_unknown_events_are_kept_and_not_fatal() -> None:
    turn = fed(ev.UnknownEvent("novelty", '{"x":1}'), ev.StopReasonGiven("end_turn"))
    part = turn.message().parts[0]
    assert (turn.outcome, getattr(part, "kind", None), getattr(part, "text", None)) == (
        "complete",
        "novelty",
        '{"x":1}',
    )


def test_usage_reports_replace_only_what_they_give() -> None:
    turn = fed(ev.UsageReported(input_tokens=5, output_tokens=1), ev.UsageReported(output_tokens=9))
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (5, 9)


def test_a_decoder_that_contradicts_itself_is_our_bug_and_said_so() -> None:
    turn = Turn("anthropic")
    with pytest.raises(ProtocolViolation):
        turn.feed(ev.ArgumentFragment(K, "{"), 0, 1)
    turn.feed(ev.CallOpened(K, "a", "t"), 0, 1)
    with pytest.raises(ProtocolViolation):
        turn.feed(ev.CallOpened(K, "a", "t"), 0, 1)
    turn.close()
    with pytest.raises(ProtocolViolation):
        turn.feed(ev.TurnEnded(), 0, 1)
    with pytest.raises(ProtocolViolation):
        turn.close()


def test_an_event_that_shows_the_same_fault_twice_gives_one_finding_and_the_next_another() -> None:
    turn = Turn("anthropic")
    for start in (0, 0, 10):
        turn.feed(ev.MalformedEvent("not JSON", "{"), start, start + 10)
    assert [found.offset for found in turn.findings] == [0, 10]
