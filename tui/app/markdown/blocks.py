"""Markdown text that is still arriving, cut into blocks that can no longer change.

Text comes in pieces of any size; a block goes out as soon as no later text can alter it, and the
rest stays open. The sources of all blocks joined are the text, character for character. Knows
the line rules of CommonMark and GFM tables at the top level and no Textual; what is inside a
block is `render`'s business. Where a rule cannot tell whether a line still belongs to a list or
a quote it keeps the block open: a block may be larger than need be, never cut in the middle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tui.app.markdown.lines import (
    ATX,
    DELIMITER,
    FENCE,
    ITEM,
    QUOTE,
    RULE,
    SETEXT,
    cells,
    columns,
    interrupts,
    list_marker,
    starts_container,
    surely_interrupts,
)

BlockKind = Literal[
    "blank", "paragraph", "heading", "rule", "fence", "code", "quote", "item", "table"
]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the document. `source` includes the blank lines around it that it took in."""

    kind: BlockKind
    source: str
    ordinal: int | None = None
    """For an item of an ordered list, its number (CommonMark counts; the digits do not)."""
    follows: bool = False
    """For an item: it continues the list of the block before."""
    loose: bool = False
    """For an item that follows: a blank line stood before it."""
    closed: bool = True
    """For a fence: its closing line came."""


@dataclass(slots=True)
class _Open:
    kind: BlockKind
    lines: list[str]
    ordinal: int | None = None
    follows: bool = False
    loose: bool = False
    indent: int = 0
    """item: columns up to its content; fence: length of its marker."""
    marker: str = ""
    """item: bullet or delimiter; fence: its character."""
    blanks: int = 0
    """Blank lines at its end."""
    lazy: bool = False
    """A line came that may or may not have ended the container."""
    murky: bool = False
    """A line came that may or may not have begun a list, or indented code, outside."""
    lost: bool = False
    """After that, a fence opened that may or may not be inside: nothing is cut any more."""
    items: int = 1
    hollow: bool = False
    """item: nothing stands beside its marker."""


_CODE_INDENT = 4


