"""Contrast: what careless clients make of the same bytes, beside what is true of them.

The events and chunks of a response go in, and the true turn at the end or at any place before;
one `Contrast` for each well-known mistake comes out. The careless clients live in
`tui.lint.careless`, apart from the pipeline, and nothing they make is ever stored, sent or run:
it is text for people, cut to a readable length.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from tui.core.reader import Step
from tui.core.turn import Turn
from tui.lint.careless import calls, lines, texts
from tui.lint.careless.outcome import Contrast, Scene
from tui.lint.careless.wire import Delta, deltas_of, deltas_of_line, words_of
from tui.lint.reading import read

__all__ = ["CarelessClients", "Contrast", "contrast", "in_chunks"]

_CHUNK: Final = 1024
"""Bytes of a chunk, where it is not known how the body came."""

_CLIENTS: Final = (
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
    """What each careless client makes of the whole of `body`.

    Args:
        chunks: the body as it arrived; where that is not known, chunks of 1 KiB are taken.

    Raises:
        UsageError: there is no such dialect.
    """
    reading = read(dialect, [body])
    clients = CarelessClients(dialect)
    clients.take(reading.steps, chunks or in_chunks(body))
    return clients.at(reading.turn, len(body))


def in_chunks(body: bytes) -> list[bytes]:
    """Chunks to take where it is not known how the body came."""
    return [body[at : at + _CHUNK] for at in range(0, len(body), _CHUNK)]


class CarelessClients:
    """Every careless client on one response.

    What is costly to find (each event's payload, each line's) is found once, so that going
    through a turn of 20,000 events costs some 0.1 s for a place at its end, not seconds.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._known = 0
        self._deltas: list[Delta] = []
        self._chunks: list[bytes] = []
        self._ends: list[int] = []
        """One past the last byte of each chunk."""
        self._words: dict[str, str] = {}

    def take(self, steps: Sequence[Step], chunks: Sequence[bytes]) -> None:
        """All events, and all chunks as they came, by now; known events are not read again."""
        self._deltas += deltas_of(self._dialect, steps[self._known :])
        self._known = len(steps)
        self._chunks = list(chunks)
        self._ends = list(accumulate(map(len, self._chunks)))

    def at(self, turn: Turn, offset: int) -> list[Contrast]:
        """What each client makes of the first `offset` bytes, and of nothing behind them.

        Args:
            turn: the truth of these bytes; closed only when nothing more came.
        """
        chunks = self._chunks_before(offset)
        scene = Scene(
            self._dialect,
            b"".join(chunks),
            chunks,
            turn,
            tuple(self._deltas[: bisect_left(self._deltas, offset, key=lambda each: each.offset)]),
            self._words_of_line,
        )
        return [made for client in _CLIENTS if (made := client(scene)) is not None]

    def _chunks_before(self, offset: int) -> tuple[bytes, ...]:
        whole = bisect_left(self._ends, offset)
        chunks = self._chunks[:whole]
        start = self._ends[whole - 1] if whole else 0
        if start < offset and whole < len(self._chunks):
            chunks.append(self._chunks[whole][: offset - start])
        return tuple(chunks)

    def _words_of_line(self, line: str) -> str:
        words = self._words.get(line)
        if words is None:
            words = self._words[line] = words_of(deltas_of_line(self._dialect, line))
        return words
