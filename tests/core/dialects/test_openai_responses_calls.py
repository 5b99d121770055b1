"""Calls in Responses streams: whose a fragment is, when a call is closed, and what contradicts it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.core.dialects.responses import (
    ABSENT,
    CREATED,
    added,
    args,
    args_done,
    call,
    calls,
    codes,
    decoded,
    done,
    ended,
    odd,
    of_item,
    read,
)
from tui.core.dialects.openai_responses_names import TABLE
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallNamed,
    CallOpened,
    CallSpoiled,
    Key,
    StopReasonGiven,
    TurnEnded,
    TurnStarted,
    UnattributedFragment,
)

A, B = '{"a":1}', '{"b":2}'
K0, K1 = Key("item:0"), Key("item:1")
STARTED = TurnStarted("resp_1", "m")
ENDED = [StopReasonGiven("completed"), TurnEnded()]
FIRST = ("call_1", "f", A, "final")
SECOND = ("call_2", "f", B, "final")


def second(arguments: Any = "", **more: Any) -> dict[str, Any]:
    return call("call_2", arguments, **{"id": "fc_2", **more})


def test_table_has_one_row_with_a_reason_for_every_way_an_event_can_name_its_item() -> None:
    ways = set(product(("absent", "new", "used"), ("absent", "new", "known")))
    assert {(row.index, row.id) for row in TABLE} == ways
    assert len(TABLE) == len(ways)
    assert all(row.reason for row in TABLE)


def test_a_call_as_openai_sends_it_gives_no_finding() -> None:
    assert decoded(
        CREATED,
        added(call()),
        args('{"a"'),
        args(""),
        args(":1}"),
        args_done(A),
        done(call(arguments=A, status="completed")),
        ended(call(arguments=A, status="completed")),
    ) == [
        STARTED,
        CallOpened(K0, "call_1", "f"),
        ArgumentFragment(K0, '{"a"'),
        ArgumentFragment(K0, ""),
        ArgumentFragment(K0, ":1}"),
        CallClosed(K0, A),
        *ENDED,
    ]


def test_a_custom_call_carries_free_text() -> None:
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "shell"}
    assert decoded(
        CREATED,
        added({**item, "input": ""}),
        of_item("custom_tool_call_input.delta", id="ctc_1", delta="ls "),
        of_item("custom_tool_call_input.delta", id="ctc_1", delta="-l"),
        of_item("custom_tool_call_input.done", id="ctc_1", input="ls -l"),
        done({**item, "input": "ls -l"}),
        ended(),
    ) == [
        STARTED,
        CallOpened(K0, "call_1", "shell", "custom"),
        ArgumentFragment(K0, "ls "),
        ArgumentFragment(K0, "-l"),
        CallClosed(K0, "ls -l"),
        *ENDED,
    ]


def test_a_call_without_arguments_is_not_run_beside_arguments_without_a_call() -> None:
    turn = read(CREATED, args(A, 5, "fc_9"), added(call()), done(call()), ended())
    assert [(each.text, each.state) for each in turn.calls] == [
        (A, "incomplete"),
        ("", "invalid"),
    ]


# Whose a fragment is ------------------------------------------------------------------------


def test_interleaved_calls_of_one_tool_are_kept_apart() -> None:
    turn = read(
        CREATED,
        added(call()),
        added(second(), 1),
        args('{"b"', 1, "fc_2"),
        args('{"a"'),
        args(":2}", 1, "fc_2"),
        args(":1}"),
        done(second(B), 1),
        done(call(arguments=A)),
        ended(),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == []


def test_ids_that_change_with_every_event_leave_the_index_to_decide() -> None:
    turn = read(
        CREATED,
        added(call()),
        added(second(), 1),
        args('{"b"', 1, "r1"),
        args('{"a"', 0, "r2"),
        args(":2}", 1, "r3"),
        args(":1}", 0, "r4"),
        args_done(A, 0, "r5"),
        done(call(arguments=A, id="r6")),
        done(second(B, id="r7"), 1),
        ended(call(arguments=A, id="r8"), second(B, id="r9")),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["item-id-changes"]


def test_an_index_that_is_always_0_leaves_the_ids_to_decide() -> None:
    turn = read(
        CREATED,
        added(call()),
        added(second()),
        args('{"b"', 0, "fc_2"),
        args(A),
        args(":2}", 0, "fc_2"),
        done(call(arguments=A)),
        done(second(B)),
        ended(),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["index-reused"]


def test_ids_are_enough_without_any_index() -> None:
    turn = read(
        CREATED,
        added(call(), ABSENT),
        args('{"a"', ABSENT),
        added(second(), ABSENT),
        args(B, ABSENT, "fc_2"),
        args(":1}", ABSENT),
        done(call(arguments=A), ABSENT),
        done(second(B), ABSENT),
        ended(),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["index-missing"]


@pytest.mark.parametrize("index", [ABSENT, None])
def test_events_that_name_nothing_belong_to_the_only_open_call(index: object) -> None:
    turn = read(
        CREATED,
        added(call(), index),
        args(A, index, ABSENT),
        done(call(arguments=A), index),
        added(second(), index),
        args(B, index, ABSENT),
        done(second(B), index),
        ended(),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["index-missing", "item-id-missing"]


def test_a_fragment_that_names_nothing_while_two_calls_are_open_stops_both() -> None:
    body = [
        CREATED,
        added(call(), ABSENT),
        added(second(), ABSENT),
        args(A, ABSENT, ABSENT),
        done(call(arguments=A), ABSENT),
        done(second(B), ABSENT),
        ended(),
    ]
    assert UnattributedFragment(
        A, "nothing says which item this event belongs to", (K0, K1)
    ) in decoded(*body)
    assert [state for *_, state in calls(read(*body))] == ["incomplete", "incomplete"]


def test_another_id_at_the_index_of_a_call_whose_id_is_sure_is_nobodys() -> None:
    events = decoded(CREATED, added(call()), args('{"a"'), args(":1}", 0, "fc_9"), ended())
    assert [each for each in events if isinstance(each, UnattributedFragment)] == [
        UnattributedFragment(
            ":1}", "the output index of this event names an item, but not by its id", (K0,)
        )
    ]


def test_an_id_that_contradicts_the_index_is_believed_when_the_whole_text_confirms_it() -> None:
    body = [CREATED, added(call()), added(second(), 1), args(A), args(B, 0, "fc_2")]
    turn = read(*body, done(call(arguments=A)), done(second(B), 1), ended())
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["index-drifts"]
    turn = read(*body, done(call(arguments=None)), done(second(None), 1), ended())
    assert [state for *_, state in calls(turn)] == ["invalid", "invalid"]


def test_a_text_event_never_reaches_the_call_at_its_index() -> None:
    turn = read(
        CREATED,
        added(call()),
        args('{"a"'),
        of_item("output_text.delta", 0, "msg_1", delta="Prose"),
        args(":1}"),
        done(call(arguments=A)),
        ended(),
    )
    assert calls(turn) == [FIRST]
    assert turn.text == "Prose"


def test_a_call_that_was_never_announced_is_named_when_it_is_done() -> None:
    assert decoded(CREATED, args('{"a"'), args(":1}"), done(call(arguments=A)), ended()) == [
        STARTED,
        odd("item-added-missing"),
        CallOpened(K0, None, None),
        ArgumentFragment(K0, '{"a"'),
        ArgumentFragment(K0, ":1}"),
        odd("call-named-late"),
        CallNamed(K0, "call_1", "f"),
        CallClosed(K0, A),
        *ENDED,
    ]


def test_a_call_may_be_named_by_the_event_that_states_its_arguments() -> None:
    turn = read(CREATED, args_done(A) | {"name": "f", "call_id": "call_1"}, ended())
    assert calls(turn) == [FIRST]


def test_an_index_in_quotes_means_the_same_number() -> None:
    turn = read(
        CREATED,
        added(call(), "0"),
        added(second(), "1"),
        args(A, "0", ABSENT),
        args(B, "1", ABSENT),
        done(call(arguments=A), "0"),
        done(second(B), 1),
        ended(),
    )
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == ["index-string", "item-id-missing"]


def test_an_announcement_that_comes_late_names_the_call_that_its_fragments_began() -> None:
    turn = read(CREATED, args('{"a"'), added(call()), args(":1}"), done(call(arguments=A)), ended())
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["item-added-missing", "call-named-late"]


def test_a_call_announced_and_done_twice_is_one_call() -> None:
    item = call(arguments=A)
    turn = read(CREATED, added(call()), added(call()), args(A), done(item), done(item), ended(item))
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["item-added-twice", "item-done-twice"]


def test_calls_that_share_a_call_id_are_kept_apart() -> None:
    other = call("call_1", B, id="fc_2")
    turn = read(
        CREATED,
        added(call()),
        added(call("call_1", id="fc_2"), 1),
        args(B, 1, "fc_2"),
        args(A),
        done(call(arguments=A)),
        done(other, 1),
        ended(call(arguments=A), other),
    )
    assert calls(turn) == [FIRST, ("call_1", "f", B, "final")]
    assert codes(turn) == ["call-id-shared"]


# The marker and the whole text ----------------------------------------------------------------


def test_the_arguments_done_event_alone_does_not_close_a_call() -> None:
    events = decoded(CREATED, added(call()), args(A), args_done(A))
    assert not any(isinstance(each, CallClosed) for each in events)


@pytest.mark.parametrize("status", ["incomplete", "failed", "cancelled"])
def test_a_call_that_is_done_but_was_cut_is_never_closed(status: str) -> None:
    item = call(arguments=A, status=status)
    body = [CREATED, added(call()), args(A), args_done(A), done(item), ended(item)]
    assert not any(isinstance(each, CallClosed) for each in decoded(*body))
    assert calls(read(*body)) == [("call_1", "f", A, "incomplete")]
    assert codes(read(*body)) == ["call-cut"]


def test_a_call_that_only_the_response_says_was_cut_does_not_run() -> None:
    turn = read(
        CREATED,
        added(call()),
        args(A),
        done(call(arguments=A)),
        ended(call(arguments=A, status="incomplete")),
    )
    assert [state for *_, state in calls(turn)] == ["invalid"]


def test_status_in_progress_on_a_done_item_is_no_cut() -> None:
    # OpenAI's programmatic tool calls are sent so.
    turn = read(CREATED, added(call()), args(A), done(call(arguments=A, status="in_progress")))
    assert turn.calls[0].closed_at is not None


@pytest.mark.parametrize(
    "body",
    [
        [args_done(A), done(call(arguments=A))],
        [args_done(A), done(call())],
        [args_done(""), done(call(arguments=A))],
        [done(call(arguments=A))],
        [args(""), done(call(arguments=A))],
        [args(""), args_done(A), done(call(arguments=A))],
    ],
)
def test_the_whole_text_may_come_without_any_fragment(body: list[Any]) -> None:
    turn = read(CREATED, added(call()), *body, ended())
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["arguments-without-deltas"]


def test_a_call_without_arguments_is_an_empty_object() -> None:
    turn = read(CREATED, added(call()), args_done(""), done(call()), ended())
    assert calls(turn) == [("call_1", "f", "", "final")]
    assert [dict(each.arguments) for each in turn.final_calls if each.kind == "function"] == [{}]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [
        [args(A), args_done(B), done(call(arguments=A))],
        [args(A), args_done(A), done(call(arguments=B))],
        [args(A), done(call(arguments=B))],
        [args_done(A), done(call(arguments=B))],
        [args(A), args_done(A), done(call(arguments=A)), done(call(arguments=B))],
    ],
)
def test_a_repetition_that_differs_makes_the_call_invalid_and_both_texts_are_kept(
    body: list[Any],
) -> None:
    turn = read(CREATED, added(call()), *body, ended())
    assert calls(turn) == [("call_1", "f", A, "invalid")]
    assert turn.calls[0].other_text == B


def test_a_response_whose_own_list_differs_makes_the_call_invalid() -> None:
    body = [CREATED, added(call()), args(A), done(call(arguments=A))]
    assert calls(read(*body, ended(call(arguments=B)))) == [("call_1", "f", A, "invalid")]
    respelled = read(*body, ended(call(arguments='{"a": 1}')))
    assert calls(respelled) == [FIRST]
    assert codes(respelled) == ["arguments-respelled"]


def test_a_fragment_after_the_whole_text_is_ignored_with_a_finding() -> None:
    turn = read(
        CREATED,
        added(call()),
        args(A),
        args_done(A),
        args("}"),
        done(call(arguments=A)),
        args("}"),
        ended(),
    )
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["delta-after-done"]


def test_halves_of_a_surrogate_pair_in_two_fragments_equal_the_whole_text() -> None:
    turn = read(
        CREATED,
        added(call()),
        args('{"a":"\ud83c'),
        args('\udf0a"}'),
        done(call(arguments='{"a":"\U0001f30a"}')),
        ended(),
    )
    assert calls(turn) == [("call_1", "f", '{"a":"\U0001f30a"}', "final")]


def test_arguments_that_are_json_and_no_string_are_taken_as_they_stand() -> None:
    item = (
        '{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":{"a" : 1.0}}'
    )
    turn = read(
        CREATED, added(call()), f'{{"type":"response.output_item.done","item":{item}}}', ended()
    )
    assert calls(turn) == [("call_1", "f", '{"a" : 1.0}', "final")]
    assert "arguments-not-string" in codes(turn)


@pytest.mark.parametrize(
    ("start", "fragments", "found"),
    [
        (A, [], ["arguments-without-deltas"]),
        (A, [A], []),
        ("{}", ['{"a"', ":1}"], []),
        ('{"a"', [":1}"], ["arguments-in-added"]),
    ],
)
def test_text_in_the_announcement_is_a_preview_or_the_first_fragment(
    start: str, fragments: list[str], found: list[str]
) -> None:
    turn = read(
        CREATED,
        added(call(arguments=start)),
        *map(args, fragments),
        done(call(arguments=A)),
        ended(),
    )
    assert calls(turn) == [FIRST]
    assert codes(turn) == found


# When events are missing ----------------------------------------------------------------------


def test_a_call_without_a_marker_is_incomplete_though_the_response_completed() -> None:
    turn = read(CREATED, added(call()), args(A), ended())
    assert calls(turn) == [("call_1", "f", A, "incomplete")]
    assert codes(turn) == ["marker-missing"]


def test_the_response_may_say_that_a_call_is_done_when_no_event_did() -> None:
    body = [CREATED, added(call()), args(A)]
    turn = read(*body, ended(call(arguments=A, status="completed")))
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["item-done-missing"]
    assert calls(read(*body, ended(call(arguments="")))) == [("call_1", "f", A, "incomplete")]
    assert calls(read(*body, ended(call(arguments=B)))) == [("call_1", "f", A, "invalid")]


def test_arguments_that_were_done_close_the_call_when_only_the_item_was_not() -> None:
    turn = read(CREATED, added(call()), args(A), args_done(A), ended())
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["item-done-missing"]


def test_a_call_that_came_only_as_a_whole_item_or_in_the_response_is_a_call() -> None:
    turn = read(CREATED, done(call(arguments=A)), ended(call(arguments=A), second(B)))
    assert calls(turn) == [FIRST, SECOND]
    assert codes(turn) == [
        "item-added-missing",
        "arguments-without-deltas",
        "item-only-in-response",
        "arguments-without-deltas",
    ]


def test_a_call_that_the_response_repeats_under_other_ids_does_not_run_twice() -> None:
    again = call("call_x", A, id="fc_x")
    turn = read(CREATED, added(call()), args(A), done(call(arguments=A)), ended(again))
    assert calls(turn) == [FIRST]
    assert codes(turn) == ["call-id-changed"]


def test_a_call_without_a_call_id_is_found_by_its_item_id() -> None:
    turn = read(CREATED, added(call(None)), args(A), done(call(None, A)), ended())
    assert calls(turn) == [(None, "f", A, "final")]
    assert codes(turn) == ["call-id-missing"]


def test_a_name_that_changes_makes_the_call_invalid() -> None:
    events = decoded(CREATED, added(call()), args(A), done(call(arguments=A, name="g")), ended())
    assert CallSpoiled(K0, "its name was 'f' and became 'g'") in events
