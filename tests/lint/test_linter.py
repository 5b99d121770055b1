"""Each kind of fault is named by a finding of its own, at its place, and ordinary streams are not."""

from __future__ import annotations

import pytest

from tests.lint.streams import call, chat, codes, entry, reading, say
from tests.shared import WireCase, by_id, cases, needs_shared, streams
from tests.verdicts import case_verdict, verdict
from tui.core.source import ResponseHead
from tui.lint.linter import all_findings, lint

FAULTS = {
    '{"a":1,"a":2}': "args.duplicate-keys",
    '{"a":{"b":1},"c":[{"b":1},{"b":2}],"a":3}': "args.duplicate-keys",
    '{"a":1} and more': "args.trailing-text",
    '{"a":1}<|im_end|>': "args.special-token",
    '{"a":1}{"a":1}': "args.repeated",
    '{"a":1}{"b":2}': "args.two-objects",
    "[1]": "args.not-an-object",
    "null": "args.not-an-object",
    '"{\\"a\\":1}"': "args.double-encoded",
    '{"a":"\\d"}': "args.invalid-escape",
    '{"a":"\\u12"}': "args.invalid-escape",
    '{"a":"x\ny"}': "args.control-character",
    '{"a":NaN}': "args.nan",
    '{"a":-Infinity}': "args.nan",
    '{"a":1,}': "args.trailing-comma",
    "{'a':1}": "args.not-json-syntax",
    '{"a":True}': "args.not-json-syntax",
    '{a:1}': "args.not-json-syntax",
    '{"a":1 "b":2}': "args.invalid-json",
    '{"a":"x': "args.unfinished",
    '{"a":': "args.unfinished",
    'a":1}': "args.first-fragment-missing",
    '```json\n{"a":1}\n```': "args.fenced",
    "<a>1</a>": "args.markup",
    "call it": "args.not-json",
    '{"a":' + "[" * 600 + "]" * 600 + "}": "args.too-deep",
    '{"a":1e999}': "args.number-too-large",
}  # fmt: skip


@pytest.mark.parametrize(("text", "code"), FAULTS.items(), ids=lambda each: each[:24])
def test_what_breaks_arguments_has_a_name(text: str, code: str) -> None:
    body = call(text)
    (found,) = lint(reading(body))
    assert (found.code, found.severity) == (code, "error")


def test_a_fault_is_placed_at_the_event_that_brought_it() -> None:
    body = call('{"a":1', ',"b":2', ',"a":3}')
    (found,) = lint(reading(body))
    assert found.code == "args.duplicate-keys"
    assert body[found.offset :].startswith(b"data: ")
    assert b'\\"a\\":3' in body[found.offset :].split(b"\n\n")[0]


ODD = {
    ('{"n":9007199254740993}',): "args.big-integer",
    ('{"n":1.0}',): "args.number-respelling",
    ('{"n":-0}',): "args.number-respelling",
    ('{"n":1e2}',): "args.number-respelling",
    ('{"s":"\\ud83d"}',): "args.lone-surrogate",
    ('{"s":"\\ud83d', '\\ude00"}'): "args.surrogate-split",
    ('{"s":"\\u00', 'e9"}'): "args.escape-cut",
    ('{"s":"a\\', 'n"}'): "args.escape-cut",
    ('{"s":"a', ' b"}'): "args.edge-blanks",
    ('{"s":"\\u001b[2J"}',): "args.terminal-escapes",
    ('{"s":"\u202e"}',): "args.bidi-controls",
    ('{"s":"\U000e0041"}',): "args.invisible-tags",
    ('{"s":"[1,2]"}',): "args.nested-json",
    ('{"s":1} \n',): "args.blanks-around",
    ('{"s":' + " " * 300 + "1}",): "args.blank-run",
    ("",): "args.empty",
    (" \n",): "args.blank-only",
}  # fmt: skip


@pytest.mark.parametrize(("fragments", "code"), ODD.items(), ids=lambda each: str(each)[:24])
def test_what_others_lose_of_good_arguments_has_a_name(
    fragments: tuple[str, ...], code: str
) -> None:
    one = reading(call(*fragments))
    assert [str(each.state) for each in one.turn.calls] == ["final"]
    assert [found.code for found in lint(one)] == [code]


def test_plain_arguments_give_no_finding() -> None:
    text = '{"a":"b c","n":[1,-2,0.5],"s":"[not json","u":"\\u00e9\\ud83d\\ude00","m":{"a":1}}'
    assert codes(call(text)) == []


