"""Whose an entry of `tool_calls` is: one test for each way in which servers name calls."""

from __future__ import annotations

from itertools import product

import pytest

from tests.core.dialects.chat import ABSENT, body, calls, chunk, codes, decoded, entry, read, tool
from tui.core.dialects.openai_chat_calls import TABLE
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallOpened,
    Key,
    StopReasonGiven,
    TurnEnded,
    UnattributedFragment,
)

OSLO = '{"city":"Oslo"}'
BONN = '{"city":"Bonn"}'


def test_table_has_one_row_with_a_reason_for_every_way_an_entry_can_be_named() -> None:
    ways = set(product(("absent", "new", "used"), ("absent", "new", "known"), ("absent", "given")))
    assert {(row.index, row.id, row.name) for row in TABLE} == ways
    assert len(TABLE) == len(ways)
    assert all(row.reason for row in TABLE)


def test_call_as_openai_sends_it_gives_no_finding() -> None:
    assert decoded(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(0, arguments='{"x"')),
            tool(entry(0, arguments=":1}")),
        )
    ) == [
        CallOpened(Key("choice:0/call:0"), "a", "f"),
        ArgumentFragment(Key("choice:0/call:0"), ""),
        ArgumentFragment(Key("choice:0/call:0"), '{"x"'),
        ArgumentFragment(Key("choice:0/call:0"), ":1}"),
        CallClosed(Key("choice:0/call:0")),
        StopReasonGiven("tool_calls"),
        TurnEnded(),
    ]


def test_interleaved_calls_of_the_same_tool_are_kept_apart_by_index() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(1, "b", "f", "")),
            tool(entry(1, arguments='{"city"')),
            tool(entry(0, arguments='{"city":')),
            tool(entry(1, arguments=':"Bonn"}'), entry(0, arguments='"Oslo"}')),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final"), ("b", "f", BONN, "final")]
    assert codes(turn) == []


@pytest.mark.parametrize("missing", [ABSENT, None])
def test_pieces_without_index_continue_the_only_call(missing: object) -> None:
    turn = read(
        body(
            tool(entry(missing, "a", "f", '{"city":')),
            tool(entry(missing, arguments='"Oslo"}')),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.index-missing"]


def test_calls_without_index_in_sequence_take_the_pieces_that_follow_them() -> None:
    turn = read(
        body(
            tool(entry(id="a", name="f", arguments="")),
            tool(entry(arguments=OSLO)),
            tool(entry(id="b", name="g", arguments="")),
            tool(entry(arguments=BONN)),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final"), ("b", "g", BONN, "final")]


def test_piece_without_index_behind_calls_of_one_chunk_is_nobodys_and_none_of_them_runs() -> None:
    data = body(
        tool(entry(id="a", name="f", arguments=""), entry(id="b", name="g", arguments="")),
        tool(entry(arguments=OSLO)),
    )
    assert UnattributedFragment(
        OSLO,
        "several calls are open and nothing says whose this fragment is",
        (Key("choice:0/call:0"), Key("choice:0/call:1")),
    ) in decoded(data)
    assert calls(read(data)) == [("a", "f", "", "incomplete"), ("b", "g", "", "incomplete")]


def test_piece_without_index_after_calls_overlapped_is_nobodys() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(1, "b", "g", "")),
            tool(entry(0, arguments='{"city":')),
            tool(entry(arguments='"Oslo"}')),
        )
    )
    assert [state for *_, state in calls(turn)] == ["incomplete", "incomplete"]
    assert codes(turn) == ["turn.unattributed"]


def test_ids_alone_keep_interleaved_calls_apart() -> None:
    turn = read(
        body(
            tool(entry(id="a", name="f"), entry(id="b", name="f")),
            tool(entry(id="a", arguments='{"city":')),
            tool(entry(id="b", arguments=BONN)),
            tool(entry(id="a", arguments='"Oslo"}')),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final"), ("b", "f", BONN, "final")]


def test_index_that_is_always_zero_is_reused_for_each_new_id_with_a_name() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(0, arguments=OSLO)),
            tool(entry(0, "b", "g", "")),
            tool(entry(0, arguments=BONN)),
            tool(entry(0, "a", arguments=" ")),
        )
    )
    assert calls(turn) == [("a", "f", OSLO + " ", "final"), ("b", "g", BONN, "final")]
    assert codes(turn) == ["chat.index-reused", "chat.id-repeated"]


def test_index_always_zero_without_ids_opens_a_call_for_another_name_after_arguments() -> None:
    turn = read(body(tool(entry(0, None, "f", OSLO)), tool(entry(0, None, "g", BONN))))
    assert calls(turn) == [(None, "f", OSLO, "final"), (None, "g", BONN, "final")]


def test_same_name_again_at_one_index_without_ids_is_joined_and_so_never_final() -> None:
    turn = read(body(tool(entry(0, None, "f", OSLO)), tool(entry(0, None, "f", BONN))))
    assert calls(turn) == [(None, "f", OSLO + BONN, "invalid")]


