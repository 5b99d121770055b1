"""The block splitter against markdown-it: cut anywhere, never in the middle of a block."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tui.app.markdown.blocks import Block, BlockSplitter

PARSER = MarkdownIt("gfm-like", {"html": False, "linkify": False}).disable("reference")

LINES = [
    "", "", "  ", "text", "more *text*", "    deep", "  two", "\ttab", "# Head", "#", "#no", "===",
    "---", "***", "- - -", "-", "- item", "* star", "+ plus", "  - nested", "   - three", "1. one",
    "2. two", "3) three", "1.", "10. ten", "  continued", "     far", "```", "```python", "````",
    "~~~", "  ```", "code `x`", "> quote", ">", "> - in", "> ```", "> # h", "| a | b |", "|---|---|",
    "a | b", "--|--", ":-: | -", "|-|", "| 1 |", "<div>", "</think>", "[x]: http://y", "\\| a",
]  # fmt: skip


def split(pieces: list[str]) -> list[Block]:
    splitter = BlockSplitter()
    return [*(block for piece in pieces for block in splitter.feed(piece)), *splitter.close()]


documents = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)


def boundaries(text: str) -> set[int]:
    """Lines at which a cut is right: where a top-level block or an item of a top-level list starts."""
    starts = {0}
    for token in PARSER.parse(text):
        top = token.level == 0 or (token.level == 1 and token.type == "list_item_open")
        if top and token.map is not None and token.nesting >= 0:
            starts.add(token.map[0])
    return starts


@given(documents)
def test_the_sources_of_the_blocks_joined_are_the_text(text: str) -> None:
    assert "".join(block.source for block in split([text])) == text


@example(">\n     far\n\n    deep")
@example("-\n  ```\n#no\n  ```\n***")
@example("> quote\ntext\n-\n  - nested")
@given(documents)
def test_every_cut_is_where_markdown_it_begins_a_block(text: str) -> None:
    allowed = boundaries(text)
    line = 0
    for block in split([text]):
        lead = len(block.source) - len(block.source.lstrip("\n \t"))
        first = line + block.source[:lead].count("\n")
        if block.source.strip():
            assert first in allowed, (block, sorted(allowed))
        line += block.source.count("\n")


@given(documents, st.data())
def test_text_in_pieces_settles_the_same_blocks_as_the_whole(
    text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    edges = [0, *cuts, len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert split(pieces) == split([text])


@given(documents, documents)
def test_a_settled_block_is_not_changed_by_what_follows(text: str, rest: str) -> None:
    splitter = BlockSplitter()
    settled = splitter.feed(text)
    assert split([text + rest])[: len(settled)] == settled


@given(documents)
def test_settled_and_open_sources_are_always_the_text_so_far(text: str) -> None:
    splitter = BlockSplitter()
    settled = ""
    for index, character in enumerate(text):
        settled += "".join(block.source for block in splitter.feed(character))
        open_source = splitter.open.source if splitter.open is not None else ""
        assert settled + open_source == text[: index + 1]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("one\n\ntwo\n", ["paragraph", "paragraph"]),
        ("# h\ntext\n", ["heading", "paragraph"]),
        ("text\n===\nnext", ["heading", "paragraph"]),
        ("- a\n- b\n\ntext", ["item", "item", "paragraph"]),
        ("```\n# not a heading\n\n```\ntext", ["fence", "paragraph"]),
        ("```\nnever closed\n\n", ["fence"]),
        ("above\n| a | b |\n|---|---|\n| 1 | 2 |\n\nbelow", ["paragraph", "table", "paragraph"]),
        ("> a\nlazy\n\nb", ["quote", "paragraph"]),
        ("---\n", ["rule"]),
        ("    code\n\n    more\ntext", ["code", "paragraph"]),
        ("<div>\n<think>\n", ["paragraph"]),
    ],
)
def test_kinds_of_blocks(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in split([text])] == kinds


def test_items_of_an_ordered_list_are_counted_and_keep_their_spacing() -> None:
    blocks = split(["3. a\n3. b\n\n3. c\n\n1) d\n"])
    assert [(b.ordinal, b.follows, b.loose) for b in blocks] == [
        (3, False, False),
        (4, True, False),
        (5, True, True),
        (1, False, False),
    ]


def test_a_fence_knows_whether_its_closing_line_came() -> None:
    assert [block.closed for block in split(["```py\nx\n```\n"])] == [True]
    assert [block.closed for block in split(["```py\nx\n``\n"])] == [False]


def test_the_open_block_holds_the_unfinished_line() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("done\n\n```py\nx = ") == [Block("paragraph", "done\n\n")]
    assert splitter.open == Block("fence", "```py\nx = ", closed=False)
