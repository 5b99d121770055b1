"""Changes below the events: where chunks end, when they come, where the body stops, how lines end.

Bodies keep their bytes, except where cutting or reframing is what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final, Literal

from tui.core.errors import UsageError
from tui.core.source import ResponseHead
from tui.recording.format import Ending, Recording
from tui.recording.making.blocks import ArrivalTimes, check_number, stream_of
from tui.recording.split import Split

_MULTIBYTE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
# An escape of the event's JSON; inside argument text each begins with an escaped backslash.
_ESCAPE: Final = re.compile(rb"\\\\u[0-9A-Fa-f]{4}|\\\\\\.|\\\\.|\\u[0-9A-Fa-f]{4}|\\.", re.DOTALL)

Inside = Literal["escapes", "characters"]
LineEnd = Literal["lf", "crlf", "cr"]
LINE_ENDS: Final[Mapping[LineEnd, bytes]] = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
_PATTERNS: Final[Mapping[Inside, re.Pattern[bytes]]] = {
    "escapes": _ESCAPE,
    "characters": _MULTIBYTE,
}
_BROKEN: Final = "the connection was cut when this fixture was made"


def offsets_inside(body: bytes, inside: Inside) -> list[int]:
    """One offset inside every escape, or inside every UTF-8 sequence of several bytes."""
    return [match.start() + (len(match[0]) + 1) // 2 for match in _PATTERNS[inside].finditer(body)]


def rechunked(recording: Recording, split: Split) -> Recording:
    """The same body in other chunks; each comes when its last byte had come."""
    times = ArrivalTimes(recording)
    chunks: list[tuple[int, float]] = []
    end = 0
    for data in split.chunks(recording.body):
        end += len(data)
        chunks.append((end, times(end)))
    return replace(recording, chunks=tuple(chunks), path=None)


def rechunked_inside(recording: Recording, inside: Iterable[Inside]) -> Recording:
    """Chunks that end inside every escape or UTF-8 sequence, and nowhere else.

    Raises:
        UsageError: the body holds none, so nothing would be cut.
    """
    kinds = list(inside)
    offsets = [offset for kind in kinds for offset in offsets_inside(recording.body, kind)]
    if not offsets:
        raise UsageError(f"the body holds no {' and no '.join(kinds)} to cut")
    return rechunked(recording, Split(offsets=tuple(offsets)))


def cut_at(recording: Recording, offset: int, *, ending: Ending = "broken") -> Recording:
    """The first `offset` bytes, ended as `ending` says; a negative one counts from the end.

    Raises:
        UsageError: `offset` is not inside the body.
    """
    if offset < 0:
        offset += len(recording.body)
    if not 0 <= offset < len(recording.body):
        raise UsageError(
            f"byte {offset} is not inside the body, which has {len(recording.body)} bytes",
            hint="a cut leaves at least one byte out",
        )
    times = ArrivalTimes(recording)
    kept = [(end, at) for end, at in recording.chunks if end < offset]
    if recording.chunks and offset:
        kept.append((offset, times(offset)))
    return replace(
        recording,
        body=recording.body[:offset],
        chunks=tuple(kept),
        ending=ending,
        problem="" if ending == "complete" else _BROKEN,
        path=None,
    )


def cut_after(recording: Recording, number: int, *, ending: Ending = "broken") -> Recording:
    """Everything up to the end of event `number`; 0 keeps nothing."""
    stream = stream_of(recording)
    check_number(stream, number, first=0)
    offset = sum(len(block.raw) for block in stream.blocks[:number])
    return cut_at(recording, offset, ending=ending)


def cut_inside(
    recording: Recording, inside: Inside, which: int, *, ending: Ending = "broken"
) -> Recording:
    """Cut in the middle of the escape or the UTF-8 sequence number `which`; -1 is the last.

    Raises:
        UsageError: there are not so many.
    """
    offsets = offsets_inside(recording.body, inside)
    place = which if which < 0 else which - 1
    if not which or not -len(offsets) <= place < len(offsets):
        raise UsageError(
            f"there is no number {which} of the {inside}: the body holds {len(offsets)}",
            hint="they count from 1; -1 is the last",
        )
    return cut_at(recording, offsets[place], ending=ending)


def delayed(
    recording: Recording,
    *,
    gap: float | None = None,
    factor: float = 1.0,
    before: Mapping[int, float] | None = None,
) -> Recording:
    """Other arrival times.

    Args:
        gap: seconds between two chunks, in place of the recorded times.
        factor: 2 makes everything take twice as long.
        before: seconds of silence to add before the first byte of an event, by its number.

    Raises:
        UsageError: a time is negative, or there is no such event.
    """
    stream = stream_of(recording)
    pauses: list[tuple[int, float]] = []
    starts = [0]
    for block in stream.blocks:
        starts.append(starts[-1] + len(block.raw))
    for number, seconds in (before or {}).items():
        check_number(stream, number)
        pauses.append((starts[number - 1], seconds))
    if factor < 0 or (gap or 0) < 0 or any(seconds < 0 for _, seconds in pauses):
        raise UsageError("a delay cannot be negative", hint="give seconds of 0 or more")
    # A silence needs a chunk to begin at: chunks that run across its place are cut there.
    edges = dict(recording.chunks or [(end, 0.0) for end in starts[1:]])
    times = ArrivalTimes(recording)
    edges |= {start: times(start) for start, _ in pauses if start and start not in edges}
    if recording.body:
        edges.setdefault(len(recording.body), times(len(recording.body)))
    chunks: list[tuple[int, float]] = []
    begin = 0
    for place, end in enumerate(sorted(edges)):
        at = edges[end] if gap is None else gap * (place + 1)
        silence = sum(seconds for start, seconds in pauses if start <= begin)
        chunks.append((end, at * factor + silence))
        begin = end
    return replace(recording, chunks=tuple(chunks), path=None)


def reframed(
    recording: Recording,
    *,
    line_end: LineEnd | None = None,
    comment_every: int = 0,
    mark: bool = False,
    event_lines: bool = True,
) -> Recording:
    """The same events in another framing.

    Args:
        line_end: how every line ends.
        comment_every: a keep-alive comment before every that many events; 0 for none.
        mark: begin with a byte order mark.
        event_lines: False leaves the `event:` lines out.
    """
    out = bytearray(b"\xef\xbb\xbf" if mark else b"")
    ends: list[tuple[int, float]] = []
    stream = stream_of(recording)
    parts = [(block.raw, block.at) for block in stream.blocks]
    if stream.rest:
        parts.append((stream.rest, ArrivalTimes(recording)(len(recording.body))))
    for number, (raw, at) in enumerate(parts):
        lines = raw.splitlines(keepends=True)
        if comment_every and number % comment_every == 0:
            out += b": keep-alive" + (LINE_ENDS[line_end] if line_end else b"\n") * 2
        for line in lines:
            text = line.rstrip(b"\r\n")
            if not event_lines and text.startswith(b"event:"):
                continue
            own = line[len(text) :]
            out += text + (LINE_ENDS[line_end] if line_end and own else own)
        ends.append((len(out), at))
    return replace(
        recording, body=bytes(out), chunks=tuple(ends) if recording.chunks else (), path=None
    )


def with_head(recording: Recording, status: int, headers: Iterable[tuple[str, str]]) -> Recording:
    """The same body behind another status and other headers.

    Raises:
        UsageError: the status is none that HTTP has.
    """
    if not 200 <= status <= 599:
        raise UsageError(f"{status} is no status of a response with a body", hint="200 to 599")
    named = {name.lower(): value for name, value in headers}
    old = dict(recording.head.headers) if recording.head else {"content-type": "text/event-stream"}
    return replace(recording, head=ResponseHead(status, tuple((old | named).items())), path=None)


def chunk_sizes(recording: Recording) -> list[int]:
    """Bytes of each recorded chunk."""
    return [end - start for start, end in pairwise([0, *(end for end, _ in recording.chunks)])]
