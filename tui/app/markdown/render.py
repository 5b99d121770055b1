"""Markdown source of one block in, display tree out.

Raw HTML is text here and is shown; reference definitions and half-written constructs are shown
as they stand. Every piece of text passes the sanitiser on its way into the tree, after entities
were decoded. A link shows its address, and carries it as meta data for a deliberate click.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from textual.content import Content, Span
from textual.style import Style

from tui.app.markdown.blocks import Block
from tui.app.markdown.flow import (
    INLINE_CODE,
    Alignment,
    Code,
    Flow,
    Heading,
    Item,
    Listing,
    Paragraph,
    Quote,
    Raw,
    Rule,
    Table,
)
from tui.app.markdown.highlight import MOST_CHARACTERS, MOST_LINES, highlighted
from tui.app.safe import clean, clean_line

LINK_META = "verbatim_link"
"""Key of the meta data under which a linked character carries its address."""

LARGEST_BLOCK = 16 * 1024
"""Characters above which a block is shown as it stands: brackets that never close cost the square."""

_MOST_NESTING = 40
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_BARE_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}]*[^\s<>\"'`|\\^{}.,;:!?)\]]")


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "maxNesting": _MOST_NESTING}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("reference")


def render(block: Block, *, live: bool = False) -> list[Flow]:
    """The display tree of `block`. `live`: it may still grow, so nothing is highlighted."""
    source = clean(block.source)
    if not source.strip():
        return []
    if too_large(block):
        return [Raw(Content(source.strip("\n")))]
    tokens = _parser().parse(source)
    if max((token.level for token in tokens), default=0) >= _MOST_NESTING - 2:
        # Beyond this depth the parser drops what it finds.
        return [Raw(Content(source.strip("\n")))]
    if _drops_cells(tokens, source):
        return [Raw(Content(source.strip("\n")))]
    flows = _flows(SyntaxTreeNode(tokens).children, live)
    if block.kind == "item" and flows and isinstance(flows[0], Listing):
        flows[0] = _renumbered(flows[0], block.ordinal)
    return flows


def _drops_cells(tokens: Sequence[Token], source: str) -> bool:
    """Whether a row of a table has more cells than the head: GFM leaves the rest away."""
    lines = source.split("\n")
    columns = 0
    for token in tokens:
        if token.type == "table_open":
            columns = 0
        elif token.type == "th_open":
            columns += 1
        elif token.type == "tr_open" and columns and token.map is not None:
            row = lines[token.map[0]].strip().lstrip("> ").strip("|")
            if len(_BETWEEN_CELLS.findall(row)) >= columns:
                return True
    return False


def too_large(block: Block) -> bool:
    """Whether laying the block out would take too long."""
    if block.kind in ("fence", "code"):
        return len(block.source) > MOST_CHARACTERS or block.source.count("\n") > MOST_LINES
    return len(block.source) > LARGEST_BLOCK


def open_web_address(url: str) -> bool:
    """Whether `url` may be opened at all: http or https, a host, nothing a terminal obeys."""
    if clean_line(url) != url or any(character.isspace() for character in url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def links_in(source: str) -> list[str]:
    """Every address in `source` that may be opened, in order, each once."""
    found: dict[str, None] = {}
    for token in _parser().parse(clean(source)):
        inside = 0
        for child in token.children or ():
            if child.type == "link_open":
                inside += 1
                found.setdefault(str(child.attrGet("href") or ""))
            elif child.type == "link_close":
                inside -= 1
            elif child.type == "text" and not inside:
                found.update(dict.fromkeys(_BARE_URL.findall(child.content)))
    return [url for url in found if open_web_address(url)]


def code_blocks_in(source: str) -> list[tuple[str, str]]:
    """(language, code) of every code block in `source`, those in lists and quotes included."""
    return [
        (_language(token.info), token.content)
        for token in _parser().parse(source)
        if token.type in ("fence", "code_block")
    ]


def _renumbered(listing: Listing, ordinal: int | None) -> Listing:
    if ordinal is None:
        return listing
    return Listing(
        tuple(Item(ordinal + place, item.children) for place, item in enumerate(listing.items)),
        listing.loose,
    )


def _language(info: str) -> str:
    words = info.split()
    return clean_line(words[0].strip("{}.").split(",")[0], 24).lower() if words else ""


def _flows(nodes: Sequence[SyntaxTreeNode], live: bool) -> list[Flow]:
    return [flow for node in nodes for flow in _flow(node, live)]


def _flow(node: SyntaxTreeNode, live: bool) -> list[Flow]:
    match node.type:
        case "paragraph":
            return [Paragraph(_inline(node))]
        case "heading":
            return [Heading(int(node.tag[1]), _inline(node))]
        case "fence" | "code_block":
            language = _language(node.info) if node.type == "fence" else ""
            code = clean(node.content.removesuffix("\n"))
            return [Code(Content(code) if live else highlighted(code, language), language)]
        case "blockquote":
            return [Quote(tuple(_flows(node.children, live)))]
        case "bullet_list" | "ordered_list":
            return [_listing(node, live)]
        case "table":
            return [_table(node)]
        case "hr":
            return [Rule()]
        case _:
            return _flows(node.children, live)


def _listing(node: SyntaxTreeNode, live: bool) -> Listing:
    start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    items = tuple(
        Item(None if start is None else start + place, tuple(_flows(item.children, live)))
        for place, item in enumerate(node.children)
    )
    loose = any(
        child.type == "paragraph" and not child.hidden
        for item in node.children
        for child in item.children
    )
    return Listing(items, loose)


def _table(node: SyntaxTreeNode) -> Table:
    rows = [row.children for section in node.children for row in section.children]
    return Table(
        tuple(_alignment(cell) for cell in rows[0]),
        tuple(_inline(cell) for cell in rows[0]),
        tuple(tuple(_inline(cell) for cell in row) for row in rows[1:]),
    )


def _alignment(cell: SyntaxTreeNode) -> Alignment:
    style = str(cell.attrs.get("style", ""))
    return "right" if "right" in style else "center" if "center" in style else "left"


def _inline(node: SyntaxTreeNode) -> Content:
    writer = _InlineWriter()
    for child in node.children:
        if child.type == "inline" and child.token is not None:
            writer.write(child.token.children or ())
    return writer.content()


class _InlineWriter:
    """Collects clean text and spans from the inline tokens of one paragraph."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._spans: list[Span] = []
        self._length = 0
        self._opened: list[tuple[str, int, str]] = []

    def write(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            match token.type:
                case "text" | "text_special":
                    self._add_text(token.content)
                case "code_inline":
                    self._add(token.content, INLINE_CODE)
                case "softbreak" | "hardbreak":
                    self._add("\n")
                case "image":
                    self._add(f"[image: {token.content}]", ".md--link")
                    self._add_address(str(token.attrGet("src") or ""))
                case "strong_open" | "em_open" | "s_open":
                    self._opened.append((token.type, self._length, ""))
                case "link_open":
                    self._opened.append(
                        (token.type, self._length, str(token.attrGet("href") or ""))
                    )
                case "strong_close" | "em_close" | "s_close" | "link_close":
                    self._close()
                case _:
                    self._add(token.content)

    def content(self) -> Content:
        return Content("".join(self._text), self._spans)

    def _add(self, text: str, *styles: str | Style) -> None:
        shown = clean(text)
        if not shown:
            return
        start = self._length
        self._text.append(shown)
        self._length += len(shown)
        self._spans.extend(Span(start, self._length, style) for style in styles)

    def _add_text(self, text: str) -> None:
        if any(kind == "link_open" for kind, _, _ in self._opened):
            self._add(text)
            return
        position = 0
        for match in _BARE_URL.finditer(text):
            self._add(text[position : match.start()])
            self._add(match[0], ".md--link", *_link_style(match[0]))
            position = match.end()
        self._add(text[position:])

    def _add_address(self, url: str) -> None:
        if url:
            self._add(" (")
            self._add(url, ".md--url", *_link_style(url))
            self._add(")")

    def _close(self) -> None:
        kind, start, url = self._opened.pop()
        if kind != "link_open":
            style = {"strong_open": "bold", "em_open": "italic", "s_open": "strike"}[kind]
            if start < self._length:
                self._spans.append(Span(start, self._length, style))
            return
        if start < self._length:
            styles: tuple[str | Style, ...] = (".md--link", *_link_style(url))
            self._spans.extend(Span(start, self._length, style) for style in styles)
        if "".join(self._text)[start:] != clean(url):
            self._add_address(url)


def _link_style(url: str) -> tuple[Style, ...]:
    return (Style.from_meta({LINK_META: url}),) if open_web_address(url) else ()
