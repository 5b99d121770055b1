"""Session updates as JSON values, one shape for each, for scripts that follow a conversation."""

from __future__ import annotations

import json
from typing import Any, assert_never

from tui.core import events as ev
from tui.core.codec import encode_message, encode_result
from tui.core.turn import Turn
from tui.session import updates as up


def update_as_json(update: up.SessionUpdate) -> dict[str, Any]:
    """A JSON value with the update's kind under `type`. Call refs and text are as received."""
    match update:
        case up.UserMessageAdded(message_id, message):
            return {
                "type": "user_message",
                "id": message_id,
                "message": json.loads(encode_message(message)),
            }
        case up.TurnOpened(handle):
            return {
                "type": "turn_opened",
                "exchange": handle.exchange,
                "endpoint": handle.endpoint,
                "dialect": handle.dialect,
                "model": handle.model,
            }
        case up.TurnAdvanced(handle, steps):
            found = [_event(event, handle.turn) for step in steps for event in step.events]
            return {
                "type": "turn_advanced",
                "exchange": handle.exchange,
                "bytes": handle.arrivals.total,
                "events": [event for event in found if event is not None],
            }
        case up.TurnClosed(handle, message_id, message):
            return {
                "type": "turn_closed",
                "exchange": handle.exchange,
                "id": message_id,
                "message": json.loads(encode_message(message)),
                "findings": [
                    {"code": found.code, "message": found.message, "offset": found.offset}
                    for found in handle.turn.findings
                ],
            }
        case up.CallChanged(ref, state, problem):
            return {"type": "call", "ref": ref, "state": str(state), "problem": problem or None}
        case up.ApprovalAsked(approval):
            return {
                "type": "approval_asked",
                "ref": approval.call.ref,
                "name": approval.call.name,
                "raw": approval.call.raw,
                "digest": approval.call.digest,
                "origin": approval.origin,
                "reason": approval.reason,
            }
        case up.CallProgress(ref, text, fraction):
            return {"type": "progress", "ref": ref, "text": text, "fraction": fraction}
        case up.CallRan(ref, seconds, traceback, printed, full_output):
            return {
                "type": "ran",
                "ref": ref,
                "seconds": round(seconds, 6),
                "traceback": traceback,
                "printed": printed,
                "cut": full_output is not None,
            }
        case up.CallAnswered(ref, result):
            return {"type": "result", "ref": ref, "result": json.loads(encode_result(result))}
        case up.CallsSentBack(texts):
            return {"type": "sent_back", "texts": dict(texts)}
        case up.TurnLimitReached(limit):
            return {"type": "turn_limit", "limit": limit}
        case up.Notice(text, severity):
            return {"type": "notice", "text": text, "severity": severity}
        case up.ExchangeFailed(error):
            return {"type": "failed", "error": str(error), "hint": error.hint or None}
        case up.Idle(reason):
            return {"type": "idle", "reason": reason}
        case _:
            assert_never(update)


def _event(event: ev.DialectEvent, turn: Turn) -> dict[str, Any] | None:
    match event:
        case ev.TextFragment(_, text, choice):
            return {"type": "text", "text": text, "choice": choice}
        case ev.ThinkingFragment(_, text, choice):
            return {"type": "thinking", "text": text, "choice": choice}
        case ev.RefusalFragment(_, text, choice):
            return {"type": "refusal", "text": text, "choice": choice}
        case ev.CallOpened(key, id, name, kind, choice):
            return {
                "type": "call_opened",
                "ref": _ref(turn, key),
                "id": id,
                "name": name,
                "kind": kind,
                "choice": choice,
            }
        case ev.CallNamed(key, id, name):
            return {"type": "call_named", "ref": _ref(turn, key), "id": id, "name": name}
        case ev.ArgumentFragment(key, text):
            return {"type": "fragment", "ref": _ref(turn, key), "text": text}
        case ev.CallClosed(key):
            return {"type": "call_closed", "ref": _ref(turn, key)}
        case ev.StopReasonGiven(reason, choice, detail):
            return {"type": "stop_reason", "reason": reason, "choice": choice, "detail": detail}
        case ev.ProviderErrorReported(message, kind):
            return {"type": "error", "message": message, "kind": kind}
        case ev.MalformedEvent(problem, raw):
            return {"type": "malformed", "problem": problem, "raw": raw}
        case ev.Finding(code, message):
            return {"type": "finding", "code": code, "message": message}
        case _:
            return None


def _ref(turn: Turn, key: ev.Key) -> str | None:
    return next((call.ref for call in turn.calls if call.key == key), None)
