"""What was searched for, found again in what is drawn.

Lines are broken for the width of the screen, so white space in a word stands for any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.content import Content

from tui.core.plaintext import clean

MARK_STYLE = "bold reverse"
"""Seen without colour too."""


def pattern_of(words: Sequence[str]) -> re.Pattern[str] | None:
    """Matches each of `words` in any case; None when there is nothing to look for."""
    ways = [r"\s+".join(map(re.escape, clean(word).split())) for word in words if word.strip()]
    return re.compile("|".join(ways), re.IGNORECASE) if ways else None


def marked(content: Content, pattern: re.Pattern[str]) -> Content:
    """`content` with every match marked."""
    for found in pattern.finditer(content.plain):
        content = content.stylize(MARK_STYLE, *found.span())
    return content


def first_line(content: Content, pattern: re.Pattern[str]) -> int | None:
    """The line of `content` in which the first match begins; None without one."""
    found = pattern.search(content.plain)
    return None if found is None else content.plain.count("\n", 0, found.start())
