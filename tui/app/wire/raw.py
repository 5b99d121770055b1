"""The bytes of one event, and the heads and bodies of an exchange, as lines.

Bytes are shown as they came: line ends, controls and what is not UTF-8 are spelled. What the
dialect made of an event stands below its bytes, as the pipeline said it.
"""

from __future__ import annotations

from typing import Final

from tui.app.calls.lines import Ink, Line, spelled
from tui.app.calls.pretty import pretty_lines
from tui.app.calls.texts import InkedLines
from tui.app.calls.words import counted, size_words
from tui.app.wire.events import EventLog
from tui.app.wire.exchange import WireExchange
from tui.core.sse import SSEEvent

_LAID_OUT: Final = 256 * 1024
"""Characters of JSON above which it is shown as it is."""
_NOTHING: Line = [("", Ink.PLAIN)]


class ByteLines(InkedLines):
    """Lines with a title; the text for a copy is what was received."""

    def __init__(self, title: str, lines: list[Line], text: str) -> None:
        super().__init__(lines, text=text)
        self.title = title


def bytes_shown(data: bytes) -> list[Line]:
    """Bytes as lines: each line end is spelled and ends its line, what is not UTF-8 is `\\xNN`."""
    lines: list[Line] = []
    # bytes.splitlines, unlike str.splitlines, knows the line ends of HTTP and SSE only.
    for piece in data.splitlines(keepends=True):
        text = piece.rstrip(b"\r\n")
        end = piece[len(text) :].decode().replace("\r", "␍").replace("\n", "␤")
        lines.append(
            [
                (spelled(text.decode("utf-8", "backslashreplace")), Ink.PLAIN),
                (end, Ink.MUTED),
            ]
        )
    return lines


def event_lines(log: EventLog, number: int, exchange: WireExchange | None) -> ByteLines:
    """Event `number`: its place, its bytes where they are on record, and what it came to."""
    step = log.step(number)
    item = step.item
    facts = (
        f"#{number}: bytes {item.start:,}–{item.end:,} of the body, "
        f"{counted(item.end - item.start, 'byte')}, {log.time(number):.3f} s after the request, "
        f"{log.gap(number):.3f} s after the event before it"
    )
    lines: list[Line] = [[(facts, Ink.STRONG)]]
    data = b"" if exchange is None else exchange.body[item.start : item.end]
    if exchange is not None and data:
        first, last = exchange.chunk_of(item.start), exchange.chunk_of(item.end - 1)
        words = f"in chunk {first:,}" if first == last else f"cut by chunks {first:,} to {last:,}"
        lines.append([(f"{words} of {len(exchange.chunks):,}", Ink.MUTED)])
    if isinstance(item, SSEEvent) and item.replaced:
        lines.append(
            [("Some of its bytes are not UTF-8: a call it touches is not run.", Ink.PROBLEM)]
        )
    lines += [_NOTHING, [("as it came", Ink.MUTED)]]
    if len(data) == item.end - item.start:
        lines += bytes_shown(data)
        text = data.decode("utf-8", "backslashreplace")
    else:
        text = ""
        lines.append([("Its bytes are not on record (any more, or yet).", Ink.PROBLEM)])
    lines += [_NOTHING, [("what it came to", Ink.MUTED)]]
    lines += [[(spelled(repr(event)), Ink.PLAIN)] for event in step.events] or [
        [("nothing: it changes no part, call or ending", Ink.MUTED)]
    ]
    return ByteLines("one event", lines, text)


def request_lines(exchange: WireExchange, *, as_it_was: bool) -> ByteLines:
    """The request: line, headers with secrets masked, and the body, laid out or as it was sent."""
    stored = exchange.stored
    lines: list[Line] = [[(spelled(f"POST {stored.url}"), Ink.STRONG)]]
    lines += _headers(stored.request_headers)
    lines.append([("The key's header is added when sending; never kept.", Ink.MUTED)])
    body = stored.request_body.decode("utf-8", "backslashreplace")
    size = size_words(len(stored.request_body))
    how = "as it was sent; p lays it out" if as_it_was else "laid out by us; p shows it as it was"
    lines += [_NOTHING, [(f"body, {size}, {how}", Ink.MUTED)]]
    if as_it_was or len(body) > _LAID_OUT:
        lines += bytes_shown(stored.request_body)
    else:
        lines += [list(line) for line in pretty_lines(body)]
    return ByteLines("request", lines, body)


def response_lines(exchange: WireExchange) -> ByteLines:
    """The response's head, how it ended, and its body where no event was read from it."""
    stored = exchange.stored
    status = "no response head came" if stored.status is None else f"status {stored.status}"
    lines: list[Line] = [[(status, Ink.STRONG)], *_headers(stored.response_headers)]
    chunks = counted(len(exchange.chunks), "chunk")
    lines += [
        _NOTHING,
        [(f"body: {len(exchange.body):,} bytes in {chunks}; it ended: {stored.ending}", Ink.PLAIN)],
    ]
    if stored.problem:
        lines.append([(spelled(stored.problem), Ink.PROBLEM)])
    if stored.lost:
        words = f"{counted(stored.lost, 'byte')} came that could not be kept: offsets are not exact"
        lines.append([(words, Ink.PROBLEM)])
    lines += [_NOTHING, [("body as it came", Ink.MUTED)], *bytes_shown(exchange.body)]
    return ByteLines("response", lines, exchange.body.decode("utf-8", "backslashreplace"))


def _headers(pairs: tuple[tuple[str, str], ...]) -> list[Line]:
    return [[(f"{spelled(name)}: ", Ink.KEY), (spelled(value), Ink.PLAIN)] for name, value in pairs]
