"""The page docs/from-bug-to-test.md, done as it says: its files written, its commands run in order."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tui.cli import compose, main
from tui.demo import DemoSource

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "from-bug-to-test.md"
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ENVIRONMENT = {"PATH", "PYTHONPATH", "SYSTEMROOT", "VERBATIM_HOME", "HOME", "TMPDIR"}


@dataclass(frozen=True)
class Command:
    words: list[str]
    status: int
    background: bool


def blocks() -> Iterator[tuple[str, str]]:
    yield from BLOCK.findall(PAGE.read_text("utf-8"))


def commands(text: str) -> Iterator[Command]:
    for line in text.splitlines():
        assert line.startswith("$ "), f"{line!r} is no command"
        words, _, status = line[2:].partition("  # exit status ")
        background = words.endswith(" &")
        yield Command(shlex.split(words.removesuffix(" &")), int(status or 0), background)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.terminate()
        process.communicate(timeout=20)


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ENVIRONMENT}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def test_every_command_of_the_page_does_what_the_page_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    running: list[subprocess.Popen[str]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        compose, "make_source", lambda endpoint, _: DemoSource(endpoint.dialect, speed=math.inf)
    )
    port = str(free_port())
    done: list[str] = []
    for kind, text in blocks():
        if kind == "python":
            name = text.partition("\n")[0].removeprefix("# ")
            Path(name).write_text(text, "utf-8")
            continue
        for command in commands(text):
            words = [word.replace("8643", port) for word in command.words]
            done.append(" ".join(command.words[:2]))
            assert run(words, command, running) == command.status, (
                f"{shlex.join(words)}\n{capfd.readouterr()}"
            )
    assert {
        "verbatim record",
        "verbatim check",
        "verbatim fixture",
        "verbatim serve-recording",
    } <= {*done}


def run(words: list[str], command: Command, running: list[subprocess.Popen[str]]) -> int:
    if words[0] == "verbatim" and command.background:
        process = subprocess.Popen(
            [sys.executable, "-m", "tui", *words[1:]],
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        running.append(process)
        assert process.stderr is not None
        # It says where it listens once it does.
        assert "served at" in process.stderr.readline()
        return 0
    if words[0] == "verbatim":
        return main(words[1:])
    if words[0] == "python":
        return subprocess.run(
            [sys.executable, *words[1:], "-p", "no:cacheprovider"],
            env=environment(),
            check=False,
            capture_output=True,
        ).returncode
    assert words[0] == "curl", f"the page uses {words[0]!r}, which this test does not run"
    if not shutil.which("curl"):
        return command.status
    served = subprocess.run(words, env=environment(), check=False, capture_output=True)
    assert served.stdout == Path("streams/ends-in-arguments.sse").read_bytes()
    return served.returncode


def test_the_page_shows_a_test_that_fails_and_then_passes() -> None:
    statuses = [
        command.status
        for kind, text in blocks()
        if kind == "console"
        for command in commands(text)
        if command.words[0] == "python"
    ]
    assert statuses == [1, 0]


@pytest.mark.parametrize("page", ["fixtures", "recordings", "probe", "from-bug-to-test"])
def test_links_between_the_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    for target in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (ROOT / "docs" / target).is_file(), target
