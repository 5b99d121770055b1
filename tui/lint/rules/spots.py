"""Spots in argument text: where strings, numbers, escapes, repeated keys and fragment joins stand.

Text in, positions in characters out. A light scan of the JSON lexemes; it judges nothing and is
total over any text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

from tui.core.arguments import Fragment

_LEXEME: Final = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<number>-?\d[\d.eE+-]*)|(?P<mark>[{}\[\]:,])', re.DOTALL
)
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_PAIR: Final = 12
"""Characters of two `\\uXXXX` escapes that are one character together."""


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def holds(self, boundary: int) -> bool:
        """Whether the boundary lies strictly inside."""
        return self.start < boundary < self.end


class Joined:
    """The fragments of one call as one text, halves of pairs not yet joined, and where each began."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._fragments = fragments
        self.text = "".join(fragment.text for fragment in fragments)
        self._starts: list[int] = []
        position = 0
        for fragment in fragments:
            self._starts.append(position)
            position += len(fragment.text)

    @property
    def boundaries(self) -> list[int]:
        """Positions between two fragments, the edges of the text left out."""
        return sorted({start for start in self._starts if 0 < start < len(self.text)})

    def offset_of(self, position: int) -> int:
        """The byte at which the event begins that carried the character at `position`."""
        if not self._fragments:
            return 0
        return self._fragments[max(bisect_right(self._starts, position) - 1, 0)].start


def strings(text: str) -> Iterator[Span]:
    """The string literals, an unfinished one included."""
    for found in _LEXEME.finditer(text):
        if found["string"] is not None:
            yield Span(*found.span())


def numbers(text: str) -> Iterator[tuple[str, int]]:
    """The number literals outside strings, with their positions."""
    for found in _LEXEME.finditer(text):
        if found["number"] is not None:
            yield found[0], found.start()


def escapes(text: str) -> Iterator[Span]:
    """The escapes inside strings; two that make one surrogate pair are one."""
    for string in strings(text):
        for found in _ESCAPE.finditer(text, string.start + 1, string.end):
            yield Span(*found.span())


def is_pair(span: Span) -> bool:
    """Whether an escape of `escapes` is a surrogate pair."""
    return span.end - span.start == _PAIR


def repeated_key(text: str) -> tuple[str, int] | None:
    """The first key that stands twice in one object, and the position of the second one."""
    stack: list[set[str]] = []
    key_comes = False
    for found in _LEXEME.finditer(text):
        mark = found["mark"]
        if mark == "{":
            stack.append(set())
            key_comes = True
        elif mark == "[":
            stack.append(set())
            key_comes = False
        elif mark in ("}", "]"):
            if stack:
                stack.pop()
            key_comes = False
        elif mark == ",":
            # In an array the next string is followed by no colon, and is no key.
            key_comes = True
        elif mark == ":":
            key_comes = False
        elif found["string"] is not None and key_comes and _colon_follows(text, found.end()):
            key = _decoded(found[0])
            if stack and key in stack[-1]:
                return key, found.start()
            if stack:
                stack[-1].add(key)
    return None


def _colon_follows(text: str, position: int) -> bool:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return text.startswith(":", position)


def _decoded(literal: str) -> str:
    try:
        value: str = scanstring(literal, 1, False)[0]
    except ValueError:
        return literal
    return value
