"""The doctor: every exchange read again from its bytes, and compared with what is stored.

Comes in: a store. Goes out: one `Difference` in words for each thing that is not as it should
be. What a turn means is asked of the production reader only; what SQLite thinks of the file, and
rows that belong to nothing, are asked of the store.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tui.core.codec import decode_message, decode_result, encode_message
from tui.core.conversation import AssistantMessage, ResultsMessage, ToolSpec
from tui.core.errors import StoreError, VerbatimError
from tui.core.parts import LiveCall
from tui.core.states import CallState
from tui.core.turn import Turn
from tui.session.resume import read_again
from tui.session.stored import new_call_of
from tui.store import Store, StoredCall, StoredDispatch, StoredExchange, StoredResult

Code = Literal[
    "file",
    "orphans",
    "unreadable",
    "message",
    "call",
    "state",
    "digest",
    "result",
    "ledger",
    "no message",
    "bytes",
    "tree",
]
_DURING_THE_STREAM: Final = frozenset({CallState.FORMING, CallState.CLOSED})
_NEVER_RUN: Final = frozenset({CallState.INVALID, CallState.INCOMPLETE})


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it should be. `stored` and `derived` are empty where not meant."""

    code: Code
    words: str
    conversation: str = ""
    subject: str = ""
    """A message's, call's or exchange's id."""
    stored: str = ""
    derived: str = ""
    mended: bool = False
    """The derived value was written in place of the stored one."""


def examine_file(store: Store) -> list[Difference]:
    """What is wrong with the file as a whole. Reads all of it: call it in a thread."""
    found = [Difference("file", f"SQLite: {words}") for words in store.check()]
    try:
        for table, count in store.orphans().items():
            words = f"{count} rows of {table} belong to nothing"
            found.append(Difference("orphans", words, subject=table))
    except StoreError as error:
        found.append(Difference("file", str(error)))
    return found


def examine(store: Store, conversation: str, *, rederive: bool = False) -> list[Difference]:
    """What is wrong with one conversation.

    Args:
        rederive: write what this version reads from the bytes in place of what is stored; the
            old values are in the differences. States of calls that have run or have a result stay.
    """
    try:
        found = list(_examine(store, conversation, rederive))
    except VerbatimError as error:
        return [Difference("unreadable", str(error), conversation)]
    except (ValueError, TypeError, AttributeError, zlib.error) as error:
        # Columns of a damaged row hold anything, in any type.
        words = f"a stored value makes no sense: {error}"
        return [Difference("unreadable", words, conversation)]
    if rederive:
        store.flush()
    return found


def tools_in(request_body: bytes) -> dict[str, ToolSpec] | None:
    """The tools that a recorded request offers, for the schema check; None when it tells nothing."""
    try:
        plain = json.loads(request_body)
    except ValueError:
        return None
    if not isinstance(plain, dict):
        return None
    specs = [_spec(each) for each in plain.get("tools") or () if isinstance(each, dict)]
    return {spec.name: spec for spec in specs if spec is not None}


def _spec(plain: dict[str, Any]) -> ToolSpec | None:
    inner = plain.get("function") or plain.get("custom") or plain
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str):
        return None
    if plain.get("type") == "custom" and "input_schema" not in plain:
        return ToolSpec(name, "", {}, kind="custom")
    schema = inner.get("input_schema", inner.get("parameters", {"type": "object"}))
    return ToolSpec(name, "", schema if isinstance(schema, dict) else {"type": "object"})


def _examine(store: Store, conversation: str, rederive: bool) -> Iterator[Difference]:
    messages = {each.id: each for each in store.messages(conversation)}
    calls = {each.ref: each for each in store.calls(conversation)}
    results = store.results(conversation)
    dispatches: dict[str, list[StoredDispatch]] = {}
    for dispatch in store.dispatches(conversation):
        dispatches.setdefault(dispatch.call_ref, []).append(dispatch)
    head = store.conversation(conversation).head
    if head is not None and head not in messages:
        yield Difference("tree", "the head is no message of it", conversation, head)
    for message in messages.values():
        if message.parent is not None and message.parent not in messages:
            yield Difference("tree", "its parent is not there", conversation, message.id)
        value = decode_message(message.body)
        if isinstance(value, ResultsMessage):
            for result in value.results:
                kept = results.get(result.call)
                if kept is None or decode_result(kept.body) != result:
                    words = "what was sent back is not the result that is stored"
                    yield Difference("result", words, conversation, result.call)
    for number, exchange in enumerate(store.exchanges(conversation), start=1):
        if exchange.ending == "open":
            continue
        if exchange.lost:
            # Let go on purpose or for want of room: nothing to compare with.
            continue
        settled = {ref for ref in calls if ref in results or ref in dispatches}
        mine = {ref: call for ref, call in calls.items() if call.exchange == exchange.id}
        body = messages[exchange.message].body if exchange.message in messages else None
        yield from _exchange(store, exchange, number, body, mine, settled, rederive)
    for ref, call in calls.items():
        for each in _ledger(conversation, call, dispatches.get(ref, []), results.get(ref)):
            if rederive and each.derived:
                store.set_call_state(conversation, ref, CallState(each.derived))
            yield replace(each, mended=rederive and bool(each.derived))