@pytest.mark.parametrize("first", [1, 5])
def test_indexes_may_begin_above_zero_and_have_gaps(first: int) -> None:
    turn = read(
        body(
            tool(entry(first, "a", "f", "")),
            tool(entry(first, arguments=OSLO)),
            tool(entry(first + 3, "b", "g", BONN)),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final"), ("b", "g", BONN, "final")]
    assert codes(turn) == ["chat.index-gap"]


def test_drifting_index_is_followed_while_the_id_is_repeated() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(1, "a", arguments='{"city":')),
            tool(entry(2, "a", arguments='"Oslo"')),
            tool(entry(2, arguments="}")),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.index-drifts", "chat.id-repeated"]


def test_drifting_index_without_an_id_is_nobodys_and_the_blank_call_does_not_run() -> None:
    data = body(tool(entry(0, "a", "f", "")), tool(entry(1, arguments=OSLO)))
    assert UnattributedFragment(
        OSLO, "no call was opened at the index of this fragment", (Key("choice:0/call:0"),)
    ) in decoded(data)
    assert calls(read(data)) == [("a", "f", "", "incomplete")]


def test_fragment_of_a_call_whose_opening_was_lost_leaves_a_whole_sibling_alone() -> None:
    turn = read(
        body(tool(entry(0, arguments='ty":1}')), tool(entry(1, "b", "g", BONN))),
    )
    assert calls(turn) == [("b", "g", BONN, "final")]
    assert codes(turn) == ["turn.unattributed", "chat.index-gap"]


def test_drifting_index_with_id_and_name_repeated_never_runs_a_blank_call() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(1, "a", "f", '{"city":')),
            tool(entry(2, "a", "f", '"Oslo"}')),
        )
    )
    assert [state for *_, state in calls(turn)] == ["invalid"] * 3