ENDINGS = [
    (call('{"a":1}', finish="length"), "turn.limit-in-call"),
    (call('{"a":1}', finish="content_filter"), "turn.filtered-in-call"),
    (call('{"a":1}', finish="odd"), "turn.unknown-ending"),
    (call('{"a":1}', finish="stop"), "turn.stop-with-calls"),
    (call('{"a":1}', finish="abort"), "turn.gave-up"),
    (call('{"a":1', finish=None, done=False), "turn.cut-in-call"),
    (chat({"content": "a"}, finish=None), "turn.no-ending"),
    (chat({"content": "a"}, finish="length"), "turn.limit"),
    (chat({}, finish="stop"), "turn.empty"),
    (call('{"a":1}') [:-40] + b'data: {"error":{"message":"no"}}\n\n', "turn.error-after-call"),
    (b'data: {"error":{"message":"no"}}\n\n', "turn.error-at-once"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code"), ENDINGS, ids=[code for _, code in ENDINGS])
def test_an_ending_that_keeps_calls_from_running_has_a_name(body: bytes, code: str) -> None:
    if code == "turn.error-after-call":
        body = call('{"a":1}', finish=None, done=False) + b'data: {"error":{"message":"no"}}\n\n'
    assert code in codes(body)


PROSE = {
    '<tool_call>\n{"name":"run"}': "text.tool-markup",
    '```json\n{"name": "run", "arguments": {}}\n```': "text.tool-markup",
    '{"name":"run","arguments":{}}': "text.tool-markup",
    "done<|im_end|>": "text.special-token",
    "<think>well</think>yes": "text.thinking-markup",
    "\x1b[2J": "text.terminal-escapes",
    "a\u202eb": "text.bidi-controls",
    "a\U000e0041": "text.invisible-tags",
    "caf\ufffd": "text.replacement-character",
}


@pytest.mark.parametrize(("text", "code"), PROSE.items())
def test_what_is_odd_in_prose_has_a_name(text: str, code: str) -> None:
    assert codes(say(text)) == [code]


@pytest.mark.parametrize(
    "text",
    ['Use `<b>` or {"name": 1}.', "```json\n{}\n```", "a <- b |> c", "Schrödinger’s 😀\n\t-"],
)
def test_ordinary_prose_gives_no_finding(text: str) -> None:
    assert codes(say(text)) == []


def test_a_pair_cut_between_two_texts_is_told_and_joined() -> None:
    one = reading(say("a\ud83d", "\ude00b"))
    assert one.turn.text == "a\U0001f600b"
    assert [found.code for found in lint(one)] == ["text.surrogate-split"]


GOOD = call('{"a":1}')
FRAMES = {
    "sse.bom": b"\xef\xbb\xbf" + GOOD,
    "sse.cr-only": GOOD.replace(b"\n", b"\r"),
    "sse.line-ends-mixed": GOOD.replace(b"\n\n", b"\r\n\r\n", 1),
    "sse.comment": b": wait\n\n" + GOOD,
    "sse.fields-without-data": b"event: ping\n\n" + GOOD,
    "sse.empty-data": b"data:\n\n" + GOOD,
    "sse.no-space-after-colon": GOOD.replace(b"data: ", b"data:"),
    "sse.unknown-field": b"oops: x\n" + GOOD,
    "sse.multi-line-data": GOOD.replace(b'"choices"', b'\ndata: "choices"', 1),
    "sse.done-unterminated": GOOD[:-2],
    "sse.long-line": call('{"a":"' + "x" * 70_000 + '"}'),
}


@pytest.mark.parametrize("code", FRAMES)
def test_what_is_odd_in_the_framing_has_a_name_and_changes_nothing(code: str) -> None:
    one = reading(FRAMES[code])
    assert [found.code for found in all_findings(one)] == [code]
    assert [str(each.state) for each in one.turn.calls] == ["final"]


def test_the_byte_that_is_no_utf8_is_named() -> None:
    body = say("ab").replace(b"ab", b"a\xffb")
    found = next(each for each in lint(reading(body)) if each.code == "sse.invalid-utf8")
    assert body[found.offset] == 0xFF


def test_a_separator_that_is_no_line_end_is_named_at_its_byte() -> None:
    body = b'data: {"choices":[{"delta":{"content":"a\xe2\x80\xa8b"},"index":0}]}\n\n'
    found = next(each for each in lint(reading(body)) if each.code == "sse.unicode-line-separators")
    assert body[found.offset :].startswith(b"\xe2\x80\xa8")


@pytest.mark.parametrize(
    ("status", "kind", "body", "code"),
    [
        (500, "text/plain", b"oh", "http.error-status"),
        (429, "text/event-stream", b"data: {}\n\n", "http.error-as-event-stream"),
        (200, "application/json", b"{}", "http.json-body"),
        (200, "text/html", b"<html>", "http.html-body"),
        (200, "text/plain", b"hello", "http.not-an-event-stream"),
        (200, "text/event-stream", b"", "http.empty-body"),
        (200, "text/plain", GOOD, "http.content-type-wrong"),
    ],
)
def test_what_is_wrong_with_the_response_has_a_name(
    status: int, kind: str, body: bytes, code: str
) -> None:
    head = ResponseHead(status, (("content-type", kind),))
    assert code in codes(body, head=head)


def test_calls_that_cannot_be_told_apart_are_named() -> None:
    body = chat(
        entry('{"a":1}', name="run", id="x"),
        entry('{"a":1}', name="run", id="x", index=1),
    )
    assert {"call.id-duplicated", "call.same-twice"} <= set(codes(body))


@needs_shared
@pytest.mark.parametrize("case", cases(), ids=by_id)
def test_every_wire_case_is_named(case: WireCase) -> None:
    assert case_verdict(case)["findings"]


@needs_shared
def test_recorded_streams_have_warnings_only_where_something_is_wrong() -> None:
    verdicts = {stream.id: verdict(stream.read(), stream.dialect) for stream in streams()}
    loud = {
        id: said
        for id, said in verdicts.items()
        if any(found["severity"] != "note" for found in said["findings"])
    }
    good = [
        id
        for id, said in loud.items()
        if said["outcome"] == "complete" and all(c["state"] == "final" for c in said["calls"])
    ]
    # Content after the finish reason (Together) is the one fault that a whole answer survives.
    assert [id.partition("--")[0] for id in good] == ["openai-chat/openllmetry-js"]
    assert len(loud) < 20
