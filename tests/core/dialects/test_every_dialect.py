"""What holds for every dialect: recorded streams, wire cases, damage, and the way back.

A new dialect is covered by being registered and by its streams; nothing here names one, except
where the providers' own words for the same thing differ (`stop_reason_of`).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeding import every_byte, random_splits, whole
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tui.core import dialects
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImagePart,
    JsonContent,
    Message,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.dialects import Dialect
from tui.core.errors import UsageError
from tui.core.events import MalformedEvent
from tui.core.history import sendable
from tui.core.inflate import Inflater
from tui.core.reader import TurnReader
from tui.core.source import ResponseHead
from tui.core.sse import UnfinishedEvent
from tui.core.states import CallState
from tui.core.turn import Turn

every_dialect = pytest.mark.parametrize("name", dialects.NAMES)
every_stream = pytest.mark.parametrize("stream", streams(), ids=by_id)
every_case = pytest.mark.parametrize("case", cases(), ids=by_id)


def load(name: str) -> Dialect:
    """The dialect; its tests are skipped while its module is not there."""
    if find_spec(f"tui.core.dialects.{name.replace('-', '_')}") is None:
        pytest.skip(f"the dialect {name} is not written yet")
    return dialects.load(name)


def read(name: str, chunks: list[bytes], head: ResponseHead | None = None) -> Turn:
    load(name)
    reader = TurnReader(name, head=head)
    for chunk in chunks:
        reader.feed(chunk)
    reader.close()
    return reader.turn


def summary(turn: Turn) -> dict[str, Any]:
    """All that a turn is, offsets included, as values that can be compared."""
    calls = [
        (c.id, c.name, c.buffer.fragments, c.state, c.problem, c.other_text) for c in turn.calls
    ]
    return {
        "message": turn.message(),
        "calls": calls,
        "findings": turn.findings,
        "usage": turn.usage,
        "stop_reason": turn.stop_reason,
        "outcome": turn.outcome,
        "error": turn.error,
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stop_reason_of(stream: RecordedStream) -> str | None:
    """The provider's word; the manifest joins a Responses status with why it is incomplete."""
    reason: str | None = stream.manifest["stop_reason"]
    return reason.split(":")[0] if reason and stream.dialect == "openai-responses" else reason


# Errors inside a stream -----------------------------------------------------------------------

BARE_ERROR = (
    b'event: error\ndata: {"code":500,"message":"The model produced no call",'
    b'"type":"server_error"}\n\n'
)
"""As llama.cpp's server reports an error in the middle of a stream, in every dialect but Chat."""

CALLING = {
    "anthropic": (
        b'data: {"type":"message_start","message":{"id":"m","model":"m","content":[]}}\n\n'
        b'data: {"type":"content_block_start","index":0,"content_block":'
        b'{"type":"tool_use","id":"t","name":"look"}}\n\n'
        b'data: {"type":"content_block_delta","index":0,"delta":'
        b'{"type":"input_json_delta","partial_json":"{}"}}\n\n'
        b'data: {"type":"content_block_stop","index":0}\n\n',
        b'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n'
        b'data: {"type":"message_stop"}\n\n',
    ),
    "openai-chat": (
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t",'
        b'"type":"function","function":{"name":"look","arguments":"{}"}}]}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n'
        b"data: [DONE]\n\n",
    ),
    "openai-responses": (
        b'data: {"type":"response.output_item.done","output_index":0,"item":{"id":"f",'
        b'"type":"function_call","call_id":"t","name":"look","arguments":"{}"}}\n\n',
        b'data: {"type":"response.completed","response":{"id":"r","status":"completed"}}\n\n',
    ),
}
"""A call, and how its turn ends well."""


