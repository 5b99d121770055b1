"""What the Responses decoder takes without a word, and other clients trip over."""

from __future__ import annotations

from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules.payloads import payloads


def look(reading: Reading, notes: Notes) -> None:
    for value, at in payloads(reading):
        kind = value.get("type")
        if isinstance(kind, str) and kind.endswith(".delta") and value.get("delta") == "":
            notes.count("responses.empty-delta", f"a {kind!r:.60} with an empty delta", at)
        elif kind in ("keepalive", "ping"):
            notes.count("responses.keepalive", f"a {kind!r} event", at)