class BlockSplitter:
    """Feed text with `feed`, end it with `close`; both return the blocks that became settled."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._partial: list[str] = []
        self._settled: list[Block] = []
        self._numbering: tuple[str, int] | None = None
        """Marker and next ordinal of the list that the last settled item belongs to."""
        self._gap = False

    def feed(self, text: str) -> list[Block]:
        """Take the next piece; return what it settled, in order."""
        *complete, rest = text.split("\n")
        for line in complete:
            whole = "".join((*self._partial, line))
            self._partial.clear()
            self._take(whole)
        if rest:
            self._partial.append(rest)
        return self._drain()

    def close(self) -> list[Block]:
        """No more text: settle what is open, then start afresh."""
        if self._partial:
            whole = "".join(self._partial)
            self._partial.clear()
            self._take(whole, end="")
        self._settle()
        self._numbering = None
        return self._drain()

    @property
    def open(self) -> Block | None:
        """What is not settled yet, the unfinished last line included; None when all is."""
        partial = "".join(self._partial)
        if self._open is None:
            kind: BlockKind = "fence" if FENCE.match(partial) else "paragraph"
            return Block(kind, partial, closed=False) if partial else None
        return self._block(self._open, partial, closed=False)

    def _drain(self) -> list[Block]:
        settled, self._settled = self._settled, []
        return settled

    def _take(self, line: str, end: str = "\n") -> None:
        """Give one whole line (without its end) to the open block or to a new one."""
        rule = line.removesuffix("\r")
        block = self._open
        if block is not None and self._continues(block, rule):
            block.lines.append(line + end)
            if not rule.strip(" \t"):
                block.blanks += 1
            elif block.kind != "blank":
                block.blanks = 0
            if self._ended_by(block, rule):
                self._settle()
            return
        if block is not None and block.kind != "blank":
            self._settle()
        self._begin(rule, line + end)

    def _continues(self, block: _Open, line: str) -> bool:
        blank = not line.strip(" \t")
        match block.kind:
            case "blank":
                return blank
            case "fence":
                return True
            case "paragraph":
                if blank:
                    return True
                self._split_table_head(block, line)
                return bool(SETEXT.match(line)) or not interrupts(line)
            case "table":
                return blank or not (columns(line) >= _CODE_INDENT or starts_container(line))
            case "quote":
                return blank or self._continues_quote(block, line)
            case "code":
                return blank or columns(line) >= _CODE_INDENT
            case "item":
                return blank or self._continues_item(block, line)
            case "heading" | "rule":
                return False

    def _continues_quote(self, block: _Open, line: str) -> bool:
        if block.lazy:
            return self._continues_doubtful(block, line)
        if QUOTE.match(line):
            return True
        if starts_container(line):
            return False
        block.lazy = True
        block.murky = columns(line) >= _CODE_INDENT
        return True

    def _continues_item(self, block: _Open, line: str) -> bool:
        inside = columns(line) >= block.indent
        if block.hollow and len(_text_lines(block)) == 1 and (block.blanks or not inside):
            # Nothing stands in it that could go on, and it may not begin with a blank line.
            return False
        if inside:
            block.lost = block.lost or (block.lazy and bool(FENCE.match(line.lstrip())))
            return True
        if block.lazy:
            if (item := ITEM.match(line)) is not None and list_marker(item) == block.marker:
                block.items += 1
            return self._continues_doubtful(block, line)
        if block.blanks or starts_container(line):
            return False
        block.lazy = True
        block.murky = columns(line) >= _CODE_INDENT
        return True

    def _continues_doubtful(self, block: _Open, line: str) -> bool:
        """After a lazy line: cut only where every reading of the lines above would."""
        if block.lost:
            return True
        sure = block.blanks > 0 or surely_interrupts(line)
        if sure and (not block.murky or columns(line) == 0):
            return False
        block.lost = block.murky and bool(FENCE.match(line))
        block.murky = block.murky or bool(ITEM.match(line))
        return True

    def _ended_by(self, block: _Open, line: str) -> bool:
        """Whether the line just added was the last that the block can have."""
        blank = not line.strip(" \t")
        match block.kind:
            case "paragraph":
                if not blank and self._is_table(block, line):
                    block.kind = "table"
                    return False
                if not blank and SETEXT.match(line) and len(_text_lines(block)) > 1:
                    block.kind = "heading"
                    return True
                return blank
            case "table" | "quote":
                return blank and not block.murky
            case "fence":
                stripped = line.strip(" \t")
                return (
                    columns(line) < _CODE_INDENT
                    and len(stripped) >= block.indent
                    and stripped == block.marker * len(stripped)
                )
            case "blank" | "heading" | "rule" | "code" | "item":
                return False

    def _split_table_head(self, block: _Open, line: str) -> None:
        """Settle the prose above a table's head when `line` is its delimiter row."""
        if len(block.lines) < 2 or not self._is_table(block, line, upcoming=True):
            return
        head = block.lines.pop()
        self._settle()
        self._open = block
        block.lines = [head]
        block.follows = block.loose = False

    def _is_table(self, block: _Open, line: str, *, upcoming: bool = False) -> bool:
        """Whether the last two lines (or the last and the `upcoming` one) head a table."""
        if not DELIMITER.match(line) or len(line.strip()) < 2:
            return False
        if not upcoming and len(_text_lines(block)) != 2:
            return False
        head = block.lines[-1] if upcoming else block.lines[-2]
        if columns(head) >= _CODE_INDENT:
            return False
        return "|" in head and cells(head) == cells(line)

    def _begin(self, rule: str, line: str) -> None:
        """Open a block with its first line; blank lines that wait go in front of it."""
        lead = self._open.lines if self._open is not None else []
        self._open = None
        if not rule.strip(" \t"):
            self._open = _Open("blank", [*lead, line])
            return
        lines = [*lead, line]
        if columns(rule) >= _CODE_INDENT:
            self._open = _Open("code", lines)
        elif fence := FENCE.match(rule):
            marker = fence[1] or fence[2]
            self._open = _Open("fence", lines, indent=len(marker), marker=marker[0])
        elif QUOTE.match(rule):
            self._open = _Open("quote", lines)
        elif RULE.match(rule):
            self._open = _Open("rule", lines)
            self._settle()
        elif item := ITEM.match(rule):
            self._open = self._item(item, lines, bool(lead))
        elif ATX.match(rule):
            self._open = _Open("heading", lines)
            self._settle()
        else:
            self._open = _Open("paragraph", lines)

    def _item(self, item: re.Match[str], lines: list[str], gap: bool) -> _Open:
        marker = list_marker(item)
        numbering = self._numbering
        follows = numbering is not None and numbering[0] == marker
        ordinal = None
        if item[3] is not None:
            ordinal = numbering[1] if follows and numbering is not None else int(item[3])
        spaces = columns(" " * item.end(2) + item[5]) - item.end(2)
        padding = 1 if not item[6] or spaces > 4 else spaces
        return _Open(
            "item",
            lines,
            ordinal=ordinal,
            follows=follows,
            loose=follows and (gap or self._gap),
            indent=item.end(2) + padding,
            marker=marker,
            hollow=not item[6],
        )

    def _settle(self) -> None:
        block = self._open
        self._open = None
        if block is None:
            return
        self._settled.append(self._block(block, ""))
        if block.kind == "item":
            self._numbering = (block.marker, (block.ordinal or 0) + block.items)
            self._gap = block.blanks > 0
        elif block.kind != "blank":
            self._numbering = None

    def _block(self, block: _Open, partial: str, *, closed: bool = True) -> Block:
        source = "".join((*block.lines, partial))
        kind = block.kind
        if partial and kind == "blank":
            kind = "fence" if FENCE.match(partial) else "paragraph"
        if kind == "fence" and closed:
            closed = self._fence_is_closed(block)
        return Block(kind, source, block.ordinal, block.follows, block.loose, closed)

    def _fence_is_closed(self, block: _Open) -> bool:
        lines = _text_lines(block)
        return len(lines) > 1 and self._ended_by(block, lines[-1].rstrip("\r\n"))


def _text_lines(block: _Open) -> list[str]:
    return [line for line in block.lines if line.strip()] if block.kind != "fence" else block.lines
