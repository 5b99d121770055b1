"""The argument buffer: what a model wrote as the arguments of one call, verbatim.

Fragments come in, each with the byte span of the SSE event that carried it; the same fragments, their
joined text, its length, digest and tail go out. Nothing here parses or judges the text: it may be
half a document, no document, or hold half a surrogate pair.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


def is_high_half(char: str) -> bool:
    """Whether one character is the first half of a surrogate pair (U+D800 to U+DBFF)."""
    return "\ud800" <= char <= "\udbff"


def is_low_half(char: str) -> bool:
    """Whether one character is the second half of a surrogate pair (U+DC00 to U+DFFF)."""
    return "\udc00" <= char <= "\udfff"


def join_halves(text: str) -> str:
    """Return `text` with each adjacent pair of surrogate halves joined into one character.

    Halves become adjacent when a provider cuts a pair between two events. A half that has no partner
    stays as it is: the result may still hold lone surrogates and is encodable only with
    `surrogatepass`.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


@dataclass(frozen=True, slots=True)
class Fragment:
    """The piece of argument text that one SSE event carried, as its JSON string decodes."""

    text: str
    start: int
    """Offset in bytes, in the response body, of the first byte of the event."""
    end: int
    """Offset in bytes after the last byte of the event."""


class ArgumentBuffer:
    """The ordered fragments of one call. Appending costs the fragment, never the buffer."""

    __slots__ = ("_ends_in_high_half", "_fragments", "_length", "_size")

    def __init__(self) -> None:
        self._fragments: list[Fragment] = []
        self._length = 0
        self._size = 0
        self._ends_in_high_half = False

    def append(self, fragment: str, span: tuple[int, int]) -> None:
        """Add one fragment (possibly empty) carried by the event at bytes `span` = (start, end)."""
        self._fragments.append(Fragment(fragment, *span))
        if not fragment:
            return
        joined = join_halves(fragment)
        self._length += len(joined)
        self._size += len(joined.encode("utf-8", "surrogatepass"))
        if self._ends_in_high_half and is_low_half(joined[0]):
            # Two halves counted as two characters of three bytes are one character of four.
            self._length -= 1
            self._size -= 2
        self._ends_in_high_half = is_high_half(joined[-1])

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """Every fragment in order of arrival, empty ones included."""
        return tuple(self._fragments)

    @property
    def count(self) -> int:
        """How many fragments came: the index to give to `since` next time."""
        return len(self._fragments)

    def since(self, index: int) -> tuple[Fragment, ...]:
        """The fragments appended after the first `index`; costs only what it returns."""
        return tuple(self._fragments[index:])

    @property
    def text(self) -> str:
        """The whole argument text, halves of surrogate pairs joined; joined anew at each call."""
        return join_halves("".join([fragment.text for fragment in self._fragments]))

    @property
    def length(self) -> int:
        """Length of `text` in characters, without joining it."""
        return self._length

    @property
    def size(self) -> int:
        """Length of `text` in bytes of UTF-8 (a lone half counts three), without joining it."""
        return self._size

    def digest(self) -> str:
        """SHA-256, in hexadecimal, of `text` in UTF-8 with lone halves passed through."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def tail(self, count: int) -> str:
        """The last `count` characters of `text`, at the cost of the fragments that hold them."""
        if count <= 0:
            return ""
        # A character may have come as two halves, and the first half looked at may belong to a
        # partner that was not: 2 * count + 1 always hold `count` whole characters after it.
        gathered: list[str] = []
        wanted = 2 * count + 1
        for fragment in reversed(self._fragments):
            if wanted <= 0:
                break
            gathered.append(fragment.text)
            wanted -= len(fragment.text)
        return join_halves("".join(reversed(gathered)))[-count:]
