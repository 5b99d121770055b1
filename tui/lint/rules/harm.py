"""Characters that harm where they are shown: terminal sequences, direction changes, lone halves.

Text in, the first such place of each kind out. Used for prose and for the strings of arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE: Final = re.compile("[\U000e0000-\U000e007f]")
_LONE_HALF: Final = re.compile(
    "[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]"
)

KINDS: Final = ("terminal-escapes", "bidi-controls", "invisible-tags", "lone-surrogate")
"""Each is a code behind `text.` and `args.`."""


def harmful(text: str) -> Iterator[tuple[str, str, int]]:
    """(kind, what it is in words, position) for the first of each kind in `text`."""
    if text.isprintable() and text.isascii():
        return
    for kind, pattern, words in (
        ("terminal-escapes", _CONTROLS, "a control character a terminal obeys"),
        ("bidi-controls", _BIDI, "a character that changes the direction of what follows"),
        ("invisible-tags", _INVISIBLE, "an invisible tag character"),
        ("lone-surrogate", _LONE_HALF, "half a surrogate pair that stays alone"),
    ):
        found = pattern.search(text)
        if found is not None:
            near = text[max(0, found.start() - 8) : found.end() + 12]
            yield kind, f"U+{ord(found[0]):04X}, {words} (near {near!r})", found.start()
