"""A body taken apart into blocks, one for each SSE event, and put together again.

A block owns its event's bytes with the comments before it and the blank line after it, so that
blocks joined are the body. Each keeps the time at which its last byte came. What an event means
is the dialect's business; `meanings` asks the reader.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tui.core.errors import UsageError
from tui.core.events import DialectEvent
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.core.sse import Comment, SSEDecoder
from tui.recording.format import Recording


@dataclass(frozen=True, slots=True)
class Block:
    """One event as it stands in the body."""

    raw: bytes
    data: str
    """The event's data, as the grammar reads it."""
    at: float = 0.0
    """Seconds after the request was sent; 0 where times are not known."""

    def with_data(self, data: str) -> Block:
        """The same block around other data, on one line; framing and line ends stay."""
        lines: list[bytes] = []
        written = False
        for line in self.raw.splitlines(keepends=True):
            name, colon, value = line.partition(b":")
            if name != b"data" or not colon:
                lines.append(line)
            elif not written:
                space = b" " if value[:1] == b" " else b""
                ending = line[len(line.rstrip(b"\r\n")) :]
                # Half a surrogate pair has no UTF-8; in JSON it stands as its escape.
                text = data.encode("utf-8", "backslashreplace")
                lines.append(b"data:" + space + text + ending)
                written = True
        return replace(self, raw=b"".join(lines), data=data)


@dataclass(frozen=True, slots=True)
class Stream:
    """A recording's body as blocks, and the bytes behind the last whole event."""

    blocks: tuple[Block, ...]
    rest: bytes = b""

    def block(self, number: int) -> Block:
        """The block of event `number`, counted from 1.

        Raises:
            UsageError: there is no such event.
        """
        check_number(self, number)
        return self.blocks[number - 1]


def check_number(stream: Stream, number: int, *, first: int = 1) -> None:
    """Raises: UsageError when there is no event `number`."""
    if not first <= number <= len(stream.blocks):
        raise UsageError(
            f"there is no event {number}: the body holds {len(stream.blocks)}",
            hint="events count from 1; `verbatim fixture list FILE` shows them",
        )


def dialect_in(recording: Recording) -> str:
    """The dialect that the recording states, or that its body shows.

    Raises:
        UsageError: neither.
    """
    dialect = recording.dialect or dialect_of(recording.body)
    if dialect is None:
        raise UsageError(
            f"nothing in {_name(recording)} tells its dialect", hint="name it with --dialect"
        )
    return dialect


def _name(recording: Recording) -> str:
    return repr(recording.path.name) if recording.path is not None else "the recording"


def stream_of(recording: Recording) -> Stream:
    """Take the body apart."""
    body = recording.body
    decoder = SSEDecoder()
    times = ArrivalTimes(recording)
    blocks: list[Block] = []
    start = 0
    for item in decoder.feed(body):
        if isinstance(item, Comment):
            continue
        end = item.end
        if body[end - 1 : end] == b"\r" and body[end : end + 1] == b"\n":
            end += 1
        blocks.append(Block(body[start:end], item.data, times(end)))
        start = end
    return Stream(tuple(blocks), body[start:])


class ArrivalTimes:
    """When the byte before an offset had come, by the recording's chunks; 0 where unknown."""

    def __init__(self, recording: Recording) -> None:
        self._ends = [end for end, _ in recording.chunks]
        self._times = [at for _, at in recording.chunks]

    def __call__(self, end: int) -> float:
        if not self._ends:
            return 0.0
        return self._times[min(bisect_left(self._ends, end), len(self._ends) - 1)]


def put_together(recording: Recording, stream: Stream) -> Recording:
    """`recording` with the body that `stream` is.

    Where times were known there is one chunk for each event, at the time of that event. Results
    of calls stay: they are found by the place of the call in its turn.
    """
    parts = [(block.raw, block.at) for block in stream.blocks]
    if stream.rest:
        parts.append((stream.rest, recording.chunks[-1][1] if recording.chunks else 0.0))
    body = b"".join(raw for raw, _ in parts)
    return replace(
        recording, body=body, chunks=_chunks(parts) if recording.chunks else (), path=None
    )


def _chunks(parts: Iterable[tuple[bytes, float]]) -> tuple[tuple[int, float], ...]:
    chunks: list[tuple[int, float]] = []
    end = 0
    for raw, at in parts:
        end += len(raw)
        chunks.append((end, at))
    return tuple(chunks)


def meanings(dialect: str, blocks: Sequence[Block]) -> list[tuple[DialectEvent, ...]]:
    """What the dialect makes of each block, in order."""
    reader = TurnReader(dialect)
    return [
        tuple(event for step in reader.feed(block.raw) for event in step.events) for block in blocks
    ]
