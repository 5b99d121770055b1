"""Exports hold what was stored, and what is imported opens and looks the same."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests import wire
from tests.session.portable.conversations import CALLS, HOSTILE, make
from tui.core.errors import UsageError
from tui.core.states import CallState
from tui.recording.format import Recording
from tui.session.portable import as_html, as_json, as_markdown, foreign, redact
from tui.session.portable.importing import store_recordings, store_whole
from tui.session.portable.rebuilt import turn_of
from tui.session.portable.whole import Whole, gather, recording_of
from tui.session.resume import read_again, resume
from tui.store import Store


@pytest.fixture
async def whole() -> AsyncIterator[Whole]:
    store, conversation = await make(None)
    with store:
        yield gather(store, conversation)


def test_json_out_and_in_again_gives_equal_messages_states_results_and_bytes(whole: Whole) -> None:
    text = as_json.write(whole)
    assert text.isascii()
    with Store.memory() as store:
        id = store_whole(store, as_json.read(json.loads(text)))
        again = gather(store, id)
        assert [m for _, m in again.path()] == [m for _, m in whole.path()]
        assert (again.states, again.answers) == (whole.states, whole.answers)
        assert set(whole.states.values()) == {
            CallState.RETURNED,
            CallState.INVALID,
            CallState.INCOMPLETE,
        }
        assert [chunks for _, chunks in again.exchanges] == [c for _, c in whole.exchanges]
        assert [e.request_body for e, _ in again.exchanges] == [
            e.request_body for e, _ in whole.exchanges
        ]
        resumed = resume(store, id)
        assert [m for _, m in whole.path()] == list(resumed.messages)
        assert resumed.pending is None
        for number, (exchange, _) in enumerate(again.exchanges, start=1):
            reader, _ = read_again(store, exchange, number)
            assert reader.turn.message().parts
        assert store.check() == []


def test_an_export_of_what_was_imported_says_the_same_again(whole: Whole) -> None:
    text = as_json.write(whole)
    with Store.memory(clock=lambda: 1e9) as store:
        again = as_json.write(gather(store, store_whole(store, as_json.read(json.loads(text)))))
    assert json.loads(text)["dispatches"]
    assert numbered(text) == numbered(again)


def numbered(text: str) -> dict[str, object]:
    """The document with a number for each id, and without the time of its last change."""
    plain = json.loads(text)
    ids = [each["id"] for each in (*plain["messages"], *plain["exchanges"])]
    for number, id in enumerate(ids):
        text = text.replace(f'"{id}"', f'"id {number}"')
    return {key: value for key, value in json.loads(text).items() if key != "updated"}


def test_a_call_that_ran_elsewhere_when_exported_is_unknown_here(whole: Whole) -> None:
    running = replace(
        whole,
        calls=tuple(replace(call, state=CallState.RUNNING) for call in whole.calls[:1]),
        results={},
    )
    with Store.memory() as store:
        id = store_whole(store, as_json.read(json.loads(as_json.write(running))))
        assert store.calls(id)[0].state is CallState.UNKNOWN
        assert store.results(id) == {}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"verbatim_conversation": 2}, "newer"),
        ({"head": "nothing"}, "docs/"),
        ({"messages": [{"id": "m"}]}, "docs/"),
        ({"exchanges": 3}, "docs/"),
        ({"title": None}, "docs/"),
    ],
)
def test_json_that_is_not_ours_is_refused_in_words(
    whole: Whole, change: dict[str, object], word: str
) -> None:
    with pytest.raises(UsageError) as caught:
        as_json.read({**json.loads(as_json.write(whole)), **change})
    assert word in caught.value.hint


def test_no_text_breaks_out_of_its_fence(whole: Whole) -> None:
    text = as_markdown.write(whole)
    (start,) = [i for i, line in enumerate(text.split("\n")) if line.startswith("result </pre>")]
    lines = text.split("\n")
    fence = lines[start - 1]
    assert fence == "`````"
    assert fence in lines[start + 1 :]
    assert HOSTILE.split("\n")[1] in lines[start + 1 : lines.index(fence, start)]


def test_the_page_loads_nothing_runs_nothing_and_holds_every_text(whole: Whole) -> None:
    page = as_html.write(whole)
    seen: list[tuple[str, dict[str, str | None]]] = []
    texts: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append((tag, dict(attrs)))

        def handle_data(self, data: str) -> None:
            texts.append(data)

    Reader().feed(page)
    tags = {tag for tag, _ in seen}
    assert not tags & {"script", "img", "link", "iframe", "object", "a", "form", "base"}
    assert not any(
        name in attrs for _, attrs in seen for name in ("src", "href", "onclick", "style")
    )
    (policy,) = [a["content"] for _, a in seen if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    shown = "".join(texts)
    assert "<script>alert(1)</script>" in shown
    assert '{"id": "A\\ud83d", "n": 1.0}' in shown
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\\u202e" in page


def test_redaction_leaves_no_trace_and_says_what_it_took() -> None:
    text = (
        "mail ann.b@example.co.uk, key sk-ant-REDACTED, "
        "https://user:pass@host/x, /home/ann/notes and C:\\Users\\ann\\x, Bearer abcdefghijklmnop"
    )
    redact_it = redact.Redactor()
    found = redact_it.text(text)
    for secret in ("ann", "sk-ant", "pass@", "abcdefghijklmnop"):
        assert secret not in found
    assert "https://***user and password of a URL***@host/x" in found
    assert "/notes" in found
    assert len(redact_it.notes) == 6


async def test_a_redacted_conversation_holds_nothing_and_still_opens() -> None:
    store, conversation = await make(None, prompt="I am ann@example.com in /home/ann/x")
    with store:
        whole = redact.redacted(gather(store, conversation))
    assert any("email address 'ann@…' replaced" in note for note in whole.redacted)
    for text in (as_json.write(whole), as_markdown.write(whole), as_html.write(whole)):
        assert "ann@example" not in text
        assert "/home/ann" not in text
    with Store.memory() as other:
        id = store_whole(other, as_json.read(json.loads(as_json.write(whole))))
        assert [m for _, m in gather(other, id).path()] == [m for _, m in whole.path()]
        message = resume(other, id).messages[1]
        rebuilt = turn_of(message).message()  # type: ignore[arg-type]
        assert rebuilt.text == "Let me look."
        assert [call.name for call in rebuilt.calls] == ["look", "look"]


def test_a_recording_whose_secret_is_cut_into_fragments_is_not_passed_as_redacted() -> None:
    whole_address = wire.prose_turn("mail ann@example.com")
    made, notes = redact.redacted_recording(Recording(whole_address, dialect="anthropic"))
    assert b"ann@" not in made.body
    assert notes[0].startswith("email address")
    cut = wire.start() + wire.text(0, "mail ann@exam", "ple.com") + wire.ended("end_turn")
    with pytest.raises(UsageError, match="fragments: email address"):
        redact.redacted_recording(Recording(cut, dialect="anthropic"))


def test_recordings_become_a_conversation_with_their_turns_and_results(whole: Whole) -> None:
    recordings = [recording_of(whole, number) for number in (1, 2, 3)]
    with Store.memory() as store:
        id = store_recordings(store, recordings, "three turns")
        again = gather(store, id)
        assert again.conversation.title == "three turns"
        mine, theirs = (
            [m.text for _, m in each.path() if hasattr(m, "text")] for each in (again, whole)
        )
        assert mine == theirs
        assert [call.raw for call in again.calls] == [call.raw for call in whole.calls]
        assert again.answers["t1.c1"].text == whole.answers["t1.c1"].text
        assert [c for _, c in again.exchanges] == [c for _, c in whole.exchanges]


def har(*entries: dict[str, object]) -> dict[str, object]:
    return {"log": {"version": "1.2", "entries": list(entries)}}


def test_event_streams_of_an_http_archive_are_taken_and_the_rest_left() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "What is there?"}]}
    entry = {
        "startedDateTime": "2026-01-01T00:00:00Z",
        "request": {
            "url": "https://api.example.com/v1/messages",
            "headers": [{"name": "X-Api-Key", "value": "sk-SECRET"}],
            "postData": {"text": json.dumps(body)},
        },
        "response": {
            "status": 200,
            "headers": [
                {"name": "Content-Type", "value": "text/event-stream"},
                {"name": "Content-Encoding", "value": "gzip"},
            ],
            "content": {"mimeType": "text/event-stream; charset=utf-8", "text": CALLS.decode()},
        },
    }
    page = {"request": {}, "response": {"content": {"mimeType": "text/html"}}}
    (recording,) = foreign.from_har(har(entry, page))  # type: ignore[arg-type]
    assert recording.request_headers == (("X-Api-Key", "***"),)
    assert recording.head is not None
    assert recording.head.header("content-encoding") is None
    with Store.memory() as store:
        id = store_recordings(store, [recording])
        path = gather(store, id).path()
        assert [getattr(m, "text", None) for _, m in path][1] == "Let me look."
        assert store.conversation(id).title == "What is there?"
        assert [call.state for call in store.calls(id)] == [CallState.FINAL, CallState.FINAL]
    with pytest.raises(UsageError, match="no HTTP archive"):
        foreign.from_har({"log": {"entries": [{}]}})


def test_a_cassette_gives_its_event_streams() -> None:
    interaction = {
        "request": {
            "uri": "https://x/v1",
            "body": "{}",
            "headers": {"authorization": ["Bearer S"]},
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["text/event-stream"]},
            "body": {"string": CALLS.decode()},
        },
    }
    (recording,) = foreign.from_cassette({"interactions": [interaction], "version": 1})
    assert (recording.body, recording.dialect) == (CALLS, "anthropic")
    assert recording.request_headers == (("authorization", "***"),)
    with pytest.raises(UsageError, match="no cassette"):
        foreign.from_cassette({"interactions": [{"request": {}}]})


STREAM = wire.prose_turn("caf\u00e9")


def cassette(body: object, coding: str = "") -> dict[str, object]:
    headers = {"Content-Type": ["text/event-stream"]}
    if coding:
        headers["Content-Encoding"] = [coding]
    interaction = {
        "request": {"method": "POST", "uri": "https://api.example/v1/messages", "body": None},
        "response": {"status": {"code": 200}, "headers": headers, "body": body},
    }
    return {"interactions": [interaction], "version": 1}


@pytest.mark.parametrize(
    "body",
    [
        {"string": STREAM.decode()},
        {"string": STREAM},
        {"base64_string": base64.b64encode(STREAM).decode()},
    ],
    ids=["text", "bytes", "base64"],
)
@pytest.mark.parametrize("coding", ["", "gzip", "br"])
def test_a_cassette_whose_body_was_kept_decoded_is_read_as_it_is(body: object, coding: str) -> None:
    (recording,) = foreign.from_cassette(cassette(body, coding))
    assert recording.body == STREAM


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(STREAM)),
        ("deflate", zlib.compress(STREAM)),
        ("deflate", zlib.compress(STREAM, wbits=-15)),
        ("gzip", gzip.compress(STREAM) + b"behind"),
    ],
    ids=["gzip", "deflate", "raw deflate", "bytes behind the end"],
)
def test_a_cassette_that_kept_what_came_packed_is_unpacked(coding: str, packed: bytes) -> None:
    body = {"base64_string": base64.b64encode(packed).decode()}
    (recording,) = foreign.from_cassette(cassette(body, coding))
    assert recording.body == STREAM
    assert recording.head is not None
    assert "content-encoding" not in dict(recording.head.headers)


def test_what_cannot_be_unpacked_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="packed with br"):
        foreign.from_cassette(cassette({"string": b"\x8b\x03\x80"}, "br"))
    with pytest.raises(UsageError, match="cannot be unpacked"):
        foreign.from_cassette(cassette({"string": b"\x1f\x8bgarbage"}, "gzip"))


def test_an_archive_without_the_bodies_is_told_from_one_without_streams() -> None:
    entry = {
        "request": {"url": "https://api.example/v1/messages"},
        "response": {"status": 200, "content": {"mimeType": "text/event-stream", "size": 9}},
    }
    with pytest.raises(UsageError, match="does not hold their bodies"):
        foreign.from_har({"log": {"entries": [entry]}})
    assert foreign.from_har({"log": {"entries": []}}) == []
