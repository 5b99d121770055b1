"""The states of a call and the table of what may follow what.

Reading `TRANSITIONS` is reading the behaviour: an event without an entry raises and changes
nothing. The first half is lived inside the stream (`turn`), the second half after it
(`session` and the dispatch ledger).
"""

from __future__ import annotations

from enum import StrEnum

from tui.core.errors import ProtocolViolation


class CallState(StrEnum):
    FORMING = "forming"
    CLOSED = "closed"
    FINAL = "final"
    INVALID = "invalid"
    INCOMPLETE = "incomplete"
    AWAITING_APPROVAL = "awaiting approval"
    DENIED = "denied"
    RUNNING = "running"
    RETURNED = "returned"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class CallEvent(StrEnum):
    FRAGMENT_CAME = "fragment came"
    MARKER_CAME = "marker came"
    SPOILED = "spoiled"
    FOUND_FINAL = "found final"
    FOUND_INVALID = "found invalid"
    FOUND_INCOMPLETE = "found incomplete"
    APPROVAL_ASKED = "approval asked"
    DENIED = "denied"
    STARTED = "started"
    RETURNED = "returned"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"
    CLIENT_DIED = "client died"
    ANSWERED_BY_HAND = "answered by hand"


_S, _E = CallState, CallEvent

TRANSITIONS: dict[tuple[CallState, CallEvent], CallState] = {
    # While the stream runs. A fragment after the marker re-opens nothing: the dialect decides
    # whether it still belongs to the buffer (Chat Completions) or spoils the call (Responses).
    (_S.FORMING, _E.FRAGMENT_CAME): _S.FORMING,
    (_S.FORMING, _E.MARKER_CAME): _S.CLOSED,
    (_S.FORMING, _E.SPOILED): _S.FORMING,
    (_S.CLOSED, _E.FRAGMENT_CAME): _S.CLOSED,
    (_S.CLOSED, _E.MARKER_CAME): _S.CLOSED,
    (_S.CLOSED, _E.SPOILED): _S.CLOSED,
    # When the turn is over.
    (_S.FORMING, _E.FOUND_INCOMPLETE): _S.INCOMPLETE,
    (_S.CLOSED, _E.FOUND_INCOMPLETE): _S.INCOMPLETE,
    (_S.CLOSED, _E.FOUND_INVALID): _S.INVALID,
    (_S.CLOSED, _E.FOUND_FINAL): _S.FINAL,
    # Dispatch.
    (_S.FINAL, _E.APPROVAL_ASKED): _S.AWAITING_APPROVAL,
    (_S.FINAL, _E.STARTED): _S.RUNNING,
    (_S.FINAL, _E.DENIED): _S.DENIED,
    (_S.FINAL, _E.CANCELLED): _S.CANCELLED,
    (_S.FINAL, _E.ANSWERED_BY_HAND): _S.RETURNED,
    (_S.AWAITING_APPROVAL, _E.STARTED): _S.RUNNING,
    (_S.AWAITING_APPROVAL, _E.DENIED): _S.DENIED,
    (_S.AWAITING_APPROVAL, _E.CANCELLED): _S.CANCELLED,
    (_S.AWAITING_APPROVAL, _E.ANSWERED_BY_HAND): _S.RETURNED,
    (_S.RUNNING, _E.RETURNED): _S.RETURNED,
    (_S.RUNNING, _E.FAILED): _S.FAILED,
    (_S.RUNNING, _E.TIMED_OUT): _S.TIMED_OUT,
    (_S.RUNNING, _E.CANCELLED): _S.CANCELLED,
    (_S.RUNNING, _E.CLIENT_DIED): _S.UNKNOWN,
    # After a crash a person decides what became of a call that had been started.
    (_S.UNKNOWN, _E.STARTED): _S.RUNNING,
    (_S.UNKNOWN, _E.ANSWERED_BY_HAND): _S.RETURNED,
    (_S.UNKNOWN, _E.FAILED): _S.FAILED,
}

ENDED_UNRUN = frozenset({_S.INVALID, _S.INCOMPLETE, _S.DENIED})
ANSWERED = frozenset({_S.RETURNED, _S.FAILED, _S.TIMED_OUT, _S.CANCELLED, _S.DENIED, _S.INVALID})
"""States in which a call has, or can be given, its one result for the next request."""


def advance(state: CallState, event: CallEvent) -> CallState:
    """The state after `event`.

    Raises:
        ProtocolViolation: the table has no entry; nothing changes.
    """
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise ProtocolViolation(f"a call that is {state} cannot take {event!r}") from None
