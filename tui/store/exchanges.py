"""Exchanges: each HTTP request and the bytes of its response, with their times of arrival.

`append_chunk` is on the path of every byte that arrives: it takes constant time, never waits
for the disk and never fails. Requests are stored without secrets, whatever the caller passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tui.core.errors import StoreError
from tui.store.codec import (
    mask_url,
    new_id,
    pack,
    pack_body,
    pack_headers,
    pack_optional,
    unpack,
    unpack_body,
    unpack_headers,
    unpack_optional,
)
from tui.store.database import Database
from tui.store.jobs import Chunk

Headers = Sequence[tuple[str, str]]
Ending = Literal["open", "complete", "broken", "cancelled", "abandoned"]
"""`abandoned`: the process that received it died first."""


@dataclass(frozen=True, slots=True)
class StoredExchange:
    id: str
    conversation: str
    message: str | None
    """The assistant message made of it; None when there is none (yet)."""
    dialect: str
    endpoint: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes = field(repr=False)
    status: int | None
    """HTTP status; None when no response head came."""
    response_headers: tuple[tuple[str, str], ...]
    started: float
    ended: float | None
    ending: Ending
    problem: str
    tools: str | None
    lost: int
    """Response bytes that arrived but could not be kept (the store was unwritable too long)."""


_COLUMNS = (
    "id, conversation, message, dialect, endpoint, url, request_headers, request_body, status,"
    " response_headers, started, ended, ending, problem, tools, lost"
)


class Exchanges(Database):
    """Writing and reading exchanges; a part of `Store`."""

    def begin_exchange(
        self,
        conversation: str,
        *,
        dialect: str,
        endpoint: str,
        url: str,
        request_headers: Headers = (),
        request_body: bytes = b"",
        tools: str | None = None,
        started: float | None = None,
    ) -> str:
        """Store that a request is being sent; returns the exchange's id.

        `tools`: JSON of the tools offered. `started`: unix seconds, default now.
        """
        now = self._clock() if started is None else started
        id = new_id(now)
        row = (
            *(id, conversation, self.owner, pack(dialect), pack(endpoint), pack(mask_url(url))),
            *(pack_headers(request_headers), pack_body(request_body), now, pack_optional(tools)),
        )
        self._next_chunk[id] = 0
        self._write(
            lambda connection: connection.execute(
                "INSERT INTO exchanges(id, conversation, owner, dialect, endpoint, url,"
                " request_headers, request_body, started, tools)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            ),
            conversation=conversation,
            size=len(row[7] or b""),
        )
        return id

    def note_head(self, exchange: str, status: int, headers: Headers, url: str = "") -> None:
        """Store the response's head; `url`: where the request really went, when known only now."""
        row = (status, pack_headers(headers), pack(mask_url(url)), exchange)
        self._write(
            lambda connection: connection.execute(
                "UPDATE exchanges SET status = ?, response_headers = ?,"
                " url = coalesce(nullif(?, ''), url) WHERE id = ?",
                row,
            ),
            durable=False,
        )

    def append_chunk(self, exchange: str, at: float, data: bytes) -> None:
        """Store response bytes that arrived `at` seconds after the request was sent.

        Constant time. On the disk (safe from `kill -9`) well within 100 ms.
        """
        seq = self._next_chunk[exchange]
        self._next_chunk[exchange] = seq + 1
        self._writer.hand_over(Chunk(exchange, seq, at, bytes(data)), urgent=False)

    def end_exchange(self, exchange: str, ending: Ending, problem: str = "") -> None:
        """Store how the response ended. No chunk may follow."""
        self._next_chunk.pop(exchange, None)
        row = (self._clock(), ending, pack(problem), exchange)
        self._write(
            lambda connection: connection.execute(
                "UPDATE exchanges SET ended = ?, ending = ?, problem = ? WHERE id = ?", row
            )
        )

    def exchange(self, id: str) -> StoredExchange:
        """Raises: StoreError when there is none with this id."""
        found = self._exchanges("id = ?", id)
        if not found:
            raise StoreError(f"no exchange has the id {id!r}")
        return found[0]

    def exchanges(self, conversation: str) -> list[StoredExchange]:
        """The exchanges of a conversation, oldest first."""
        return self._exchanges("conversation = ?", conversation)

    def count_exchanges(self, conversation: str) -> int:
        with self._reading() as connection:
            row = connection.execute(
                "SELECT count(*) FROM exchanges WHERE conversation = ?", (conversation,)
            ).fetchone()
        return int(row[0])

    def open_exchanges(self) -> list[StoredExchange]:
        """Those that a living process (this one or another window) is receiving."""
        return self._exchanges("ending = 'open'")

    def abandoned_exchanges(self, conversation: str | None = None) -> list[StoredExchange]:
        """Those whose process died before it stored a message: their chunks are all there is.

        `add_message(exchange=...)` takes one off this list.
        """
        where = "ending = 'abandoned' AND message IS NULL"
        if conversation is None:
            return self._exchanges(where)
        return self._exchanges(f"{where} AND conversation = ?", conversation)

    def chunks(self, exchange: str) -> list[tuple[float, bytes]]:
        """The response as it arrived: (seconds since the request, bytes).

        Joined they are the body, unless `StoredExchange.lost` says otherwise. For bodies of
        megabytes call it in a thread.
        """
        with self._reading() as connection:
            return connection.execute(
                "SELECT at, data FROM chunks, (SELECT n FROM exchanges WHERE id = ?)"
                " WHERE chunks.id BETWEEN (n << 24) AND (n << 24 | 16777215) ORDER BY chunks.id",
                (exchange,),
            ).fetchall()

    def _exchanges(self, where: str, *values: str) -> list[StoredExchange]:
        # Without the sign SQLite would walk the whole table in this order, not a small index.
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM exchanges WHERE {where} ORDER BY +n",  # noqa: S608
                values,
            ).fetchall()
        return [_exchange(row) for row in rows]


def _exchange(row: tuple[Any, ...]) -> StoredExchange:
    id, conversation, message, dialect, endpoint, url, request_headers, request_body = row[:8]
    status, response_headers, started, ended, ending, problem, tools, lost = row[8:]
    return StoredExchange(
        id=id,
        conversation=conversation,
        message=message,
        dialect=unpack(dialect),
        endpoint=unpack(endpoint),
        url=unpack(url),
        request_headers=unpack_headers(request_headers),
        request_body=unpack_body(request_body),
        status=status,
        response_headers=unpack_headers(response_headers or "[]"),
        started=started,
        ended=ended,
        ending=ending,
        problem=unpack(problem),
        tools=unpack_optional(tools),
        lost=lost,
    )
