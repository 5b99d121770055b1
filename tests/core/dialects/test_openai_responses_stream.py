"""Responses streams but for their calls: prose, thinking, provider items, and how a response ends."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.dialects.responses import (
    ABSENT,
    CREATED,
    added,
    args,
    args_done,
    call,
    calls,
    codes,
    decode_bytes,
    decoded,
    done,
    ended,
    odd,
    of_item,
    read,
    sse,
)
from tests.feeding import chunkings, every_byte
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tests.verdicts import BYTES, case_differences, case_verdict, stream_differences, verdict
from tui.core.conversation import ProviderItem, ThinkingPart
from tui.core.events import (
    CallClosed,
    CallOpened,
    CallSpoiled,
    CitationGiven,
    KeepAlive,
    Key,
    MalformedEvent,
    PartClosed,
    ProviderErrorReported,
    ProviderItemFragment,
    ProviderItemOpened,
    RefusalFragment,
    StopReasonGiven,
    TextFragment,
    ThinkingFragment,
    ThinkingSigned,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
    UsageReported,
)
from tui.core.reader import TurnReader

A = '{"a":1}'
K0 = Key("item:0")
STARTED = TurnStarted("resp_1", "m")
ENDED = [StopReasonGiven("completed"), TurnEnded()]


def message(text: str = "", id: Any = "msg_1", **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}] if text else []
    return {"type": "message", "id": id, "role": "assistant", "content": content, **more}


def text(delta: str, index: Any = 0, id: Any = "msg_1", content: Any = 0) -> dict[str, Any]:
    return of_item("output_text.delta", index, id, delta=delta, content_index=content)


def warn(code: str, culprit: Any = "server") -> Any:
    return odd(code, "warning", culprit)


# Prose ----------------------------------------------------------------------------------------


def test_prose_as_openai_sends_it_gives_no_finding_and_keeps_its_item() -> None:
    raw = '{"type":"message", "id":"msg_1","phase":"final_answer","content":[{"type":"output_text","text":"Hi!"}]}'
    assert decoded(
        CREATED,
        {"type": "response.in_progress", "response": {"id": "resp_1"}},
        added(message()),
        of_item("content_part.added", id="msg_1", part={"type": "output_text", "text": ""}),
        text("Hi"),
        text("!"),
        of_item("output_text.done", id="msg_1", text="Hi!", content_index=0),
        of_item("content_part.done", id="msg_1", part={"type": "output_text", "text": "Hi!"}),
        f'{{"type":"response.output_item.done","output_index":0,"item":{raw}}}',
        ended(
            message("Hi!"),
            usage={
                "input_tokens": 9,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 3,
                "output_tokens_details": {"reasoning_tokens": 1},
            },
        ),
    ) == [
        STARTED,
        TextFragment(K0, "Hi"),
        TextFragment(K0, "!"),
        PartClosed(K0, raw),
        UsageReported(9, 3, 4, 1),
        *ENDED,
    ]


@pytest.mark.parametrize(
    "event",
    [
        of_item("output_text.done", id="msg_1", text="Whole", content_index=0),
        of_item("content_part.done", id="msg_1", part={"type": "output_text", "text": "Whole"}),
        done(message("Whole")),
        ended(message("Whole")),
    ],
)
def test_text_without_deltas_is_taken_from_whatever_repeats_it_once(event: Any) -> None:
    turn = read(CREATED, added(message()), event, done(message("Whole")), ended(message("Whole")))
    assert turn.text == "Whole"
    assert "text-without-deltas" in codes(turn)


def test_text_that_stands_only_in_the_response_is_shown() -> None:
    turn = read(CREATED, ended(message("Whole")))
    assert turn.text == "Whole"
    assert codes(turn) == ["item-only-in-response", "text-without-deltas"]


def test_a_repetition_that_differs_is_noted_and_what_streamed_is_kept() -> None:
    turn = read(CREATED, added(message()), text("Hi"), done(message("Ho")), ended())
    assert turn.text == "Hi"
    assert codes(turn) == ["text-done-differs"]


def test_text_of_a_message_that_was_never_announced_is_shown() -> None:
    turn = read(CREATED, text("Hi"), text("!"), ended())
    assert turn.text == "Hi!"
    assert codes(turn) == ["item-added-missing", "item-done-missing"]


def test_text_that_the_response_repeats_under_another_id_is_read_once() -> None:
    body = [CREATED, added(message()), text("Hi"), done(message("Hi"))]
    turn = read(*body, ended(message("Hi", id="other"), message("Ho", id="more")))
    assert turn.text == "HiHo"


def test_a_second_message_at_the_index_of_the_first_is_shown_though_it_came_whole() -> None:
    turn = read(
        CREATED,
        added(message()),
        text("A"),
        done(message("A")),
        done(message("B", "msg_2")),
        ended(),
    )
    assert turn.text == "AB"


def test_messages_that_all_have_one_id_are_kept_apart_by_their_index() -> None:
    first = [text("A"), done(message("A"))]
    turn = read(CREATED, *first, added(message(), 1), text("B", 1), done(message("B"), 1), ended())
    assert turn.text == "AB"
    assert len(turn.message().parts) == 2
    assert codes(turn) == ["item-added-missing"]


def test_a_refusal_is_no_prose() -> None:
    part = {"type": "refusal", "refusal": "No."}
    item = message() | {"content": [part]}
    events = decoded(
        CREATED,
        added(message()),
        of_item("refusal.delta", id="msg_1", delta="No", content_index=0),
        of_item("refusal.delta", id="msg_1", delta=".", content_index=0),
        of_item("refusal.done", id="msg_1", refusal="No.", content_index=0),
        of_item("content_part.done", id="msg_1", part=part, content_index=0),
        done(item),
        ended(item),
    )
    assert events == [
        STARTED,
        RefusalFragment(K0, "No"),
        RefusalFragment(K0, "."),
        PartClosed(K0, json.dumps(item)),
        *ENDED,
    ]


def test_citations_come_with_their_text_once_whether_announced_or_not() -> None:
    note = {"type": "url_citation", "url": "https://example.org"}
    item = message() | {
        "content": [{"type": "output_text", "text": "Hi", "annotations": [note, {"n": 2}]}]
    }
    events = decoded(
        CREATED,
        added(message()),
        text("Hi"),
        of_item("output_text.annotation.added", id="msg_1", annotation=note, annotation_index=0),
        done(item),
        ended(item),
    )
    assert [each.raw for each in events if isinstance(each, CitationGiven)] == [
        json.dumps(note),
        '{"n": 2}',
    ]


# Thinking -------------------------------------------------------------------------------------


def test_a_reasoning_item_is_kept_exactly_and_its_summary_parts_are_parts() -> None:
    raw = (
        '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"One"},'
        '{"type":"summary_text","text":"Two"}],"encrypted_content":"gAA","x":1.50}'
    )
    more = Key("item:0/summary_text:1")
    assert decoded(
        CREATED,
        added({"type": "reasoning", "id": "rs_1", "summary": []}),
        of_item("reasoning_summary_part.added", id="rs_1", summary_index=0),
        of_item("reasoning_summary_text.delta", id="rs_1", summary_index=0, delta="One"),
        of_item("reasoning_summary_text.done", id="rs_1", summary_index=0, text="One"),
        of_item("reasoning_summary_text.delta", id="rs_1", summary_index=1, delta="Two"),
        of_item(
            "reasoning_summary_part.done",
            id="rs_1",
            summary_index=1,
            part={"type": "summary_text", "text": "Two"},
        ),
        f'{{"type":"response.output_item.done","output_index":0,"item":{raw}}}',
        ended(),
    ) == [
        STARTED,
        ThinkingFragment(K0, ""),
        ThinkingFragment(K0, "One"),
        ThinkingFragment(more, "Two"),
        ThinkingSigned(K0, "gAA"),
        PartClosed(more),
        PartClosed(K0, raw),
        *ENDED,
    ]


def test_reasoning_that_shows_nothing_is_kept_in_its_place() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAA"}
    turn = read(CREATED, added(item), done(item), added(message(), 1), text("Hi", 1), ended(item))
    kept = turn.message().parts[0]
    raw = json.dumps(item)
    assert kept == ThinkingPart("", "gAA", ProviderItem("openai-responses", "reasoning", raw))


def test_open_models_think_in_reasoning_text() -> None:
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "content": [{"type": "reasoning_text", "text": "Hm"}],
    }
    turn = read(
        CREATED,
        added({"type": "reasoning", "id": "rs_1", "summary": []}),
        of_item("reasoning_text.delta", id="rs_1", content_index=0, delta="H"),
        of_item("reasoning_text.delta", id="rs_1", content_index=0, delta="m"),
        of_item("reasoning_text.done", id="rs_1", content_index=0, text="Hm"),
        done(item),
        ended(item),
    )
    assert turn.thinking == "Hm"
    assert turn.text == ""
    assert codes(turn) == []


def test_thinking_may_come_whole() -> None:
    item = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]}
    assert read(CREATED, done(item), ended(item)).thinking == "Hm"


# What the provider runs ------------------------------------------------------------------------


def test_a_call_of_an_mcp_server_is_the_providers_and_never_ours() -> None:
    item = {
        "type": "mcp_call",
        "id": "mcp_1",
        "name": "ask",
        "server_label": "wiki",
        "arguments": A,
    }
    assert decoded(
        CREATED,
        added(item | {"arguments": ""}),
        of_item("mcp_call.in_progress", id="mcp_1"),
        of_item("mcp_call_arguments.delta", id="mcp_1", delta=A),
        of_item("mcp_call_arguments.done", id="mcp_1", arguments=A),
        of_item("mcp_call.completed", id="mcp_1"),
        done(item),
        ended(item),
    ) == [
        STARTED,
        ProviderItemOpened(K0, "mcp_call", "ask"),
        ProviderItemFragment(K0, A),
        PartClosed(K0, json.dumps(item)),
        *ENDED,
    ]


def test_code_that_the_provider_runs_streams_into_its_item() -> None:
    item = {"type": "code_interpreter_call", "id": "ci_1", "code": "1+1"}
    turn = read(
        CREATED,
        added(item | {"code": ""}),
        of_item("code_interpreter_call_code.delta", id="ci_1", delta="1+"),
        of_item("code_interpreter_call_code.delta", id="ci_1", delta="1"),
        of_item("code_interpreter_call_code.done", id="ci_1", code="1+1"),
        of_item("code_interpreter_call.interpreting", id="ci_1"),
        done(item),
        ended(item),
    )
    assert [part.text for part in turn.parts] == ["1+1"]
    assert (turn.calls, codes(turn)) == ([], [])


def test_a_search_shows_what_was_searched_for_and_is_kept() -> None:
    item = {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "x"}}
    turn = read(
        CREATED,
        added({"type": "web_search_call", "id": "ws_1"}),
        of_item("web_search_call.searching", id="ws_1"),
        done(item),
        ended(),
    )
    assert [(part.text, part.raw_item) for part in turn.parts] == [
        ('{"type": "search", "query": "x"}', json.dumps(item))
    ]


@pytest.mark.parametrize(
    ("item", "ours"),
    [
        ({"type": "local_shell_call", "call_id": "c"}, True),
        ({"type": "shell_call", "environment": {"type": "local"}}, True),
        ({"type": "shell_call", "environment": {"type": "container_reference"}}, False),
        ({"type": "computer_call"}, True),
        ({"type": "apply_patch_call"}, True),
        ({"type": "mcp_approval_request", "name": "ask"}, True),
        ({"type": "tool_search_call", "execution": "server"}, False),
        ({"type": "tool_search_call", "execution": "client"}, True),
        ({"type": "something_new"}, False),
    ],
)
def test_items_that_want_the_clients_answer_are_shown_with_a_finding_and_not_run(
    item: dict[str, Any], ours: bool
) -> None:
    turn = read(CREATED, added(item), done(item), ended(item))
    assert turn.calls == []
    assert [part.raw_item for part in turn.parts] == [json.dumps(item)]
    assert codes(turn) == (["client-item"] if ours else [])


# The response ----------------------------------------------------------------------------------


def test_an_unknown_event_is_kept_and_no_prose() -> None:
    new = of_item("some_future_thing.delta", id="zz", delta="no")
    assert decoded(CREATED, new, {"type": "keepalive", "sequence_number": 5}, ended()) == [
        STARTED,
        UnknownEvent("response.some_future_thing.delta", json.dumps(new)),
        KeepAlive("keepalive"),
        *ENDED,
    ]


@pytest.mark.parametrize(
    ("event", "reason", "outcome", "found"),
    [
        (ended(status="incomplete"), "incomplete", "incomplete", []),
        (
            ended(status="incomplete", name="completed"),
            "incomplete",
            "incomplete",
            ["status-differs"],
        ),
        (ended(status="completed", name="incomplete"), "completed", "complete", ["status-differs"]),
        (ended(status="cancelled"), "cancelled", "incomplete", []),
        (ended(status=ABSENT, name="completed"), "completed", "complete", ["status-missing"]),
        (ended(status=ABSENT, name="incomplete"), "incomplete", "incomplete", ["status-missing"]),
        ({"type": "response.completed"}, "completed", "complete", ["response-missing"]),
    ],
)
def test_the_status_inside_the_response_says_how_it_ended(
    event: Any, reason: str, outcome: str, found: list[str]
) -> None:
    turn = read(CREATED, added(call()), args(A), done(call(arguments=A)), event)
    assert (turn.stop_reason, turn.outcome, codes(turn)) == (reason, outcome, found)
    state = "final" if reason == "completed" else "incomplete"
    assert calls(turn) == [("call_1", "f", A, state)]


def test_an_incomplete_response_says_why() -> None:
    details = {"reason": "max_output_tokens"}
    events = decoded(CREATED, ended(status="incomplete", incomplete_details=details))
    assert events == [STARTED, StopReasonGiven("incomplete", 0, "max_output_tokens"), TurnEnded()]


@pytest.mark.parametrize(
    ("event", "message", "kind"),
    [
        ({"type": "error", "code": "server_error", "message": "boom"}, "boom", "server_error"),
        (
            {"type": "error", "error": {"type": "overloaded", "message": "boom"}},
            "boom",
            "overloaded",
        ),
        (
            {"type": "response.error", "error": {"type": "overloaded", "message": "boom"}},
            "boom",
            "overloaded",
        ),
        ({"error": {"message": "boom", "code": 500}}, "boom", ""),
        ({"detail": "boom"}, "boom", ""),
    ],
)
def test_an_error_is_reported_flat_or_nested_and_nothing_runs(
    event: Any, message: str, kind: str
) -> None:
    body = [CREATED, added(call()), args(A), done(call(arguments=A)), event]
    assert ProviderErrorReported(message, kind, json.dumps(event)) in decoded(*body)
    turn = read(*body)
    assert (turn.outcome, turn.stop_reason) == ("error", None)
    assert [state for *_, state in calls(turn)] == ["incomplete"]


def test_a_failed_response_is_an_error_without_a_stop_reason() -> None:
    error = {"code": "server_error", "message": "boom"}
    event = ended(status="failed", error=error)
    assert decoded(CREATED, event) == [
        STARTED,
        ProviderErrorReported("boom", "server_error", json.dumps(event)),
        TurnEnded(),
    ]
    turn = read(CREATED, ended(status="failed"))
    assert (turn.outcome, turn.stop_reason) == ("error", None)
    assert "no reason was given" in turn.error


def test_an_event_that_says_failed_is_believed_over_a_status_that_does_not() -> None:
    turn = read(
        CREATED, added(call()), args(A), done(call(arguments=A)), ended(name="failed", error=None)
    )
    assert (turn.outcome, turn.stop_reason) == ("error", None)
    assert [state for *_, state in calls(turn)] == ["incomplete"]


def test_what_follows_the_end_is_ignored_or_a_call_would_run_twice() -> None:
    again = [CREATED, added(call("call_2")), args(A), done(call("call_2", A)), ended()]
    turn = read(CREATED, added(call()), args(A), done(call(arguments=A)), ended(), *again)
    assert calls(turn) == [("call_1", "f", A, "final")]
    assert codes(turn) == ["after-end"]


def test_done_after_the_end_is_fine_and_in_its_place_is_no_end() -> None:
    body = [CREATED, added(call()), args(A), done(call(arguments=A))]
    turn = read(*body, ended(), "[DONE]")
    assert (turn.outcome, codes(turn)) == ("complete", [])
    turn = read(*body, "[DONE]")
    assert (turn.outcome, turn.stop_reason) == ("incomplete", None)
    assert [state for *_, state in calls(turn)] == ["incomplete"]
    assert codes(turn) == ["done-instead-of-end"]


def test_a_body_that_stops_says_so_and_runs_nothing() -> None:
    turn = read(CREATED, added(call()), args(A), args_done(A), done(call(arguments=A)))
    assert calls(turn) == [("call_1", "f", A, "incomplete")]
    assert codes(turn) == ["cut"]


def test_a_second_beginning_under_another_id_spoils_the_calls_before_it() -> None:
    other = {"type": "response.created", "response": {"id": "resp_2"}}
    events = decoded(CREATED, added(call()), other, ended())
    assert CallSpoiled(K0, "the response began again after it, under another id") in events
    assert warn("second-created", "gateway") in events
    assert not any(isinstance(e, CallSpoiled) for e in decoded(CREATED, added(call()), CREATED))


def test_the_type_in_the_json_decides_and_the_event_line_stands_in_for_it() -> None:
    body = b'event: response.output_text.delta\ndata: {"type":"response.refusal.delta","item_id":"m","output_index":0,"delta":"No"}\n\n'
    assert RefusalFragment(K0, "No") in decode_bytes(sse(CREATED) + body)
    assert odd("event-name-differs") in decode_bytes(body)
    body = b'event: response.output_text.delta\ndata: {"item_id":"m","output_index":0,"delta":"Yes"}\n\n'
    assert TextFragment(K0, "Yes") in decode_bytes(body)
    assert odd("type-missing") in decode_bytes(body)


def test_a_gap_in_the_sequence_numbers_is_a_warning() -> None:
    numbered = [event | {"sequence_number": n} for event, n in ((CREATED, 0), (ended(), 1))]
    assert decoded(*numbered) == [STARTED, *ENDED]
    assert warn("sequence-gap") in decoded(numbered[0], numbered[1] | {"sequence_number": 2})


@pytest.mark.parametrize("torn", ['{"type":"response.output', "[1]", '"text"', "{]"])
def test_an_event_that_is_no_json_object_suspects_every_open_call(torn: str) -> None:
    turn = read(
        CREATED,
        added(call("call_0", id="fc_0"), 0),
        done(call("call_0", A, id="fc_0"), 0),
        added(call(), 1),
        torn,
        args(A, 1),
        done(call(arguments=A), 1),
        ended(),
    )
    assert turn.outcome == "error"
    assert [state for *_, state in calls(turn)] == ["final", "incomplete"]


def test_events_glued_into_one_are_read_line_by_line() -> None:
    lines = [json.dumps(each) for each in (CREATED, added(message()), text("Hi"), ended())]
    body = "".join(f"data: {line}\n" for line in lines).encode() + b"\n"
    events = decode_bytes(body)
    assert TextFragment(K0, "Hi") in events
    assert events[-1] == TurnEnded()
    assert warn("events-glued") in events


def test_bytes_that_are_not_utf8_spoil_the_call_whose_text_they_were() -> None:
    body = sse(CREATED, added(call())) + sse(args("X")).replace(b"X", b"\xff")
    events = decode_bytes(body)
    assert CallSpoiled(K0, "the bytes of its arguments are not UTF-8") in events
    assert warn("not-utf8") in events


def test_the_last_event_may_lack_its_blank_line_but_not_its_end() -> None:
    body = sse(CREATED, added(call()), args(A), done(call(arguments=A)), ended())
    assert decode_bytes(body[:-2])[-1] == TurnEnded()
    torn = decode_bytes(body[:-20])
    assert isinstance(torn[-1], MalformedEvent)
    turn = TurnReader("openai-responses")
    turn.feed(body[:-20])
    turn.close()
    assert [state for *_, state in calls(turn.turn)] == ["incomplete"]


def test_llama_server_streams_are_read_by_their_ids() -> None:
    turn = read(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        added(message(), ABSENT),
        text("Hm", ABSENT, "msg_1", ABSENT),
        added(call(), ABSENT),
        args('{"a', ABSENT),
        done(message("Hm"), ABSENT),
        done(call(arguments='{"a'), ABSENT),
        ended(message("Hm"), call(arguments='{"a')),
    )
    assert turn.text == "Hm"
    assert calls(turn) == [("call_1", "f", '{"a', "invalid")]
    assert codes(turn) == ["index-missing"]


# Recorded streams and cases --------------------------------------------------------------------

ODD_STREAMS = {
    "mirascope--refusal-openai-responses-handles-refusal-for-stream": {"responses.call-cut"},
    "rig--github-copilot-copilot-reasoning-roundtrip-streaming": {"responses.item-id-changes"},
    "rig--github-copilot-copilot-reasoning-roundtrip-streaming-2": {"responses.item-id-changes"},
}


@needs_shared
@pytest.mark.parametrize("stream", streams("openai-responses"), ids=by_id)
def test_a_recorded_stream_comes_to_what_its_manifest_says(stream: RecordedStream) -> None:
    body = stream.read()
    said = verdict(body, "openai-responses")
    assert stream_differences(stream, said) == []
    odd = {each["code"] for each in said["findings"] if each["code"].startswith("responses.")}
    assert odd == ODD_STREAMS.get(stream.path.stem, set())
    assert len(said["thinking"]) == stream.manifest.get("thinking_chars", 0)


@needs_shared
@pytest.mark.parametrize("case", cases("openai-responses"), ids=by_id)
def test_a_wire_case_comes_to_what_it_states(case: WireCase) -> None:
    said = case_verdict(case)
    assert case_differences(case, said) == []
    assert case_verdict(case, BYTES) == said


# Anything at all -------------------------------------------------------------------------------

PIECES: list[Any] = [
    CREATED,
    added(call()),
    added(call("call_2", id="fc_2"), 1),
    added(message()),
    added({"type": "reasoning", "id": "rs_1"}),
    added({"type": "web_search_call", "id": "ws_1"}, None),
    args('{"a"'),
    args(":1}", ABSENT),
    args(A, 1, ABSENT),
    args(A, ABSENT, ABSENT),
    args({"a": 1}),
    args(A, 0, "fc_9"),
    args_done(A),
    args_done(None, 1, "fc_2"),
    done(call(arguments=A)),
    done(call(arguments=A, status="incomplete")),
    done(call("call_2", A, id="fc_2"), 1),
    done(call(None, None, id=None)),
    done(message("Hi")),
    done({"type": "web_search_call", "id": "ws_1"}),
    text("Hi"),
    text("Ho", ABSENT, ABSENT),
    of_item("reasoning_summary_text.delta", delta="Hm"),
    of_item("web_search_call_x.delta", delta="x"),
    of_item("output_text.annotation.added", annotation={}),
    ended(call(arguments=A), message("Hi")),
    ended(status="failed"),
    {"type": "error"},
    "{torn",
    "[DONE]",
]


@pytest.mark.parametrize("kind", ["message", "reasoning", "function_call", "call", "content_part"])
def test_event_types_named_after_our_own_items_are_unknown_events(kind: str) -> None:
    body = [CREATED, added(call()), added(message(), 1), added({"type": "reasoning"}, 2)]
    new = of_item(f"{kind}_news.delta", delta="x")
    assert UnknownEvent(f"response.{kind}_news.delta", json.dumps(new)) in decoded(*body, new)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_events_in_any_order_never_raise_and_no_call_is_closed_twice(pieces: list[Any]) -> None:
    events = decoded(*pieces)
    closed = [each.key for each in events if isinstance(each, CallClosed)]
    opened = [each.key for each in events if isinstance(each, CallOpened)]
    assert len(closed) == len(set(closed))
    assert set(closed) <= set(opened)
    turn = read(*pieces)
    assert turn.outcome in ("complete", "incomplete", "error")
    digests = {hashlib.sha256(each.raw.encode()).hexdigest() for each in turn.final_calls}
    assert digests <= {each.buffer.digest() for each in turn.calls}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.data())
def test_members_of_any_type_never_raise(data: st.DataObject) -> None:
    body = [CREATED, added(call()), args(A), args_done(A), done(call(arguments=A)), ended(call())]
    body += [added(message(), 1), text("Hi", 1), done(message("Hi"), 1)]
    events = json.loads(json.dumps(body))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(events))
        while True:
            name = data.draw(st.sampled_from(sorted(place)))
            if isinstance(place[name], dict) and place[name] and data.draw(st.booleans()):
                place = place[name]
                continue
            place[name] = data.draw(VALUES)
            break
    assert read(*events).outcome in ("complete", "incomplete", "error")


@given(st.data())
def test_chunks_mean_nothing(data: st.DataObject) -> None:
    body = sse(CREATED, added(message()), text("\U0001f30a"), done(message("\U0001f30a")), ended())

    def outcome(chunks: list[bytes]) -> object:
        reader = TurnReader("openai-responses")
        for chunk in chunks:
            reader.feed(chunk)
        reader.close()
        return reader.turn.message(), reader.turn.findings

    assert outcome(data.draw(chunkings(body))) == outcome([body]) == outcome(every_byte(body))
