"""Notes: where the rules write down what they found.

A rule gives a code, words and a place; how grave it is and whose doing comes from the catalogue,
so that the two can never disagree. What happens all through a stream is counted and said once.
"""

from __future__ import annotations

from tui.core.events import Culprit, Severity
from tui.core.turn import PlacedFinding
from tui.lint.catalogue import CATALOGUE


class Notes:
    """Collects findings. Offsets are bytes of the body."""

    def __init__(self) -> None:
        self._found: list[PlacedFinding] = []
        self._counted: dict[tuple[str, str], tuple[str, int, int]] = {}

    def add(
        self,
        code: str,
        message: str,
        offset: int,
        *,
        severity: Severity | None = None,
        culprit: Culprit | None = None,
    ) -> None:
        """Note one finding.

        Raises:
            KeyError: the catalogue has no such code (a bug of the rule).
        """
        entry = CATALOGUE[code]
        self._found.append(
            PlacedFinding(
                code, message, culprit or entry.culprit, severity or entry.severity, offset
            )
        )

    def count(self, code: str, message: str, offset: int, scope: str = "") -> None:
        """Note something that may happen many times; the first place and the number are kept."""
        first, at, number = self._counted.get((code, scope), (message, offset, 0))
        self._counted[code, scope] = (first, at, number + 1)

    def all(self) -> list[PlacedFinding]:
        """Every finding, in the order of the bytes."""
        counted = Notes()
        for (code, _), (message, offset, number) in self._counted.items():
            times = f" ({number} times, here first)" if number > 1 else ""
            counted.add(code, message + times, offset)
        return sorted([*self._found, *counted._found], key=lambda found: found.offset)
