"""Contrast: what careless clients make of the same bytes, beside what is true of them.

A body (and the chunks it came in) goes in; one `Contrast` for each well-known mistake comes out.
The careless clients live in `tui.lint.careless`, apart from the pipeline, and nothing they make
is ever stored, sent or run: it is text for people, cut to a readable length.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui.lint.careless import calls, lines, texts
from tui.lint.careless.outcome import Contrast, Scene
from tui.lint.careless.wire import deltas_of
from tui.lint.reading import read

__all__ = ["Contrast", "contrast"]

_CHUNK = 1024
"""Bytes of a chunk, where it is not known how the body came."""

_CLIENTS = (
    texts.bubble,
    texts.stored_from_rendered,
    calls.stripped_fragments,
    calls.first_parse,
    calls.tolerant_parse,
    calls.keyed_by_name,
    calls.keyed_by_index,
    calls.run_at_marker,
    calls.round_trip,
    lines.characters_per_chunk,
    lines.lines_per_chunk,
    lines.unicode_lines,
)


def contrast(dialect: str, body: bytes, chunks: Sequence[bytes] = ()) -> list[Contrast]:
    """What each careless client makes of `body`.

    Args:
        chunks: the body as it arrived; where that is not known, chunks of 1 KiB are taken.

    Raises:
        UsageError: there is no such dialect.
    """
    if len(chunks) < 2:
        chunks = [body[at : at + _CHUNK] for at in range(0, len(body), _CHUNK)]
    reading = read(dialect, [body])
    scene = Scene(dialect, body, tuple(chunks), reading, tuple(deltas_of(dialect, reading)))
    return [made for client in _CLIENTS if (made := client(scene)) is not None]