@every_dialect
def test_an_error_event_may_be_the_error_object_itself_and_lets_nothing_run(name: str) -> None:
    called, ended = CALLING[name]
    assert read(name, [called, ended]).outcome == "complete"
    assert len(read(name, [called, ended]).final_calls) == 1
    turn = read(name, [called, BARE_ERROR, ended])
    assert turn.outcome == "error"
    assert turn.error == "server_error: The model produced no call"
    assert turn.final_calls == ()


# Recorded streams ---------------------------------------------------------------------------


@needs_shared
@every_stream
def test_a_recorded_stream_becomes_the_turn_its_manifest_describes(stream: RecordedStream) -> None:
    manifest = stream.manifest
    turn = read(stream.dialect, whole(stream.read()))
    assert digest(turn.text) == manifest["text_sha256"]
    assert turn.stop_reason == stop_reason_of(stream)
    expected = [call for call in manifest["calls"] if call["kind"] != "server"]
    assert [(c.id, c.name, c.choice) for c in turn.calls] == [
        (call["id"], call["name"] or "", call.get("choice", 0)) for call in expected
    ]
    for call, told in zip(turn.calls, expected, strict=True):
        if told.get("start_input"):
            assert json.loads(call.text) == told["start_input"]
        else:
            assert digest(call.text) == told["raw_sha256"]
        if not told["stopped"]:
            assert call.state is CallState.INCOMPLETE
    if manifest.get("error"):
        assert turn.outcome == "error"


@needs_shared
@every_stream
def test_chunks_of_a_recorded_stream_mean_nothing(stream: RecordedStream) -> None:
    body = stream.read()
    expected = summary(read(stream.dialect, whole(body)))
    if len(body) < 60_000:
        assert summary(read(stream.dialect, every_byte(body))) == expected
    assert summary(read(stream.dialect, random_splits(body, seed=len(body)))) == expected


