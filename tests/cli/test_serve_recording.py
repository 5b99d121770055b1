"""`verbatim serve-recording`: a process of its own, as another client meets it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tui.cli import main
from tui.cli.serve_recording import factor_of
from tui.core.errors import UsageError

ROOT = Path(__file__).parents[2]
BODY = ROOT / "tests" / "streams" / "chat-numbers.sse"


def test_it_says_where_it_serves_and_serves() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "tui", "serve-recording", str(BODY), "--port", "0", "--pace", "now"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/v1", process.stderr.readline())
            assert found is not None
            answer = httpx.post(f"{found[0]}/chat/completions", json={}, trust_env=False)
            assert answer.content == BODY.read_bytes()
            assert "Ctrl+C" in process.stderr.readline()
            assert "chat-numbers.sse" in process.stderr.readline()
        finally:
            process.terminate()


@pytest.mark.parametrize(("words", "factor"), [("recorded", 1.0), ("now", 0.0), ("2.5", 2.5)])
def test_a_pace_is_a_word_or_a_number(words: str, factor: float) -> None:
    assert factor_of(words) == factor


@pytest.mark.parametrize("words", ["", "fast", "0", "-1", "inf", "nan"])
def test_other_paces_are_refused(words: str) -> None:
    with pytest.raises(UsageError, match="is no pace"):
        factor_of(words)


def test_a_file_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve-recording", "absent.sse"]) == 2
    assert "cannot read" in capsys.readouterr().err
