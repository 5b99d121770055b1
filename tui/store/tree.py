"""The shape of a conversation: which message stands below which, without a single body.

Bodies may be megabytes; what has branched where is asked after every turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.store.conversations import Role
from tui.store.database import Database


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message without its body."""

    id: str
    parent: str | None
    role: Role
    exchange: str | None


class Tree(Database):
    """Reading shapes; a part of `Store`."""

    def nodes(self, conversation: str) -> list[MessageNode]:
        """Every message of every branch, in the order of storing: parents before children."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, parent, role, exchange FROM messages WHERE conversation = ? ORDER BY seq",
                (conversation,),
            ).fetchall()
        return [MessageNode(*row) for row in rows]
