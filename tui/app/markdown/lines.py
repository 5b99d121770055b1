"""What a line of Markdown can begin or end: CommonMark 0.31 and GFM tables, top level only.

A line comes without its end; nothing here knows the lines around it. `columns` counts a tab up
to the next multiple of four, as the specification does.
"""

from __future__ import annotations

import re

FENCE = re.compile(r" {0,3}(?:(`{3,})[^`\n]*|(~{3,}).*)$")
ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
ITEM = re.compile(r"( {0,3})([-+*]|(\d{1,9})([.)]))(?=[ \t]|$)([ \t]*)(.*)$")
QUOTE = re.compile(r" {0,3}>")
SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
DELIMITER = re.compile(
    r"(?! {0,3}-[ \t]) {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
)
_CELL_END = re.compile(r"(?<!\\)\|")


def list_marker(item: re.Match[str]) -> str:
    """The bullet, or the delimiter after the digits: items that share it share a list."""
    return item[4] or item[2]


def columns(line: str) -> int:
    """Columns of white space at the start of `line`; a tab goes on to the next multiple of four."""
    width = 0
    for character in line:
        if character == " ":
            width += 1
        elif character == "\t":
            width += 4 - width % 4
        else:
            break
    return width


def cells(line: str) -> int:
    row = _CELL_END.split(line.strip(" \t\r\n"))
    if row and not row[0]:
        row.pop(0)
    if row and not row[-1]:
        row.pop()
    return len(row)


def starts_container(line: str) -> bool:
    """Whether `line` ends an open list, quote or table at once."""
    return bool(
        FENCE.match(line)
        or ATX.match(line)
        or RULE.match(line)
        or QUOTE.match(line)
        or ITEM.match(line)
    )


def interrupts(line: str) -> bool:
    """Whether `line` ends an open paragraph (CommonMark 0.31, 5.2: which items may)."""
    if FENCE.match(line) or ATX.match(line) or QUOTE.match(line) or RULE.match(line):
        return True
    item = ITEM.match(line)
    return item is not None and bool(item[6]) and (item[3] is None or int(item[3]) == 1)


def surely_interrupts(line: str) -> bool:
    """Whether `line` ends a paragraph and could be nothing inside one (a setext line, a quote)."""
    return interrupts(line) and not QUOTE.match(line) and not SETEXT.match(line)