def _exchange(
    store: Store,
    exchange: StoredExchange,
    number: int,
    body: str | None,
    calls: Mapping[str, StoredCall],
    settled: Iterable[str],
    rederive: bool,
) -> Iterator[Difference]:
    conversation = exchange.conversation
    if body is None or exchange.message is None:
        if exchange.message is not None or (
            exchange.ending != "abandoned" and store.chunks(exchange.id)
        ):
            words = "a response came, and no message is stored for it"
            yield Difference("no message", words, conversation, exchange.id)
        return
    tools = tools_in(exchange.request_body)
    reader, _ = read_again(store, exchange, number, tools=tools)
    turn, stored = reader.turn, decode_message(body)
    derived = turn.message()
    same = isinstance(stored, AssistantMessage) and stored == derived
    if not same:
        if rederive:
            store.rewrite_message(exchange.message, encode_message(derived), derived.text)
        yield Difference(
            "message",
            f"turn {number}: {_where(stored, derived)} is read otherwise from the bytes",
            conversation,
            exchange.message,
            body,
            encode_message(derived),
            rederive,
        )
    yield from _calls(store, exchange, turn, calls, set(settled), rederive)


def _where(stored: object, derived: AssistantMessage) -> str:
    if not isinstance(stored, AssistantMessage):
        return "the message, which is no turn,"
    names = [
        name
        for name in ("parts", "dialect", "model", "outcome", "stop_reason", "problem")
        if getattr(stored, name) != getattr(derived, name)
    ]
    return " and ".join(names)


def _calls(
    store: Store,
    exchange: StoredExchange,
    turn: Turn,
    calls: Mapping[str, StoredCall],
    settled: set[str],
    rederive: bool,
) -> Iterator[Difference]:
    conversation = exchange.conversation
    seen = {call.ref for call in turn.calls}
    for ref in calls.keys() - seen:
        yield Difference("call", "the bytes hold no such call", conversation, ref)
    for ordinal, call in enumerate(turn.calls):
        stored = calls.get(call.ref)
        differences = (
            [Difference("call", "it is in the bytes and not stored", conversation, call.ref)]
            if stored is None
            else list(_call(conversation, stored, call))
        )
        if differences and rederive:
            new = new_call_of(
                ordinal, call, stored.state if stored and call.ref in settled else None
            )
            store.save_call(conversation, new, message=exchange.message, exchange=exchange.id)
        for each in differences:
            yield Difference(
                each.code, each.words, conversation, call.ref, each.stored, each.derived, rederive
            )


def _call(conversation: str, stored: StoredCall, call: LiveCall) -> Iterator[Difference]:
    for what, old, new in (
        ("argument text", stored.raw, call.text),
        ("name", stored.name, call.name),
        ("id", stored.wire_id or "", call.id or ""),
        ("kind", stored.kind, call.kind),
        ("number of fragments", str(stored.fragments), str(call.buffer.count)),
    ):
        if old != new:
            words = f"its {what} is read otherwise from the bytes"
            yield Difference("call", words, conversation, call.ref, old, new)
    if stored.digest != hashlib.sha256(stored.raw.encode("utf-8", "surrogatepass")).hexdigest():
        words = "the digest is not that of the stored argument text"
        yield Difference(
            "digest", words, conversation, call.ref, stored.digest, call.buffer.digest()
        )
    never = call.state in _NEVER_RUN
    if never != (stored.state in _NEVER_RUN) or (never and stored.state is not call.state):
        words = f"it is stored as {stored.state}, and was {call.state} when its turn was over"
        yield Difference("state", words, conversation, call.ref, str(stored.state), str(call.state))
    elif stored.state in _DURING_THE_STREAM:
        words = f"its turn is over, and it is stored as {stored.state}"
        yield Difference("state", words, conversation, call.ref, str(stored.state), str(call.state))


def _ledger(
    conversation: str,
    call: StoredCall,
    dispatches: list[StoredDispatch],
    result: StoredResult | None,
) -> Iterator[Difference]:
    def wrong(words: str) -> Difference:
        return Difference("ledger", words, conversation, call.ref)

    if call.message is None:
        yield wrong("it belongs to no message")
    aside = [each for each in dispatches if each.aside and each.outcome != "unknown"]
    dispatches = [each for each in dispatches if each not in aside]
    if aside and result is not None and result.attempt == aside[-1].attempt:
        return  # The call's own answer came after a run for the person alone.
    for earlier in dispatches[:-1]:
        if earlier.outcome != "unknown":
            yield wrong(
                f"it was started again after a start that had {earlier.outcome or 'not ended'}"
            )
    if call.state in _NEVER_RUN and dispatches:
        yield wrong(f"it is {call.state} and was started all the same")
    if not dispatches:
        if call.state is CallState.RUNNING:
            yield wrong("it is stored as running and was never started")
        if result is not None and result.attempt:
            yield wrong("its result names a start that is not in the ledger")
        return
    last = dispatches[-1]
    if last.outcome is None:
        return  # A window is running it, or its death is noted at the next start.
    if last.outcome == "unknown":
        return  # A person decides, or has decided: any result is theirs.
    if result is None:
        yield wrong(f"it {last.outcome} and has no result")
    elif result.attempt != last.attempt:
        yield wrong(
            f"its result is that of start {result.attempt}, and the last was {last.attempt}"
        )
    if str(call.state) != last.outcome:
        words = f"it is stored as {call.state}, and its last start {last.outcome}"
        # The ledger was written first, so it is right.
        yield replace(wrong(words), stored=str(call.state), derived=last.outcome)
