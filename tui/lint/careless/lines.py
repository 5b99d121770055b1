"""Careless with bytes: characters and lines decoded chunk by chunk, lines split as Unicode splits them."""

from __future__ import annotations

from itertools import accumulate

from tui.lint.careless.outcome import Contrast, Scene, around, first_difference, same, wrong
from tui.lint.careless.wire import words_of


def characters_per_chunk(scene: Scene) -> Contrast | None:
    """Decodes each chunk by itself."""
    name, mistake = "characters-per-chunk", "each chunk is decoded as UTF-8 by itself"
    for chunk, end in zip(scene.chunks, accumulate(map(len, scene.chunks)), strict=True):
        alone = chunk.decode("utf-8", "replace")
        if alone.count("\ufffd") == chunk.count("\ufffd".encode()):
            continue
        at = end - len(chunk)
        careless = "".join(each.decode("utf-8", "replace") for each in scene.chunks)
        true = scene.body.decode("utf-8", "replace")
        place = first_difference(true, careless)
        if place is None:
            # The bytes are no UTF-8 in one piece either: that is not the chunks' doing.
            break
        at = len(true[:place].encode("utf-8", "replace"))
        said = "a character that two chunks share becomes U+FFFD"
        return wrong(name, mistake, at, around(true, place), around(careless, place), said)
    return same(name, mistake)


def lines_per_chunk(scene: Scene) -> Contrast | None:
    """Splits each chunk into lines and keeps nothing for the next."""
    name, mistake = (
        "lines-per-chunk",
        "lines are split chunk by chunk, and what is not whole dropped",
    )
    lines: list[str] = []
    cut: int | None = None
    end = 0
    for chunk in scene.chunks:
        end += len(chunk)
        lines += chunk.decode("utf-8", "replace").split("\n")
        if cut is None and end < len(scene.body) and chunk[-1:] not in (b"\n", b"\r"):
            cut = end
    return _compared(name, mistake, scene, lines, cut)


def unicode_lines(scene: Scene) -> Contrast | None:
    """Splits lines as `str.splitlines` and httpx's `aiter_lines` do."""
    name, mistake = "unicode-lines", "lines are split at U+2028, U+0085 and the like too"
    text = scene.body.decode("utf-8", "replace")
    marks = [text.find(mark) for mark in "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"]
    first = min((at for at in marks if at >= 0), default=None)
    if first is None:
        return same(name, mistake)
    return _compared(name, mistake, scene, text.splitlines(), len(text[:first].encode()))


def _compared(name: str, mistake: str, scene: Scene, lines: list[str], at: int | None) -> Contrast:
    """Compare what the lines give with what the same naive reading of whole events gives."""
    true = words_of(scene.deltas)
    careless = "".join(scene.words_of_line(line) for line in lines if line.startswith("data:"))
    place = first_difference(true, careless)
    if at is None or place is None:
        return same(name, mistake, true)
    said = f"{abs(len(true) - len(careless))} characters of text and arguments are lost"
    return wrong(name, mistake, at, around(true, place), around(careless, place), said)