@needs_shared
@every_stream
def test_a_cut_stream_runs_nothing_that_the_whole_one_does_not(stream: RecordedStream) -> None:
    body = stream.read()
    may_run = {(c.id, c.raw) for c in read(stream.dialect, whole(body)).final_calls}
    for eighth in range(8):
        cut = body[: len(body) * eighth // 8]
        turn = read(stream.dialect, whole(cut))
        assert {(c.id, c.raw) for c in turn.final_calls} <= may_run
        if turn.final_calls:
            assert turn.stop_reason is not None


@needs_shared
@every_stream
def test_every_recorded_turn_can_be_sent_back_verbatim(stream: RecordedStream) -> None:
    dialect = load(stream.dialect)
    turn = read(stream.dialect, whole(stream.read()))
    user = UserMessage((TextPart("Go on."),))
    sent = sendable((user, turn.message(), user), stream.dialect)
    request = TurnRequest(TurnSettings("m"), sent.messages, call_ids=sent.call_ids)
    body = dialect.encode(request).request.body
    value = json.loads(body)
    assert value["stream"] is True
    text, strings = body.decode(), set(_strings(value))
    for message in sent.messages:
        if isinstance(message, AssistantMessage):
            for call in message.calls:
                assert call.raw in strings or (call.raw or "{}") in text
            for part in message.parts:
                if isinstance(part, TextPart) and part.text.strip():
                    assert part.text in strings


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for member in value.values():
                yield from _strings(member)
        case list():
            for member in value:
                yield from _strings(member)
        case _:
            pass


# Wire cases ---------------------------------------------------------------------------------


@needs_shared
@every_case
def test_a_wire_case_ends_as_a_careful_client_ends(case: WireCase) -> None:
    spec, expect = case.spec, case.spec["expect"]
    head = ResponseHead(spec["status"], (("content-type", spec["content_type"]),))
    body = Inflater(spec.get("content_encoding")).feed(case.read())
    turn = read(case.dialect, whole(body), head)
    assert turn.text in (expect["text"], *expect.get("accept_texts", ()))
    assert turn.outcome in (expect["outcome"], *expect.get("accept_outcomes", ()))
    reasons = (expect["stop_reason"], *expect.get("accept_stop_reasons", ()))
    assert turn.stop_reason in reasons
    if "thinking" in expect:
        assert turn.thinking == expect["thinking"]
    never = [v for call in expect["calls"] for v in call.get("never_arguments", ())]
    assert not [c for c in turn.final_calls if c.arguments in never]
    if not turn.calls and expect.get("accept_no_calls"):
        return
    calls = list(turn.calls)
    if expect.get("accept_extra_incomplete_calls"):
        calls = [c for c in calls if c.state is not CallState.INCOMPLETE]
    assert len(calls) == len(expect["calls"])
    final = {call.ref: call for call in turn.final_calls}
    for call, told in zip(calls, expect["calls"], strict=True):
        assert call.name in (told["name"], *told.get("accept_names", ()))
        assert call.state in (told["state"], *told.get("accept_states", ()))
        if not told.get("id_may_differ"):
            assert call.id == told["id"]
        if not told.get("raw_may_be_respaced"):
            assert call.text in (told["raw"], *told.get("accept_raws", ()))
        if call.ref in final and told["arguments"] is not None:
            accepted = (told["arguments"], *told.get("accept_arguments", ()))
            assert final[call.ref].arguments in accepted


# Damage -------------------------------------------------------------------------------------


def _small(name: str) -> list[bytes]:
    """The bodies of this dialect that are quick to read: every wire case and the short streams."""
    bodies = [case.read() for case in cases() if case.dialect == name]
    bodies += [s.read() for s in streams() if s.dialect == name and s.manifest["bytes"] < 8_000]
    return bodies


@needs_shared
@every_dialect
@given(data=st.data())
def test_lost_doubled_swapped_and_cut_events_never_raise(name: str, data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(_small(name)))
    blocks = [block + b"\n\n" for block in body.replace(b"\r\n", b"\n").split(b"\n\n")]
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(blocks) - 1))
        other = data.draw(st.integers(0, len(blocks) - 1))
        match data.draw(st.sampled_from(["lose", "double", "swap", "cut", "spoil"])):
            case "lose":
                blocks[place] = b""
            case "double":
                blocks.insert(other, blocks[place])
            case "swap":
                blocks[place], blocks[other] = blocks[other], blocks[place]
            case "cut":
                at = data.draw(st.integers(0, len(blocks[place])))
                blocks[place] = blocks[place][:at] + b"\n\n"
            case _:
                at = data.draw(st.integers(0, len(blocks[place])))
                blocks[place] = blocks[place][:at] + b"\xff" + blocks[place][at:]
    damaged = b"".join(blocks)
    turn = read(name, whole(damaged))
    assert turn.outcome is not None
    assert summary(read(name, random_splits(damaged, seed=1))) == summary(turn)
    by_ref = {call.ref: call for call in turn.calls}
    for final in turn.final_calls:
        call = by_ref[final.ref]
        assert call.state is CallState.FINAL
        assert call.closed_at is not None
        assert not call.contradiction
        assert not call.suspicion


@needs_shared
@every_dialect
@given(data=st.data())
def test_a_stream_cut_at_any_byte_never_raises(name: str, data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(_small(name)))
    turn = read(name, whole(body[: data.draw(st.integers(0, len(body)))]))
    assert turn.outcome is not None


@every_dialect
@pytest.mark.parametrize(
    "text", ["{", "[]", "1", "null", '"x"', "{}", '{"type":5}', "[DONE]", "\ufffd"]
)
def test_an_event_that_means_nothing_never_raises(name: str, text: str) -> None:
    read(name, whole(f"data: {text}\n\nevent: error\ndata: {text}\n\n".encode()))


@every_dialect
def test_a_decoder_says_that_the_body_ended_inside_an_event(name: str) -> None:
    decoder = load(name).decoder()
    unfinished = UnfinishedEvent("", '{"id":', 0, 12, replaced=False, partial_line=True)
    [event] = [e for e in decoder.close(unfinished) if isinstance(e, MalformedEvent)]
    assert event.problem
    assert event.raw == '{"id":'


