"""A handle on one message of the assistant while it is written.

Text, thinking and marks go in; the message becomes longer and whoever draws it is told. Not one
character of a call's arguments is accepted here.
"""

from __future__ import annotations

from collections.abc import Callable

from tui.app.shown_message import CallMark, ProviderMark, Severity, ShownMessage
from tui.core.parts import UNKNOWN_EVENT


class TurnView:
    """See the module. `changed` is called after each change, with the message."""

    def __init__(self, shown: ShownMessage, changed: Callable[[ShownMessage], None]) -> None:
        self._shown = shown
        self._changed = changed

    def append_text(self, key: str, text: str) -> None:
        self._shown.run("text", key).append(text)
        self._changed(self._shown)

    def append_thinking(self, key: str, text: str) -> None:
        self._shown.run("thinking", key).append(text)
        self._changed(self._shown)

    def append_refusal(self, key: str, text: str) -> None:
        self._shown.run("refusal", key).append(text)
        self._changed(self._shown)

    def add_call_marker(self, ref: str, label: str) -> None:
        """Mark where a call began. `label` is its name; its arguments belong elsewhere."""
        if self._shown.call(ref) is None:
            self._shown.parts.append(CallMark(ref, label))
            self._changed(self._shown)

    def update_call_marker(
        self, ref: str, glyph: str, word: str, colour: str = "", label: str | None = None
    ) -> None:
        """Show another state; an unknown `ref` changes nothing. `label`: the name came late."""
        mark = self._shown.call(ref)
        if mark is not None:
            mark.glyph, mark.word = glyph, word
            mark.colour = colour or mark.colour
            mark.label = mark.label if label is None else label
            self._changed(self._shown)

    def add_provider_item(self, key: str, kind: str, title: str) -> None:
        mark = ProviderMark(key, kind, title)
        # A stream of another dialect is nothing but such events: one line for each kind of them.
        if title == UNKNOWN_EVENT and any(
            isinstance(part, ProviderMark) and (part.kind, part.title) == (kind, title)
            for part in self._shown.parts
        ):
            return
        self._shown.parts.append(mark)
        self._changed(self._shown)

    def close_turn(self, outcome_words: str = "", severity: Severity = "warning") -> None:
        """The turn is over. `outcome_words` say why it is not complete; empty when it is."""
        self._shown.closed = True
        self._shown.outcome = outcome_words
        if outcome_words:
            self._shown.severity = severity
        self._changed(self._shown)
