"""Storing what a file held: a conversation of ours, or exchanges that others recorded.

Our own conversations are stored as they were, messages and states and results; what others
recorded is bytes, and its turns are what the reader makes of them. Nothing imported runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui.core.codec import decode_message, decode_result
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from tui.core.dialects import EncodedRequest
from tui.core.errors import StoreError, UsageError
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.core.source import WireRequest
from tui.core.states import CallEvent, CallState, advance
from tui.recording.format import Recording
from tui.session.portable.whole import Whole
from tui.session.replaying import prompt_of
from tui.session.stored import StoredJournal
from tui.store import NewCall, NewResult, Past, Store, StoredCall

_STILL_GOING = {
    CallState.RUNNING: CallState.UNKNOWN,
    CallState.AWAITING_APPROVAL: CallState.FINAL,
}
"""What a call that was under way elsewhere is here."""


def store_whole(store: Store, whole: Whole) -> str:
    """Store a conversation as it was; returns its new id.

    Ids are made anew, and the conversation counts as changed now; all the rest stays.

    Raises:
        StoreError: it could not be written; nothing of it is left then.
    """
    one = whole.conversation
    conversation = store.create_conversation(
        title=one.title,
        endpoint=one.endpoint,
        dialect=one.dialect,
        model=one.model,
        settings=one.settings,
        tags=one.tags,
    )
    try:
        exchanges = _store_exchanges(store, whole, conversation)
        messages = _store_messages(store, whole, conversation, exchanges)
        outputs = whole.full_outputs or {}
        for call in whole.calls:
            found = (whole.results or {}).get(call.ref)
            if found is not None:
                result = decode_result(found.body)
                new = NewResult(
                    found.body, found.is_error, found.origin, result.text, outputs.get(call.ref)
                )
                store.save_result(
                    conversation, call.ref, new, state=call.state, attempt=found.attempt
                )
        store.restore_past(conversation, _past(whole, messages, exchanges))
        store.set_head(conversation, messages[one.head] if one.head else None)
        if one.pinned:
            store.pin(conversation)
        if not store.flush(60.0):
            raise StoreError("the imported conversation could not be written in a minute")
    except BaseException:
        store.purge(conversation)
        raise
    return conversation


def _past(whole: Whole, messages: Mapping[str, str], exchanges: Mapping[str, str]) -> Past:
    calls = {call.ref for call in whole.calls if call.message in messages}
    return Past(
        whole.conversation.created,
        {messages[each.id]: each.created for each in whole.messages},
        {exchanges[each.id]: each.ended for each, _ in whole.exchanges if each.ended is not None},
        {ref: each.created for ref, each in (whole.results or {}).items()},
        [each for each in whole.dispatches if each.call_ref in calls],
    )


def _store_exchanges(store: Store, whole: Whole, conversation: str) -> dict[str, str]:
    ids: dict[str, str] = {}
    for each, chunks in whole.exchanges:
        exchange = ids[each.id] = store.begin_exchange(
            conversation,
            dialect=each.dialect,
            endpoint=each.endpoint,
            url=each.url,
            request_headers=each.request_headers,
            request_body=each.request_body,
            started=each.started,
        )
        if each.status is not None:
            store.note_head(exchange, each.status, each.response_headers)
        for at, data in chunks:
            store.append_chunk(exchange, at, data)
        ending = "abandoned" if each.ending == "open" else each.ending
        store.end_exchange(exchange, ending, each.problem)
        if each.lost:
            store.note_lost(exchange, each.lost)
    return ids


def _store_messages(
    store: Store, whole: Whole, conversation: str, exchanges: Mapping[str, str]
) -> dict[str, str]:
    ids: dict[str, str] = {}
    for each in whole.messages:
        message = decode_message(each.body)
        prose = ""
        if not isinstance(message, ResultsMessage):
            prose = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        ids[each.id] = store.add_message(
            conversation,
            parent=ids[each.parent] if each.parent else None,
            role=each.role,
            body=each.body,
            plain=prose,
            exchange=exchanges.get(each.exchange or ""),
            calls=[_new_call(call) for call in whole.calls if call.message == each.id],
        )
    return ids


def _new_call(call: StoredCall) -> NewCall:
    return NewCall(
        ref=call.ref,
        ordinal=call.ordinal,
        key=call.key,
        wire_id=call.wire_id,
        name=call.name,
        kind=call.kind,
        raw=call.raw,
        fragments=call.fragments,
        digest=call.digest,
        state=_STILL_GOING.get(call.state, call.state),
        problem=call.problem,
        other_text=call.other_text,
    )


def store_recordings(store: Store, recordings: Sequence[Recording], title: str = "") -> str:
    """Store exchanges as one conversation, a turn each; returns its id.

    The first prompt and, where no result was recorded with a call, later prompts and results
    are taken from the requests, as far as they tell.

    Raises:
        UsageError: there is none, or a dialect cannot be told.
        StoreError: it could not be written.
    """
    if not recordings:
        raise UsageError("there is no event stream in it", hint="import a file that holds one")
    settled = [_with_dialect(recording) for recording in recordings]
    first = settled[0]
    conversation = store.create_conversation(
        title=title,
        endpoint=first.endpoint or "imported",
        dialect=first.dialect or "",
        model=first.model,
    )
    journal = StoredJournal(store, conversation)
    waiting: AssistantMessage | None = None
    for recording in settled:
        if waiting is None:
            journal.add_message(UserMessage((TextPart(prompt_of(recording)),)))
        waiting = _store_turn(store, journal, recording)
    if title:
        store.rename(conversation, title)
    if not store.flush(60.0):
        raise StoreError("the imported recordings could not be written in a minute")
    return conversation


def _store_turn(
    store: Store, journal: StoredJournal, recording: Recording
) -> AssistantMessage | None:
    """Store one exchange with its turn and results; the message when it waits for another turn."""
    request = WireRequest(
        recording.dialect or "",
        recording.request_url,
        recording.request_body,
        recording.request_headers,
    )
    ticket = journal.begin_exchange(
        EncodedRequest(request), endpoint=recording.endpoint or "imported", model=recording.model
    )
    if recording.head is not None:
        journal.head(ticket.id, recording.head)
    reader = TurnReader(
        recording.dialect or "", head=recording.head, ref_prefix=f"t{ticket.number}"
    )
    for at, data in recording.timed_chunks():
        journal.chunk(ticket.id, at, data)
        reader.feed(data)
    whole = recording.ending == "complete"
    reader.close(
        broken="" if whole else recording.problem or "the recording ends early",
        cancelled=recording.ending == "cancelled",
    )
    journal.end_exchange(ticket.id, recording.ending, recording.problem)
    message = reader.turn.message()
    journal.add_message(message, exchange=ticket.id, calls=reader.turn.calls)
    by_place = {result.call.rpartition(".")[2]: result for result in recording.results}
    found = tuple(
        replace(by_place[place], call=call.ref)
        for call in message.calls
        if (place := call.ref.rpartition(".")[2]) in by_place
    )
    for result in found:
        journal.save_result(result, _state_of(result))
    if found:
        journal.add_message(ResultsMessage(found))
    return message if message.calls else None


def _state_of(result: CallResult) -> CallState:
    if result.origin == "client":
        return CallState.FAILED
    running = advance(CallState.FINAL, CallEvent.STARTED)
    return advance(running, CallEvent.FAILED if result.is_error else CallEvent.RETURNED)


def _with_dialect(recording: Recording) -> Recording:
    dialect = recording.dialect or dialect_of(recording.body)
    if dialect is None:
        raise UsageError(
            "a stream does not tell which dialect it speaks", hint="say it with --dialect"
        )
    model = recording.model
    if not model:
        try:
            asked = json.loads(recording.request_body)
            model = asked["model"] if isinstance(asked["model"], str) else ""
        except (ValueError, KeyError, TypeError):
            model = ""
    return replace(recording, dialect=dialect, model=model)
