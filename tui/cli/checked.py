"""One checked file: what the reader, the linter and the proofs say of it, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tui.cli.check_json import as_json
from tui.core.turn import PlacedFinding
from tui.lint.contrast import Contrast
from tui.lint.proof import CutProof, SplitProof
from tui.lint.reading import Reading


@dataclass(frozen=True, slots=True)
class Checked:
    file: str
    dialect: str
    reading: Reading
    findings: list[PlacedFinding]
    good: bool
    """The stream is complete, every call final, and what was asked to be proved holds."""
    contrasts: Sequence[Contrast] | None = None
    splits: SplitProof | None = None
    cuts: CutProof | None = None

    def codes(self) -> Counter[str]:
        return Counter(found.code for found in self.findings)

    def as_json(self) -> dict[str, Any]:
        """The verdict, with what was asked for beside it."""
        verdict = as_json(self.file, self.dialect, self.reading, self.findings)
        if self.contrasts is not None:
            verdict["contrast"] = [
                {
                    "name": each.name,
                    "mistake": each.mistake,
                    "went_wrong_at": each.went_wrong_at,
                    "true": each.true,
                    "careless": each.careless,
                    "consequence": each.consequence,
                }
                for each in self.contrasts
            ]
        if self.splits is not None:
            verdict["splits"] = self.splits.tried
            verdict["split_differences"] = list(self.splits.differences)
        if self.cuts is not None:
            verdict["cuts"] = self.cuts.tried
            verdict["early_acts"] = list(self.cuts.early_acts)
        return verdict
