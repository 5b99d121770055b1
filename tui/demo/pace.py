"""Cuts and times: text into fragments, events into transport chunks, chunks into waits.

Cutting is seeded and never looks at meaning: a fragment ends inside words, keys and escapes, a
chunk inside events and UTF-8 sequences. Waiting is the caller's `sleep`, so nothing here has a
clock.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from tui.core.errors import UsageError

BEAT: Final = 0.04
"""Seconds that one fragment takes at speed 1: about 25 a second."""

_ESCAPE: Final = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+|\\.|[\ud800-\udbff][\udc00-\udfff]", re.DOTALL)
"""An escape of the argument text, or a character that is written as two halves."""
_MULTIBYTE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_NEAR: Final = 5
"""Characters within which an escape draws a cut into itself."""
_LULL: Final = 8
"""Beats from which a pause is one that somebody notices: what came before it is shown first."""

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Sent:
    """One event as bytes, and the beats to wait before it (0: right behind the one before)."""

    data: bytes
    beats: float = 0.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one read of the transport returns."""

    wait: float
    """Seconds before it comes, at speed 1."""
    data: bytes


def seeded(*parts: object) -> random.Random:
    """A generator that depends on nothing but `parts`; lone surrogates may be among them."""
    text = "\x1f".join(map(str, parts))
    return random.Random(sha256(text.encode("utf-8", "surrogatepass")).digest())


def prose_fragments(text: str, seed: int) -> list[str]:
    """Pieces of 1 to 16 characters, 7 on average: a token or two."""
    return _pieces(text, seeded(seed, "prose", text), 16, 4)


def argument_fragments(text: str, seed: int) -> list[str]:
    """Pieces of 1 to 28 characters, 13 on average, cut anywhere; an escape nearby attracts a cut.

    That is where clients fail which read a fragment as if it were a document.
    """
    return _pieces(text, seeded(seed, "arguments", text), 28, 11)


def _pieces(text: str, rng: random.Random, longest: int, likely: int) -> list[str]:
    escapes = [match.span() for match in _ESCAPE.finditer(text)]
    pieces = []
    start = 0
    while start < len(text):
        end = start + round(rng.triangular(1, longest, likely))
        while escapes and escapes[0][1] <= start + 1:
            escapes.pop(0)
        inside = next(
            (e for e in escapes if e[0] <= end + _NEAR and e[1] > max(start, end - _NEAR)), None
        )
        if inside is not None and rng.random() < 0.5:
            end = rng.randrange(max(inside[0], start) + 1, inside[1])
        pieces.append(text[start:end])
        start = end
    return pieces


def chunks(sent: Iterable[Sent], rng: random.Random, tempo: float = 1.0) -> Iterator[Chunk]:
    """The events as a transport delivers them: about one a chunk, with its end in the next one.

    Args:
        sent: the events in order.
        rng: where to cut, and by how much each wait differs.
        tempo: factor on all waits.
    """
    held = b""
    wait = 0.0
    for event in sent:
        if held and event.beats >= _LULL:
            yield Chunk(wait, held)
            held, wait = b"", 0.0
        held += event.data
        wait += event.beats * BEAT * tempo * rng.uniform(0.5, 1.5)
        if event.beats == 0:
            continue
        cut = _cut(held, rng)
        yield Chunk(wait, held[:cut])
        held, wait = held[cut:], 0.0
    if held:
        yield Chunk(wait, held)


def _cut(data: bytes, rng: random.Random) -> int:
    """Where a read of `data` ends, at least 1."""
    if rng.random() < 0.3:
        return len(data)
    wide = [match.span() for match in _MULTIBYTE.finditer(data)]
    if wide and rng.random() < 0.5:
        start, end = rng.choice(wide)
        return rng.randrange(start + 1, end)
    return rng.randrange(len(data) // 2, len(data)) or 1


def check_speed(speed: float) -> float:
    """`speed` itself.

    Raises:
        UsageError: it is not above 0.
    """
    if not speed > 0:
        raise UsageError(
            f"the demo's speed must be above 0, not {speed!r}",
            hint="1 is watchable, 10 is ten times as fast, inf waits for nothing",
        )
    return speed


async def play(score: Iterable[Chunk], speed: float, sleep: Sleep) -> AsyncIterator[bytes]:
    """Yield the chunks' bytes in time. At speed infinity it still lets others run in between."""
    for chunk in score:
        await sleep(0.0 if math.isinf(speed) else chunk.wait / speed)
        yield chunk.data
