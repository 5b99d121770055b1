"""Anthropic streams, oddity by oddity: literal SSE text in, the whole list of dialect events out."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeding import every_byte
from tests.shared import RecordedStream, by_id, needs_shared, streams
from tui.core.dialects.anthropic import DIALECT
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallExtended,
    CallOpened,
    CallSpoiled,
    CitationGiven,
    DialectEvent,
    Finding,
    KeepAlive,
    Key,
    MalformedEvent,
    PartClosed,
    ProviderErrorReported,
    ProviderItemFragment,
    ProviderItemOpened,
    StopReasonGiven,
    TextFragment,
    ThinkingFragment,
    ThinkingSigned,
    TurnEnded,
    TurnStarted,
    UnattributedFragment,
    UnknownEvent,
    UsageReported,
)
from tui.core.sse import SSEDecoder, SSEEvent

B0, B1 = Key("block:0"), Key("block:1")
START = 'data: {"type":"message_start","message":{"id":"msg_1","model":"m","content":[]}}\n\n'
STARTED = TurnStarted("msg_1", "m")
TEXT = (
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
)
CALL = (
    'data: {"type":"content_block_start","index":1,"content_block":'
    '{"type":"tool_use","id":"toolu_1","name":"add","input":{}}}\n\n'
)
OPENED = CallOpened(B1, "toolu_1", "add")
STOP = 'data: {"type":"message_stop"}\n\n'
TOOL_USE = 'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n'
REASON = StopReasonGiven("tool_use")


def prose(text: str, index: int = 0) -> str:
    delta = {"type": "text_delta", "text": text}
    return data({"type": "content_block_delta", "index": index, "delta": delta})


def args(text: object, index: int = 1) -> str:
    delta = {"type": "input_json_delta", "partial_json": text}
    return data({"type": "content_block_delta", "index": index, "delta": delta})


def stop(index: int = 1) -> str:
    return data({"type": "content_block_stop", "index": index})


def data(value: object) -> str:
    return f"data: {json.dumps(value)}\n\n"


def decode(*chunks: bytes) -> list[DialectEvent]:
    sse, decoder = SSEDecoder(), DIALECT.decoder()
    events = []
    for chunk in chunks:
        for item in sse.feed(chunk):
            if isinstance(item, SSEEvent):
                events += decoder.feed(item)
    return events + decoder.close(sse.close())


def read(*text: str) -> list[DialectEvent]:
    """The events of a body, each finding reduced to its code; every one must say something."""
    events = decode("".join(text).encode())
    for event in events:
        if isinstance(event, Finding):
            assert event.code.startswith("anthropic.")
            assert event.message
    return [replace(e, message="") if isinstance(e, Finding) else e for e in events]


def odd(what: str, culprit: str = "server", severity: str = "note") -> Finding:
    return Finding(f"anthropic.{what}", "", culprit, severity)  # type: ignore[arg-type]


def warn(what: str, culprit: str = "server") -> Finding:
    return odd(what, culprit, "warning")


# Ordinary streams ---------------------------------------------------------------------------


def test_a_turn_of_prose_and_a_call_gives_no_finding() -> None:
    body = """\
event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude","content":[],"usage":{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}   }

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Adding."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0      }

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"add","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\": 1.0"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":31,"output_tokens_details":{"thinking_tokens":5}}}

event: message_stop
data: {"type":"message_stop"}

"""
    assert decode(body.encode()) == [
        TurnStarted("msg_1", "claude"),
        UsageReported(input_tokens=9, output_tokens=1, cached_tokens=4),
        KeepAlive(),
        TextFragment(B0, "Adding."),
        PartClosed(B0),
        OPENED,
        ArgumentFragment(B1, ""),
        ArgumentFragment(B1, '{"a": 1.0'),
        ArgumentFragment(B1, "}"),
        CallClosed(B1),
        REASON,
        UsageReported(output_tokens=31, reasoning_tokens=5),
        TurnEnded(),
    ]


def test_thinking_keeps_its_signature_with_its_own_block() -> None:
    body = """\
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":""}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"b25seQ=="}}

