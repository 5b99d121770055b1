"""SSE decoder: literal bytes in, whole values compared, and cuts that must not matter."""

from __future__ import annotations

import codecs
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.feeding import (
    chunkings,
    cut_at,
    every_byte,
    fixed,
    random_splits,
    two_way_splits,
    whole,
)
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tui.core.errors import ProtocolViolation
from tui.core.sse import Comment, SSEDecoder, SSEEvent, SSEItem, UnfinishedEvent

Decoded = tuple[list[SSEItem], UnfinishedEvent | None]


def decode(chunks: list[bytes]) -> Decoded:
    decoder = SSEDecoder()
    items = [item for chunk in chunks for item in decoder.feed(chunk)]
    assert decoder.offset == sum(map(len, chunks))
    return items, decoder.close()


def event(
    data: str,
    start: int,
    end: int,
    *,
    data_start: int,
    type: str = "",
    id: str | None = None,
    retry: int | None = None,
    replaced: bool = False,
) -> SSEEvent:
    return SSEEvent(type, data, start, end, id, retry, replaced, data_start)


def unfinished(
    data: str,
    start: int,
    end: int,
    *,
    partial_line: bool,
    type: str = "",
    replaced: bool = False,
) -> UnfinishedEvent:
    return UnfinishedEvent(type, data, start, end, replaced, partial_line)


