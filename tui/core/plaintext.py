"""Plain text: what was received, made fit to be looked at.

Text comes in as a model, tool or server sent it; what goes out holds nothing that a terminal
obeys, that a reader cannot see, or that changes the direction of what follows: each such
character is spelled (`␛`, `<U+202E>`). For eyes only, never for the record.
"""

from __future__ import annotations

import re

__all__ = ["clean", "clean_line"]

TAB_CELLS = 4

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Scripts whose letters take another shape, or another meaning, around a joiner.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f"

_KEPT = re.compile(
    # A joiner between two pictures, a variation selector after one, a keycap.
    rf"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    rf"|(?<=[{_EMOJI}])[\ufe0e\ufe0f]"
    r"|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
)

_SUSPECT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # invisible
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"  # zero width, separators, bidi
    "\ud800-\udfff"  # a half of a surrogate pair
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # tags, selectors
    "]"
)
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")


def clean(text: str, *, keep_tabs: bool = False) -> str:
    """Return `text` with every control, bidi and invisible character spelled out.

    CRLF becomes LF and a tab becomes spaces up to the next column of four (`keep_tabs`: stays);
    every other control is shown. Joiners and variation selectors stay inside emoji and inside
    scripts that need them. Nothing is normalised. `clean(clean(t)) == clean(t)`.
    """
    if text.isascii() and text.isprintable():
        return text
    if _HALF.search(text):
        # The halves of one character may have arrived in two fragments.
        text = _SURROGATE_PAIR.sub(_joined, text)
    text = _SUSPECT.sub(_spelled, text.replace("\r\n", "\n"))
    if not keep_tabs and "\t" in text:
        text = text.expandtabs(TAB_CELLS)
    return text


def clean_line(text: str, limit: int | None = None) -> str:
    """`clean` for a place that has one line: line ends are shown as `␤`, long text is cut.

    `limit` counts characters, the final `…` among them.
    """
    if limit is not None:
        # Cut before cleaning, so that a megabyte given as a name costs nothing.
        text, was = text[: limit + 1], len(text)
        line = clean(text).replace("\n", "␤")
        return line if was <= limit and len(line) <= limit else line[: max(limit - 1, 0)] + "…"
    return clean(text).replace("\n", "␤")


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _spelled(match: re.Match[str]) -> str:
    character = match[0]
    if _KEPT.match(match.string, match.start()):
        return character
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    return f"<U+{point:04X}>"
