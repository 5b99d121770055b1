"""The JSON form of a conversation: complete, versioned, described in docs/conversation-json.md.

ASCII text, so that half a surrogate pair survives; bytes are base64. Reading refuses what it
does not know rather than half understanding it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, cast

from tui.core.codec import decode_message, decode_result
from tui.core.errors import UsageError, VerbatimError
from tui.core.states import CallState
from tui.session.portable.whole import Chunks, Whole
from tui.store import (
    Edit,
    StoredCall,
    StoredConversation,
    StoredDispatch,
    StoredExchange,
    StoredMessage,
    StoredResult,
)

MARK: Final = "verbatim_conversation"
VERSION: Final = 1
_OUTCOMES: Final = (None, "returned", "failed", "timed out", "cancelled", "unknown")


def write(whole: Whole) -> str:
    """The conversation as JSON text, ending with a line end."""
    return json.dumps(_document(whole), indent=1) + "\n"


def is_ours(plain: object) -> bool:
    """Whether a parsed JSON value says that it is a conversation of ours."""
    return isinstance(plain, dict) and MARK in plain


def read(plain: dict[str, Any]) -> Whole:
    """The conversation that `write` wrote, from its parsed JSON.

    Raises:
        UsageError: it has another version, or lacks or holds what it must not.
    """
    if plain[MARK] != VERSION:
        raise UsageError(
            f"the conversation has version {plain[MARK]!r}; this Verbatim reads {VERSION}",
            hint="use a newer Verbatim",
        )
    try:
        return _whole(plain)
    except (KeyError, TypeError, ValueError, VerbatimError) as error:
        raise UsageError(
            f"this is no conversation that can be read: {type(error).__name__} {error}",
            hint="docs/conversation-json.md says what must be there",
        ) from error


def _document(whole: Whole) -> dict[str, Any]:
    one = whole.conversation
    outputs = whole.full_outputs or {}
    # Concurrent calls end in any order; a document has one.
    order = {ref: at for at, ref in enumerate([call.ref for call in whole.calls])}
    order = {**dict.fromkeys(whole.results or {}, len(order)), **order}
    return {
        MARK: VERSION,
        "title": one.title,
        "created": one.created,
        "updated": one.updated,
        "endpoint": one.endpoint,
        "dialect": one.dialect,
        "model": one.model,
        "settings": one.settings,
        "pinned": one.pinned,
        "tags": list(one.tags),
        "head": one.head,
        "redacted": list(whole.redacted),
        "messages": [
            {
                "id": each.id,
                "parent": each.parent,
                "created": each.created,
                "exchange": each.exchange,
                "message": json.loads(each.body),
            }
            for each in whole.messages
        ],
        "exchanges": [_exchange(each, chunks) for each, chunks in whole.exchanges],
        "calls": [
            {
                "ref": each.ref,
                "message": each.message,
                "exchange": each.exchange,
                "ordinal": each.ordinal,
                "key": each.key,
                "id": each.wire_id,
                "name": each.name,
                "kind": each.kind,
                "raw": each.raw,
                "fragments": each.fragments,
                "digest": each.digest,
                "state": str(each.state),
                "problem": each.problem,
                "other_text": each.other_text,
            }
            for each in whole.calls
        ],
        "results": [
            {
                "attempt": each.attempt,
                "created": each.created,
                "result": json.loads(each.body),
                "full_output": _base64(outputs.get(ref)),
            }
            for ref, each in sorted((whole.results or {}).items(), key=lambda pair: order[pair[0]])
        ],
        "dispatches": [
            {
                "call": each.call_ref,
                "attempt": each.attempt,
                "started": each.started,
                "ended": each.ended,
                "outcome": each.outcome,
                "allowed_by": each.policy,
                "edited": None
                if each.edit is None
                else {"text": each.edit.text, "told": each.edit.told},
            }
            for each in whole.dispatches
        ],
    }


def _exchange(each: StoredExchange, chunks: Chunks) -> dict[str, Any]:
    return {
        "id": each.id,
        "message": each.message,
        "dialect": each.dialect,
        "endpoint": each.endpoint,
        "url": each.url,
        "started": each.started,
        "ended": each.ended,
        "ending": each.ending,
        "problem": each.problem,
        "bytes_not_kept": each.lost,
        "request": {
            "headers": [list(pair) for pair in each.request_headers],
            "body": _base64(each.request_body),
        },
        "response": {
            "status": each.status,
            "headers": [list(pair) for pair in each.response_headers],
        }
        if each.status is not None
        else None,
        "chunks": [[at, _base64(data)] for at, data in chunks],
    }


def _whole(plain: dict[str, Any]) -> Whole:
    messages = tuple(_message(number, each) for number, each in enumerate(plain["messages"], 1))
    results = [_result(each) for each in plain["results"]]
    conversation = StoredConversation(
        id="",
        title=_text(plain["title"]),
        created=float(plain["created"]),
        updated=float(plain["updated"]),
        head=plain["head"],
        endpoint=_text(plain["endpoint"]),
        dialect=_text(plain["dialect"]),
        model=_text(plain["model"]),
        settings=_text(plain["settings"]),
        pinned=bool(plain["pinned"]),
        tags=tuple(_text(tag) for tag in plain["tags"]),
        deleted_at=None,
        recorded=True,
    )
    known = {message.id for message in messages}
    for message in messages:
        if message.parent is not None and message.parent not in known:
            raise ValueError(f"the message {message.id!r} has a parent that is not here")
    if conversation.head is not None and conversation.head not in known:
        raise ValueError("the head is none of the messages")
    return Whole(
        conversation,
        messages,
        tuple(_read_exchange(each) for each in plain["exchanges"]),
        tuple(_call(each) for each in plain["calls"]),
        {found.call_ref: found for found, _ in results},
        {found.call_ref: output for found, output in results if output is not None},
        tuple(_dispatch(number, each) for number, each in enumerate(plain["dispatches"], 1)),
        tuple(_text(each) for each in plain["redacted"]),
    )


def _message(number: int, plain: dict[str, Any]) -> StoredMessage:
    body = json.dumps(plain["message"], separators=(",", ":"))
    decode_message(body)
    role = {"user": "user", "assistant": "assistant", "results": "results"}[
        plain["message"]["type"]
    ]
    return StoredMessage(
        _text(plain["id"]),
        "",
        plain["parent"],
        number,
        cast(Any, role),
        float(plain["created"]),
        body,
        plain["exchange"],
    )


def _read_exchange(plain: dict[str, Any]) -> tuple[StoredExchange, Chunks]:
    request, response = plain["request"], plain["response"]
    if plain["ending"] not in ("open", "complete", "broken", "cancelled", "abandoned"):
        raise ValueError(f"the ending {plain['ending']!r} is unheard of")
    stored = StoredExchange(
        id=_text(plain["id"]),
        conversation="",
        message=plain["message"],
        dialect=_text(plain["dialect"]),
        endpoint=_text(plain["endpoint"]),
        url=_text(plain["url"]),
        request_headers=_pairs(request["headers"]),
        request_body=_bytes(request["body"]) or b"",
        status=int(response["status"]) if response else None,
        response_headers=_pairs(response["headers"]) if response else (),
        started=float(plain["started"]),
        ended=None if plain["ended"] is None else float(plain["ended"]),
        ending=plain["ending"],
        problem=_text(plain["problem"]),
        tools=None,
        lost=int(plain["bytes_not_kept"]),
    )
    return stored, tuple((float(at), _bytes(data) or b"") for at, data in plain["chunks"])


def _call(plain: dict[str, Any]) -> StoredCall:
    return StoredCall(
        conversation="",
        ref=_text(plain["ref"]),
        message=plain["message"],
        exchange=plain["exchange"],
        ordinal=int(plain["ordinal"]),
        key=_text(plain["key"]),
        wire_id=plain["id"],
        name=_text(plain["name"]),
        kind=_text(plain["kind"]),
        raw=_text(plain["raw"]),
        fragments=int(plain["fragments"]),
        digest=_text(plain["digest"]),
        state=CallState(plain["state"]),
        problem=_text(plain["problem"]),
        other_text=plain["other_text"],
    )


def _result(plain: dict[str, Any]) -> tuple[StoredResult, bytes | None]:
    body = json.dumps(plain["result"], separators=(",", ":"))
    result = decode_result(body)
    stored = StoredResult(
        "",
        result.call,
        int(plain["attempt"]),
        body,
        result.is_error,
        result.origin,
        float(plain["created"]),
    )
    return stored, _bytes(plain["full_output"])


def _dispatch(number: int, plain: dict[str, Any]) -> StoredDispatch:
    if plain["outcome"] not in _OUTCOMES:
        raise ValueError(f"the outcome {plain['outcome']!r} is unheard of")
    return StoredDispatch(
        number,
        "",
        _text(plain["call"]),
        int(plain["attempt"]),
        float(plain["started"]),
        None if plain["ended"] is None else float(plain["ended"]),
        plain["outcome"],
        _text(plain["allowed_by"]),
        # Exports of before there were edited runs do not have it.
        _edit(plain.get("edited")),
    )


def _edit(plain: dict[str, Any] | None) -> Edit | None:
    if plain is None:
        return None
    if plain["told"] not in ("edited", "denied"):
        raise ValueError(f"what the model was told, {plain['told']!r}, is unheard of")
    return Edit(_text(plain["text"]), plain["told"])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} stands where text must")
    return value


def _pairs(plain: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((_text(name), _text(value)) for name, value in plain)


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
