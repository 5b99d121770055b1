"""JSON laid out for reading: only white space between its tokens is changed, by us, and said so.

Any text comes in, also a broken one; lines of tokens go out, every token exactly as it was
written (`1e5` stays `1e5`, equal keys stay two). Made in slices, as far as somebody looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tui.app.calls.lines import Ink, Line, Piece
from tui.app.calls.model import CallModel
from tui.app.calls.texts import FlowLines, part_of
from tui.app.safe import clean

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+(?:"|\\?\Z))'
    r"|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)|(?P<space>[ \t\r\n]++)"
    r"|(?P<other>[^\"{}\[\],: \t\r\n]++)",
    re.DOTALL,
)
_INDENT: Final = "  "
_MOST_INDENTS: Final = 24
_MARK: Final = "pretty-printed by Verbatim; only the white space is ours"
_SLICE: Final = 4_000
"""Lines made at one call."""


def pretty_lines(text: str) -> Iterator[list[Piece]]:
    """The tokens of `text`, one member to a line."""
    depth = 0
    line: list[Piece] = []
    opened = False
    after_string = False
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "space":
            continue
        if opened and kind != "close":
            yield line
            line = [_indent(depth)]
        match kind:
            case "open":
                line.append((token, Ink.PLAIN))
                depth += 1
            case "close":
                depth = max(depth - 1, 0)
                if not opened:
                    yield line
                    line = [_indent(depth)]
                line.append((token, Ink.PLAIN))
            case "comma":
                line.append((token, Ink.MUTED))
                yield line
                line = [_indent(depth)]
            case "colon":
                if after_string:
                    line[-1] = (line[-1][0], Ink.KEY)
                line.append((": ", Ink.MUTED))
            case _:
                line.append((_one_line(token), Ink.PLAIN))
        after_string = kind == "string"
        opened = kind == "open"
    if any(text.strip() for text, _ in line):
        yield line


class PrettyLines(FlowLines):
    """A JSON text, pretty-printed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source = source
        self._made: list[list[Piece]] = [[(_MARK, Ink.MUTED)]]
        self._rest: Iterator[list[Piece]] | None = pretty_lines(source)

    @classmethod
    def of(cls, model: CallModel) -> PrettyLines:
        return cls(model.raw)

    @property
    def text(self) -> str:
        return self._source

    def pieces(self) -> int:
        return len(self._made)

    def count(self, width: int) -> int:
        self._make()
        return super().count(width)

    def complete(self, width: int) -> bool:
        return self._rest is None and super().complete(width)

    def piece(self, number: int) -> str:
        return "".join(text for text, _ in self._made[number]) + "\n"

    def paint(self, number: int, start: int, end: int) -> Line:
        return part_of(self._made[number], start, end)

    def _make(self) -> None:
        if self._rest is None:
            return
        for _ in range(_SLICE):
            line = next(self._rest, None)
            if line is None:
                self._rest = None
                return
            self._made.append(line)


def _indent(depth: int) -> Piece:
    return (_INDENT * min(depth, _MOST_INDENTS), Ink.PLAIN)


def _one_line(token: str) -> str:
    if token.isascii() and token.isprintable():
        return token
    return clean(token.replace("\r", "␍").replace("\t", "␉").replace("\n", "␤"))
