"""The command where it cannot do its work: no terminal, no such conversation, output that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli.chat import _latest
from tui.core.errors import UsageError
from tui.store import Store

RUN = "import sys; from tui.cli import main; sys.exit(main(sys.argv[1:]))"


def run(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "VERBATIM_HOME": str(home), **environment},
    )


@pytest.mark.parametrize("arguments", [(), ("--resume", "nosuch")])
def test_the_chat_says_that_it_needs_a_terminal(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert b"needs a terminal" in done.stderr
    assert b"verbatim ask" in done.stderr
    assert done.stdout == b""


def test_a_conversation_that_does_not_exist_is_told_before_the_screen_opens(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, "--resume", "nosuch"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "VERBATIM_HOME": str(tmp_path)},
    )
    os.close(follower)
    status = process.wait(timeout=60)
    said = os.read(leader, 65536)
    os.close(leader)
    assert status == 1
    assert said == b"verbatim: no conversation has the id 'nosuch'\r\n"


def test_the_latest_conversation_is_resumed_although_another_is_pinned() -> None:
    store = Store.memory()
    with pytest.raises(UsageError):
        _latest(store)
    first, last = (
        store.create_conversation(title=title, endpoint="demo", dialect="anthropic", model="m")
        for title in ("first", "last")
    )
    store.pin(first)
    assert _latest(store) == last


def test_an_encoding_that_lacks_characters_does_not_end_the_answer(tmp_path: Path) -> None:
    done = run(tmp_path, "ask", "unicode", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert b"\\u" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("stream", ["0<&-", "1>&-", "2>&-"])
def test_a_closed_stream_does_not_matter(tmp_path: Path, stream: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -c "$1" ask hello {stream}', sys.executable, RUN],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "VERBATIM_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", RUN, "ask", "hello"],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            env={**os.environ, "VERBATIM_HOME": str(tmp_path)},
        )
    assert done.returncode == 1
    assert done.stderr == b"verbatim: cannot write: No space left on device\n"