@every_dialect
def test_a_decoder_that_saw_nothing_has_nothing_to_say(name: str) -> None:
    assert load(name).decoder().close(None) == []


# Requests -----------------------------------------------------------------------------------

RAW = '{"f":1.0,"e":1e2,"z":-0,"i":123456789012345678901234567890,"s":"\\/\\u00e9\\ud83d\\ude80"  }'

CONVERSATION: tuple[Message, ...] = (
    UserMessage((TextPart("Hello \ud83d half"), ImagePart("image/png", b"\x89PNG"))),
    AssistantMessage(
        (
            ThinkingPart("Hm."),
            TextPart("I will."),
            ProviderPart("x_search", "search", "", ProviderItem("nobody", "x_search", "{}")),
            CallPart("t1.c1", "id-1", "add", RAW, state=CallState.FINAL),
            CallPart("t1.c2", None, "add", "", state=CallState.FINAL),
            CallPart("t1.c3", "id 3!", "add", '{"a"', state=CallState.INVALID, problem="cut"),
            CallPart("t1.c4", "id-4", "add", '{"never', state=CallState.INCOMPLETE),
            RefusalPart("But not that."),
        ),
        "nobody",
    ),
    ResultsMessage(
        (
            CallResult("t1.c1", (TextContent("3"), JsonContent('{"sum": 3.0}'))),
            CallResult("t1.c2", (), is_error=True),
        )
    ),
    UserMessage((TextPart("Thanks."),)),
)

TOOLS = (ToolSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "number"}}}),)


def encoded(name: str, **settings: Any) -> str:
    sent = sendable(CONVERSATION, name)
    request = TurnRequest(
        replace(TurnSettings("model-x", system="Be kind."), **settings),
        sent.messages,
        TOOLS,
        sent.call_ids,
    )
    return load(name).encode(request).request.body.decode()


@every_dialect
def test_a_request_is_valid_json_that_streams_and_carries_the_arguments_verbatim(name: str) -> None:
    body = encoded(name)
    value = json.loads(body)
    assert value["model"] == "model-x"
    assert value["stream"] is True
    assert RAW in body or RAW in set(_strings(value))
    assert "never" not in body
    assert "Be kind." in set(_strings(value))


@every_dialect
def test_every_call_sent_has_exactly_one_result(name: str) -> None:
    body = encoded(name)
    for id in sendable(CONVERSATION, name).call_ids.values():
        assert body.count(json.dumps(id)) == 2


@every_dialect
def test_extra_body_is_merged_last_and_cannot_stop_the_streaming(name: str) -> None:
    value = json.loads(encoded(name, extra_body={"model": "other", "seed": 7}))
    assert (value["model"], value["seed"], value["stream"]) == ("other", 7, True)


@every_dialect
def test_a_request_never_names_a_secret_header(name: str) -> None:
    sent = sendable(CONVERSATION, name)
    request = TurnRequest(TurnSettings("m"), sent.messages, TOOLS, sent.call_ids)
    encoded_request = load(name).encode(request)
    assert encoded_request.request.dialect == name
    assert encoded_request.request.path.startswith("/")
    names = {header.lower() for header, _ in encoded_request.request.headers}
    assert not names & {"authorization", "x-api-key", "api-key"}


@every_dialect
def test_what_has_no_counterpart_is_left_out_and_said_so(name: str) -> None:
    sent = sendable(CONVERSATION, name)
    request = TurnRequest(TurnSettings("m"), sent.messages, TOOLS, sent.call_ids)
    left_out = load(name).encode(request).left_out
    assert left_out
    assert all(sentence.endswith(".") for sentence in left_out)


def test_a_dialect_that_does_not_exist_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="smoke-signals"):
        dialects.load("smoke-signals")


@every_dialect
def test_a_dialect_is_registered_under_its_own_name(name: str) -> None:
    assert load(name).name == name
