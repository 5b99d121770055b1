"""One entry of the catalogue: what a finding's code means, for people and for `--json`."""

from __future__ import annotations

from dataclasses import dataclass

from tui.core.events import Culprit, Severity


@dataclass(frozen=True, slots=True)
class Entry:
    code: str
    """Stable: scripts may rely on it."""
    title: str
    severity: Severity
    """As a rule; a finding may carry another where the case is milder or worse."""
    culprit: Culprit
    """Whose doing it is, as a rule."""
    meaning: str
    verbatim: str
    """What Verbatim does about it."""
    advice: str
    """What to do now."""
    seen_at: str = ""
    """Servers and gateways where it was met; empty where nobody in particular does it."""
