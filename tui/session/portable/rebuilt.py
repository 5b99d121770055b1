"""A past turn made of its stored message, for where its bytes are not kept.

The turn is fed the facts that the message tells, one event for each part: what it shows is what
it said, without fragments, times and wire. A call ends as what the store says it was.
"""

from __future__ import annotations

from tui.core import events as ev
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    ProviderPart,
    RefusalPart,
    TextPart,
    ThinkingPart,
)
from tui.core.parts import LiveCall, LivePart, LiveProviderItem, LiveRefusal, LiveText, LiveThinking
from tui.core.states import CallState
from tui.core.turn import Turn

_AFTER_THE_STREAM = {CallState.INVALID, CallState.INCOMPLETE}


def turn_of(message: AssistantMessage) -> Turn:
    """A closed turn that says what `message` says."""
    turn = Turn(message.dialect)
    for number, part in enumerate(message.parts):
        turn.parts.append(_live(ev.Key(f"part {number}"), part))
    turn.calls.extend(part for part in turn.parts if isinstance(part, LiveCall))
    turn.model = message.model or None
    turn.stop_reason = message.stop_reason
    turn.outcome, turn.problem = message.outcome, message.problem
    return turn


def _live(
    key: ev.Key, part: TextPart | ThinkingPart | RefusalPart | ProviderPart | CallPart
) -> LivePart:
    live: LivePart
    text = part.raw if isinstance(part, CallPart) else part.text
    match part:
        case TextPart(citations=citations):
            live = LiveText(key, 0, citations=list(citations))
        case ThinkingPart(signature=signature):
            live = LiveThinking(key, 0, signature=signature)
        case RefusalPart():
            live = LiveRefusal(key, 0)
        case ProviderPart(kind, title):
            live = LiveProviderItem(key, 0, kind=kind, title=title)
        case CallPart():
            state = part.state if part.state in _AFTER_THE_STREAM else CallState.FINAL
            live = LiveCall(
                key,
                0,
                ref=part.ref,
                id=part.id,
                name=part.name,
                kind=part.kind,
                state=state,
                problem=part.problem,
                other_text=part.other_text,
                closed_at=None if state is CallState.INCOMPLETE else 0,
            )
    if text:
        live.append(text, (0, 0))
    live.closed = True
    return live
