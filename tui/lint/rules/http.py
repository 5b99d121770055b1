"""What is odd about the response around the stream: status, content type, compression."""

from __future__ import annotations

from typing import Final

from tui.core import wirejson
from tui.core.errorbody import clean
from tui.lint.notes import Notes
from tui.lint.reading import Reading

_BOM: Final = b"\xef\xbb\xbf"
_STREAM: Final = "text/event-stream"


def look(reading: Reading, notes: Notes) -> None:
    head = reading.head
    status = head.status if head else 200
    kind = clean(((head.header("content-type") if head else None) or "").partition(";")[0]).lower()
    if not 200 <= status < 300:
        _error_status(status, kind, reading, notes)
    elif reading.refused:
        _no_stream(reading, notes)
    elif head is not None and head.headers and not kind:
        notes.add("http.content-type-missing", "the response names no content type", 0)
    elif kind not in ("", _STREAM):
        notes.add("http.content-type-wrong", f"an event stream came as {kind!r:.80}", 0)
    coding = reading.content_encoding.strip().lower()
    if coding not in ("", "identity"):
        said = f"the body came compressed ({coding:.40}); offsets count the decompressed bytes"
        notes.add("http.compressed", said, 0)
        if reading.broken:
            notes.add("http.compression-damaged", reading.broken, len(reading.body))
    elif reading.broken:
        notes.add("http.body-broken", reading.broken, len(reading.body))


def _error_status(status: int, kind: str, reading: Reading, notes: Notes) -> None:
    notes.add("http.error-status", f"the status is {status}: {reading.turn.error}", 0)
    if kind == _STREAM:
        said = f"the body of a response with status {status} is announced as an event stream"
        notes.add("http.error-as-event-stream", said, 0)


def _no_stream(reading: Reading, notes: Notes) -> None:
    start = reading.body.removeprefix(_BOM).lstrip()
    at = len(reading.body) - len(start)
    if not start:
        notes.add("http.empty-body", "the response has no body", 0)
    elif start[:1] == b"<":
        notes.add("http.html-body", "the body is a page of markup, not an event stream", at)
    elif start[:1] in (b"{", b"["):
        notes.add("http.json-body", f"the body is {_document(start)}, not an event stream", at)
    else:
        notes.add("http.not-an-event-stream", "the body is not an event stream", at)


def _document(start: bytes) -> str:
    try:
        value = wirejson.loads(start.decode("utf-8", "replace"))
    except ValueError:
        return "JSON of a kind, cut or damaged"
    match value:
        case {"error": _}:
            return "a JSON error"
        case {"choices": _} | {"content": _} | {"output": _}:
            return "a whole answer as one JSON document"
        case _:
            return "a JSON document"
