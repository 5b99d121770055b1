"""Every example of docs/tools.md is taken from the page and run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tui.cli import main
from tui.cli.compose import _servers, make_policy, read_setting
from tui.core.conversation import ToolSpec
from tui.tools.policy import decide

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
FILES = [
    (block.split("\n", 1)[0].removeprefix("# "), block) for _, block in BLOCKS if block[0] == "#"
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, in the folder where one works."""
    for name, text in FILES:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    assert main(["tools", "--json", *words]) == 0
    return {tool["name"]: tool for tool in json.loads(capsys.readouterr().out)["tools"]}


def test_every_block_of_the_page_is_known_here() -> None:
    assert [name for name, _ in FILES] == [
        "weather.py", "stock.py", "planned.toml", "config.toml", "config.toml",
    ]  # fmt: skip
    assert len(BLOCKS) == len(FILES) + 1


def test_the_commands_of_the_page_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((_, commands),) = (block for block in BLOCKS if block[0] == "console")
    for line in commands.splitlines():
        program, *words = shlex.split(line.removeprefix("$ "))
        assert program == "verbatim"
        assert main(words) == 0
    said = capsys.readouterr()
    assert '"degrees":4' in said.out.replace(" ", "")
    assert "its name, like Oslo" in said.out


def test_the_marked_function_runs_and_only_reads(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tool,) = listed(capsys, "stock.py").values()
    assert tool["read_only"] is True
    assert "context" not in json.dumps(tool["schema"])
    assert main(["tools", "call", "in_stock", '{"article": "A1"}', "--tools", "stock.py"]) == 0
    said = capsys.readouterr()
    assert said.out == "12\n"
    assert "50% counting" in said.err


def test_the_described_tools_answer_as_their_file_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = listed(capsys, "planned.toml")
    assert tools["book_room"]["answered_by_hand"] is True
    assert main(["tools", "call", "lookup_room", "--tools", "planned.toml"]) == 0
    assert '"Ada"' in capsys.readouterr().out
    assert main(["tools", "call", "cancel_room", "--tools", "planned.toml"]) == 1
    assert "The booking system is down." in capsys.readouterr().out


def test_the_configuration_is_understood(folder: Path) -> None:
    (folder / "config").mkdir()
    (folder / "config.toml").rename(folder / "config" / "config.toml")
    setting = read_setting({"VERBATIM_HOME": str(folder), "TRACKER_TOKEN": "t0ken"})
    files, tracker = _servers(setting)
    assert files.command == "npx"
    assert files.args[-1] == "/srv/shared"
    assert files.offers("read_file")
    assert not files.offers("read_media_file")
    assert not files.offers("write_file")
    assert tracker.headers == {"Authorization": "Bearer t0ken"}
    policy = make_policy(setting.settings, None, interactive=True)
    spec = ToolSpec("forecast", "", {})
    assert decide(spec, "weather.py", policy).rule == "allow"
    closing = ToolSpec("close_issue", "", {})
    name = "tracker__close_issue"
    assert decide(closing, "MCP server tracker", policy, rule_name=name).rule == "deny"
    assert decide(spec, "weather.py", policy, rule_name="other").rule == "ask"
