"""The rows in which a document that is still being written is drawn.

Nodes come in as the scanner lists them; rows go out for the stretch that is visible, each bounded in
size, so that drawing costs what is seen and never what has come. Rows are for eyes: nothing can be
run, stored or sent from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui.core.lexemes import first_of, last_of
from tui.core.nodes import Container, Leaf, Node, NodeKind
from tui.core.scanner import FrontierKind, Scanner

HEAD = 200
TAIL = 80
"""Characters of a long text that its row carries: the first and the last ones."""


class RowKind(StrEnum):
    """What a row shows. The last two stand only in the last row, for what has no node yet."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"
    KEY = "key"
    """A key that is forming (`text`), or a settled one (`key`) whose value has not begun."""
    BROKEN = "broken"
    """The raw text from where it could no longer be read."""


@dataclass(frozen=True, slots=True)
class Row:
    """One node, one line. Unsettled text is what has come so far, never a value."""

    depth: int
    key: str | int | None
    """The member's name or the element's index; None at the top and where no key is settled."""
    kind: RowKind
    settled: bool
    text: str
    """A string decoded, a number or literal as written; the first 200 characters when it is long."""
    tail: str
    """The last 80 characters when it is long, else empty."""
    chars: int
    """Characters of the whole text; for an object or array, of its raw text so far."""
    members: int
    """Members begun so far in an object or array."""


class Outline:
    """The rows of one scanner's document, one for each node and sometimes one for the frontier."""

    __slots__ = ("_scanner",)

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner

    @property
    def count(self) -> int:
        """How many rows there are now."""
        return len(self._scanner.nodes) + self._has_frontier_row()

    def rows(self, start: int, stop: int) -> tuple[Row, ...]:
        """Rows `start` to `stop` (exclusive, clipped), at the cost of those rows only."""
        nodes = self._scanner.nodes
        start = max(start, 0)
        rows = [self._row(node) for node in nodes[start : max(stop, start)]]
        if self._has_frontier_row() and start <= len(nodes) < stop:
            rows.append(self._frontier_row())
        return tuple(rows)

    def text_of(self, index: int) -> str:
        """The whole text that row `index` shows in part; empty for an object or array.

        Raises:
            IndexError: there is no such row.
        """
        nodes = self._scanner.nodes
        if 0 <= index < len(nodes):
            node = nodes[index]
            return node.text if isinstance(node, Leaf) else ""
        if index == len(nodes) and self._has_frontier_row():
            scanner = self._scanner
            if scanner.kind is FrontierKind.BROKEN:
                return "".join(scanner.broken_pieces)
            return "" if scanner.forming_key is None else scanner.forming_key.text
        raise IndexError(f"row {index} of {self.count}")

    def _has_frontier_row(self) -> bool:
        scanner = self._scanner
        return (
            scanner.fault is not None
            or scanner.forming_key is not None
            or scanner.pending_key is not None
        )

    def _frontier_row(self) -> Row:
        scanner = self._scanner
        if scanner.kind is FrontierKind.BROKEN:
            chars = scanner.length - scanner.settled_to
            text, tail = _ends(scanner.broken_pieces, chars)
            return Row(scanner.depth, None, RowKind.BROKEN, False, text, tail, chars, 0)
        key = scanner.forming_key
        if key is None:
            return Row(scanner.depth, scanner.pending_key, RowKind.KEY, False, "", "", 0, 0)
        text, tail = _ends(key.pieces, key.chars)
        return Row(scanner.depth, None, RowKind.KEY, False, text, tail, key.chars, 0)

    def _row(self, node: Node) -> Row:
        kind = _ROW_KINDS[node.kind]
        if isinstance(node, Container):
            end = self._scanner.length if node.end is None else node.end
            chars, members = end - node.start, len(node.members)
            return Row(node.depth, node.key, kind, node.settled, "", "", chars, members)
        if node.lexeme is None:
            pieces: Sequence[str] = (node.settled_text,)
            chars = len(node.settled_text)
        else:
            pieces, chars = node.lexeme.pieces, node.lexeme.chars
        text, tail = _ends(pieces, chars)
        return Row(node.depth, node.key, kind, node.settled, text, tail, chars, 0)


_ROW_KINDS = {kind: RowKind(kind.value) for kind in NodeKind}


def _ends(pieces: Sequence[str], chars: int) -> tuple[str, str]:
    """All of the text and nothing, or its first and its last characters."""
    if chars <= HEAD + TAIL:
        return "".join(pieces), ""
    return first_of(pieces, HEAD), last_of(pieces, TAIL)
