from __future__ import annotations

import json

import pytest

from tui.cli import main


def test_growth_is_told_for_every_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "store", "--conversations", "20", "--calls", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["conversations"], found["calls"]) == (20, 200)
    assert {"list 50", "search a common word", "open and close"} <= set(found["growth"])
    assert found["growth"]["size of the file"] > 1
    assert main(["bench", "store", "--calls", "5"]) == 2
    assert main(["bench", "typing", "--kilobytes", "0"]) == 2