# One body for each oddity of the grammar. Every one of them is also cut everywhere, below.
BODIES: dict[str, tuple[bytes, Decoded]] = {
    "an empty body is nothing": (b"", ([], None)),
    "an event with a type": (
        b"event: ping\ndata: {}\n\n",
        ([event("{}", 0, 22, type="ping", data_start=18)], None),
    ),
    "the order of the fields does not matter": (
        b"data: {}\nevent: ping\n\n",
        ([event("{}", 0, 22, type="ping", data_start=6)], None),
    ),
    "the last type of a block counts and does not outlive it": (
        b"event: a\nevent: b\ndata: 1\n\ndata: 2\n\n",
        (
            [
                event("1", 0, 27, type="b", data_start=24),
                event("2", 27, 36, data_start=33),
            ],
            None,
        ),
    ),
    "data lines are joined with LF": (
        b"data: a\ndata: b\ndata: c\n\n",
        ([event("a\nb\nc", 0, 25, data_start=6)], None),
    ),
    "a space after the colon may be missing": (
        b"event:x\ndata:a\n\n",
        ([event("a", 0, 16, type="x", data_start=13)], None),
    ),
    "only one space is stripped and a tab is not": (
        b"data:  a\ndata:\tb\ndata: c \n\n",
        ([event(" a\n\tb\nc ", 0, 27, data_start=6)], None),
    ),
    "colons after the first are data": (
        b"data: a: b:c\n\n",
        ([event("a: b:c", 0, 14, data_start=6)], None),
    ),
    "CR ends lines": (
        b"event: x\rdata: a\r\rdata: b\r\r",
        (
            [
                event("a", 0, 18, type="x", data_start=15),
                event("b", 18, 27, data_start=24),
            ],
            None,
        ),
    ),
    "CRLF ends lines and the event ends at the CR": (
        b"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n",
        (
            [
                event("a", 0, 20, type="x", data_start=16),
                event("b", 21, 31, data_start=27),
            ],
            None,
        ),
    ),
    "line ends of all three kinds in one body": (
        b"data: a\ndata: b\r\ndata: c\rdata: d\n\rdata: e\r\n\n: f\r\n\n",
        (
            [
                event("a\nb\nc\nd", 0, 34, data_start=6),
                event("e", 34, 44, data_start=40),
                Comment("f", 44, 48),
            ],
            None,
        ),
    ),
    "a CR then CRLF are two line ends": (
        b"data: a\r\r\ndata: b\r\n\n",
        (
            [event("a", 0, 9, data_start=6), event("b", 10, 20, data_start=16)],
            None,
        ),
    ),
    "separators that other line splitters know are data": (
        "data: a\u2028b\u2029c\u0085d\v\f\x1c\x1d\x1ee\n\n".encode(),
        (
            [event("a\u2028b\u2029c\u0085d\v\f\x1c\x1d\x1ee", 0, 26, data_start=6)],
            None,
        ),
    ),
    "one byte order mark at the start is dropped": (
        codecs.BOM_UTF8 + b"data: a\n\n",
        ([event("a", 3, 12, data_start=9)], None),
    ),
    "a second byte order mark belongs to the field name": (
        codecs.BOM_UTF8 * 2 + b"data: a\ndata: b\n\n",
        ([event("b", 3, 23, data_start=20)], None),
    ),
    "a byte order mark later on is data": (
        b"\ndata: \xef\xbb\xbfa\n\n\xef\xbb\xbfdata: b\n\n",
        ([event("\ufeffa", 1, 13, data_start=7)], None),
    ),
    "a byte order mark before a blank line": (
        codecs.BOM_UTF8 + b"\ndata: a\n\n",
        ([event("a", 4, 13, data_start=10)], None),
    ),
    "a byte order mark alone is an empty body": (codecs.BOM_UTF8, ([], None)),
    "a byte order mark before a comment": (
        codecs.BOM_UTF8 + b": hi\n",
        ([Comment("hi", 3, 8)], None),
    ),
    "comments are given with their text": (
        b": OPENROUTER PROCESSING\n\n:\n:x\n:  y: z\n",
        (
            [
                Comment("OPENROUTER PROCESSING", 0, 24),
                Comment("", 25, 27),
                Comment("x", 27, 30),
                Comment(" y: z", 30, 38),
            ],
            None,
        ),
    ),
    "a comment before the first field is outside of the event": (
        b": k\ndata: a\n\n",
        ([Comment("k", 0, 4), event("a", 4, 13, data_start=10)], None),
    ),
    "a comment inside a block does not disturb it": (
        b"data: a\n: k\ndata: b\n\n",
        ([Comment("k", 8, 12), event("a\nb", 0, 21, data_start=6)], None),
    ),
    "a comment of broken UTF-8": (b": \xff\n", ([Comment("\ufffd", 0, 4)], None)),
    "blank lines between events are nothing": (
        b"\n\n\ndata: a\n\n\n\ndata: b\n\n",
        (
            [event("a", 3, 12, data_start=9), event("b", 14, 23, data_start=20)],
            None,
        ),
    ),
    "unknown fields are ignored but open the block": (
        b"foo: 1\ndata: a\nDATA: b\n data: c\ndata : d\n\n",
        ([event("a", 0, 42, data_start=13)], None),
    ),
    "a line without a colon is a field with an empty value": (
        b"data\n\ndata\ndata\n\nevent: x\nevent\nfoo\ndata: a\n\n",
        (
            [
                event("", 0, 6, data_start=4),
                event("\n", 6, 17, data_start=10),
                event("a", 17, 45, data_start=42),
            ],
            None,
        ),
    ),
    "a data line with an empty value is an event": (
        b"data:\n\ndata: \n\n",
        ([event("", 0, 7, data_start=5), event("", 7, 15, data_start=13)], None),
    ),
    "a block without a data line is not an event": (
        b"event: x\n\nid: 1\n\nretry: 5\n\ndata: a\n\n",
        ([event("a", 27, 36, data_start=33)], None),
    ),
    "id and retry belong to their own block": (
        b"id: 1\nid: 2\nretry: 10\nretry: 3000\ndata: a\n\nid\ndata: b\n\ndata: c\n\n",
        (
            [
                event("a", 0, 43, id="2", retry=3000, data_start=40),
                event("b", 43, 55, id="", data_start=52),
                event("c", 55, 64, data_start=61),
            ],
            None,
        ),
    ),
    "an id with a NUL is ignored": (
        b"id: 1\nid: 2\x003\ndata: a\n\n",
        ([event("a", 0, 23, id="1", data_start=20)], None),
    ),
    "a retry that is not ASCII digits is ignored": (
        "retry: 7\nretry: -1\nretry: 1.5\nretry:  2\nretry: ٣\nretry\ndata: a\n\n".encode(),
        ([event("a", 0, 65, retry=7, data_start=62)], None),
    ),
    "a retry of thousands of digits is ignored": (
        b"retry: " + b"9" * 5000 + b"\ndata: a\n\n",
        ([event("a", 0, 5017, data_start=5014)], None),
    ),
    "characters of two three and four bytes": (
        "data: é北😀\n\n".encode(),
        ([event("é北😀", 0, 17, data_start=6)], None),
    ),
    "bytes that are not UTF-8 are replaced and that is said": (
        b"data: a\xffb\n\ndata: c\n\n",
        (
            [
                event("a\ufffdb", 0, 11, replaced=True, data_start=6),
                event("c", 11, 20, data_start=17),
            ],
            None,
        ),
    ),
    "a character broken by a line end is replaced on both lines": (
        b"data: \xe5\x8c\ndata: \x97\n\n",
        ([event("\ufffd\n\ufffd", 0, 18, replaced=True, data_start=6)], None),
    ),
    "broken bytes anywhere in the block are said": (
        b"\xff\ndata: a\n\ndata: b\n: \xff\n\ndata: c\nx: \xff\n\n: \xff\ndata: d\n\n",
        (
            [
                event("a", 0, 11, replaced=True, data_start=8),
                Comment("\ufffd", 19, 23),
                event("b", 11, 24, replaced=True, data_start=17),
                event("c", 24, 38, replaced=True, data_start=30),
                Comment("\ufffd", 38, 42),
                event("d", 42, 51, data_start=48),
            ],
            None,
        ),
    ),
    "NUL is data": (b"data: \0\n\n", ([event("\0", 0, 9, data_start=6)], None)),
    "the body ends without the blank line": (
        b"data: a\n\nevent: x\ndata: b\n",
        (
            [event("a", 0, 9, data_start=6)],
            unfinished("b", 9, 26, type="x", partial_line=False),
        ),
    ),
    "the body ends without the blank line after CRLF": (
        b"data: b\r\n",
        ([], unfinished("b", 0, 9, partial_line=False)),
    ),
    "the body ends without a line end": (
        b"data: [DONE]",
        ([], unfinished("[DONE]", 0, 12, partial_line=True)),
    ),
    "the body ends inside a later data line": (
        b"event: x\ndata: a\ndata: b",
        ([], unfinished("a\nb", 0, 24, type="x", partial_line=True)),
    ),
    "the body ends inside a character": (
        b"data: a\xe5\x8c",
        ([], unfinished("a\ufffd", 0, 9, replaced=True, partial_line=True)),
    ),
    "the body ends inside a field name": (
        b"\ndat",
        ([], unfinished("", 1, 4, partial_line=True)),
    ),
    "the body ends inside the byte order mark": (
        b"\xef\xbb",
        ([], unfinished("", 0, 2, replaced=True, partial_line=True)),
    ),
    "the body ends inside the first line after the byte order mark": (
        codecs.BOM_UTF8 + b"event: x",
        ([], unfinished("", 3, 11, type="x", partial_line=True)),
    ),
    "the body ends inside a comment between events": (b"data: a\n\n: k", ([event("a", 0, 9, data_start=6)], None)),
    "the body ends inside a comment of a block": (
        b"data: a\n: \xff",
        ([], unfinished("a", 0, 11, replaced=True, partial_line=True)),
    ),
    "the body ends after fields without data": (
        b"event: x\nid: 1\n: k\n",
        ([Comment("k", 15, 19)], None),
    ),
    "the body ends after an empty data line": (
        b"data:\n",
        ([], unfinished("", 0, 6, partial_line=False)),
    ),
    "what is not an event stream at all": (
        b'{"error": {"message": "no"}}',
        ([], unfinished("", 0, 28, partial_line=True)),
    ),
}  # fmt: skip

