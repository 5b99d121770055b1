"""Lint: one reading in, every finding out, those of the reader and those of the rules."""

from __future__ import annotations

from tui.core.turn import PlacedFinding
from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules import anthropic, arguments, calls, chat, endings, framing, http, prose
from tui.lint.rules import openai_responses as responses

_RULES = (http.look, framing.look, endings.look, calls.look, arguments.look, prose.look)
_DIALECT_RULES = {
    "anthropic": anthropic.look,
    "openai-chat": chat.look,
    "openai-responses": responses.look,
}


def lint(reading: Reading) -> list[PlacedFinding]:
    """What only the finished response shows, in the order of the bytes.

    The reader's own findings (`reading.turn.findings`) are not repeated. How the body was cut
    into chunks makes no difference.
    """
    notes = Notes()
    for look in _RULES:
        look(reading, notes)
    if not reading.refused:
        _DIALECT_RULES[reading.turn.dialect](reading, notes)
    return notes.all()


def all_findings(reading: Reading) -> list[PlacedFinding]:
    """The reader's findings and the rules', in the order of the bytes."""
    return sorted([*reading.turn.findings, *lint(reading)], key=lambda found: found.offset)
