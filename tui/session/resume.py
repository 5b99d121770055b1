"""Resuming: a stored conversation comes back as it was, broken turns and started calls included.

Turns are read again from their bytes by the same reader that read them first, so what the
screens show of an old turn cannot differ from what they showed then. A turn whose process died
is closed as broken and stored; a call that had been started and never ended is `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tui.core.codec import decode_message, decode_result
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    Message,
    ResultsMessage,
    ToolSpec,
)
from tui.core.dialects import DecoderSettings
from tui.core.finalise import FinalCall, finalise
from tui.core.reader import TurnReader
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.session.branching import ROOT
from tui.session.stored import StoredJournal
from tui.session.updates import Arrivals, TurnHandle
from tui.store import Edit, Store, StoredExchange, StoredMessage

STOPPED = "Verbatim was stopped before the turn was over"
_UNSETTLED = (CallState.FINAL, CallState.AWAITING_APPROVAL, CallState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls of the last turn that still wait for a decision."""

    message: AssistantMessage
    final_calls: tuple[FinalCall, ...]
    known: Mapping[str, CallResult]
    """Results that other calls of the turn have already."""
    unknown: frozenset[str]
    """Refs of calls that had been started when the client died."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A conversation read back. `messages` and `stored` run side by side, oldest first."""

    journal: StoredJournal
    messages: tuple[Message, ...]
    stored: tuple[StoredMessage, ...]
    results: Mapping[str, CallResult]
    states: Mapping[str, CallState]
    pending: Pending | None = None
    edits: Mapping[str, Edit] = field(default_factory=dict)
    """What ran in place of the model's text, where a person changed it before the run."""
    exchanges: Mapping[str, tuple[StoredExchange, int]] = field(default_factory=dict)
    """Exchange id → the exchange and its number in the conversation."""


def resume(
    store: Store,
    conversation: str,
    tools: Mapping[str, ToolSpec] | None = None,
    *,
    head: str | None = None,
) -> Resumed:
    """Read a conversation back at its current head, at the message `head`, or before the first.

    Args:
        tools: what is on offer now; calls that wait are checked against it again.

    Raises:
        StoreError: there is no such conversation, or it cannot be read.
    """
    numbered = {
        exchange.id: (exchange, number)
        for number, exchange in enumerate(store.exchanges(conversation), start=1)
    }
    for exchange in store.abandoned_exchanges(conversation):
        _store_broken_turn(store, exchange, numbered[exchange.id][1])
    stored = tuple(store.path(conversation, head)) if head != ROOT else ()
    calls = {call.ref: call for call in store.calls(conversation)}
    states = {ref: call.state for ref, call in calls.items()}
    results = {ref: decode_result(found.body) for ref, found in store.results(conversation).items()}
    decoded = [decode_message(each.body) for each in stored]
    for message in decoded:
        if isinstance(message, ResultsMessage):
            _take_over(message, results, states)
    messages = [_with_states(message, states) for message in decoded]
    journal = StoredJournal(
        store,
        conversation,
        parent=stored[-1].id if stored else None,
        turns=len(numbered),
        named=bool(store.conversation(conversation).title),
    )
    edits: dict[str, Edit] = {}
    for dispatch in store.dispatches(conversation):
        journal.note_attempts(dispatch.call_ref, dispatch.attempt)
        if dispatch.edit is not None:
            edits[dispatch.call_ref] = dispatch.edit
    pending = None
    if messages and isinstance(last := messages[-1], AssistantMessage):
        pending = pending_calls(last, results, tools)
        if pending is None and (answered := _answered(last, results)):
            # The client died after the last result and before writing the message of them all.
            journal.add_message(ResultsMessage(answered))
            messages.append(ResultsMessage(answered))
            stored = tuple(store.path(conversation, head))
    return Resumed(journal, tuple(messages), stored, results, states, pending, edits, numbered)


def read_again(
    store: Store,
    exchange: StoredExchange,
    number: int,
    *,
    tools: Mapping[str, ToolSpec] | None = None,
    settings: DecoderSettings | None = None,
) -> tuple[TurnReader, TurnHandle]:
    """The turn of a stored exchange, read from its bytes through the production pipeline.

    For bodies of megabytes call it in a thread.
    """
    head = (
        ResponseHead(exchange.status, exchange.response_headers, exchange.url)
        if exchange.status is not None
        else None
    )
    reader = TurnReader(
        exchange.dialect, head=head, settings=settings, ref_prefix=f"t{number}", tools=tools
    )
    arrivals = Arrivals()
    steps = []
    for at, data in store.chunks(exchange.id):
        arrivals.add(len(data), at)
        steps += reader.feed(data)
    broken = "" if exchange.ending == "complete" else exchange.problem or STOPPED
    steps += reader.close(broken=broken, cancelled=exchange.ending == "cancelled")
    model = reader.turn.model or ""
    handle = TurnHandle(
        exchange.id, reader.turn, arrivals, exchange.endpoint, exchange.dialect, model, steps
    )
    return reader, handle


def _store_broken_turn(store: Store, exchange: StoredExchange, number: int) -> None:
    reader, _ = read_again(store, exchange, number)
    journal = StoredJournal(
        store, exchange.conversation, parent=store.conversation(exchange.conversation).head
    )
    journal.add_message(reader.turn.message(), exchange=exchange.id, calls=reader.turn.calls)


def _take_over(
    message: ResultsMessage, results: dict[str, CallResult], states: dict[str, CallState]
) -> None:
    """What the calls were answered with on this branch, where it is not what their run left."""
    for result in message.results:
        if result.origin == "person" and result != results.get(result.call):
            states[result.call] = CallState.RETURNED
        results[result.call] = result


def _with_states(message: Message, states: Mapping[str, CallState]) -> Message:
    if not isinstance(message, AssistantMessage):
        return message
    parts = tuple(
        replace(part, state=states.get(part.ref, part.state))
        if isinstance(part, CallPart)
        else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def pending_calls(
    message: AssistantMessage,
    results: Mapping[str, CallResult],
    tools: Mapping[str, ToolSpec] | None,
) -> Pending | None:
    """The calls of `message` without a result that may still run, checked against `tools`."""
    waiting = [
        part
        for part in message.calls
        if part.choice == 0 and part.state in _UNSETTLED and part.ref not in results
    ]
    if not waiting:
        return None
    found = [
        finalise(
            ref=part.ref, id=part.id, name=part.name, raw=part.raw, kind=part.kind, tools=tools
        )
        for part in waiting
    ]
    return Pending(
        message,
        tuple(call for call in found if isinstance(call, FinalCall)),
        {part.ref: results[part.ref] for part in message.calls if part.ref in results},
        frozenset(part.ref for part in waiting if part.state is CallState.UNKNOWN),
    )


def _answered(
    message: AssistantMessage, results: Mapping[str, CallResult]
) -> tuple[CallResult, ...]:
    return tuple(results[part.ref] for part in message.calls if part.ref in results)
