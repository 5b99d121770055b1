"""The nodes of a JSON document that is still being written.

A document is a list of nodes in the order they began, parents first. Only the open containers and the
last leaf can still change; a settled node never does. Values are not converted: a number is kept as it
was written, and of equal keys all are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from tui.core.lexemes import Lexeme


class NodeKind(StrEnum):
    """What a node of the document is."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"


@dataclass(slots=True, eq=False)
class Container:
    """An object or array: its members in the order written, equal keys included."""

    kind: NodeKind
    key: str | int | None
    """The name in an object, the index in an array, None at the top."""
    parent: Container | None = field(repr=False)
    depth: int
    start: int
    """Offset in characters of the opening bracket."""
    end: int | None = None
    """Offset after the closing bracket; None while open."""
    members: list[Node] = field(default_factory=list, repr=False)
    """Those begun so far; only the last may be unsettled."""

    @property
    def settled(self) -> bool:
        """Whether no member can be added any more."""
        return self.end is not None


@dataclass(slots=True, eq=False)
class Leaf:
    """A string, number or literal. Until it is settled its lexeme holds what has come of it."""

    kind: NodeKind
    key: str | int | None
    parent: Container | None = field(repr=False)
    depth: int
    start: int
    """Offset in characters of the first character, the opening quote of a string."""
    lexeme: Lexeme | None = field(repr=False)
    """None once settled."""
    settled_text: str = ""

    @property
    def settled(self) -> bool:
        """Whether the text can no longer change."""
        return self.lexeme is None

    @property
    def text(self) -> str:
        """A string's decoded text, or a number or literal as written; so far, unless settled."""
        return self.settled_text if self.lexeme is None else self.lexeme.text

    def settle(self) -> None:
        """Keep the text of the lexeme as final and let the lexeme go."""
        self.settled_text, self.lexeme = self.text, None


Node = Container | Leaf