data: {"type":"content_block_stop","index":2}

"""
    assert read(START, body) == [
        STARTED,
        ThinkingFragment(B0, "Hm."),
        ThinkingSigned(B0, "c2ln"),
        PartClosed(B0),
        ThinkingSigned(Key("block:2"), "b25seQ=="),
        PartClosed(Key("block:2")),
    ]


def test_redacted_thinking_is_kept_as_it_came() -> None:
    block = '{"type": "redacted_thinking", "data": "EqkE\\/w=="}'
    body = f'data: {{"type":"content_block_start","index":0,"content_block":{block}}}\n\n'
    assert read(START, body, stop(0)) == [
        STARTED,
        ProviderItemOpened(B0, "redacted_thinking"),
        PartClosed(B0, block),
    ]


def test_a_provider_tool_goes_back_with_its_streamed_input_in_place() -> None:
    body = """\
data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{},"extra":1.0}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"q\\": "}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1e2}"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[ ]}}

data: {"type":"content_block_stop","index":1}

"""
    assert read(START, body) == [
        STARTED,
        ProviderItemOpened(B0, "server_tool_use", "web_search"),
        ProviderItemFragment(B0, '{"q": '),
        ProviderItemFragment(B0, "1e2}"),
        PartClosed(
            B0,
            '{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"q": 1e2},"extra":1.0}',
        ),
        ProviderItemOpened(B1, "web_search_tool_result", "web_search"),
        PartClosed(B1, '{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[ ]}'),
    ]


def test_a_pair_cut_between_two_fragments_of_a_provider_tool_is_one_character() -> None:
    body = """\
data: {"type":"content_block_start","index":0,"content_block":{"type":"mcp_tool_use","id":"m","name":"ask","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"q\\":\\"\\ud83d"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\\ude80\\"}"}}

data: {"type":"content_block_stop","index":0}

"""
    assert read(START, body)[-1] == PartClosed(
        B0, '{"type":"mcp_tool_use","id":"m","name":"ask","input":{"q":"🚀"}}'
    )


def test_a_compaction_goes_back_with_its_content_in_place() -> None:
    body = """\
data: {"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"Said hello.","encrypted_content":"QUJD"}}

data: {"type":"content_block_stop","index":0}

"""
    assert read(START, body)[1:] == [
        ProviderItemOpened(B0, "compaction"),
        ProviderItemFragment(B0, "Said hello."),
        PartClosed(B0, '{"type":"compaction","content":"Said hello.","encrypted_content":"QUJD"}'),
    ]


def test_a_block_of_an_unknown_type_is_kept_and_not_fatal() -> None:
    block = '{"type":"hologram","id":"h", "depth":3}'
    body = f'data: {{"type":"content_block_start","index":0,"content_block":{block}}}\n\n'
    assert read(START, body, stop(0)) == [
        STARTED,
        ProviderItemOpened(B0, "hologram"),
        PartClosed(B0, block),
    ]


def test_a_block_with_deltas_we_do_not_know_is_shown_and_not_sent_back() -> None:
    start = 'data: {"type":"content_block_start","index":0,"content_block":{"type":"hologram"}}\n\n'
    delta = '{"type":"content_block_delta","index":0,"delta":{"type":"voxel_delta","voxel":7}}'
    assert read(START, start, f"data: {delta}\n\n", stop(0)) == [
        STARTED,
        ProviderItemOpened(B0, "hologram"),
        UnknownEvent("voxel_delta", delta),
        odd("item-not-rebuilt", "unknown"),
        PartClosed(B0, None),
    ]


def test_citations_are_cut_out_as_exact_text() -> None:
    body = """\
data: {"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location", "start":1.0}}}

"""
    assert read(START, TEXT, body) == [
        STARTED,
        CitationGiven(B0, '{"type":"char_location", "start":1.0}'),
    ]


@pytest.mark.parametrize("reason", ["pause_turn", "refusal", "max_tokens", "a_new_reason"])
def test_a_stop_reason_is_passed_on_in_the_providers_own_word(reason: str) -> None:
    delta = data({"type": "message_delta", "delta": {"stop_reason": reason}})
    assert read(START, delta, STOP) == [STARTED, StopReasonGiven(reason), TurnEnded()]


def test_stop_details_and_stop_sequence_are_told_with_the_reason() -> None:
    refusal = """\
