"""The questions that wait for a person, in the order they were asked, and whether one key may
allow them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tui.app.calls.model import CallModel

LISTED: Final = 6
"""Questions that a bar lists, one line each."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """All calls that wait at one moment."""

    models: tuple[CallModel, ...]

    @classmethod
    def among(cls, models: Iterable[CallModel]) -> Waiting:
        return cls(tuple(model for model in models if model.wants_person))

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(model.ref for model in self.models)

    def all_allowable(self, listed: int) -> bool:
        """Whether one key may allow them all: each of the first `listed` has been seen by name.

        Never when one of them needs a decision of its own.
        """
        if not 2 <= len(self.models) <= listed:
            return False
        approvals = [model.approval for model in self.models]
        return not any(each is None or each.by_hand or each.was_started for each in approvals)

    def place(self, ref: str) -> int:
        """Which one `ref` is, from 1; 0 when it does not wait."""
        return self.refs.index(ref) + 1 if ref in self.refs else 0
