"""What is odd about the event stream's lines and events, before anybody asks what they mean.

Reads the body line by line once more, apart from the decoder, because the decoder is right to
skip what this wants to see: comments, fields without data, bytes that are no text.
"""

from __future__ import annotations

import re
from typing import Final

from tui.core import wirejson
from tui.core.events import MalformedEvent
from tui.core.sse import Comment, SSEEvent, UnfinishedEvent
from tui.lint.notes import Notes
from tui.lint.reading import Reading

_BOM: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset({b"data", b"event", b"id", b"retry"})
_LONG_LINE: Final = 64 * 1024
"""Bytes: where asyncio's StreamReader.readline and Go's bufio.Scanner give up by default."""

_SEPARATORS: Final = re.compile("[\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e]")
_FIELD_INSIDE: Final = re.compile(r"(?:^|.)(?:data|event): ?[\[{\w]", re.DOTALL)
_NAMED: Final = frozenset({"anthropic", "openai-responses"})
"""The dialects whose events carry their name on an event line."""


def look(reading: Reading, notes: Notes) -> None:
    if reading.refused:
        return
    _line_ends(reading.body, notes)
    _lines(reading.body, notes)
    for step in reading.steps:
        match step.item:
            case Comment(text, start, _):
                notes.count("sse.comment", f"a comment line ({text[:40]!r})", start)
            case SSEEvent() as event:
                malformed = any(isinstance(each, MalformedEvent) for each in step.events)
                _event(event, malformed, reading, notes)
            case UnfinishedEvent() as unfinished:
                _unfinished(unfinished, reading, notes)


def _line_ends(body: bytes, notes: Notes) -> None:
    lone = re.search(rb"\r(?!\n)", body)
    crlf = body.find(b"\r\n")
    feed = re.search(rb"(?<!\r)\n", body)
    if lone is not None and lone.end() < len(body):
        notes.add("sse.cr-only", "a line ends with CR alone", lone.start())
    if crlf >= 0 and feed is not None:
        said = "some lines end with CRLF and some with LF"
        notes.add("sse.line-ends-mixed", said, max(crlf, feed.start()))


def _lines(body: bytes, notes: Notes) -> None:
    at = 0
    if body.startswith(_BOM):
        notes.add("sse.bom", "the body begins with a byte order mark", 0)
        at = len(_BOM)
    block = -1
    has_data = False
    for line in body[at:].splitlines(keepends=True):
        text = line.rstrip(b"\r\n")
        if not text:
            if block >= 0 and not has_data:
                notes.count("sse.fields-without-data", "a block has fields, but no data", block)
            block, has_data = -1, False
        elif text[:1] != b":":
            block = at if block < 0 else block
            has_data = _field(text, at, notes) or has_data
        at += len(line)


def _field(text: bytes, at: int, notes: Notes) -> bool:
    """Look at one line that is a field; returns whether it is data."""
    name, colon, value = text.partition(b":")
    if name not in _FIELDS:
        shown = text[:40].decode("utf-8", "replace")
        notes.count("sse.unknown-field", f"a line is no field of the grammar: {shown!r}", at)
    elif colon and value[:1] not in (b"", b" "):
        said = f"{name.decode()} lines have no space after the colon"
        notes.count("sse.no-space-after-colon", said, at)
    if len(text) >= _LONG_LINE:
        notes.count("sse.long-line", f"a line of {len(text)} bytes", at)
    return name == b"data"


def _event(event: SSEEvent, malformed: bool, reading: Reading, notes: Notes) -> None:
    data = event.data
    if not data.strip():
        notes.count("sse.empty-data", "an event with empty data", event.start)
        return
    if event.replaced:
        _not_utf8(event, reading.body, notes)
    if not event.type and reading.turn.dialect in _NAMED and data.strip() != "[DONE]":
        notes.count("sse.event-name-missing", "an event has no event line", event.start)
    if not data.isascii() or not data.isprintable():
        separator = _SEPARATORS.search(data)
        if separator:
            _separator(separator, event, notes)
    if "\n" in data or malformed:
        _glued(event, malformed, notes)


def _separator(found: re.Match[str], event: SSEEvent, notes: Notes) -> None:
    before = found.string[: found.start()]
    at = event.data_start + len(before.encode("utf-8", "surrogatepass"))
    code = ord(found[0])
    said = f"the data holds U+{code:04X}, which is no line end here"
    notes.count("sse.unicode-line-separators", said, event.start if "\n" in before else at)


def _not_utf8(event: SSEEvent, body: bytes, notes: Notes) -> None:
    try:
        body[event.start : event.end].decode()
    except UnicodeDecodeError as error:
        bad = body[event.start + error.start : event.start + error.end]
        said = f"the bytes {bad.hex(' ')} are not UTF-8"
        notes.add("sse.invalid-utf8", said, event.start + error.start)


def _glued(event: SSEEvent, malformed: bool, notes: Notes) -> None:
    lines = event.data.split("\n")
    whole = [line for line in lines if _is_payload(line)]
    if len(lines) > 1 and _is_json(event.data):
        said = f"one JSON document stands on {len(lines)} data lines"
        notes.count("sse.multi-line-data", said, event.start)
    elif len(lines) > 1 and whole:
        said = (
            f"{len(lines)} data lines stand in one event, and {len(whole)} are whole by themselves"
        )
        notes.add("sse.glued-events", said, event.start)
    elif malformed and (inside := _FIELD_INSIDE.search(event.data)) is not None:
        at = event.data_start + len(event.data[: inside.start() + 1].encode("utf-8", "replace"))
        said = "another event begins in the middle of this one: a part of the bytes was lost"
        notes.add("sse.glued-events", said, at if len(lines) == 1 else event.start)
    elif malformed:
        said = f"the data is not the JSON it should be: {event.data[:40]!r}"
        notes.add("sse.malformed-data", said, event.start)


def _unfinished(item: UnfinishedEvent, reading: Reading, notes: Notes) -> None:
    data = item.data.strip()
    if data == "[DONE]":
        notes.add("sse.done-unterminated", "no blank line closes the last [DONE]", item.start)
    elif _is_json(data):
        lost = any("ended inside the event" in call.problem for call in reading.turn.calls)
        notes.add(
            "sse.unterminated-last-event",
            "no blank line closes the last event" + ("; no call runs on its word" if lost else ""),
            item.start,
            severity="error" if lost else None,
        )
    else:
        said = f"the body ends at byte {item.end}, inside an event that began here"
        notes.add("sse.event-cut", said, item.start)


def _is_payload(line: str) -> bool:
    return line.strip() == "[DONE]" or (line[:1] == "{" and _is_json(line))


def _is_json(text: str) -> bool:
    try:
        wirejson.loads(text)
    except ValueError:
        return False
    return True
