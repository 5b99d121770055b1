"""Where Verbatim keeps its configuration, data and state. Computed once from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Paths"]


STORE_NAME = "verbatim.sqlite"
"""The database's file, in the data folder or in one that a person chose instead."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Three folders; none of them need exist."""

    config: Path
    data: Path
    state: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def themes(self) -> Path:
        """The user's own themes."""
        return self.config / "themes"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Paths:
        """The platform's folders, or those below VERBATIM_HOME where it is set and not empty."""
        home = environment.get("VERBATIM_HOME")
        if home:
            base = Path(home).expanduser().absolute()
            return cls(base / "config", base / "data", base / "state")
        from platformdirs import PlatformDirs

        dirs = PlatformDirs("verbatim", appauthor=False)
        return cls(dirs.user_config_path, dirs.user_data_path, dirs.user_state_path)
