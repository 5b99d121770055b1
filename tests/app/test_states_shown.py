"""Every state of a call is told from every other without a colour."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tui.app.states_shown import SHOWN, shown
from tui.app.themes import CALL_COLOUR_FALLBACKS
from tui.core.states import CallState


def test_every_state_has_its_own_word_glyph_and_ascii_mark() -> None:
    assert set(SHOWN) == set(CallState)
    for marks in (
        [state.glyph for state in SHOWN.values()],
        [state.ascii for state in SHOWN.values()],
        [state.word for state in SHOWN.values()],
    ):
        assert len(set(marks)) == len(CallState)


@pytest.mark.parametrize("state", CallState)
def test_marks_are_one_cell_and_words_are_those_of_the_core(state: CallState) -> None:
    assert cell_len(shown(state).glyph) == cell_len(shown(state).ascii) == 1
    assert shown(state).ascii.isascii()
    assert shown(state).word == str(state)
    assert shown(state).colour in CALL_COLOUR_FALLBACKS


def test_a_label_is_glyph_and_word() -> None:
    assert shown(CallState.FORMING).label().plain == "~ forming"
    assert shown(CallState.RETURNED).label(ascii_only=True).plain == "v returned"
