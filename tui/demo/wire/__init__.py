"""Wire writers: a plan in, the SSE events of one dialect out, as that provider writes them.

One module each. What they share is here: the pen, which cuts text into fragments and makes ids,
and how an event is framed. Token counts are estimates (characters / 4) and nothing more.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tui.demo.pace import Sent, argument_fragments, prose_fragments
from tui.demo.plan import Call, Piece, Plan, Prose, Refusal, Silence, Thinking, Together

_T = TypeVar("_T")

MODEL: Final = "verbatim-demo"
CREATED: Final = 1_764_547_200
"""The `created` of every response, in Unix seconds: fixed, since equal requests give equal bytes."""

FAILURE: Final = "The demo was asked to fail here, and does."
"""The message of the error event that a plan with the end `error` stops with."""

_ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
_LONE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pen:
    """Cuts text (the same way in every dialect) and makes ids (new ones for every request)."""

    seed: int
    rng: random.Random
    input_tokens: int
    """Estimated from the length of the request body."""

    def prose(self, text: str) -> list[str]:
        return prose_fragments(text, self.seed)

    def arguments(self, text: str) -> list[str]:
        return argument_fragments(text, self.seed)

    def id(self, prefix: str, length: int = 24) -> str:
        return prefix + "".join(self.rng.choices(_ALPHABET, k=length))


Writer = Callable[[Plan, Pen, Mapping[str, Any]], Iterator[Sent]]
"""Plan, pen and the request (which says whether usage and the like are wanted) → events."""


def compact(value: object) -> str:
    """JSON without spaces, non-ASCII as it is, half a surrogate pair as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text)


def framed(value: object, event: str = "") -> bytes:
    """One SSE event, with an `event:` line where the dialect has them."""
    line = f"event: {event}\n" if event else ""
    return f"{line}data: {compact(value)}\n\n".encode()


def estimated_tokens(*texts: str) -> int:
    """Characters / 4, rounded up: an estimate, since nothing here has a tokenizer."""
    return -(-sum(map(len, texts)) // 4)


def texts(pieces: tuple[Piece, ...]) -> Iterator[str]:
    """Every text that the pieces stream, for counting."""
    for piece in pieces:
        match piece:
            case Thinking(text) | Prose(text) | Refusal(text):
                yield text
            case Call():
                yield piece.arguments
            case Together(calls):
                yield from (call.arguments for call in calls)
            case Silence():
                pass


def thinking_texts(pieces: tuple[Piece, ...]) -> Iterator[str]:
    return (piece.text for piece in pieces if isinstance(piece, Thinking))


def alternately(*streams: Iterator[_T]) -> Iterator[_T]:
    """One event of each in turn, until all are used up."""
    left = list(streams)
    while left:
        for stream in tuple(left):
            try:
                yield next(stream)
            except StopIteration:
                left.remove(stream)