def test_index_that_appears_after_the_opening_belongs_to_the_only_call_without_one() -> None:
    turn = read(body(tool(entry(id="a", name="f", arguments="")), tool(entry(0, arguments=OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.index-missing", "chat.index-drifts"]


@pytest.mark.parametrize(("written", "code"), [("0", "index-string"), (True, "index-unreadable")])
def test_index_of_another_type_is_read_or_taken_as_missing(written: object, code: str) -> None:
    turn = read(body(tool(entry(written, "a", "f", "")), tool(entry(written, arguments=OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert f"chat.{code}" in codes(turn)


@pytest.mark.parametrize("missing", [ABSENT, None, ""])
def test_missing_id_stays_missing_and_is_said(missing: object) -> None:
    turn = read(body(tool(entry(0, missing, "f", OSLO)), tool(entry(1, missing, "f", BONN))))
    assert calls(turn) == [(None, "f", OSLO, "final"), (None, "f", BONN, "final")]
    assert codes(turn) == ["chat.id-missing"] * 2


def test_late_id_is_given_to_the_call() -> None:
    turn = read(body(tool(entry(0, None, "f", "")), tool(entry(0, "a", arguments=OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.id-missing", "chat.id-late"]


def test_late_id_with_the_name_repeated_opens_no_second_call() -> None:
    turn = read(body(tool(entry(0, None, "f", "")), tool(entry(0, "a", "f", OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]


def test_changed_id_keeps_the_first_and_is_known_from_then_on() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(0, "b", arguments='{"city":')),
            tool(entry(id="b", arguments='"Oslo"}')),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert "chat.id-changed" in codes(turn)


def test_id_and_name_changing_on_every_chunk_never_run_the_blank_first_call() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            tool(entry(0, "b", "f", '{"city":')),
            tool(entry(0, "c", "f", '"Oslo"}')),
        )
    )
    assert [state for *_, state in calls(turn)] == ["invalid"] * 3


def test_id_shared_by_two_indexes_makes_two_calls() -> None:
    turn = read(
        body(
            tool(entry(0, "x", "f", "")),
            tool(entry(0, arguments=OSLO)),
            tool(entry(1, "x", "f", "")),
            tool(entry(1, "x", arguments=BONN)),
        )
    )
    assert calls(turn) == [("x", "f", OSLO, "final"), ("x", "f", BONN, "final")]
    assert "chat.id-shared" in codes(turn)


def test_id_shared_by_two_names_without_index_makes_two_calls() -> None:
    turn = read(
        body(
            tool(entry(id="x", name="f", arguments=OSLO), entry(id="x", name="g", arguments=BONN)),
        )
    )
    assert calls(turn) == [("x", "f", OSLO, "final"), ("x", "g", BONN, "final")]


def test_piece_with_a_shared_id_and_no_index_is_nobodys() -> None:
    turn = read(
        body(
            tool(entry(0, "x", "f", ""), entry(1, "x", "g", "")),
            tool(entry(id="x", arguments=OSLO)),
        )
    )
    assert [state for *_, state in calls(turn)] == ["incomplete"] * 2


def test_index_and_id_that_name_different_calls_give_the_piece_to_neither() -> None:
    data = body(
        tool(entry(0, "a", "f", "")),
        tool(entry(1, "b", "g", "")),
        tool(entry(1, "a", arguments=OSLO)),
    )
    assert calls(read(data)) == [("a", "f", "", "incomplete"), ("b", "g", "", "incomplete")]


def test_name_repeated_in_full_is_taken_once() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", '{"city"')),
            tool(entry(0, "a", "f", ':"Oslo"')),
            tool(entry(0, None, "f", "}")),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.id-repeated", "chat.name-repeated"]


def test_name_in_pieces_is_joined() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "get_", "")),
            tool(entry(0, name="wea")),
            tool(entry(0, name="ther", arguments=OSLO)),
        )
    )
    assert calls(turn) == [("a", "get_weather", OSLO, "final")]
    assert codes(turn) == ["chat.name-split"]


def test_name_that_grows_is_not_doubled() -> None:
    turn = read(body(tool(entry(0, "a", "get_")), tool(entry(0, "a", "get_weather", OSLO))))
    assert calls(turn) == [("a", "get_weather", OSLO, "final")]
    assert "chat.name-grows" in codes(turn)


@pytest.mark.parametrize("missing", [ABSENT, None, ""])
def test_late_name_is_given_to_the_call(missing: object) -> None:
    turn = read(body(tool(entry(0, "a", missing, "")), tool(entry(0, name="f", arguments=OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.name-late"]


def test_call_that_never_gets_a_name_does_not_run_nor_does_a_blank_one_beside_it() -> None:
    turn = read(body(tool(entry(0, "a", "f", "")), tool(entry(1, "b", arguments=OSLO))))
    assert calls(turn) == [("a", "f", "", "invalid"), ("b", "", OSLO, "invalid")]


def test_whole_calls_without_index_and_id_are_told_apart_by_name() -> None:
    turn = read(
        body(
            tool(entry(name="f", arguments=OSLO)),
            tool(entry(name="g", arguments=BONN)),
        ),
    )
    assert calls(turn) == [(None, "f", OSLO, "final"), (None, "g", BONN, "final")]


def test_same_tool_twice_without_index_and_id_in_one_chunk_is_two_calls() -> None:
    turn = read(body(tool(entry(name="f", arguments=OSLO), entry(name="f", arguments=BONN))))
    assert calls(turn) == [(None, "f", OSLO, "final"), (None, "f", BONN, "final")]


def test_name_repeated_on_every_chunk_without_index_and_id_is_one_call() -> None:
    turn = read(
        body(
            tool(entry(name="f", arguments="")),
            tool(entry(name="f", arguments='{"city":')),
            tool(entry(name="f", arguments='"Oslo"}')),
        )
    )
    assert calls(turn) == [(None, "f", OSLO, "final")]


def test_same_tool_twice_without_index_and_id_in_two_chunks_is_ambiguous_and_not_run() -> None:
    turn = read(body(tool(entry(name="f", arguments=OSLO)), tool(entry(name="f", arguments=BONN))))
    assert calls(turn) == [(None, "f", OSLO + BONN, "invalid")]


def test_blank_calls_interleaved_by_name_alone_do_not_run_as_calls_without_arguments() -> None:
    turn = read(
        body(
            tool(entry(name="f", arguments="")),
            tool(entry(name="g", arguments="")),
            tool(entry(name="f", arguments=OSLO)),
        )
    )
    assert calls(turn)[0] == (None, "f", "", "invalid")


def test_late_id_without_index_belongs_to_the_call_that_lacks_one() -> None:
    turn = read(body(tool(entry(name="f")), tool(entry(id="a", arguments=OSLO))))
    assert calls(turn) == [("a", "f", OSLO, "final")]


def test_unknown_id_without_index_and_name_is_nobodys() -> None:
    turn = read(body(tool(entry(id="a", name="f")), tool(entry(id="b", arguments=OSLO))))
    assert calls(turn) == [("a", "f", "", "incomplete")]


def test_entry_without_index_id_name_and_text_loses_nothing() -> None:
    turn = read(
        body(
            tool(entry(id="a", name="f", arguments=OSLO), entry(id="b", name="f", arguments=BONN)),
            tool(entry(arguments="")),
        )
    )
    assert [state for *_, state in calls(turn)] == ["final", "final"]
    assert "chat.entry-unattributed" in codes(turn)


def test_calls_of_two_choices_with_one_id_are_kept_apart_and_only_choice_0_may_run() -> None:
    turn = read(
        body(
            chunk({"tool_calls": [entry(0, "x", "f", OSLO)]}, choice=0),
            chunk({"tool_calls": [entry(0, "x", "f", "")]}, choice=1),
            chunk({"tool_calls": [entry(0, arguments=BONN)]}, choice=1),
            chunk({}, "tool_calls", choice=1),
        )
    )
    assert [(call.key, call.choice, call.buffer.text) for call in turn.calls] == [
        ("choice:0/call:0", 0, OSLO),
        ("choice:1/call:0", 1, BONN),
    ]
    assert [call.raw for call in turn.final_calls] == [OSLO]