bodies = pytest.mark.parametrize(("body", "expected"), BODIES.values(), ids=BODIES.keys())


@bodies
def test_grammar(body: bytes, expected: Decoded) -> None:
    assert decode(whole(body)) == expected


@bodies
def test_grammar_cut_everywhere(body: bytes, expected: Decoded) -> None:
    assert decode(every_byte(body)) == expected
    for chunks in two_way_splits(body, limit=200):
        assert decode(chunks) == expected, chunks


@given(st.data())
def test_grammar_in_any_chunks(data: st.DataObject) -> None:
    body, expected = data.draw(st.sampled_from(list(BODIES.values())))
    assert decode(data.draw(chunkings(body))) == expected


# Bytes that the grammar looks at, so that random bodies are made of oddities.
_marks = (b"\n", b"\r", b"\r\n", b":", b" ", b"\0", b"\xef", b"\xbb", b"\xbf", b"\xff")
_words = (b"data", b"data: ", b"event:", b"id: ", b"retry: 1", b"x", codecs.BOM_UTF8)
_letters = ("北".encode(), "\u2028".encode())
_scraps = st.sampled_from([*_marks, *_words, *_letters])
odd_bodies = st.lists(_scraps, max_size=24).map(b"".join)


@given(st.data(), odd_bodies)
def test_odd_bodies_decode_alike_however_they_are_cut(data: st.DataObject, body: bytes) -> None:
    expected = decode(whole(body))
    assert decode(every_byte(body)) == expected
    assert decode(data.draw(chunkings(body))) == expected


