"""Re-chunking and cutting: the same bytes, delivered otherwise.

A `Split` is how a body is to be cut into chunks; parsing the command line's words for it
(`whole`, `bytes`, `N`, `random:SEED`, `at:B1,B2`) lives here so that every command means the
same by them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tui.core.errors import UsageError

_MEAN_RANDOM_CHUNK = 40
"""Bytes: small enough to cut most events of a stream at least once."""


@dataclass(frozen=True, slots=True)
class Split:
    """How a body is cut: at fixed `offsets`, every `size` bytes, or by a seeded generator."""

    words: str = "whole"
    size: int | None = None
    seed: str | None = None
    offsets: tuple[int, ...] = ()

    def chunks(self, body: bytes) -> Iterator[bytes]:
        """The chunks of `body`, none empty; joined they are `body`."""
        edges = [
            0,
            *sorted({offset for offset in self._edges(len(body)) if 0 < offset < len(body)}),
        ]
        for start, end in zip(edges, [*edges[1:], len(body)], strict=True):
            if end > start:
                yield body[start:end]

    def _edges(self, length: int) -> Iterator[int]:
        if self.size is not None:
            yield from range(self.size, length, self.size)
        elif self.seed is not None:
            generator = random.Random(self.seed)
            position = 0
            while position < length:
                position += 1 + int(generator.expovariate(1 / _MEAN_RANDOM_CHUNK))
                yield position
        else:
            yield from self.offsets


def parse_split(words: str) -> Split:
    """Read the value of `--split`.

    Raises:
        UsageError: it is none of the forms.
    """
    if words == "whole":
        return Split(words)
    if words == "bytes":
        return Split(words, size=1)
    if words.isascii() and words.isdigit() and int(words) > 0:
        return Split(words, size=int(words))
    kind, colon, rest = words.partition(":")
    if kind == "random" and colon and rest:
        return Split(words, seed=rest)
    if kind == "at" and rest and all(part.isascii() and part.isdigit() for part in rest.split(",")):
        return Split(words, offsets=tuple(int(part) for part in rest.split(",")))
    raise UsageError(
        f"--split {words!r} is no way to cut a stream",
        hint="use whole, bytes, a number of bytes, random:SEED, or at:B1,B2,...",
    )
