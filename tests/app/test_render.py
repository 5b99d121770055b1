"""Markdown laid out: nothing of the source is dropped, nothing becomes a command or a hidden link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.style import Style

from tests.app.screens import FORBIDDEN, HOSTILE
from tests.app.test_blocks import LINES, split
from tui.app.markdown.blocks import Block
from tui.app.markdown.flow import Code, Heading, Listing, Paragraph, Raw, Table, lay_out
from tui.app.markdown.render import (
    LINK_META,
    code_blocks_in,
    links_in,
    open_web_address,
    render,
)


def laid_out(text: str, width: int = 60) -> str:
    flows = [flow for block in split([text]) for flow in render(block)]
    lines = lay_out(flows, width).plain.split("\n")
    return "\n".join(line.rstrip() for line in lines)


def links_of(flow: Paragraph) -> list[tuple[int, int, str]]:
    """(start, end, address) of what a click would ask to open."""
    return [
        (start, end, style.meta[LINK_META])
        for start, end, style in flow.text.spans
        if isinstance(style, Style) and LINK_META in style.meta
    ]


def words_of(text: str) -> list[str]:
    return [character for character in text if character.isalnum()]


@given(st.lists(st.sampled_from([line for line in LINES if "1" not in line]), max_size=12))
def test_no_letter_of_the_source_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines).replace("2. ", "1. ").replace("3) ", "1) ")
    shown = words_of(laid_out(text, 30))
    missing = words_of(text)
    for character in shown:
        if character in missing:
            missing.remove(character)
    # A list is numbered anew, and the paragraph under a table's head may be a row of it.
    assert [character for character in missing if not character.isdigit()] == []


@pytest.mark.parametrize(
    "text",
    ["|-|\n|---|\n| a | b |\n", "| h |\n| --- |\n| a | b |", "> | h |\n> | - |\n> | a | b |"],
)
def test_cells_beyond_the_head_of_a_table_are_shown(text: str) -> None:
    assert "b" in laid_out(text, 40)


@given(
    st.lists(st.sampled_from([*LINES, HOSTILE, "`" + HOSTILE + "`"]), max_size=8),
    st.integers(1, 90),
)
def test_no_hostile_character_is_laid_out_at_any_width(lines: list[str], width: int) -> None:
    shown = lay_out([f for b in split(["\n".join(lines)]) for f in render(b)], width)
    assert not set(FORBIDDEN) & set(shown.plain)
    assert "\x1b" not in shown.plain


@pytest.mark.parametrize(
    "text",
    ["0<foo or foo>10", "<div>kept</div>", "a <!-- comment --> b", "<think>\nwords\n</think>"],
)
def test_html_is_shown_as_it_stands(text: str) -> None:
    assert laid_out(text) == text


def test_characters_hidden_in_entities_are_spelled_out() -> None:
    assert laid_out("a &#x202e; b &#xAD; &lt;") == "a <U+202E> b <U+00AD> <"


def test_a_link_shows_its_address_and_carries_it() -> None:
    (flow,) = render(Block("paragraph", "see [the map](https://example.com/a?b=1) now"))
    assert isinstance(flow, Paragraph)
    assert flow.text.plain == "see the map (https://example.com/a?b=1) now"
    linked = [flow.text.plain[start:end] for start, end, _ in links_of(flow)]
    assert linked == ["the map", "https://example.com/a?b=1"]
    assert {url for _, _, url in links_of(flow)} == {"https://example.com/a?b=1"}


@pytest.mark.parametrize(
    "url", ["vscode://x/y", "ssh://host", "file:///etc/passwd", "javascript:alert(1)", "//host/x"]
)
def test_other_addresses_are_text_that_cannot_be_opened(url: str) -> None:
    (flow,) = render(Block("paragraph", f"[a link]({url})"))
    assert isinstance(flow, Paragraph)
    assert url in flow.text.plain
    assert links_of(flow) == []
    assert not open_web_address(url)


@pytest.mark.parametrize(
    "url", ["https://a b", "https://", "http:x", "https://a\x1b", "https://a\u202eb"]
)
def test_a_broken_address_is_never_opened(url: str) -> None:
    assert not open_web_address(url)


def test_links_of_a_message_are_found_each_once() -> None:
    text = "[a](https://a.example) https://b.example/x, https://b.example/x. `https://no.example` [c](ssh://c)"
    assert links_in(text) == ["https://a.example", "https://b.example/x"]


def test_code_keeps_every_space_and_is_not_wrapped_by_words() -> None:
    text = "```python\n  a  =  1   # x\n\n\n\tb\n```"
    assert laid_out(text).split("\n") == ["python".rjust(7), "   a  =  1   # x", "", "", "     b"]
    (flow,) = render(Block("fence", "```\n\n\nlead\n\n```"))
    assert isinstance(flow, Code)
    assert flow.text.plain == "\n\nlead\n"


def test_code_is_highlighted_only_when_its_language_is_named() -> None:
    (named,) = render(Block("fence", "```python\nimport os\n```"))
    (unnamed,) = render(Block("fence", "```\nimport os\n```"))
    (unknown,) = render(Block("fence", "```nosuch\nimport os\n```"))
    (live,) = render(Block("fence", "```python\nimport os\n```"), live=True)
    spans = [flow.text.spans for flow in (named, unnamed, unknown, live) if isinstance(flow, Code)]
    assert [bool(found) for found in spans] == [True, False, False, False]


def test_code_blocks_of_a_message_are_given_as_they_were_written() -> None:
    text = "```py\na  = 1\n```\n\n- item\n\n  ```\n  b\t= 2\n  ```\n\n> ~~~js x=1\n> c\n> ~~~"
    assert code_blocks_in(text) == [("py", "a  = 1\n"), ("", "b\t= 2\n"), ("js", "c\n")]


def test_lists_hang_and_count_on() -> None:
    text = "9. nine is a long line that wraps around\n9. ten\n   - below\n"
    assert laid_out(text, 24).split("\n") == [
        "9. nine is a long line",
        "   that wraps around",
        "",
        "10. ten",
        "    ◦ below",
    ]


def test_a_table_fits_its_width_and_turns_over_when_it_cannot() -> None:
    text = "| name | value |\n|---|--:|\n| alpha beta gamma delta | 1 |\n"
    assert laid_out(text, 24).split("\n")[0] == "name             │ value"
    assert all(len(line) <= 24 for line in laid_out(text, 24).split("\n"))
    assert laid_out(text, 9).split("\n")[:2] == ["name:", "alpha"]


def test_a_table_without_rows_still_shows_its_head() -> None:
    assert "a" in laid_out("|a|b|\n|-|-|\n", 40)
    assert "a" in laid_out("|a|b|\n|-|-|\n", 8)


def test_half_written_constructs_show_their_own_characters() -> None:
    assert laid_out("some **bold and [a link](htt") == "some **bold and [a link](htt"


def test_deep_nesting_and_large_blocks_are_shown_as_they_stand() -> None:
    deep = "> " * 300 + "deep"
    assert [type(flow) for flow in render(Block("quote", deep))] == [Raw]
    assert "deep" in laid_out(deep)
    assert [type(flow) for flow in render(Block("paragraph", "x" * 40_000))] == [Raw]


@pytest.mark.parametrize(
    "text",
    ["*" * 20_000, "[" * 20_000, "[a](" * 5_000, "`" * 20_001, "| " * 9_000 + "\n" + "|-" * 9_000],
)
def test_hostile_shapes_are_laid_out(text: str) -> None:
    assert words_of(laid_out(text)) == words_of(text)


def test_kinds_of_flow() -> None:
    flows = [flow for block in split(["# h\n\n- a\n\n|a|\n|-|\n"]) for flow in render(block)]
    assert [type(flow) for flow in flows] == [Heading, Listing, Table]