data: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber","explanation":"Not this."}}}

"""
    sequence = """\
data: {"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}

"""
    assert read(START, refusal)[1] == StopReasonGiven("refusal", detail="cyber: Not this.")
    assert read(START, sequence)[1] == StopReasonGiven("stop_sequence", detail="the sequence 'END'")


def test_gaps_between_indexes_are_fine() -> None:
    assert read(START, TEXT, prose("a"), stop(0), CALL.replace('"index":1', '"index":7')) == [
        STARTED,
        TextFragment(B0, "a"),
        PartClosed(B0),
        CallOpened(Key("block:7"), "toolu_1", "add"),
    ]


def test_an_unknown_event_is_kept_without_a_finding() -> None:
    raw = '{"type":"weather_report","sky":"blue"}'
    assert read(START, f"event: weather_report\ndata: {raw}\n\n") == [
        STARTED,
        UnknownEvent("weather_report", raw),
    ]


# Whole inputs -------------------------------------------------------------------------------


def test_an_input_whole_in_the_start_stands_for_the_fragments_byte_for_byte() -> None:
    whole = '{"a": 1.0, "b":1e2,"c":"\\/"}'
    start = CALL.replace('"input":{}', f'"input":{whole}')
    assert read(START, start, stop()) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, whole),
        odd("input-in-start", "gateway"),
        CallClosed(B1),
    ]


def test_an_input_whole_in_the_start_and_again_in_deltas_counts_once() -> None:
    start = CALL.replace('"input":{}', '"input":{"a": 1}')
    assert read(START, start, args('{"a":1}'), stop()) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, '{"a":1}'),
        odd("input-twice", "gateway"),
        CallClosed(B1),
    ]


def test_an_input_in_the_start_that_the_deltas_contradict_spoils_the_call() -> None:
    start = CALL.replace('"input":{}', '"input":{"a":1}')
    problem = "the input in its start and its fragments are different arguments"
    assert read(START, start, args('{"a":2}'), stop()) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, '{"a":2}'),
        CallSpoiled(B1, problem, '{"a":1}'),
        odd("input-conflict", "gateway", "error"),
        CallClosed(B1),
    ]


def test_an_input_in_a_start_that_is_never_stopped_is_still_shown() -> None:
    start = CALL.replace('"input":{}', '"input":{"a":1}')
    assert read(START, start) == [STARTED, OPENED, ArgumentFragment(B1, '{"a":1}')]


def test_a_start_without_an_input_is_a_placeholder_too() -> None:
    start = CALL.replace(',"input":{}', "")
    assert read(START, start, args("{}"), stop()) == [
        STARTED,
        OPENED,
        odd("input-not-object"),
        ArgumentFragment(B1, "{}"),
        CallClosed(B1),
    ]


def test_a_call_that_stands_finished_in_message_start_is_whole() -> None:
    body = """\
data: {"type":"message_start","message":{"id":"msg_1","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"roll","input":{"n": 2},"caller":{"type":"code_execution_20250825","tool_id":"srv"}}],"stop_reason":"tool_use"}}

"""
    key = Key("start:0")
    assert read(body, STOP) == [
        STARTED,
        CallOpened(key, "toolu_1", "roll"),
        CallExtended(key, '{"caller":{"type":"code_execution_20250825","tool_id":"srv"}}'),
        ArgumentFragment(key, '{"n": 2}'),
        CallClosed(key),
        REASON,
        TurnEnded(),
    ]


def test_prose_that_stands_in_message_start_is_read_and_noted() -> None:
    body = """\
data: {"type":"message_start","message":{"id":"msg_1","model":"m","content":[{"type":"text","text":"Hi"}]}}

"""
    key = Key("start:0")
    assert read(body) == [
        STARTED,
        TextFragment(key, "Hi"),
        odd("content-in-message-start"),
        PartClosed(key),
    ]


def test_text_in_a_block_start_is_text() -> None:
    start = TEXT.replace('"text":""', '"text":"He"')
    assert read(START, start, prose("llo")) == [
        STARTED,
        TextFragment(B0, "He"),
        odd("text-in-start"),
        TextFragment(B0, "llo"),
    ]


# Deltas that belong nowhere -----------------------------------------------------------------


def test_arguments_for_a_block_never_opened_belong_to_nobody() -> None:
    problem = "a delta names block 7, which was never started"
    assert read(START, CALL, args('{"a":1}', index=7)) == [
        STARTED,
        OPENED,
        warn("delta-without-start"),
        UnattributedFragment('{"a":1}', problem),
    ]


def test_an_empty_fragment_for_a_block_never_opened_suspects_nobody() -> None:
    assert read(START, CALL, args("", index=7)) == [STARTED, OPENED, warn("delta-without-start")]


def test_text_for_a_block_never_opened_opens_it() -> None:
    assert read(START, prose("a"), prose("b"), stop(0)) == [
        STARTED,
        warn("delta-without-start"),
        TextFragment(B0, "a"),
        TextFragment(B0, "b"),
        PartClosed(B0),
    ]


def test_arguments_inside_a_text_block_belong_to_nobody() -> None:
    assert read(START, TEXT, args("{", index=0)) == [
        STARTED,
        UnattributedFragment("{", "a fragment of arguments names block 0"),
        warn("delta-in-wrong-block"),
    ]


def test_text_inside_a_call_is_prose_and_never_arguments() -> None:
    assert read(START, CALL, prose("Wait", index=1), args("{}"), stop()) == [
        STARTED,
        OPENED,
        TextFragment(Key("block:1/text"), "Wait"),
        warn("delta-in-wrong-block"),
        ArgumentFragment(B1, "{}"),
        PartClosed(Key("block:1/text")),
        CallClosed(B1),
    ]


def test_a_call_that_got_text_in_place_of_arguments_does_not_run_with_none() -> None:
    events = read(START, CALL, prose('{"a":1}', index=1), stop())
    problem = "no arguments came; text_delta came in their place"
    assert events[-2:] == [CallSpoiled(B1, problem), CallClosed(B1)]


def test_a_delta_without_a_type_spoils_the_call_it_names() -> None:
    raw = '{"type":"content_block_delta","index":1,"delta":{"partial_json":"{}"}}'
    assert read(START, CALL, f"data: {raw}\n\n") == [
        STARTED,
        OPENED,
        CallSpoiled(B1, "a delta without a type may have been a fragment of its arguments"),
        UnknownEvent("content_block_delta", raw),
        warn("delta-type-missing"),
    ]


def test_a_fragment_that_is_no_string_spoils_the_call() -> None:
    assert read(START, CALL, args({"a": 1})) == [
        STARTED,
        OPENED,
        CallSpoiled(B1, "a fragment of its arguments was not a string", '{"a":1}'),
        warn("partial-json-not-string"),
    ]


def test_a_null_fragment_carries_nothing() -> None:
    assert read(START, CALL, args(None)) == [STARTED, OPENED, warn("partial-json-not-string")]


def test_a_fragment_after_the_stop_spoils_the_call() -> None:
    assert read(START, CALL, args("{}"), stop(), args(" ,")) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, "{}"),
        CallClosed(B1),
        CallSpoiled(B1, "something came for it after its content_block_stop", " ,"),
        warn("delta-after-stop"),
    ]


def test_text_after_the_stop_is_a_new_part() -> None:
    assert read(START, TEXT, prose("a"), stop(0), prose("b"), prose("c")) == [
        STARTED,
        TextFragment(B0, "a"),
        PartClosed(B0),
        warn("delta-after-stop"),
        TextFragment(Key("block:0#2"), "b"),
        TextFragment(Key("block:0#2"), "c"),
    ]


def test_arguments_after_text_at_the_index_of_a_closed_call_suspect_that_call() -> None:
    events = read(START, CALL, args("{}"), stop(), prose("so", index=1), args(","))
    problem = "a fragment of arguments names block 1#2"
    assert UnattributedFragment(",", problem, (B1,)) in events


def test_a_second_block_at_an_open_index_is_a_new_call_that_gets_the_later_deltas() -> None:
    again = CALL.replace("toolu_1", "toolu_2")
    second = Key("block:1#2")
    assert read(START, CALL, args('{"a"'), again, args("{}"), stop()) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, '{"a"'),
        warn("index-reopened"),
        CallOpened(second, "toolu_2", "add"),
        ArgumentFragment(second, "{}"),
        CallClosed(second),
    ]


def test_a_start_that_comes_twice_begins_one_call_that_keeps_its_fragments() -> None:
    assert read(START, CALL, args('{"a":'), CALL, args("1}"), stop()) == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, '{"a":'),
        warn("start-duplicate"),
        ArgumentFragment(B1, "1}"),
        CallClosed(B1),
    ]


@pytest.mark.parametrize("before", [args('{"a":1}'), TEXT + args('{"a":1}', 0) + stop(0)])
def test_a_call_without_arguments_is_not_taken_for_one_when_arguments_came_before_it(
    before: str,
) -> None:
    events = read(START, before, CALL, stop())
    problem = "no arguments came; arguments before its start came in their place"
    assert CallSpoiled(B1, problem) in events


def test_a_call_with_arguments_of_its_own_is_no_worse_for_those_that_came_before_it() -> None:
    events = read(START, args('{"a":1}'), CALL, args("{}"), stop())
    assert not [event for event in events if isinstance(event, CallSpoiled)]


def test_an_index_used_again_after_its_stop_is_a_new_call() -> None:
    events = read(START, CALL, stop(), CALL, stop())
    assert events[3:] == [
        warn("index-reused"),
        CallOpened(Key("block:1#2"), "toolu_1", "add"),
        CallClosed(Key("block:1#2")),
    ]


def test_a_second_stop_is_noted_and_changes_nothing() -> None:
    assert read(START, CALL, stop(), stop()) == [
        STARTED,
        OPENED,
        CallClosed(B1),
        odd("stop-duplicate"),
    ]


def test_a_stop_of_a_block_never_opened_is_noted() -> None:
    assert read(START, stop(4)) == [STARTED, warn("stop-without-start")]


def test_a_missing_index_is_a_key_of_its_own() -> None:
    stripped = [
        text.replace('"index":1,', "").replace('"index": 1, ', "") for text in (CALL, args("{}"))
    ]
    key = Key("block:?")
    assert read(START, *stripped, data({"type": "content_block_stop"})) == [
        STARTED,
        odd("index-missing"),
        CallOpened(key, "toolu_1", "add"),
        ArgumentFragment(key, "{}"),
        CallClosed(key),
    ]


def test_an_index_in_quotes_means_the_same_number() -> None:
    quoted = CALL.replace('"index":1', '"index":"1"')
    assert read(START, quoted, args("{}")) == [
        STARTED,
        odd("index-not-number"),
        OPENED,
        ArgumentFragment(B1, "{}"),
    ]


def test_a_call_without_id_and_name_is_opened_all_the_same() -> None:
    start = CALL.replace('"id":"toolu_1","name":"add",', '"id":"",')
    assert read(START, start) == [
        STARTED,
        CallOpened(B1, None, None),
        odd("call-id-missing"),
        warn("call-name-missing"),
    ]


# The message --------------------------------------------------------------------------------


def test_the_type_in_the_json_decides_over_the_event_line() -> None:
    assert read(
        "event: message_stop\n", START, "event: ping\n", TEXT, "event: ping\n", prose("a")
    ) == [
        odd("event-name-differs"),
        STARTED,
        odd("event-name-differs"),
        odd("event-name-differs"),
        TextFragment(B0, "a"),
    ]


def test_an_event_line_names_the_type_that_the_json_lacks() -> None:
    assert read(START, 'event: content_block_stop\ndata: {"index":3}\n\n') == [
        STARTED,
        odd("type-missing"),
        warn("stop-without-start"),
    ]


def test_blocks_without_a_message_start_are_read_and_noted_once() -> None:
    assert read(TEXT, prose("a")) == [odd("message-start-missing"), TextFragment(B0, "a")]


def test_done_in_place_of_message_stop_ends_the_turn() -> None:
    assert read(START, TOOL_USE, "data: [DONE]\n\n") == [
        STARTED,
        REASON,
        warn("done-instead-of-message-stop", "gateway"),
        TurnEnded(),
    ]


def test_done_after_message_stop_is_noted() -> None:
    assert read(START, TOOL_USE, STOP, "data: [DONE]\n\n")[-1] == odd("done-marker", "gateway")


@pytest.mark.parametrize(
    "late", [TEXT, CALL, prose("a"), args("{"), TOOL_USE, STOP, START, "data: {\n\n"]
)
def test_what_comes_after_message_stop_is_ignored_with_a_finding(late: str) -> None:
    assert read(START, TOOL_USE, STOP, late)[3:] == [warn("event-after-end")]


def test_blocks_left_open_at_message_stop_are_noted_and_not_closed() -> None:
    assert read(START, TEXT, CALL, STOP) == [
        STARTED,
        OPENED,
        odd("block-unclosed"),
        warn("block-unclosed"),
        warn("stop-reason-missing"),
        TurnEnded(),
    ]


def test_a_body_that_ends_after_its_stop_reason_lacks_message_stop() -> None:
    assert read(START, TOOL_USE) == [STARTED, REASON, warn("message-stop-missing", "gateway")]


def test_a_second_message_start_with_another_id_spoils_the_calls_before_it() -> None:
    second = START.replace("msg_1", "msg_2")
    assert read(START, CALL, stop(), second) == [
        STARTED,
        OPENED,
        CallClosed(B1),
        odd("second-message-start", "gateway", "error"),
        CallSpoiled(B1, "the message began again after it, under another id"),
        TurnStarted("msg_2", "m"),
    ]


def test_a_message_start_sent_twice_spoils_nothing() -> None:
    assert read(START, CALL, START) == [
        STARTED,
        OPENED,
        warn("second-message-start", "gateway"),
        STARTED,
    ]


def test_a_later_stop_reason_cannot_allow_what_an_earlier_one_forbade() -> None:
    limit = TOOL_USE.replace("tool_use", "max_tokens")
    changed = warn("stop-reason-changed")
    assert read(START, limit, TOOL_USE, STOP)[1:] == [
        StopReasonGiven("max_tokens"),
        changed,
        TurnEnded(),
    ]
    assert read(START, TOOL_USE, limit, STOP)[1:] == [
        REASON,
        StopReasonGiven("max_tokens"),
        changed,
        TurnEnded(),
    ]


# Errors and damage --------------------------------------------------------------------------


def test_an_error_event_is_reported() -> None:
    raw = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    assert read(START, f"event: error\ndata: {raw}\n\n") == [
        STARTED,
        ProviderErrorReported("Overloaded", "overloaded_error", raw),
    ]


def test_an_error_without_the_type_of_one_is_an_error() -> None:
    raw = '{"error":{"message":"upstream timeout"}}'
    assert read(START, f"data: {raw}\n\n") == [
        STARTED,
        ProviderErrorReported("upstream timeout", "", raw),
        odd("error-without-type", "gateway"),
    ]


def test_an_error_event_whose_data_is_the_error_object_is_an_error() -> None:
    # llama.cpp's server, when it cannot read what its model wrote.
    raw = '{"code":500,"message":"The model produced no call","type":"server_error"}'
    assert read(START, f"event: error\ndata: {raw}\n\n") == [
        STARTED,
        ProviderErrorReported("The model produced no call", "server_error", raw),
        odd("error-without-type", "gateway"),
    ]


def test_an_error_member_counts_whatever_type_stands_beside_it() -> None:
    raw = '{"type":"server_error","error":{"type":"api_error","message":"gone"}}'
    assert read(START, f"data: {raw}\n\n") == [
        STARTED,
        ProviderErrorReported("gone", "api_error", raw),
        odd("error-without-type", "gateway"),
    ]


def test_an_error_event_in_plain_text_is_an_error() -> None:
    assert read("event: error\ndata: Bad Gateway\n\n") == [
        ProviderErrorReported("Bad Gateway", "", "Bad Gateway"),
        odd("error-not-json", "gateway"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"type":"content_block_delta","index":1,"del', "not JSON"),
        ("[1]", "JSON, but not an object"),
        ('"content_block_delta"', "JSON, but not an object"),
    ],
)
def test_an_event_that_is_no_json_object_suspects_every_open_call(text: str, problem: str) -> None:
    assert read(START, CALL, f"event: content_block_delta\ndata: {text}\n\n") == [
        STARTED,
        OPENED,
        MalformedEvent(problem, text),
    ]


def test_an_empty_data_line_of_a_delta_may_have_lost_a_fragment() -> None:
    assert read(START, "event: content_block_delta\ndata:\n\n", "event: ping\ndata:\n\n") == [
        STARTED,
        MalformedEvent("empty", ""),
        KeepAlive("ping"),
    ]


def test_a_delta_event_without_a_delta_suspects_the_call_it_names() -> None:
    raw = '{"type":"content_block_delta","index":1}'
    assert read(START, CALL, f"data: {raw}\n\n")[2] == MalformedEvent(
        "a content_block_delta without a delta", raw, (B1,)
    )


def test_a_start_without_a_block_suspects_nobody() -> None:
    raw = '{"type":"content_block_start","index":2}'
    assert read(START, CALL, f"data: {raw}\n\n")[2] == MalformedEvent(
        "a content_block_start without a typed block", raw, ()
    )


def test_bytes_that_are_not_utf8_spoil_the_call_whose_fragment_they_were() -> None:
    body = (START + CALL + args("{XX}")).encode().replace(b"XX", b"\xff\xfe")
    events = decode(body)
    problem = "bytes of its text were not UTF-8; what the model wrote is not known"
    assert events[:-1] == [
        STARTED,
        OPENED,
        ArgumentFragment(B1, "{\ufffd\ufffd}"),
        CallSpoiled(B1, problem),
    ]
    assert isinstance(events[-1], Finding)
    assert events[-1].code == "anthropic.not-utf8"


@pytest.mark.parametrize("depth", [100, 990, 1_000, 1_010, 200_000])
def test_json_nested_too_deeply_is_malformed_and_nothing_worse(depth: int) -> None:
    # Between the depths that the two JSON parsers of `wirejson` give up at, only one refuses.
    block = f'{{"type":"hologram","x":{"[" * depth}{"]" * depth}}}'
    raw = f'{{"type":"content_block_start","index":0,"content_block":{block}}}'
    [event] = read(START, f"data: {raw}\n\n")[1:]
    if isinstance(event, MalformedEvent):
        assert depth > 500
        assert event.raw == raw
    else:
        assert event == ProviderItemOpened(B0, "hologram")


def test_a_body_that_ends_inside_an_event_says_so() -> None:
    cut = args('{"a":1}')[:-12]
    assert read(START, CALL, cut) == [
        STARTED,
        OPENED,
        MalformedEvent("cut off: the body ended inside it", cut.removeprefix("data: ")),
    ]


def test_a_last_event_that_is_whole_but_not_closed_is_decoded() -> None:
    assert read(START, TOOL_USE, STOP.rstrip()) == [STARTED, REASON, TurnEnded()]


# Recorded streams ---------------------------------------------------------------------------

WithText = TextFragment | ThinkingFragment | ArgumentFragment | ProviderItemFragment

EXPECTED_FINDINGS = {
    # OpenRouter ends every stream, whatever its dialect, with OpenAI's marker.
    "rig--openrouter-anthropic-streaming-gateway-message-delta-metadata": ["anthropic.done-marker"],
}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@needs_shared
@pytest.mark.parametrize("stream", streams("anthropic"), ids=by_id)
def test_a_recorded_stream_decodes_to_what_its_manifest_says(stream: RecordedStream) -> None:
    body, manifest = stream.read(), stream.manifest
    events = decode(body)
    assert decode(*every_byte(body)) == events

    def joined(kind: type[WithText], key: Key | None = None) -> str:
        return "".join(e.text for e in events if isinstance(e, kind) and key in (None, e.key))

    assert digest(joined(TextFragment)) == manifest["text_sha256"]
    assert len(joined(ThinkingFragment)) == manifest["thinking_chars"]
    assert [e.reason for e in events if isinstance(e, StopReasonGiven)][-1:] == [
        manifest["stop_reason"]
    ]
    assert any(isinstance(e, TurnEnded) for e in events) == manifest["complete"]
    found = [e.code for e in events if isinstance(e, Finding)]
    assert found == EXPECTED_FINDINGS.get(stream.path.stem, [])

    calls = [e for e in events if isinstance(e, CallOpened)]
    expected = [call for call in manifest["calls"] if call["kind"] == "client"]
    assert [(e.id, e.name) for e in calls] == [(c["id"], c["name"]) for c in expected]
    for event, call in zip(calls, expected, strict=True):
        text = joined(ArgumentFragment, event.key)
        if "start_input" in call:
            assert json.loads(text) == call["start_input"]
        else:
            assert digest(text) == call["raw_sha256"]
        assert (CallClosed(event.key) in events) == call["stopped"]

    items = [
        e for e in events if isinstance(e, ProviderItemOpened) and e.kind.endswith("_tool_use")
    ]
    served = [call for call in manifest["calls"] if call["kind"] == "server"]
    for item, call in zip(items, served, strict=True):
        text = joined(ProviderItemFragment, item.key)
        if "start_input" in call:
            assert json.loads(text) == call["start_input"]
        else:
            assert digest(text) == call["raw_sha256"]
        [raw] = [e.raw for e in events if isinstance(e, PartClosed) and e.key == item.key]
        assert raw is not None
        sent_back = json.loads(raw)
        assert (sent_back["id"], sent_back["name"]) == (call["id"], call["name"])
        assert sent_back["input"] == json.loads(text or "{}")


PIECES = [START, TEXT, CALL, prose("a"), args('{"a":'), args("1}"), stop(0), stop(), TOOL_USE, STOP]


@given(st.lists(st.sampled_from([*PIECES, "data: [DONE]\n\n", "data: {\n\n", "data: null\n\n"])))
def test_events_in_any_order_never_raise_and_no_call_is_closed_twice(pieces: list[str]) -> None:
    events = read(*pieces)
    closed = [e.key for e in events if isinstance(e, CallClosed)]
    opened = [e.key for e in events if isinstance(e, CallOpened)]
    assert len(set(opened)) == len(opened)
    assert len(set(closed)) == len(closed)
    assert set(closed) <= set(opened)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "input", "id", "name", "index"]), inner)
    ),
    max_leaves=6,
)


@given(
    kind=st.sampled_from(
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "error",
            "ping",
            "message_stop",
        ]
    ),
    index=JSON,
    field=st.sampled_from(["message", "content_block", "delta", "usage", "error"]),
    inner=st.sampled_from(
        [
            "text",
            "thinking",
            "tool_use",
            "server_tool_use",
            "compaction",
            "x",
            "text_delta",
            "thinking_delta",
            "signature_delta",
            "input_json_delta",
            "citations_delta",
            "compaction_delta",
        ]
    ),
    values=st.dictionaries(
        st.sampled_from(
            [
                "text",
                "thinking",
                "signature",
                "partial_json",
                "input",
                "id",
                "name",
                "citation",
                "content",
                "citations",
                "stop_reason",
                "stop_details",
                "caller",
                "tool_use_id",
            ]
        ),
        JSON,
    ),
)
def test_members_of_any_type_never_raise(
    kind: str, index: object, field: str, inner: str, values: dict[str, object]
) -> None:
    event = {"type": kind, "index": index, field: {"type": inner, **values}}
    again = {"type": "content_block_stop", "index": index}
    for first in ("", TEXT, CALL):
        read(START, first, data(event), data(event), data(again), STOP)
