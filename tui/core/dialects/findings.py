"""Findings of one turn in a dialect: each kind said once per place, under a stable code.

Knows the dialect's prefix and what was said already, nothing else.
"""

from __future__ import annotations

from tui.core.events import Culprit, DialectEvent, Finding, Severity


class Findings:
    """Makes findings called `PREFIX.CODE`, one for each code and scope."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._said: set[tuple[str, str]] = set()

    def once(
        self,
        code: str,
        message: str,
        *,
        scope: str = "",
        culprit: Culprit = "server",
        severity: Severity = "note",
    ) -> list[DialectEvent]:
        """The finding, or nothing when this code was said of this scope before.

        `scope` is the call, choice or item it is about; empty for the whole turn.
        """
        if (code, scope) in self._said:
            return []
        self._said.add((code, scope))
        return [Finding(f"{self._prefix}.{code}", message, culprit, severity)]
