"""The table of call states."""

from __future__ import annotations

import pytest

from tui.core.errors import ProtocolViolation
from tui.core.states import TRANSITIONS, CallEvent, CallState, advance


def test_nothing_starts_but_a_final_call_or_one_a_person_decided_on() -> None:
    may_start = {state for state, event in TRANSITIONS if event is CallEvent.STARTED}
    assert may_start == {CallState.FINAL, CallState.AWAITING_APPROVAL, CallState.UNKNOWN}


def test_a_call_without_its_marker_can_only_end_incomplete() -> None:
    ends = {
        after
        for (before, _), after in TRANSITIONS.items()
        if before is CallState.FORMING and after is not CallState.FORMING
    }
    assert ends == {CallState.CLOSED, CallState.INCOMPLETE}


@pytest.mark.parametrize("state", [CallState.INVALID, CallState.INCOMPLETE, CallState.DENIED])
@pytest.mark.parametrize("event", list(CallEvent))
def test_what_was_refused_stays_refused(state: CallState, event: CallEvent) -> None:
    with pytest.raises(ProtocolViolation):
        advance(state, event)


def test_every_state_is_reached_and_every_event_used() -> None:
    assert set(TRANSITIONS.values()) == set(CallState)
    assert {event for _, event in TRANSITIONS} == set(CallEvent)
