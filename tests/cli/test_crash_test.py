"""`verbatim crash-test` itself: the chat under a terminal, killed twice, and what it must catch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.cli import main
from tui.cli.crashing.server import Sent
from tui.cli.crashing.trial import Trials


def test_nothing_is_lost_or_run_twice_when_the_chat_is_killed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # A second of grace: what is proved here must not depend on how busy the machine is.
    assert main(["crash-test", "--kills", "2", "--seed", "5", "--within", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kills"], report["failures"]) == (2, [])
    assert report["bytes_due"] > 0


def test_a_call_that_ran_twice_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("1\n2\n1\n")
    trials = Trials(tmp_path, 1, 0.1)
    trials._look(0, 0.0, {})
    trials._server.close()
    assert "the call of '1' ran 2 times" in trials.report.failures[0]


def test_what_waits_in_the_socket_has_not_arrived() -> None:
    sent = Sent(bytearray(b"x" * 30), [(1.0, 10, 15), (2.0, 20, 30), (3.0, 30, 45)])
    assert [sent.without(unread) for unread in (0, 1, 15, 16, 45, 90)] == [30, 20, 20, 10, 0, 0]
    assert [sent.before(moment) for moment in (0.5, 1.0, 2.5, 9.0)] == [0, 10, 20, 30]


@pytest.mark.parametrize("flag", ["--kills", "--jobs"])
def test_no_kills_are_refused(flag: str) -> None:
    assert main(["crash-test", flag, "0"]) == 2
