"""Ways to cut a body into chunks, for every test that says "chunks mean nothing".

A body goes in, lists of chunks come out; joined, each list is the body again. Knows nothing of
what is fed. Deterministic: sampling is even, and what is random takes a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

__all__ = [
    "chunkings",
    "cut_at",
    "every_byte",
    "fixed",
    "random_splits",
    "two_way_splits",
    "whole",
]


def whole(data: bytes) -> list[bytes]:
    """The body in one read; no read at all when it is empty."""
    return [data] if data else []


def every_byte(data: bytes) -> list[bytes]:
    """One byte a read."""
    return fixed(data, 1)


def fixed(data: bytes, n: int) -> list[bytes]:
    """Reads of `n` bytes, the last one shorter when need be."""
    if n < 1:
        raise ValueError(f"a chunk holds at least one byte, not {n!r}")
    return [data[i : i + n] for i in range(0, len(data), n)]


def cut_at(data: bytes, *offsets: int) -> list[bytes]:
    """Reads that end at the given byte offsets, which may repeat: an empty chunk is a chunk too."""
    edges = [0, *sorted(offsets), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def two_way_splits(data: bytes, limit: int | None = None, seed: int = 0) -> Iterator[list[bytes]]:
    """The body in two non-empty reads, cut at every offset.

    With more than `limit` offsets only `limit` of them are tried: one from each of `limit`
    equal stretches, which one is up to `seed`.
    """
    offsets = range(1, len(data))
    if limit is None or len(offsets) <= limit:
        chosen: Iterator[int] = iter(offsets)
    else:
        rng = random.Random(seed)
        edges = [1 + len(offsets) * i // limit for i in range(limit + 1)]
        chosen = (rng.randrange(a, b) for a, b in pairwise(edges))
    for offset in chosen:
        yield cut_at(data, offset)


def random_splits(data: bytes, seed: int) -> list[bytes]:
    """Reads as a network makes them: mostly small, now and then large, never empty."""
    rng = random.Random(seed)
    chunks = []
    start = 0
    while start < len(data):
        end = start + rng.choice((1, 2, 3, rng.randint(4, 64), rng.randint(65, 4096)))
        chunks.append(data[start:end])
        start = end
    return chunks


def chunkings(data: bytes) -> st.SearchStrategy[list[bytes]]:
    """Any way to cut the body, empty reads among them; shrinks towards few cuts and early ones."""
    offsets = st.lists(st.integers(0, len(data)), max_size=32)
    return offsets.map(lambda chosen: cut_at(data, *chosen))
