"""The Chat Completions decoder: what chunks, errors, markers and odd shapes become."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.dialects.chat import (
    ABSENT,
    body,
    calls,
    chunk,
    codes,
    decoded,
    entry,
    read,
    sse,
    tool,
)
from tui.core.conversation import ProviderPart, RefusalPart, ThinkingPart
from tui.core.dialects import DecoderSettings
from tui.core.events import (
    CallClosed,
    KeepAlive,
    Key,
    MalformedEvent,
    PartClosed,
    ProviderErrorReported,
    StopReasonGiven,
    TextFragment,
    ThinkingFragment,
    ThinkingSigned,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
    UsageReported,
)
from tui.core.states import CallState

OSLO = '{"city":"Oslo"}'
CALL = tool(entry(0, "a", "f", OSLO))


# Prose and reasoning ----------------------------------------------------------------------------


def test_chunk_as_openai_sends_it_gives_start_text_usage_and_no_finding() -> None:
    first = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "system_fingerprint": None,
            "obfuscation": "x7",
            "usage": None,
            "choices": [
                {
                    "index": 0,
                    "delta": {"role": "assistant", "content": "Hi", "refusal": None},
                    "logprobs": None,
                    "finish_reason": None,
                }
            ],
        }
    )
    usage = json.dumps(
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        }
    )
    text = Key("choice:0/text")
    assert decoded(sse(first, chunk({}, "stop"), usage, "[DONE]")) == [
        TurnStarted("chatcmpl-1", "m"),
        TextFragment(text, "Hi"),
        StopReasonGiven("stop"),
        UsageReported(9, 2, 4, 1),
        PartClosed(text),
        TurnEnded(),
    ]


def test_null_empty_and_missing_content_is_nothing_and_a_blank_is_text() -> None:
    data = body(
        chunk({"content": None}),
        chunk({"content": ""}),
        chunk({"content": " "}),
        chunk(None),
        chunk(),
        finish="stop",
    )
    turn = read(data)
    assert turn.text == " "
    assert turn.outcome == "complete"
    assert codes(turn) == []


def test_think_tags_and_tool_markup_in_content_stay_prose() -> None:
    text = '<think>hm</think><tool_call>{"name":"f"}</tool_call>'
    turn = read(body(chunk({"content": text[:9]}), chunk({"content": text[9:]}), finish="stop"))
    assert (turn.text, turn.thinking, turn.calls) == (text, "", [])


def test_prose_between_fragments_does_not_close_the_call() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", '{"city":')),
            chunk({"content": "hm"}),
            tool(entry(0, arguments='"Oslo"}')),
        )
    )
    assert (turn.text, calls(turn)) == ("hm", [("a", "f", OSLO, "final")])


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_is_thinking_and_remembers_its_field(field: str) -> None:
    turn = read(body(chunk({field: "Let "}), chunk({field: "me", "content": ""}), CALL))
    assert turn.text == ""
    part = turn.message().parts[0]
    assert isinstance(part, ThinkingPart)
    assert part.text == "Let me"
    assert part.item is not None
    assert json.loads(part.item.raw) == {field: "Let me"}


def test_reasoning_that_comes_under_two_names_is_taken_once() -> None:
    details = [{"type": "reasoning.text", "text": "Hm", "index": 0}]
    delta = {"reasoning": "Hm", "reasoning_content": "Hm", "reasoning_details": details}
    turn = read(body(chunk(delta), finish="stop"))
    assert turn.thinking == "Hm"
    assert codes(turn) == []


def test_different_reasoning_in_one_delta_is_said() -> None:
    turn = read(body(chunk({"reasoning_content": "a", "reasoning": "b"}), finish="stop"))
    assert turn.thinking == "a"
    assert codes(turn) == ["chat.reasoning-differs"]


def test_reasoning_details_are_joined_signed_and_kept_for_the_way_back() -> None:
    data = body(
        chunk({"reasoning_details": [{"type": "reasoning.text", "text": "Le", "index": 0}]}),
        chunk(
            {
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "t", "signature": "sig", "index": 0},
                    {"type": "reasoning.encrypted", "data": "xyz", "index": 1},
                ]
            }
        ),
        finish="stop",
    )
    key = Key("choice:0/thinking")
    events = decoded(data)
    assert [e for e in events if isinstance(e, ThinkingFragment)] == [
        ThinkingFragment(key, "Le"),
        ThinkingFragment(key, "t"),
    ]
    assert [e for e in events if isinstance(e, ThinkingSigned)] == [
        ThinkingSigned(key, "sig"),
        ThinkingSigned(key, "xyz"),
    ]
    (raw,) = [e.raw for e in events if isinstance(e, PartClosed)]
    assert raw is not None
    assert json.loads(raw) == {
        "reasoning_details": [
            {"type": "reasoning.text", "text": "Let", "signature": "sig", "index": 0},
            {"type": "reasoning.encrypted", "data": "xyz", "index": 1},
        ]
    }


def test_encrypted_reasoning_alone_is_a_thinking_part_that_goes_back() -> None:
    details = [{"type": "reasoning.encrypted", "data": "xyz", "index": 0}]
    turn = read(body(chunk({"reasoning_details": details}), CALL))
    part = turn.message().parts[0]
    assert isinstance(part, ThinkingPart)
    assert part.text == ""
    assert part.item is not None
    assert json.loads(part.item.raw) == {"reasoning_details": details}


def test_content_list_gives_text_thinking_and_keeps_the_rest() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Let me"}]},
        {"type": "text", "text": "An"},
        {"type": "reference", "reference_ids": [1]},
    ]
    turn = read(body(chunk({"content": content}), chunk({"content": "swer"}), finish="stop"))
    assert (turn.text, turn.thinking) == ("Answer", "Let me")
    kept = [part for part in turn.message().parts if isinstance(part, ProviderPart)]
    assert [(part.kind, part.text) for part in kept] == [
        ("reference", '{"type": "reference", "reference_ids": [1]}')
    ]


def test_refusal_is_neither_prose_nor_lost() -> None:
    turn = read(body(chunk({"refusal": "I ca"}), chunk({"refusal": "nnot"}), finish="stop"))
    assert (turn.text, turn.refusal) == ("", "I cannot")
    assert turn.message().parts == (RefusalPart("I cannot"),)


def test_audio_in_a_delta_is_kept_as_one_item() -> None:
    turn = read(
        body(chunk({"audio": {"data": "AA"}}), chunk({"audio": {"data": "BB"}}), finish="stop")
    )
    assert [
        (part.kind, part.text) for part in turn.message().parts if isinstance(part, ProviderPart)
    ] == [("audio", '{"data": "AA"}{"data": "BB"}')]


def test_message_beside_deltas_is_not_read_twice() -> None:
    first = json.dumps(
        {"choices": [{"index": 0, "delta": {"content": "Hi"}, "message": {"content": "Hi"}}]}
    )
    last = json.dumps(
        {"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]}
    )
    assert read(sse(first, last, "[DONE]")).text == "Hi"


@pytest.mark.parametrize(
    ("field", "value"), [("message", {"role": "assistant", "content": "Hi"}), ("text", "Hi")]
)
def test_message_or_text_stands_in_for_a_missing_delta(field: str, value: object) -> None:
    payload = json.dumps({"choices": [{"index": 0, field: value, "finish_reason": "stop"}]})
    turn = read(sse(payload, "[DONE]"))
    assert (turn.text, turn.outcome) == ("Hi", "complete")
    assert codes(turn) == [f"chat.{field}-for-delta"]


def test_halves_of_a_surrogate_pair_in_two_chunks_become_one_character() -> None:
    halves = [
        '{"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}',
        '{"choices":[{"index":0,"delta":{"content":"\\ude00"}}]}',
    ]
    assert read(body(*halves, finish="stop")).text == "\U0001f600"


# Arguments --------------------------------------------------------------------------------------


def test_argument_object_is_kept_as_it_stands_on_the_wire() -> None:
    wire = '{"n": 7205759403792793601, "x": 1.0,  "u": "\\u00e9"}'
    payload = (
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":'
        '{"name":"f","arguments":' + wire + "}}]}}]}"
    )
    turn = read(body(payload))
    assert calls(turn) == [("a", "f", wire, "final")]
    assert codes(turn) == ["chat.arguments-object"]


@pytest.mark.parametrize("missing", [ABSENT, None, ""])
def test_missing_null_and_empty_arguments_are_none(missing: object) -> None:
    turn = read(body(tool(entry(0, "a", "f", missing))))
    assert calls(turn) == [("a", "f", "", "final")]
    assert turn.final_calls[0].arguments == {}


def test_double_encoded_arguments_stay_as_they_are_and_are_invalid() -> None:
    turn = read(body(tool(entry(0, "a", "f", json.dumps(OSLO)))))
    assert calls(turn) == [("a", "f", json.dumps(OSLO), "invalid")]
    assert codes(turn) == ["chat.arguments-double-encoded"]


@pytest.mark.parametrize("empty", [[], None])
def test_empty_or_null_tool_calls_are_no_call(empty: object) -> None:
    turn = read(body(chunk({"content": "x", "tool_calls": empty}), finish="stop"))
    assert (turn.text, turn.calls, codes(turn)) == ("x", [], [])


@pytest.mark.parametrize("shape", [entry(0, "a", "f", OSLO), {"0": entry(ABSENT, "a", "f", OSLO)}])
def test_tool_calls_as_an_object_are_read(shape: object) -> None:
    turn = read(body(chunk({"tool_calls": shape})))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert "chat.tool-calls-object" in codes(turn)


def test_null_function_and_null_entry_are_no_pieces() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", "")),
            chunk({"tool_calls": [{"index": 0, "function": None}, None]}),
            tool(entry(0, arguments=OSLO)),
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]


def test_name_and_arguments_beside_the_index_are_read() -> None:
    flat = {"index": 0, "id": "a", "name": "f", "arguments": OSLO}
    assert calls(read(body(chunk({"tool_calls": [flat]})))) == [("a", "f", OSLO, "final")]


def test_custom_tool_call_carries_free_text() -> None:
    custom = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}
    turn = read(body(chunk({"tool_calls": [custom]})))
    assert [(call.kind, call.buffer.text, call.state.value) for call in turn.calls] == [
        ("custom", "ls -l", "final")
    ]


@pytest.mark.parametrize("junk", ["f", 5, {"index": 0, "function": "f"}])
def test_entry_that_is_no_call_spoils_the_calls_it_may_have_continued(junk: object) -> None:
    turn = read(body(tool(entry(0, "a", "f", "")), chunk({"tool_calls": [junk]})))
    assert calls(turn) == [("a", "f", "", "incomplete")]
    assert turn.outcome == "error"


def test_legacy_function_call_is_one_call_without_id() -> None:
    turn = read(
        body(
            chunk({"function_call": {"name": "f", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"city":'}}),
            chunk({"function_call": {"name": "f", "arguments": '"Oslo"}'}}),
            finish="function_call",
        )
    )
    assert calls(turn) == [(None, "f", OSLO, "final")]
    assert codes(turn) == ["chat.function-call", "chat.name-repeated"]


def test_call_told_in_both_forms_runs_once() -> None:
    both = {
        "tool_calls": [entry(0, "a", "f", OSLO)],
        "function_call": {"name": "f", "arguments": OSLO},
    }
    turn = read(body(chunk(both)))
    assert [call.raw for call in turn.final_calls] == [OSLO]
    later = read(body(chunk({"function_call": {"name": "f", "arguments": OSLO}}), CALL))
    assert [call.id for call in later.final_calls] == ["a"]


def test_bytes_that_are_no_utf8_spoil_the_call_that_they_carried_and_no_other() -> None:
    data = body(CALL, tool(entry(1, "b", "g", '{"x":"')), tool(entry(1, arguments='@"}'))).replace(
        b"@", b"\xff"
    )
    turn = read(data)
    assert [(call.id, call.state.value) for call in turn.calls] == [
        ("a", "final"),
        ("b", "invalid"),
    ]
    assert "chat.not-utf8" in codes(turn)


# Markers and endings ----------------------------------------------------------------------------


def test_delta_in_the_finishing_chunk_is_taken_before_the_marker() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", '{"city":')),
            tool(entry(0, arguments='"Oslo"}'), finish="stop"),
            finish=None,
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert (turn.stop_reason, codes(turn)) == ("stop", [])


def test_fragments_after_the_finish_reason_still_belong_to_the_call() -> None:
    turn = read(
        body(
            tool(entry(0, "a", "f", '{"city":'), finish="tool_calls"),
            tool(entry(0, arguments='"Oslo"}')),
            finish=None,
        )
    )
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.after-finish"]


def test_call_opened_after_the_finish_reason_is_closed_at_the_end() -> None:
    turn = read(body(chunk({}, "tool_calls"), CALL, finish=None))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.calls-missing", "chat.after-finish"]


@pytest.mark.parametrize("reason", ["length", "content_filter", "error", "odd"])
def test_reason_that_is_no_permission_runs_nothing(reason: str) -> None:
    turn = read(body(CALL, finish=reason))
    assert [state for *_, state in calls(turn)] == ["incomplete"]
    assert turn.stop_reason == reason


def test_repeated_finish_reason_is_only_noted() -> None:
    turn = read(body(CALL, chunk({"content": ""}, "tool_calls")))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert [(f.code, f.severity) for f in turn.findings] == [("chat.finish-twice", "note")]


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [("tool_calls", "stop", "stop"), ("stop", "length", "length"), ("length", "stop", "length")],
)
def test_of_two_finish_reasons_the_last_counts_unless_the_first_forbids(
    first: str, second: str, counts: str
) -> None:
    turn = read(body(CALL, chunk({}, first), finish=second))
    assert turn.stop_reason == counts
    assert bool(turn.final_calls) is (counts == "stop")
    assert "chat.finish-changed" in codes(turn)


@pytest.mark.parametrize("empty", ["", "null", False])
def test_empty_finish_reason_on_every_chunk_is_none(empty: object) -> None:
    turn = read(body(chunk({"content": "a"}, empty), tool(entry(0, "a", "f", OSLO), finish=empty)))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert turn.stop_reason == "tool_calls"


def test_done_without_finish_reason_closes_no_call() -> None:
    data = body(CALL, finish=None)
    assert not any(isinstance(e, CallClosed | StopReasonGiven) for e in decoded(data))
    turn = read(data)
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]
    assert (turn.stop_reason, turn.outcome, codes(turn)) == (
        None,
        "incomplete",
        ["chat.finish-missing"],
    )


def test_done_ends_turns_where_the_endpoint_is_configured_so() -> None:
    turn = read(body(CALL, finish=None), DecoderSettings(done_ends_turn=True))
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert turn.stop_detail == "[DONE] ends turns on this endpoint"
    assert codes(turn) == ["chat.done-as-marker"]


def test_done_ends_no_turn_in_which_an_error_came() -> None:
    turn = read(sse(CALL, '{"error":{"message":"overloaded"}}', "[DONE]"), DecoderSettings(True))
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]
    assert (turn.outcome, turn.error, turn.stop_reason) == ("error", "overloaded", None)


def test_finish_reason_error_closes_no_call() -> None:
    assert not any(isinstance(event, CallClosed) for event in decoded(body(CALL, finish="error")))


def test_missing_done_after_the_finish_reason_is_noted_and_ends_the_turn() -> None:
    data = body(CALL, done=False)
    assert decoded(data)[-1] == TurnEnded()
    turn = read(data)
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert codes(turn) == ["chat.done-missing"]


def test_body_that_ends_before_a_finish_reason_is_cut() -> None:
    turn = read(body(CALL, finish=None, done=False))
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]
    assert (turn.outcome, codes(turn)) == ("incomplete", ["chat.cut"])


def test_missing_finish_reason_of_one_choice_does_not_end_the_turn() -> None:
    data = body(chunk({"content": "x"}, choice=1), CALL, done=False)
    assert TurnEnded() not in decoded(data)


@pytest.mark.parametrize("end", [b"data: [DONE]", b"data: [DONE]\n", b"data:[DONE] ", b"data: [DO"])
def test_done_without_its_blank_line_is_as_good(end: bytes) -> None:
    turn = read(body(CALL, done=False) + end)
    assert calls(turn) == [("a", "f", OSLO, "final")]
    assert turn.outcome == "complete"


@pytest.mark.parametrize("end", [b'data: {"choi', b"da"])
def test_body_that_ends_inside_an_event_runs_nothing(end: bytes) -> None:
    assert TurnEnded() not in decoded(body(CALL, done=False) + end)
    turn = read(body(CALL, done=False) + end)
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]
    assert turn.outcome == "incomplete"


def test_finish_reason_in_an_event_without_blank_line_lets_nothing_run() -> None:
    turn = read(sse(CALL) + b"data: " + chunk({"content": "hm"}, "tool_calls").encode())
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]
    assert turn.text == "hm"


@pytest.mark.parametrize("done", ["[DONE] ", " [DONE]", '"[DONE]"', "[done]"])
def test_done_in_other_spellings_ends_the_turn(done: str) -> None:
    assert TurnEnded() in decoded(sse(chunk({"content": "x"}, "stop"), done))


def test_events_after_done_are_ignored_with_a_finding() -> None:
    turn = read(body(CALL) + sse(tool(entry(0, arguments="x")), "[DONE]", chunk({"content": "y"})))
    assert (turn.text, calls(turn)) == ("", [("a", "f", OSLO, "final")])
    assert codes(turn) == ["chat.after-done", "chat.done-twice"]


# Chunks of odd shape ----------------------------------------------------------------------------


def test_finish_chunk_with_null_delta_closes_the_calls() -> None:
    assert calls(read(body(CALL, chunk(None, "tool_calls"), finish=None))) == [
        ("a", "f", OSLO, "final")
    ]


@pytest.mark.parametrize("index", [ABSENT, None, "0"])
def test_choice_index_is_read_from_its_place_or_its_digits(index: object) -> None:
    turn = read(body(chunk({"content": "x"}, "stop", choice=index), finish=None))
    assert (turn.text, turn.stop_reason) == ("x", "stop")
    assert len(codes(turn)) == 1


def test_choices_as_an_object_are_one_choice() -> None:
    payload = json.dumps(
        {"choices": {"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}}
    )
    turn = read(sse(payload, "[DONE]"))
    assert (turn.text, codes(turn)) == ("x", ["chat.choices-object"])


def test_text_of_other_choices_is_kept_apart() -> None:
    turn = read(
        body(chunk({"content": "a"}), chunk({"content": "b"}, "stop", choice=1), finish="stop")
    )
    assert turn.text == "a"
    assert [(part.key, part.choice) for part in turn.parts] == [
        ("choice:0/text", 0),
        ("choice:1/text", 1),
    ]


@pytest.mark.parametrize(
    "payload", ["[]", "5", '"x"', "null", "{", '{"choices":5}', '{"choices":[5]}', chunk("x")]
)
def test_payload_that_is_no_chunk_is_malformed_and_open_calls_do_not_run(payload: str) -> None:
    data = body(tool(entry(0, "a", "f", OSLO)), payload)
    assert any(isinstance(event, MalformedEvent) for event in decoded(data))
    assert calls(read(data)) == [("a", "f", OSLO, "incomplete")]


def test_malformed_event_after_the_finish_reason_spares_a_call_with_text_but_no_blank_one() -> None:
    turn = read(sse(CALL, tool(entry(1, "b", "g", ""), finish="tool_calls"), "{", "[DONE]"))
    assert [state for *_, state in calls(turn)] == ["final", "incomplete"]


@pytest.mark.parametrize("payload", ["{}", '{"id":"x","foo":1}'])
def test_object_without_choices_is_unknown_and_harmless(payload: str) -> None:
    data = body(CALL, payload)
    assert any(isinstance(event, UnknownEvent) for event in decoded(data))
    assert calls(read(data)) == [("a", "f", OSLO, "final")]


@pytest.mark.parametrize(
    "raw", [b"data:\n\n", b"event: ping\ndata: {}\n\n", b'data: {"type":"ping"}\n\n']
)
def test_keep_alives_are_nothing(raw: bytes) -> None:
    assert isinstance(decoded(raw + body(CALL))[0], KeepAlive)


def test_chunks_that_only_one_line_feed_separates_are_each_read() -> None:
    glued = "\n".join([chunk({"content": "a"}), chunk({"content": "b"}, "stop"), "[DONE]"])
    turn = read(sse(glued))
    assert (turn.text, turn.outcome, codes(turn)) == ("ab", "complete", ["chat.events-glued"])


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "message", "kind"),
    [
        (b'data: {"error":{"message":"overloaded","type":"server_error","code":503}}', "overloaded", "server_error"),
        (b'data: {"error":"overloaded"}', "overloaded", ""),
        (b'data: {"object":"error","message":"overloaded","code":400}', "overloaded", ""),
        (b'event: error\ndata: {"message":"overloaded"}', "overloaded", ""),
        (b"event: error\ndata: overloaded", "overloaded", ""),
        (b'data: {"detail":"overloaded"}', "overloaded", ""),
        (b'data: {"choices":[],"x_groq":{"error":"overloaded"}}', "overloaded", ""),
        (b'data: {"choices":[{"index":0,"error":{"code":"bad","message":"overloaded"}}]}', "overloaded", "bad"),
    ],
)  # fmt: skip
def test_error_in_the_stream_is_reported_and_nothing_runs(
    raw: bytes, message: str, kind: str
) -> None:
    data = sse(CALL) + raw + b"\n\n" + body()
    found = [e for e in decoded(data) if isinstance(e, ProviderErrorReported)]
    assert [(e.message, e.kind) for e in found] == [(message, kind)]
    turn = read(data)
    assert turn.outcome == "error"
    assert turn.final_calls == ()


def test_error_chunk_keeps_its_text_but_its_finish_reason_is_no_marker() -> None:
    payload = chunk({"content": "x"}, "error", error={"code": "server_error", "message": "gone"})
    turn = read(sse(CALL, payload))
    assert (turn.text, turn.stop_reason, turn.error) == ("x", None, "server_error: gone")
    assert calls(turn) == [("a", "f", OSLO, "incomplete")]


def test_error_glued_to_a_chunk_that_broke_off_is_malformed_and_reported() -> None:
    events = decoded(sse(CALL, '{"choices":[{"delta":{"con\n{"error":{"message":"gone"}}'))
    assert [type(e) for e in events if isinstance(e, MalformedEvent | ProviderErrorReported)] == [
        MalformedEvent,
        ProviderErrorReported,
    ]


@pytest.mark.parametrize("empty", [None, "", {}, False])
def test_empty_error_member_on_ordinary_chunks_is_none(empty: Any) -> None:
    turn = read(body(chunk({"content": "x"}, error=empty), finish="stop"))
    assert (turn.text, turn.outcome, turn.error) == ("x", "complete", "")


def test_error_without_words_is_still_an_error() -> None:
    assert read(sse('{"error":{"code":5}}', "[DONE]")).outcome == "error"


def test_deeply_nested_payload_does_not_raise() -> None:
    deep = (
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":'
        + "[" * 900
        + "]" * 900
        + "}}]}}]}"
    )
    turn = read(body(deep, "[" * 100_000))
    assert turn.final_calls == ()
    assert turn.outcome == "error"


def test_text_after_a_call_is_a_part_of_its_own_behind_it() -> None:
    turn = read(
        body(
            chunk({"content": "before "}),
            chunk({"content": "it"}),
            tool(entry(0, "a", "f", "{")),
            chunk({"content": "mid"}),
            tool(entry(0, arguments="}")),
            chunk({"content": "after"}),
            tool(entry(1, "b", "f", "{}")),
        )
    )
    kinds = [(type(part).__name__, part.text) for part in turn.parts]
    assert kinds == [
        ("LiveText", "before it"),
        ("LiveCall", "{}"),
        ("LiveText", "midafter"),
        ("LiveCall", "{}"),
    ]


def test_without_done_a_call_that_has_no_text_yet_is_not_one_without_arguments() -> None:
    # Together sends a call after the finish reason: cut there, it must not run with {}.
    opened_before = sse(tool(entry(0, "a", "f", "")), chunk({}, "tool_calls"))
    opened_after = sse(chunk({}, "tool_calls"), tool(entry(0, "a", "f", "")))
    whole_after = sse(chunk({}, "tool_calls"), tool(entry(0, "a", "f", "{}")))
    for cut in (opened_before, opened_after, whole_after):
        assert [call.state for call in read(cut).calls] == [CallState.INCOMPLETE]
        assert [call.state for call in read(cut + sse("[DONE]")).calls] == [CallState.FINAL]
