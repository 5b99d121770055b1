"""Make the project's own fixtures: `python -m tests.streams.make` writes them beside this file.

The commands stand in `commands`, one a line, as anybody could type them. They are run by the
command line itself, in a folder of their own; what is there at the end and no step is kept.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from tui.cli import main

HERE = Path(__file__).parent


def commands() -> list[list[str]]:
    """The words of each command."""
    lines = (HERE / "commands").read_text("utf-8").split("\n")
    return [shlex.split(line) for line in lines if line and not line.startswith("#")]


def make(folder: Path) -> list[Path]:
    """Run the commands in `folder`; returns the files that are fixtures, bodies and sidecars."""
    shutil.copytree(HERE / "documents", folder / "documents")
    with contextlib.chdir(folder):
        for words in commands():
            if main(words) != 0:
                raise SystemExit(f"this failed: verbatim {shlex.join(words)}")
    return sorted(path for path in folder.glob("*.*") if not path.name.startswith("step-"))


def kept() -> list[Path]:
    """The fixtures as they are in the repository."""
    return sorted([*HERE.glob("*.sse"), *HERE.glob("*.json")])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        made = make(Path(name))
        for path in kept():
            path.unlink()
        for path in made:
            shutil.copyfile(path, HERE / path.name)
    print(f"{len(made)} files", file=sys.stderr)
