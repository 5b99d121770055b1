"""The catalogue: every code that a finding can have, what it means and what to do.

Data only. The codes of the reader (dialects, turn) and of the rules stand here alike; a test
collects every code that the project can emit and fails when one is missing.
"""

from __future__ import annotations

from typing import Final

from tui.lint.catalogue.anthropic import ENTRIES as ANTHROPIC
from tui.lint.catalogue.arguments import ENTRIES as ARGUMENTS
from tui.lint.catalogue.chat import ENTRIES as CHAT
from tui.lint.catalogue.entry import Entry
from tui.lint.catalogue.openai_responses import ENTRIES as RESPONSES
from tui.lint.catalogue.prose import ENTRIES as PROSE
from tui.lint.catalogue.transport import ENTRIES as TRANSPORT
from tui.lint.catalogue.turns import ENTRIES as TURNS

__all__ = ["CATALOGUE", "GROUPS", "Entry"]

GROUPS: Final[tuple[tuple[str, str, tuple[Entry, ...]], ...]] = (
    ("http", "The response around the stream", TRANSPORT[0]),
    ("sse", "Lines and events", TRANSPORT[1]),
    ("turn", "The turn and its ending", TURNS[0]),
    ("call", "Calls", TURNS[1]),
    ("args", "Arguments", ARGUMENTS),
    ("text", "Prose", PROSE),
    ("anthropic", "Anthropic Messages", ANTHROPIC),
    ("chat", "OpenAI Chat Completions", CHAT),
    ("responses", "OpenAI Responses", RESPONSES),
)
"""(first word of the codes, title, entries), in the order in which a response is read."""

CATALOGUE: Final[dict[str, Entry]] = {
    entry.code: entry for _, _, entries in GROUPS for entry in entries
}
