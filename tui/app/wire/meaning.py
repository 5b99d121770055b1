"""What the dialect made of an event, in a few words; and whether something was wrong with it."""

from __future__ import annotations

from typing import assert_never

from tui.core import events as ev
from tui.core.events import DialectEvent
from tui.core.reader import Step
from tui.core.sse import Comment, SSEEvent, UnfinishedEvent
from tui.core.turn import Turn

_QUOTED = 80
"""Characters of a fragment that a meaning quotes; a row shows no more."""


def meaning_of(step: Step, turn: Turn) -> str:
    """In one line, of text as received: the row cleans it."""
    item = step.item
    words = [_words(event, turn) for event in step.events]
    match item:
        case Comment(text):
            words.append(text)
        case UnfinishedEvent():
            torn = "in mid line" if item.partial_line else "without the blank line that ends it"
            words.append(f"the body ended {torn}")
        case SSEEvent():
            if not step.events:
                words.append("no data" if not item.data else "adds nothing")
            if item.replaced:
                words.append("not UTF-8")
        case _:
            assert_never(item)
    return "; ".join(words)


def is_trouble(step: Step) -> bool:
    """Whether the event is malformed, torn, unknown, contradictory, or reports an error."""
    item = step.item
    if isinstance(item, UnfinishedEvent) or (isinstance(item, SSEEvent) and item.replaced):
        return True
    return any(_is_trouble(event) for event in step.events)


def _is_trouble(event: DialectEvent) -> bool:
    match event:
        case ev.Finding(_, _, _, severity):
            return severity != "note"
        case (
            ev.MalformedEvent()
            | ev.UnattributedFragment()
            | ev.CallSpoiled()
            | ev.CallDoubted()
            | ev.UnknownEvent()
            | ev.ProviderErrorReported()
        ):
            return True
        case _:
            return False


def _words(event: DialectEvent, turn: Turn) -> str:
    match event:
        case ev.TurnStarted(_, model):
            return f"the turn starts, by {model}" if model else "the turn starts"
        case ev.UsageReported():
            return "usage"
        case ev.TextFragment(_, text):
            return f"prose {_quoted(text)}"
        case ev.RefusalFragment(_, text):
            return f"refusal {_quoted(text)}"
        case ev.ThinkingFragment(_, text):
            return f"thinking {_quoted(text)}"
        case ev.ThinkingSigned():
            return "signature of the thinking"
        case ev.CitationGiven():
            return "citation"
        case ev.CallOpened(key, _, name):
            return f"{_ref(key, turn)} opens: {name or 'no name yet'}"
        case ev.CallNamed(key, _, name):
            return (
                f"{_ref(key, turn)} is named {name}" if name else f"{_ref(key, turn)} gets its id"
            )
        case ev.ArgumentFragment(key, text):
            return f"{_ref(key, turn)} {_quoted(text)}"
        case ev.CallExtended(key):
            return f"{_ref(key, turn)} gets members of its own"
        case ev.CallClosed(key):
            return f"{_ref(key, turn)} closes"
        case ev.ProviderItemOpened(_, kind, title):
            return f"{kind} {title} opens".replace("  ", " ")
        case ev.ProviderItemFragment(_, text):
            return f"provider's item {_quoted(text)}"
        case ev.PartClosed():
            return "a part closes"
        case ev.StopReasonGiven(reason):
            return f"stop reason {reason}"
        case ev.TurnEnded():
            return "the turn ends"
        case ev.ProviderErrorReported(message):
            return f"error: {message[:_QUOTED]}"
        case ev.MalformedEvent(problem):
            return f"malformed: {problem}"
        case ev.UnattributedFragment(text, problem):
            return f"no call's: {_quoted(text)} ({problem})"
        case ev.CallSpoiled(key, problem):
            return f"{_ref(key, turn)} is contradicted: {problem}"
        case ev.CallDoubted(key, problem):
            return f"{_ref(key, turn)} is in doubt: {problem}"
        case ev.UnknownEvent(kind):
            return f"unknown: {kind}"
        case ev.KeepAlive(kind):
            return kind
        case ev.Finding(code, _, _, _):
            return f"finding {code}"
        case _:
            assert_never(event)


def _ref(key: ev.Key, turn: Turn) -> str:
    for call in turn.calls:
        if call.key == key:
            return call.ref
    return f"call {key}"


def _quoted(text: str) -> str:
    if not text:
        return "(empty)"
    return f"“{text[:_QUOTED]}…”" if len(text) > _QUOTED else f"“{text}”"
