"""`verbatim tools`, and what no command's help may cost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli import COMMANDS, main

HELP = """
import contextlib, io, sys
from tui.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main([*sys.argv[1:], "--help"])
print(*{"textual", "rich", "httpx", "sqlite3", "asyncio", "pydantic", "mcp"} & set(sys.modules))
"""
LIGHT = ["chat", "ask", "record", "replay", "endpoints", "tools", "demo-server"]


@pytest.mark.parametrize("command", [*LIGHT, ""])
def test_help_imports_neither_screen_nor_http_nor_store_nor_loop(command: str) -> None:
    assert not command or command in COMMANDS
    run = subprocess.run(
        [sys.executable, "-c", HELP, *([command] if command else [])],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert run.stdout.split() == []


def test_each_tool_is_shown_as_every_dialect_writes_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tools", "time", "--json"]) == 0
    (tool,) = json.loads(capsys.readouterr().out)["tools"]
    assert tool["policy"] == {"rule": "allow", "reason": "it is declared to read only"}
    schema = tool["schema"]
    assert tool["wire"]["anthropic"]["input_schema"] == schema
    assert tool["wire"]["openai-chat"]["function"]["parameters"] == schema
    assert tool["wire"]["openai-responses"]["parameters"] == schema
    assert main(["tools", "time", "--dialect", "openai-chat"]) == 0
    shown = capsys.readouterr().out
    assert "current_time · reads only · runs unasked" in shown
    assert "input_schema" not in shown


def test_what_providers_refuse_of_a_schema_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}]}}, "anyOf": [{}]}
    file = tmp_path / "odd.json"
    file.write_text(json.dumps([{"name": "odd", "description": "\x1b[2J", "schema": schema}]))
    assert main(["tools", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "every provider: 'anyOf' at the top is refused by Anthropic and OpenAI" in shown
    assert "answered by hand · asks first" in shown
    assert "\x1b" not in shown


def test_a_file_that_does_not_load_is_a_problem_with_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def f(:\n")
    assert main(["tools", str(file)]) == 1
    said = capsys.readouterr().out
    assert f"{file}:1" in said
    assert "Mend it and reload." in said


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["call", "current_time", '{"timezone": "Europe/Berlin"}', "--tools", "time"], 0, "Berlin"),
        (["call", "current_time", '{"timezone": "Nowhere"}', "--tools", "time"], 1, "no time zone"),
        (["call", "current_time", '{"timezone": 5}', "--tools", "time"], 1, "is invalid"),
        (["call", "current_time", "{'a': 1}", "--tools", "time"], 1, "is invalid"),
        (["call", "other", "{}", "--tools", "time"], 1, "the tools are: current_time"),
        (["call"], 2, "needs the name of a tool"),
        (["call", "a", "{}", "more"], 2, "needs the name of a tool"),
        (["nonsense"], 2, "'nonsense' names no tools"),
    ],
)
def test_a_call_by_hand_is_finalised_and_run_with_an_exit_status(
    words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", *words]) == status
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


def test_a_failing_function_shows_its_traceback_beside_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.py"
    file.write_text('def f() -> int:\n    """F."""\n    print("hello")\n    return 1 // 0\n')
    assert main(["tools", "call", "f", "--tools", str(file)]) == 1
    said = capsys.readouterr()
    assert "ZeroDivisionError" in said.out
    assert "it printed: hello" in said.err
    assert "bad.py" in said.err
    assert main(["tools", "call", "f", "--json", "--tools", str(file)]) == 1
    assert json.loads(capsys.readouterr().out)["state"] == "failed"


def test_configured_servers_are_opened_with_their_variables_filled_in(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp")
    script = Path(__file__).parents[1] / "tools" / "faulty_mcp_server.py"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(
        'tools = ["time"]\n[mcp.small]\n'
        f'command = ["${{SMALL}}", "-I", "-S", "{script}", "${{START:-ok}}"]\n'
    )
    assert main(["tools"]) == 1
    said = capsys.readouterr().out
    assert "MCP server small" in said
    assert "needs the variable SMALL" in said
    assert "current_time" in said, "the other tools are there"
    monkeypatch.setenv("SMALL", sys.executable)
    assert main(["tools", "--json"]) == 0
    tools = {tool["name"]: tool for tool in json.loads(capsys.readouterr().out)["tools"]}
    assert {"current_time", "echo"} <= set(tools)
    assert tools["echo"]["rule_name"] == "small__echo"
    assert tools["echo"]["claims"] == ["only reads"]
    assert tools["echo"]["policy"]["rule"] == "ask"
    with (home / "config" / "config.toml").open("a") as config:
        config.write('tools = ["e*", "die"]\nexclude = ["die"]\n')
    assert main(["tools", "--json"]) == 0
    assert {tool["name"] for tool in json.loads(capsys.readouterr().out)["tools"]} == {
        "current_time",
        "echo",
    }
    monkeypatch.setenv("START", "dies")
    assert main(["tools"]) == 1
    assert "no configuration found" in capsys.readouterr().out
