"""Push scanner for one strict JSON document (RFC 8259) that is still being written.

Text comes in at any cut, each character is looked at once, and at every moment the scanner holds what
can no longer change (the settled nodes), where the writing is (the frontier), and, after the first
illegal character, where and why it broke. It never raises on text, never guesses, and refuses to know
what a value means: numbers stay as they were written. Nesting costs no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tui.core.arguments import is_high_half, join_halves
from tui.core.lexemes import (
    LITERALS,
    NUMBER_STARTS,
    Lexeme,
    LiteralLexeme,
    NumberLexeme,
    StringLexeme,
    describe,
    last_of,
)
from tui.core.nodes import Container, Leaf, Node, NodeKind

_SPACE = re.compile(r"[ \t\n\r]*+")
_ENDS_A_LEAF = frozenset(" \t\n\r,]}")


class FrontierKind(StrEnum):
    """What is being written, or is expected, at the end of the text."""

    START = "start"
    KEY = "key"
    """In a key, or where a key is expected."""
    AFTER_KEY = "after key"
    """The colon is expected."""
    VALUE = "value"
    """A value is expected."""
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"
    AFTER_VALUE = "after value"
    """A comma or a closing bracket is expected."""
    DONE = "done"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why text stopped being JSON."""

    offset: int
    """Of the illegal character, in characters of the whole text."""
    reason: str
    """In plain words, safe on any screen."""


