"""Kinds below the events: how lines end, where chunks end, what HTTP says."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Final

from tui.core.sse import Comment, SSEEvent
from tui.recording.auditing.kind import Kind
from tui.recording.auditing.seen import Seen
from tui.recording.making.transport import offsets_inside


def _nothing_else(seen: Seen, end: bytes) -> bool:
    """Whether every line end of the body is `end`."""
    found = set(re.findall(rb"\r\n|\r|\n", seen.body))
    return found == {end}


def _inside(seen: Seen, kind: str) -> bool:
    edges = set(seen.edges())
    if kind == "characters":
        return any(0x80 <= seen.body[edge] <= 0xBF for edge in edges)
    return any(offset in edges for offset in offsets_inside(seen.body, "escapes"))


def _several_in_one(seen: Seen) -> bool:
    """A chunk that brings the ends of two events and stops inside a third."""
    ends = [step.item.end for step in seen.steps if isinstance(step.item, SSEEvent)]
    edges = [0, *seen.edges()]
    for start, end in pairwise(edges):
        inside = bisect_right(ends, end) - bisect_right(ends, start)
        if inside >= 2 and end not in ends and end - 1 not in ends:
            return True
    return False


KINDS: Final = (
    Kind(
        "framing.crlf",
        "lines are cut at LF only, and every value ends in CR",
        lambda seen: _nothing_else(seen, b"\r\n"),
        "frame FILE --line-ends crlf -o OUT",
    ),
    Kind(
        "framing.cr",
        "CR alone, legal in the grammar, ends no line",
        lambda seen: _nothing_else(seen, b"\r"),
        "frame FILE --line-ends cr -o OUT",
    ),
    Kind(
        "framing.comment",
        "a comment line is parsed as a field, or as JSON",
        lambda seen: any(isinstance(step.item, Comment) for step in seen.steps),
        "frame FILE --comment-every 3 -o OUT",
    ),
    Kind(
        "framing.bom",
        "the first event is lost behind a byte order mark",
        lambda seen: seen.body.startswith(b"\xef\xbb\xbf"),
        "frame FILE --bom -o OUT",
    ),
    Kind(
        "framing.no-last-blank-line",
        "the last event, which no blank line closes, is lost or trusted",
        lambda seen: seen.unfinished is not None and not seen.unfinished.partial_line,
        "cut FILE --at -1 --ending complete -o OUT",
    ),
    Kind(
        "chunks.in-character",
        "each chunk is decoded alone, and a character cut in two becomes U+FFFD",
        lambda seen: _inside(seen, "characters"),
        "rechunk FILE --inside characters -o OUT",
    ),
    Kind(
        "chunks.in-escape",
        "each chunk is parsed alone, and an escape cut in two is lost",
        lambda seen: _inside(seen, "escapes"),
        "rechunk FILE --inside escapes -o OUT",
    ),
    Kind(
        "chunks.several-events",
        "one read is taken for one event: the second event of a chunk is lost",
        _several_in_one,
        "rechunk FILE --split 700 -o OUT",
    ),
    Kind(
        "chunks.in-crlf",
        "a CR at the end of one chunk and the LF of the next count as two line ends",
        lambda seen: any(seen.body[edge - 1 : edge + 1] == b"\r\n" for edge in seen.edges()),
        "frame FILE --line-ends crlf, then rechunk --split bytes",
    ),
    Kind(
        "http.error-status",
        "the body of an HTTP error is read as a stream",
        lambda seen: seen.recording.head is not None and seen.recording.head.status >= 400,
        "head FILE --status 429 --header content-type:application/json -o OUT",
    ),
    Kind(
        "http.not-a-stream",
        "a web page or a JSON body with status 200 is an empty, successful turn",
        lambda seen: (
            seen.recording.head is not None
            and seen.recording.head.status < 300
            and "event-stream" not in (seen.recording.head.header("content-type") or "")
        ),
        "head FILE --header content-type:text/html -o OUT",
    ),
)
