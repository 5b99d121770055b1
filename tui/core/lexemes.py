"""The leaves of JSON text, read while they are still being written.

Text comes in at any cut; each lexeme takes the characters that belong to it, looks at each once, and
says when it is whole or why the next character cannot belong to it. A lexeme knows nothing of the
document around it. The grammar is RFC 8259 to the letter: ASCII digits, no NaN, no literal control
characters in strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tui.core.arguments import is_high_half

# Possessive, so that a long fragment leaves no backtracking positions behind.
_STRING_BODY = re.compile(r'(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_ESCAPE_LENGTH = len("\\ud83d")

_DIGITS = "0123456789"


def _row(**targets: str) -> dict[str, str]:
    return {char: state for state, chars in targets.items() for char in chars}


# RFC 8259, section 6. Reading a row: in this state, these characters lead to that state.
_NUMBER: dict[str, dict[str, str]] = {
    "start": _row(minus="-", zero="0", integer=_DIGITS[1:]),
    "minus": _row(zero="0", integer=_DIGITS[1:]),
    "zero": _row(point=".", e="eE"),
    "integer": _row(integer=_DIGITS, point=".", e="eE"),
    "point": _row(fraction=_DIGITS),
    "fraction": _row(fraction=_DIGITS, e="eE"),
    "e": _row(sign="+-", exponent=_DIGITS),
    "sign": _row(exponent=_DIGITS),
    "exponent": _row(exponent=_DIGITS),
}
_NUMBER_MAY_END = frozenset({"zero", "integer", "fraction", "exponent"})

LITERALS = {"t": "true", "f": "false", "n": "null"}
NUMBER_STARTS = frozenset("-" + _DIGITS)


def describe(char: str) -> str:
    """One character in words that are safe on any screen: `'x'`, or its code point."""
    return repr(char) if char.isprintable() else f"U+{ord(char):04X}"


def first_of(pieces: Sequence[str], count: int) -> str:
    """The first `count` characters of the joined pieces, at the cost of those pieces only."""
    gathered: list[str] = []
    for piece in pieces:
        if count <= 0:
            break
        gathered.append(piece[:count])
        count -= len(piece)
    return "".join(gathered)


def last_of(pieces: Sequence[str], count: int) -> str:
    """The last `count` characters of the joined pieces, at the cost of those pieces only."""
    gathered: list[str] = []
    for piece in reversed(pieces):
        if count <= 0:
            break
        gathered.append(piece[-count:])
        count -= len(piece)
    return "".join(reversed(gathered))


class StringLexeme:
    """A string or key after its opening quote.

    `pieces` is the decoded text so far, always a prefix of the final value: an unfinished escape and
    the first half of an escaped surrogate pair are held back until what follows decides them.
    """

    __slots__ = ("chars", "held", "pieces", "whole")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.chars = 0
        """Decoded characters in `pieces`."""
        self.held = ""
        """Raw characters taken but not yet decoded."""
        self.whole = False

    def take(self, text: str, position: int) -> int:
        """Take what belongs to the string from `position`; return where it stopped.

        Stopping before the end of `text` means that the string is whole (its closing quote was
        taken) or that the character there is illegal.
        """
        shift = 0
        if self.held:
            shift = position - len(self.held)
            text, position, self.held = self.held + text[position:], 0, ""
        end = _end_of(_STRING_BODY, text, position)
        decoded = text[position:end]
        if "\\" in decoded:
            decoded = json.loads(f'"{decoded}"')
        stop = _end_of(_ESCAPE_BEGUN, text, end) if text.startswith("\\", end) else end
        if stop == len(text):
            held_from = end
            # An escape, not a raw half: the scanner never hands over a raw half at the very end.
            if decoded and is_high_half(decoded[-1]) and not is_high_half(text[end - 1]):
                held_from -= _ESCAPE_LENGTH
                decoded = decoded[:-1]
            self.held = text[held_from:]
        elif text[stop] == '"' and stop == end:
            self.whole = True
            stop += 1
        if decoded:
            self.pieces.append(decoded)
            self.chars += len(decoded)
        return stop + shift

    def fault(self, char: str) -> str:
        """Why `char`, at which `take` stopped, cannot stand there."""
        if char < " ":
            return f"a string holds {describe(char)} literally; JSON wants it escaped"
        return f"a string holds an escape that JSON does not know, with {describe(char)}"

    @property
    def text(self) -> str:
        """The decoded text so far, joined at each call."""
        return "".join(self.pieces)


class NumberLexeme:
    """A number from its first character. It never knows that it has ended: `20` may become `200`."""

    __slots__ = ("_state", "chars", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.chars = 0
        self._state = "start"

    def take(self, text: str, position: int) -> int:
        """Take what belongs to the number from `position`; return where it stopped."""
        state, stop, length = self._state, position, len(text)
        while stop < length and (following := _NUMBER[state].get(text[stop])) is not None:
            state = following
            stop += 1
        self._state = state
        self.pieces.append(text[position:stop])
        self.chars += stop - position
        return stop

    @property
    def whole(self) -> bool:
        """Whether the number may end here."""
        return self._state in _NUMBER_MAY_END

    def fault(self, char: str) -> str:
        """Why `char`, at which `take` stopped, cannot stand there."""
        return f"a number goes on with {describe(char)}"

    @property
    def text(self) -> str:
        """The number as it was written so far."""
        return "".join(self.pieces)


class LiteralLexeme:
    """`true`, `false` or `null`, from its first character."""

    __slots__ = ("_word", "chars")

    def __init__(self, first: str) -> None:
        self._word = LITERALS[first]
        self.chars = 0

    def take(self, text: str, position: int) -> int:
        """Take what belongs to the word from `position`; return where it stopped."""
        for expected in self._word[self.chars :]:
            if not text.startswith(expected, position):
                break
            position += 1
            self.chars += 1
        return position

    @property
    def whole(self) -> bool:
        """Whether all of the word is there."""
        return self.chars == len(self._word)

    def fault(self, char: str) -> str:
        """Why `char`, at which `take` stopped, cannot stand there."""
        return f"the word {self.text!r} goes on with {describe(char)}; {self._word} was begun"

    @property
    def pieces(self) -> tuple[str]:
        """The text so far, in the shape that the other lexemes have."""
        return (self.text,)

    @property
    def text(self) -> str:
        """The part of the word that is there."""
        return self._word[: self.chars]


Lexeme = StringLexeme | NumberLexeme | LiteralLexeme


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()
