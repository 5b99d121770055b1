"""The one error of the configuration: everything that is wrong with a file, at once."""

from __future__ import annotations

from collections.abc import Sequence

from tui.core.errors import UsageError

__all__ = ["ConfigError"]


class ConfigError(UsageError):
    """The configuration file cannot be used. `problems` are all of its faults, one line each."""

    def __init__(self, file: str, problems: Sequence[str], *, hint: str = "") -> None:
        self.file = file
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            message = f"{file}: {self.problems[0]}"
        else:
            lines = "".join(f"\n  {problem}" for problem in self.problems)
            message = f"{file}: {len(self.problems)} problems{lines}"
        super().__init__(message, hint=hint or "correct the file; nothing has been changed")
