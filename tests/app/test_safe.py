"""The sanitiser: nothing a terminal obeys goes out, and nothing else is changed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tests.app.screens import FORBIDDEN, HOSTILE
from tui.app.safe import clean, clean_line, content, notify

anything = st.text(
    st.one_of(st.characters(), st.sampled_from([*HOSTILE, *"\ud83d\ude00👩‍👧☁️\u200d\ufe0f\u20e3"]))
)


@given(anything)
def test_nothing_that_controls_or_hides_is_left(text: str) -> None:
    for position, character in enumerate(shown := clean(text)):
        category = unicodedata.category(character)
        assert category not in ("Cc", "Cs", "Zl", "Zp") or character == "\n"
        if category == "Cf" and character not in "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f":
            if character in "\u200c\u200d":
                assert 0 < position < len(shown) - 1
            else:
                assert ord(character) in VISIBLE_FORMAT, hex(ord(character))


VISIBLE_FORMAT = {0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
"""Signs of category Cf that are drawn: Arabic and Kaithi number signs, hieroglyph joiners."""


@given(anything)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S"], exclude_characters=FORBIDDEN)))
def test_letters_marks_numbers_and_signs_stay_as_they_are(text: str) -> None:
    kept = "".join(c for c in text if c not in INVISIBLE_LETTERS)
    assert clean(kept) == kept


INVISIBLE_LETTERS = {
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0",
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
    "\ufffc",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\x00b\x7f", "a␀b␡"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\x9b31m\x85", "<U+009B>31m<U+0085>"),
        ("\u202etxt", "<U+202E>txt"),
        ("\u2028\ufeff\u00ad", "<U+2028><U+FEFF><U+00AD>"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud83d\ude00 \ud83d", "😀 <U+D83D>"),
        ("\tx\ny\tz", "    x\ny   z"),
        ("e\u0301 \u00e9", "e\u0301 \u00e9"),
        ("👨‍👩‍👧 ❤️ 1️⃣ 👍🏽", "👨‍👩‍👧 ❤️ 1️⃣ 👍🏽"),
        ("a\u200db c\ufe0f", "a<U+200D>b c<U+FE0F>"),
        ("می‌خواهم", "می‌خواهم"),
        ("[bold]x[/bold] [/y]", "[bold]x[/bold] [/y]"),
    ],
)
def test_characters_are_spelled_out(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_tabs_can_be_kept_for_text_that_is_edited() -> None:
    assert clean("a\tb\x1b", keep_tabs=True) == "a\tb␛"


def test_a_line_shows_its_line_ends_and_is_cut() -> None:
    assert clean_line("a\nb") == "a␤b"
    assert clean_line("x" * 1_000_000, 5) == "xxxx…"
    assert clean_line("\x1b\x1b\u202e", 6) == "␛␛<U+…"
    assert clean_line("abc", 3) == "abc"


def test_content_reads_no_markup() -> None:
    made = content("[bold]x[/bold] [/y]\x1b", "italic")
    assert isinstance(made, Content)
    assert made.plain == "[bold]x[/bold] [/y]␛"
    assert [span.style for span in made.spans] == ["italic"]


def test_a_toast_reads_no_markup() -> None:
    told: list[tuple[str, dict[str, object]]] = []

    class Node:
        def notify(self, message: str, **options: object) -> None:
            told.append((message, options))

    notify(Node(), "[/x]\x1b", title="a\nb", severity="error")
    message, options = told[0]
    assert message == "[/x]␛"
    assert options["title"] == "a␤b"
    assert options["markup"] is False
