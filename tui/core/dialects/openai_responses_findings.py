"""Findings of the Responses dialect: each kind said once per place, under a stable code.

Knows what was said already, nothing else.
"""

from __future__ import annotations

from tui.core.events import Culprit, DialectEvent, Finding, Severity


class Findings:
    """Makes findings called `responses.CODE`, one for each code and scope."""

    def __init__(self) -> None:
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
        """The finding, or nothing when this code was said of this scope (an item) before."""
        if (code, scope) in self._said:
            return []
        self._said.add((code, scope))
        return [Finding(f"responses.{code}", message, culprit, severity)]
