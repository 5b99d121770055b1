"""Children of tools cannot write on the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")

SCRIPT = """
import os, subprocess, sys
from pathlib import Path
from tui.cli.terminal import kept_to_the_screen
print("before")
with kept_to_the_screen(Path(sys.argv[1])):
    subprocess.run(["/bin/sh", "-c", "echo leaked; echo leaked >&2"])
    os.write(1, b"from a library in C")
    sys.__stderr__.write("the screen\\n")
    assert os.get_terminal_size(sys.__stdout__.fileno())
assert sys.__stdout__.fileno() == 1 and sys.__stderr__.fileno() == 2
print("after", flush=True)
subprocess.run(["/bin/sh", "-c", "echo free again; echo and this >&2"])
"""


def in_terminal(*arguments: str, piped: bool = False) -> tuple[str, str]:
    """What a script wrote to its terminal, and to a pipe in place of its standard output."""
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
        stdin=follower,
        stdout=subprocess.PIPE if piped else follower,
        stderr=follower,
    )
    os.close(follower)
    said, _ = process.communicate(timeout=30)
    written = b""
    try:
        while data := os.read(leader, 4096):
            written += data
    except OSError:
        pass  # Linux says so when nobody holds the other end any more.
    os.close(leader)
    return written.decode().replace("\r\n", "\n"), (said or b"").decode()


def test_children_write_to_a_log_while_the_screen_is_up_and_to_the_terminal_after(
    tmp_path: Path,
) -> None:
    log = tmp_path / "state" / "children.log"
    written, _ = in_terminal(str(log))
    assert written == "before\nthe screen\nafter\nfree again\nand this\n"
    assert log.read_text() == "leaked\nleaked\nfrom a library in C"
    assert log.stat().st_mode & 0o077 == 0


def test_output_that_goes_elsewhere_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "children.log"
    written, said = in_terminal(str(log), piped=True)
    assert "leaked" in said
    assert "leaked" in written
    assert not log.exists()


def test_a_log_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    written, _ = in_terminal(str(tmp_path / "file" / "children.log"))
    assert "leaked" in written