@given(odd_bodies)
@example(b"\xef\xbb\xbfdata: a\r\n\r\n")
@example(b"\n\xef\xbb\xbfdata: a\ndata: b\n\n")
def test_span_of_an_event_decodes_to_that_event_alone(body: bytes) -> None:
    for item in decode(whole(body))[0]:
        # The LF in front keeps a byte order mark in the middle of the body one in the middle.
        span = b"\n" + body[item.start : item.end]
        shift = 1 - item.start
        alone = [other for other in decode([span])[0] if type(other) is type(item)]
        moved = replace(item, start=1, end=item.end + shift)
        if isinstance(moved, SSEEvent):
            moved = replace(moved, data_start=moved.data_start + shift)
            assert moved.replaced == (span.decode(errors="replace").encode() != span)
        assert alone == [moved]


def whatwg(body: bytes) -> list[tuple[str, str]]:
    """Types and data by the letter of WHATWG 9.2.6: whole text, one character at a time."""
    text = body.decode(errors="replace").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    events = []
    type_buffer = data_buffer = ""
    for line in text.split("\n")[:-1]:
        if not line:
            if data_buffer:
                events.append((type_buffer, data_buffer.removesuffix("\n")))
            type_buffer = data_buffer = ""
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                type_buffer = value
            elif name == "data":
                data_buffer += value + "\n"
    return events


@given(odd_bodies)
def test_events_are_those_of_the_specification(body: bytes) -> None:
    found = [
        (item.type, item.data) for item in decode(whole(body))[0] if isinstance(item, SSEEvent)
    ]
    assert found == whatwg(body)


def test_event_is_given_by_the_read_that_closes_it() -> None:
    decoder = SSEDecoder()
    assert decoder.feed(b"data: a\r\n") == []
    assert decoder.feed(b"\r") == [event("a", 0, 10, data_start=6)]
    assert decoder.feed(b"\ndata: b\n") == []
    assert decoder.feed(b"\n") == [event("b", 11, 20, data_start=17)]
    assert decoder.offset == 20
    assert decoder.close() is None


def test_feeding_after_the_end_is_refused() -> None:
    decoder = SSEDecoder()
    decoder.close()
    with pytest.raises(ProtocolViolation, match=r"after close\(\)"):
        decoder.feed(b"data: a\n\n")


def test_long_line_in_small_reads() -> None:
    value = "x" * 300_000
    body = b"data: " + value.encode() + b"\n\n"
    expected: Decoded = ([event(value, 0, len(body), data_start=6)], None)
    assert decode(fixed(body, 1024)) == expected
    assert decode(every_byte(body)) == expected


def assert_cuts_do_not_matter(body: bytes) -> Decoded:
    expected = decode(whole(body))
    assert decode(every_byte(body[:20_000])) == decode(whole(body[:20_000]))
    assert decode(fixed(body, 61)) == expected
    assert decode(random_splits(body, seed=len(body))) == expected
    for chunks in two_way_splits(body, limit=max(4, 200_000 // len(body))):
        assert decode(chunks) == expected
    return expected


@needs_shared
@pytest.mark.parametrize("stream", streams(), ids=by_id)
def test_recorded_stream_decodes_alike_however_it_is_cut(stream: RecordedStream) -> None:
    items, end = assert_cuts_do_not_matter(stream.read())
    events = [item for item in items if isinstance(item, SSEEvent)]
    # The manifest counts a last block that lost its blank line when the file was saved.
    assert len(events) + (end is not None) == stream.manifest["events"]
    assert not any(item.replaced for item in events)


@needs_shared
@pytest.mark.parametrize("case", cases(), ids=by_id)
def test_wire_case_decodes_alike_however_it_is_cut(case: WireCase) -> None:
    body = case.read()
    expected = assert_cuts_do_not_matter(body)
    assert decode(cut_at(body, *case.spec.get("chunks", []))) == expected
