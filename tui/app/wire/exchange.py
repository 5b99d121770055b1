"""One exchange as it is stored: request, response head, body and arrival times, read together.

The store and a turn's handle come in. Secrets are masked before they are stored, so nothing here
ever holds one. For bodies of megabytes `read_exchange` belongs in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui.core.codec import decode_result
from tui.core.conversation import CallResult
from tui.core.source import ResponseHead
from tui.session.updates import TurnHandle
from tui.store import Store, StoredExchange


@dataclass(frozen=True, slots=True)
class WireExchange:
    """What is on record. `body` is what had come when it was read."""

    stored: StoredExchange
    number: int
    """Its place in the conversation, from 1."""
    body: bytes = field(repr=False)
    chunks: tuple[tuple[int, float], ...]
    """(end offset, seconds since the request) of each chunk."""
    model: str = ""
    results: tuple[CallResult, ...] = ()
    """What the calls of its turn returned."""

    @property
    def head(self) -> ResponseHead | None:
        """The response's head; None when none came."""
        stored = self.stored
        if stored.status is None:
            return None
        return ResponseHead(stored.status, stored.response_headers, stored.url)

    @property
    def over(self) -> bool:
        return self.stored.ending != "open"

    @property
    def pieces(self) -> list[bytes]:
        """The body in its chunks."""
        starts = [0, *(end for end, _ in self.chunks)]
        return [self.body[start:end] for start, (end, _) in zip(starts, self.chunks, strict=False)]

    def chunk_of(self, offset: int) -> int:
        """The number, from 1, of the chunk that brought byte `offset`; 0 when it has not come."""
        return next((n for n, (end, _) in enumerate(self.chunks, start=1) if offset < end), 0)


def read_exchange(
    store: Store, exchange: str, number: int, handle: TurnHandle | None = None
) -> WireExchange:
    """The exchange as the store has it now.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    stored = store.exchange(exchange)
    parts, ends = [], []
    total = 0
    for at, data in store.chunks(exchange):
        total += len(data)
        parts.append(data)
        ends.append((total, at))
    refs = {call.ref for call in handle.turn.calls} if handle is not None else set()
    results = [
        decode_result(found.body)
        for ref, found in store.results(stored.conversation).items()
        if ref in refs
    ]
    model = (handle.turn.model or handle.model) if handle is not None else ""
    return WireExchange(stored, number, b"".join(parts), tuple(ends), model, tuple(results))


def numbered(store: Store, conversation: str) -> Sequence[tuple[int, StoredExchange]]:
    """The exchanges of a conversation with their numbers, oldest first."""
    return list(enumerate(store.exchanges(conversation), start=1))
