"""Server-sent events: the bytes of a response body in, events and comments with their byte spans out.

Owns the event stream grammar (WHATWG HTML, section 9.2.5 and 9.2.6) and nothing else: what an
event's data means is the dialect's business. Reads may be cut anywhere, inside a character, a
CRLF or the byte order mark; what comes out, offsets included, never depends on where.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.core.errors import ProtocolViolation

__all__ = ["Comment", "SSEDecoder", "SSEEvent", "SSEItem", "UnfinishedEvent"]

_BOM = b"\xef\xbb\xbf"
_LF = 0x0A
_CR = 0x0D
_COLON = 0x3A

# A longer retry value is not a delay anybody meant (15 digits are 31,000 years), and int() of
# thousands of digits raises.
_RETRY_DIGITS = 15


@dataclass(frozen=True, slots=True)
class SSEEvent:
    """One dispatched event. Offsets count the bytes of the body from 0, byte order mark included."""

    type: str
    """The `event` field, "" when none was sent (browsers would say "message")."""
    data: str
    """The values of the data lines, joined with LF. May be empty: `data:` alone is an event."""
    start: int
    """First byte of the block's first line that is not a comment."""
    end: int
    """One past the line end that closed the event; of a CRLF, past the CR alone."""
    id: str | None
    """The last `id` of this block. Unlike a browser's lastEventId it is not carried over."""
    retry: int | None
    """The last `retry` of this block, in milliseconds."""
    replaced: bool
    """True when bytes from start to end were not UTF-8 and became U+FFFD."""
    data_start: int
    """First byte of the first data line's value."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A line that starts with a colon: a keep-alive, a gateway's note. Never part of an event."""

    text: str
    start: int
    end: int


SSEItem = SSEEvent | Comment


@dataclass(frozen=True, slots=True)
class UnfinishedEvent:
    """What stood after the last closed event when the body ended. A browser would discard it."""

    type: str
    data: str
    start: int
    end: int
    """The length of the body in bytes."""
    replaced: bool
    partial_line: bool
    """True when the body ended inside a line: the last value may be cut short."""


class _Block:
    """The lines since the last blank line: WHATWG's event type, data and last event ID buffers."""

    __slots__ = ("data", "data_start", "id", "replaced", "retry", "start", "type")

    def __init__(self, start: int) -> None:
        self.start = start
        self.type = ""
        self.data: list[str] = []
        self.data_start = -1
        self.id: str | None = None
        self.retry: int | None = None
        self.replaced = False

    def add(self, line: bytes, start: int) -> None:
        """Take in one line that is neither blank nor a comment; `start` is its offset."""
        name, _, value = line.partition(b":")
        # One space is framing, a second one is data.
        if value[:1] == b" ":
            value = value[1:]
        text = self.decode(value)
        if name == b"data":
            if not self.data:
                self.data_start = start + len(line) - len(value)
            self.data.append(text)
        elif name == b"event":
            self.type = text
        elif name == b"id":
            if "\0" not in text:
                self.id = text
        elif name == b"retry":
            if value.isdigit() and len(value) <= _RETRY_DIGITS:
                self.retry = int(value)
        else:
            # The field is ignored, but its bytes stand inside the span that `replaced` is about.
            self.decode(name)

    def decode(self, value: bytes) -> str:
        # Whole values only: LF, CR and the colon never stand inside a multi-byte character, so
        # this yields what decoding the body in one piece would.
        try:
            return value.decode()
        except UnicodeDecodeError:
            self.replaced = True
            return value.decode(errors="replace")

    def event(self, end: int) -> SSEEvent:
        data = self.data
        return SSEEvent(
            self.type,
            data[0] if len(data) == 1 else "\n".join(data),
            self.start,
            end,
            self.id,
            self.retry,
            self.replaced,
            self.data_start,
        )


class SSEDecoder:
    """Incremental decoder of one response body.

    Lines end at LF, CR or CRLF and nowhere else: U+2028, U+2029, U+0085, VT and FF are data.
    A CR ends its line at once, so that an event is not held back until the next read shows
    whether an LF follows. A block without a data line is not an event (clause "dispatch the
    event", step 2). Time is linear in the bytes fed however they are cut.
    """

    def __init__(self) -> None:
        self._offset = 0
        self._unfinished_line = bytearray()
        self._line_start = 0
        self._after_cr = False
        self._block: _Block | None = None
        self._closed = False

    @property
    def offset(self) -> int:
        """Bytes fed so far."""
        return self._offset

    def feed(self, data: bytes) -> list[SSEItem]:
        """Take in the next bytes; return the events and comments that they complete, in order.

        Raises:
            ProtocolViolation: the decoder has been closed.
        """
        if self._closed:
            raise ProtocolViolation("SSEDecoder.feed() after close(): the body has ended")
        if not data:
            return []
        self._offset += len(data)
        if self._after_cr:
            self._after_cr = False
            if data[0] == _LF:
                data = data[1:]
                self._line_start += 1
        # Only the new bytes are searched, and a held-back line is copied once, when its end comes.
        cut = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        held = self._unfinished_line
        if not cut:
            held += data
            return []
        lines = data[:cut]
        if held:
            held += lines
            lines = bytes(held)
        self._unfinished_line = bytearray(data[cut:])
        self._after_cr = cut == len(data) and data[-1] == _CR
        return self._take_lines(self._without_bom(lines))

    def close(self) -> UnfinishedEvent | None:
        """Say what the end of the body means; feeding afterwards raises, closing again says None.

        Returns:
            The event in which the body ended; None when it ended between events, or when
            nothing but fields without data, whole lines all of them, or comments were pending.
        """
        self._closed = True
        line = self._without_bom(bytes(self._unfinished_line))
        self._unfinished_line.clear()
        block = self._block
        self._block = None
        if line and line[:1] != b":":
            block = block or _Block(self._line_start)
            block.add(line, self._line_start)
        elif block is None or not block.data:
            return None
        elif line:
            block.decode(line)
        return UnfinishedEvent(
            type=block.type,
            data="\n".join(block.data),
            start=block.start,
            end=self._offset,
            replaced=block.replaced,
            partial_line=bool(line),
        )

    def _without_bom(self, text: bytes) -> bytes:
        if self._line_start == 0 and text.startswith(_BOM):
            self._line_start = len(_BOM)
            return text[len(_BOM) :]
        return text

    def _take_lines(self, lines: bytes) -> list[SSEItem]:
        """Process whole lines, the first of which begins at `_line_start`."""
        items: list[SSEItem] = []
        block = self._block
        start = self._line_start
        # Every line end is one byte wide unless there is a CRLF among them.
        crlf = b"\r\n" in lines
        # bytes.splitlines, unlike str.splitlines, knows LF, CR and CRLF only.
        for line in lines.splitlines(keepends=crlf):
            after = start + len(line) + (not crlf)
            if crlf:
                line = line[:-2] if line[-2:] == b"\r\n" else line[:-1]
            if not line:
                if block is not None and block.data:
                    items.append(block.event(start + 1))
                block = None
            elif line[0] == _COLON:
                text = line[2:] if line[1:2] == b" " else line[1:]
                items.append(Comment(text.decode(errors="replace"), start, start + len(line) + 1))
                if block is not None:
                    block.decode(line)
            else:
                if block is None:
                    block = _Block(start)
                block.add(line, start)
            start = after
        self._line_start = start
        self._block = block
        return items
