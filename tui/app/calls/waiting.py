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

    @property
    def why_not_all(self) -> str:
        """Why one key may not allow all of them; empty when it may."""
        if len(self.models) < 2:
            return "only one waits"
        if len(self.models) > LISTED:
            return f"only {LISTED} of the {len(self.models)} are listed"
        for model in self.models:
            approval = model.approval
            if approval is not None and approval.by_hand:
                return "one has to be answered by hand"
            if approval is not None and approval.was_started:
                return "one had been started before"
        return ""

    def place(self, ref: str) -> int:
        """Which one `ref` is, from 1; 0 when it does not wait."""
        return self.refs.index(ref) + 1 if ref in self.refs else 0