class Scanner:
    """One document. `nodes` holds every node begun so far in document order, parents first."""

    __slots__ = (
        "_base",
        "_forming_from",
        "_half",
        "_key",
        "_leaf",
        "_lexeme",
        "_open",
        "_pieces",
        "_steps",
        "broken_pieces",
        "cut",
        "fault",
        "kind",
        "length",
        "nodes",
        "pending_key",
    )

    # Set when the first of each begins.
    _key: StringLexeme
    _leaf: Leaf
    _lexeme: Lexeme

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.kind = FrontierKind.START
        self.fault: Fault | None = None
        self.length = 0
        """Characters taken, a raw half pair at the very end not counted."""
        self.cut = 0
        """Offset after the last settled member or, if later, the last opening bracket."""
        self.pending_key: str | None = None
        """The settled key whose value has not begun."""
        self.broken_pieces: list[str] = []
        """The raw text after `settled_to`, once broken."""
        self._pieces: list[str] = []
        self._half = ""
        self._base = 0
        self._open: list[Container] = []
        self._forming_from: int | None = None
        self._steps: dict[FrontierKind, Callable[[str, int], int]] = {
            FrontierKind.START: self._read_value,
            FrontierKind.KEY: self._read_key,
            FrontierKind.AFTER_KEY: self._read_colon,
            FrontierKind.VALUE: self._read_value,
            FrontierKind.STRING: self._read_leaf,
            FrontierKind.NUMBER: self._read_leaf,
            FrontierKind.LITERAL: self._read_leaf,
            FrontierKind.AFTER_VALUE: self._read_separator,
            FrontierKind.DONE: self._read_nothing,
            FrontierKind.BROKEN: self._keep_broken,
        }

    def feed(self, text: str) -> None:
        """Take more text. Illegal text breaks the scanner for good; nothing is raised."""
        text = self._half + text
        self._half = ""
        if not text.isascii():
            text = join_halves(text)
            # The other half may come with the next fragment; alone it could not be displayed.
            if is_high_half(text[-1]):
                text, self._half = text[:-1], text[-1]
        self._scan(text)

    def finish(self) -> bool:
        """Say that no more text will come; return whether all of it is one strict JSON value.

        A number or literal at the top is settled now. What is unfinished stays as it is.
        """
        self._scan(self._half)
        self._half = ""
        at_the_end = self.kind in (FrontierKind.NUMBER, FrontierKind.LITERAL)
        if at_the_end and not self._open and self._lexeme.whole:
            self._settle_leaf(self.length)
        return self.kind is FrontierKind.DONE

    @property
    def settled_to(self) -> int:
        """Offset in characters up to which nothing can change: the start of what is forming."""
        if self._forming_from is not None:
            return self._forming_from
        return self.length if self.fault is None else self.fault.offset

    @property
    def container(self) -> Container | None:
        """The innermost open object or array."""
        return self._open[-1] if self._open else None

    @property
    def depth(self) -> int:
        """How many objects and arrays are open."""
        return len(self._open)

    @property
    def forming_key(self) -> StringLexeme | None:
        """The key that is being written."""
        forming = self.kind is FrontierKind.KEY and self._forming_from is not None
        return self._key if forming else None

    @property
    def readable_to(self) -> int:
        """`length` less what nothing can be made of yet at the end of a forming string."""
        if self.kind is FrontierKind.STRING and isinstance(self._lexeme, StringLexeme):
            return self.length - len(self._lexeme.held)
        return self.length

    def tail(self, count: int) -> str:
        """The last `count` characters of the text."""
        return last_of(self._pieces, count)

    @property
    def text(self) -> str:
        """All of the text, joined at each call."""
        return "".join(self._pieces)

    def raw(self, limit: int) -> str:
        """The text after `settled_to` as it was written, at most its last `limit` characters."""
        return self.tail(min(limit, self.length - self.settled_to))

    def closers(self) -> str:
        """The brackets that would close what is open, innermost first."""
        closing = {NodeKind.OBJECT: "}", NodeKind.ARRAY: "]"}
        return "".join([closing[container.kind] for container in reversed(self._open)])

    def _scan(self, text: str) -> None:
        if not text:
            return
        self._pieces.append(text)
        self._base = self.length
        self.length += len(text)
        position, end = 0, len(text)
        while position < end:
            position = self._steps[self.kind](text, position)

    def _break(self, text: str, position: int, reason: str) -> int:
        self.fault = Fault(self._base + position, reason)
        self.kind = FrontierKind.BROKEN
        self.broken_pieces.append(self.raw(self.length))
        return len(text)

    def _keep_broken(self, text: str, _position: int) -> int:
        self.broken_pieces.append(text)
        return len(text)

    def _read_value(self, text: str, position: int) -> int:
        position = _skip_space(text, position)
        if position == len(text):
            return position
        char = text[position]
        match char:
            case '"':
                self._begin_leaf(FrontierKind.STRING, NodeKind.STRING, position, StringLexeme())
                return position + 1
            case "{":
                return self._open_container(NodeKind.OBJECT, FrontierKind.KEY, position)
            case "[":
                return self._open_container(NodeKind.ARRAY, FrontierKind.VALUE, position)
            case "]" if self._may_close(NodeKind.ARRAY):
                return self._close_container(position)
        if char in NUMBER_STARTS:
            self._begin_leaf(FrontierKind.NUMBER, NodeKind.NUMBER, position, NumberLexeme())
        elif char in LITERALS:
            lexeme = LiteralLexeme(char)
            self._begin_leaf(FrontierKind.LITERAL, NodeKind.LITERAL, position, lexeme)
        else:
            return self._break(text, position, f"a value is expected, not {describe(char)}")
        return position

    def _read_key(self, text: str, position: int) -> int:
        if self._forming_from is None:
            position = _skip_space(text, position)
            if position == len(text):
                return position
            char = text[position]
            if char == "}" and self._may_close(NodeKind.OBJECT):
                return self._close_container(position)
            if char != '"':
                reason = f"a key in double quotes is expected, not {describe(char)}"
                return self._break(text, position, reason)
            self._key, self._forming_from = StringLexeme(), self._base + position
            position += 1
        position = self._key.take(text, position)
        if self._key.whole:
            self.pending_key, self._forming_from = self._key.text, None
            self.kind = FrontierKind.AFTER_KEY
        elif position < len(text):
            return self._break(text, position, self._key.fault(text[position]))
        return position

    def _read_colon(self, text: str, position: int) -> int:
        position = _skip_space(text, position)
        if position == len(text):
            return position
        if text[position] != ":":
            reason = f"a colon is expected after a key, not {describe(text[position])}"
            return self._break(text, position, reason)
        self.kind = FrontierKind.VALUE
        return position + 1

    def _read_leaf(self, text: str, position: int) -> int:
        lexeme = self._lexeme
        position = lexeme.take(text, position)
        ended_itself = self.kind is FrontierKind.STRING
        if lexeme.whole and (ended_itself or text[position : position + 1] in _ENDS_A_LEAF):
            self._settle_leaf(self._base + position)
        elif position < len(text):
            return self._break(text, position, lexeme.fault(text[position]))
        return position

    def _read_separator(self, text: str, position: int) -> int:
        position = _skip_space(text, position)
        if position == len(text):
            return position
        in_object = self._open[-1].kind is NodeKind.OBJECT
        char = text[position]
        if char == ",":
            self.kind = FrontierKind.KEY if in_object else FrontierKind.VALUE
            return position + 1
        if char == ("}" if in_object else "]"):
            return self._close_container(position)
        closer = "}" if in_object else "]"
        return self._break(text, position, f"a comma or {closer} is expected, not {describe(char)}")

    def _read_nothing(self, text: str, position: int) -> int:
        position = _skip_space(text, position)
        if position == len(text):
            return position
        reason = f"the value has ended, but {describe(text[position])} follows"
        return self._break(text, position, reason)

    def _may_close(self, kind: NodeKind) -> bool:
        """Whether the open container is of this kind and empty: no comma calls for a member."""
        return bool(self._open) and self._open[-1].kind is kind and not self._open[-1].members

    def _place(self) -> tuple[str | int | None, Container | None, int]:
        """Key, parent and depth of the node that begins now."""
        if not self._open:
            return None, None, 0
        parent = self._open[-1]
        key: str | int | None = self.pending_key
        if parent.kind is NodeKind.ARRAY:
            key = len(parent.members)
        self.pending_key = None
        return key, parent, len(self._open)

    def _add(self, node: Node) -> None:
        self.nodes.append(node)
        if node.parent is not None:
            node.parent.members.append(node)

    def _begin_leaf(
        self, frontier: FrontierKind, kind: NodeKind, position: int, lexeme: Lexeme
    ) -> None:
        self._forming_from = self._base + position
        self._lexeme = lexeme
        self._leaf = Leaf(kind, *self._place(), self._forming_from, lexeme)
        self._add(self._leaf)
        self.kind = frontier

    def _settle_leaf(self, end: int) -> None:
        self._leaf.settle()
        self._forming_from = None
        self._after_value(end)

    def _open_container(self, kind: NodeKind, frontier: FrontierKind, position: int) -> int:
        container = Container(kind, *self._place(), self._base + position)
        self._add(container)
        self._open.append(container)
        self.kind = frontier
        self.cut = self._base + position + 1
        return position + 1

    def _close_container(self, position: int) -> int:
        end = self._base + position + 1
        self._open.pop().end = end
        self._after_value(end)
        return position + 1

    def _after_value(self, end: int) -> None:
        self.cut = end
        self.kind = FrontierKind.AFTER_VALUE if self._open else FrontierKind.DONE


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return position if match is None else match.end()
