"""Careless with prose: one bubble for everything, and the rendered message as the stored one."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from itertools import accumulate
from typing import Final

from markdown_it import MarkdownIt

from tui.lint.careless.outcome import Contrast, Scene, around, first_difference, same, wrong

_TAG = re.compile(r"<[^>]*>")
_LONGEST: Final = 20_000
"""Characters of a text that are rendered first; the rest only when nothing changed in these."""


def bubble(scene: Scene) -> Contrast | None:
    """Appends the text of every delta to the message that is shown."""
    name, mistake = "arguments-in-bubble", "arguments are appended to the message and rendered"
    shown = "".join(d.text for d in scene.deltas if d.what in ("text", "fragment"))
    first = next((d for d in scene.deltas if d.what == "fragment" and d.text), None)
    true = "".join(d.text for d in scene.deltas if d.what == "text")
    if first is None:
        return same(name, mistake, true)
    place = sum(len(d.text) for d in scene.deltas if d.what == "text" and d.offset < first.offset)
    many = len(shown) - len(true)
    said = f"{many} characters of arguments are shown as prose, and read as Markdown"
    return wrong(name, mistake, first.offset, true, around(shown, place), said)


def stored_from_rendered(scene: Scene) -> Contrast | None:
    """Keeps what the Markdown renderer left of the message."""
    name, mistake = "stored-from-rendered", "the rendered message is stored, copied and sent back"
    texts = [d for d in scene.deltas if d.what == "text" and d.text]
    true = "".join(d.text for d in texts)
    # Blanks at the end are lost only once nothing more can come behind them.
    compared = true if scene.turn.closed else true.rstrip()
    kept = _rendered(compared[:_LONGEST])
    at = first_difference(compared[:_LONGEST].rstrip(), kept)
    if at is None:
        kept = _rendered(compared)
        at = first_difference(compared, kept)
    if at is None:
        return same(name, mistake, true)
    ends = list(accumulate(len(d.text) for d in texts))
    offset = next(
        (d.offset for d, end in zip(texts, ends, strict=True) if end > at), texts[-1].offset
    )
    said = "the next request tells the model that it said something it did not say"
    return wrong(name, mistake, offset, around(true, at), around(kept, at), said)


@lru_cache(maxsize=4)  # while arguments come the prose stays as it is
def _rendered(text: str) -> str:
    """What is left on a page: what a person selects and what a view model holds."""
    return html.unescape(_TAG.sub("", MarkdownIt("commonmark").render(text))).strip()
