"""Fitting text into cells, and the line breaks of long texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.screens import FORBIDDEN, HOSTILE
from tui.app.calls.flow import Flow
from tui.app.calls.lines import (
    Ink,
    breaks,
    cells,
    clipped,
    clipped_head,
    clipped_tail,
    justified,
    shortened,
    spelled,
    width_of,
    wrapped,
)
from tui.app.safe import clean

clean_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80).map(spelled)
widths = st.integers(2, 40)


@given(clean_texts, widths)
def test_clipped_text_fits_and_is_an_end_of_the_text(text: str, width: int) -> None:
    head, tail = clipped_head(text, width), clipped_tail(text, width)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert cells(head) <= width
    assert cells(tail) <= width
    assert cells(shortened(text, width)) <= width


@given(clean_texts, widths)
def test_broken_lines_join_to_the_text_and_fit(text: str, width: int) -> None:
    places = [0, *breaks(text, width), len(text)]
    lines = [text[start:end] for start, end in pairwise(places)]
    assert "".join(lines) == text
    assert all(cells(line) <= width for line in lines)


@given(st.lists(st.text("abc \n日🦊é", max_size=30), max_size=12), widths, st.booleans())
def test_a_flow_shows_every_character_of_every_piece_once(
    pieces: list[str], width: int, in_steps: bool
) -> None:
    flow = Flow(pieces.__getitem__, width)
    for stop in range(1, len(pieces) + 1) if in_steps else [len(pieces)]:
        flow.extend(stop)
    lines = [
        "".join(pieces[number][start:end] for number, start, end in flow.line(index))
        for index in range(flow.count)
    ]
    assert "".join(lines) == "".join(pieces).replace("\n", "")
    assert all(cells(line) <= flow.width for line in lines)


def test_a_line_end_in_a_piece_ends_its_line() -> None:
    pieces = ["ab\ncd", "ef\n", "\n", "gh"]
    flow = Flow(pieces.__getitem__, 10)
    flow.extend(4)
    shown = [
        "".join(pieces[number][start:end] for number, start, end in flow.line(index))
        for index in range(flow.count)
    ]
    assert shown == ["ab", "cdef", "", "gh"]


def test_a_flow_that_is_asked_for_a_line_it_has_not_laid_out_says_so() -> None:
    with pytest.raises(IndexError):
        Flow(["abc"].__getitem__, 10).line(0)


def test_words_are_broken_behind_spaces() -> None:
    assert wrapped(["one two three"], 8) == ["one two", "three"]
    assert wrapped(["abcdefghij"], 4) == ["abcd", "efgh", "ij"]


def test_the_right_end_of_a_line_stays_when_the_left_does_not_fit() -> None:
    line = justified([("a long beginning", Ink.PLAIN)], [("end", Ink.WORD)], 10)
    assert "".join(text for text, _ in line) == "a long end"
    assert width_of(clipped([("日本語", Ink.PLAIN)], 5)) == 4


def test_spelled_text_is_one_line_with_nothing_hidden() -> None:
    text = spelled("a\r\nb\tc" + HOSTILE)
    assert text.startswith("a␍␤b␉c")
    assert not any(char in text for char in FORBIDDEN)
    assert "\n" not in text
    assert clean(text) == text
