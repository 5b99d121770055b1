"""A whole conversation as one value: every message of every branch, bytes, calls, results, ledger.

What `gather` reads from a store, `as_json` writes and reads, and `importing` stores again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tui.core.codec import decode_message, decode_result
from tui.core.conversation import AssistantMessage, CallPart, CallResult, Message
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.recording.format import Ending, Recording
from tui.store import (
    Store,
    StoredCall,
    StoredConversation,
    StoredDispatch,
    StoredExchange,
    StoredMessage,
    StoredResult,
)

Chunks = tuple[tuple[float, bytes], ...]
"""(seconds since the request, bytes), in order."""


@dataclass(frozen=True, slots=True)
class Whole:
    """See the module. Everything is in the order in which it was stored."""

    conversation: StoredConversation
    messages: tuple[StoredMessage, ...]
    exchanges: tuple[tuple[StoredExchange, Chunks], ...] = ()
    calls: tuple[StoredCall, ...] = ()
    results: Mapping[str, StoredResult] | None = None
    full_outputs: Mapping[str, bytes] | None = None
    dispatches: tuple[StoredDispatch, ...] = ()
    redacted: tuple[str, ...] = ()
    """What was replaced, one sentence each; empty when nothing was."""

    @property
    def states(self) -> dict[str, CallState]:
        """The newest state of each call, by ref."""
        return {call.ref: call.state for call in self.calls}

    @property
    def answers(self) -> dict[str, CallResult]:
        """The result of each call that has one, by ref."""
        return {ref: decode_result(found.body) for ref, found in (self.results or {}).items()}

    def path(self) -> list[tuple[StoredMessage, Message]]:
        """The branch the conversation is at, oldest first, calls in their newest states."""
        by_id = {message.id: message for message in self.messages}
        found: list[tuple[StoredMessage, Message]] = []
        at = by_id.get(self.conversation.head or "")
        states = self.states
        while at is not None and len(found) <= len(by_id):
            found.append((at, with_states(decode_message(at.body), states)))
            at = by_id.get(at.parent or "")
        return found[::-1]


def gather(store: Store, conversation: str) -> Whole:
    """Everything that is stored of a conversation. Large ones take a while: call it in a thread.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    stored = store.conversation(conversation)
    results = store.results(conversation)
    outputs = {ref: store.full_output(conversation, ref) for ref in results}
    return Whole(
        stored,
        tuple(store.messages(conversation)),
        tuple((each, tuple(store.chunks(each.id))) for each in store.exchanges(conversation)),
        tuple(store.calls(conversation)),
        results,
        {ref: output for ref, output in outputs.items() if output is not None},
        tuple(store.dispatches(conversation)),
    )


def with_states(message: Message, states: Mapping[str, CallState]) -> Message:
    """`message` with its calls in the newest of their states."""
    if not isinstance(message, AssistantMessage):
        return message
    return replace(
        message,
        parts=tuple(
            replace(part, state=states.get(part.ref, part.state))
            if isinstance(part, CallPart)
            else part
            for part in message.parts
        ),
    )


def recording_of(whole: Whole, number: int) -> Recording:
    """The exchange of turn `number` (from 1) as a recording, with the results of its calls.

    Raises:
        IndexError: the conversation has no such exchange.
    """
    if number < 1:
        raise IndexError(number)
    exchange, chunks = whole.exchanges[number - 1]
    ends: list[tuple[int, float]] = []
    total = 0
    for at, data in chunks:
        total += len(data)
        ends.append((total, at))
    endings: dict[str, Ending] = {"complete": "complete", "cancelled": "cancelled"}
    answers = whole.answers
    return Recording(
        b"".join(data for _, data in chunks),
        chunks=tuple(ends),
        dialect=exchange.dialect or None,
        endpoint=exchange.endpoint,
        model=whole.conversation.model,
        recorded_at=_iso(exchange.started),
        request_url=exchange.url,
        request_headers=exchange.request_headers,
        request_body=exchange.request_body,
        head=ResponseHead(exchange.status, exchange.response_headers)
        if exchange.status is not None
        else None,
        ending=endings.get(exchange.ending, "broken"),
        problem=exchange.problem,
        results=tuple(
            answers[call.ref]
            for call in whole.calls
            if call.exchange == exchange.id and call.ref in answers
        ),
    )


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
