"""Chat Completions on recorded streams and wire cases, and on streams damaged at random."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.dialects.chat import body, calls, chunk, codes, decoded, entry, read, tool
from tests.feeding import every_byte
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tui.core import wirejson
from tui.core.reader import TurnReader
from tui.core.turn import Turn

STREAMS = streams("openai-chat")
CASES = [case for case in cases("openai-chat") if case.id.startswith("chat-")]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def in_pieces(pieces: list[bytes]) -> Turn:
    reader = TurnReader("openai-chat")
    for piece in pieces:
        reader.feed(piece)
    reader.close()
    return reader.turn


@needs_shared
@pytest.mark.parametrize("stream", STREAMS, ids=by_id)
def test_recorded_stream_gives_what_its_manifest_says(stream: RecordedStream) -> None:
    turn = read(stream.read())
    said = stream.manifest
    assert digest(turn.text) == said["text_sha256"]
    assert len(turn.thinking) == said.get("thinking_chars", 0)
    assert turn.stop_reason == said["stop_reason"]
    assert [(call.id, call.name, digest(call.buffer.text)) for call in turn.calls] == [
        (call["id"], call["name"], call["raw_sha256"]) for call in said["calls"]
    ]
    assert [call.choice for call in turn.calls] == [call.get("choice", 0) for call in said["calls"]]
    assert bool(turn.error) == bool(said.get("error"))


@needs_shared
@pytest.mark.parametrize("stream", STREAMS, ids=by_id)
def test_recorded_stream_alarms_nobody_without_a_reason(stream: RecordedStream) -> None:
    turn = read(stream.read())
    alarming = {finding.code for finding in turn.findings if finding.severity != "note"}
    reasons = {"chat.finish-missing", "chat.cut", "chat.after-finish", "chat.calls-missing"}
    assert alarming <= reasons
    if stream.manifest["complete"] and "call-delta-after-finish" not in stream.manifest["features"]:
        assert not alarming


@needs_shared
@pytest.mark.parametrize("case", CASES, ids=by_id)
def test_wire_case_ends_as_a_correct_client_ends(case: WireCase) -> None:
    expected = case.spec["expect"]
    turn = read(case.read())
    assert turn.text in [expected["text"], *expected.get("accept_texts", [])]
    assert turn.thinking == expected.get("thinking", turn.thinking)
    assert turn.stop_reason in [expected["stop_reason"], *expected.get("accept_stop_reasons", [])]
    assert turn.outcome in [expected["outcome"], *expected.get("accept_outcomes", [])]
    assert [(c.id, c.name, c.buffer.text) for c in turn.calls] == [
        (c["id"], c["name"], c["raw"]) for c in expected["calls"]
    ]
    for call, wanted in zip(turn.calls, expected["calls"], strict=True):
        assert call.state.value in [wanted["state"], *wanted.get("accept_states", [])]
    runs = {call.raw: call.arguments for call in turn.final_calls}
    for wanted in expected["calls"]:
        if wanted["raw"] in runs and wanted["state"] == "final":
            assert runs[wanted["raw"]] == wanted["arguments"]


@needs_shared
@pytest.mark.parametrize("case", CASES, ids=by_id)
def test_wire_case_is_the_same_byte_by_byte(case: WireCase) -> None:
    whole, pieces = read(case.read()), in_pieces(every_byte(case.read()))
    assert pieces.message() == whole.message()
    assert pieces.findings == whole.findings


@needs_shared
@pytest.mark.parametrize(
    "path",
    sorted((STREAMS[0].path.parents[2] / "streams-local").glob("*chat*.sse")) if STREAMS else [],
    ids=lambda path: path.stem,
)
def test_stream_of_a_local_server_gives_what_a_plain_join_of_its_deltas_gives(path: Path) -> None:
    data = path.read_bytes()
    text, arguments, reason = plain_join(data)
    turn = read(data)
    assert turn.text == text
    assert [call.buffer.text for call in turn.calls] == list(arguments.values())
    assert turn.stop_reason == reason
    assert bool(turn.final_calls) <= (reason in ("stop", "tool_calls"))
    if turn.outcome == "complete":
        assert not [finding for finding in turn.findings if finding.severity != "note"]


def plain_join(data: bytes) -> tuple[str, dict[int, str], str | None]:
    """Content, arguments by index, and finish reason, as a client without rules would join them."""
    text, reason = "", None
    arguments: dict[int, str] = {}
    for line in data.decode().splitlines():
        try:
            choices = json.loads(line.removeprefix("data:")).get("choices", [])
        except ValueError:
            continue
        for choice in choices if line.startswith("data:") else []:
            text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", []):
                piece = call["function"].get("arguments", "")
                arguments[call["index"]] = arguments.get(call["index"], "") + piece
            reason = choice.get("finish_reason") or reason
    return text, arguments, reason


# Damage -----------------------------------------------------------------------------------------

OSLO = '{"city":"Oslo"}'
BONN = '{"city":"Bonn"}'
BLOCKS = [
    block + b"\n\n"
    for block in body(
        chunk({"role": "assistant", "content": "Hi"}),
        chunk({"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
        tool(entry(0, "a", "f", "")),
        tool(entry(0, arguments='{"city":')),
        tool(entry(1, "b", "g", "")),
        tool(entry(1, arguments=BONN), entry(0, arguments='"Oslo"}')),
        tool(entry(name="h", arguments="{}")),
        tool(entry(id="z", arguments=" ")),
        chunk({"function_call": {"name": "f", "arguments": OSLO}}, choice=1),
        '{"choices":[],"usage":{"prompt_tokens":1}}',
    ).split(b"\n\n")[:-1]
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "choices", "delta", "message", "content", "tool_calls", "function", "arguments",
                "name", "id", "index", "finish_reason", "error", "usage", "type", "reasoning",
                "reasoning_details", "function_call", "custom", "input", "refusal", "text",
            ]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip


@given(st.lists(st.integers(0, len(BLOCKS) - 1), max_size=30), st.integers(0, 200))
def test_dropped_repeated_and_reordered_events_never_raise_nor_run_what_is_not_whole(
    order: list[int], cut: int
) -> None:
    data = b"".join(BLOCKS[position] for position in order)
    turn = read(data[: max(0, len(data) - cut)])
    for call in turn.final_calls:
        assert call.raw.strip() in (OSLO, BONN, "{}", "")


@given(st.permutations(BLOCKS), st.data())
def test_truncated_event_in_the_middle_never_raises(
    blocks: list[bytes], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(blocks) - 1))
    keep = data.draw(st.integers(0, len(blocks[place])))
    blocks = [*blocks[:place], blocks[place][:keep], *blocks[place + 1 :]]
    read(b"".join(blocks))


@given(st.lists(JSON, max_size=4))
def test_any_json_in_any_place_never_raises(values: list[Any]) -> None:
    payloads = [wirejson.dumps(value) for value in values]
    read(
        body(*payloads, tool(*values), chunk(*values[:1]), *[chunk({"content": v}) for v in values])
    )


def test_calls_of_the_undamaged_stream_run() -> None:
    turn = read(b"".join(BLOCKS))
    assert [call[:3] for call in calls(turn)][:2] == [("a", "f", OSLO), ("b", "g", BONN)]
    assert "chat.index-missing" in codes(turn)
    assert decoded(b"".join(BLOCKS))
