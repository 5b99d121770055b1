"""Commands run within limits, and nothing of them stays behind."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import final_call
from tui.core.errors import ToolError
from tui.core.states import CallState
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.registry import Registry
from tui.tools.shell import ShellLimits, command_words, shell

ENVIRONMENT = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-1", "MY_TOKEN": "t", "PLAIN": "p"}


def _dispatcher(folder: Path, **limits: Any) -> Dispatcher:
    return Dispatcher(Registry([shell(folder, ENVIRONMENT, ShellLimits(**limits))]))


async def _goes(pid: int) -> bool:
    """A killed process is gone a moment later, not at once."""
    for _ in range(500):
        if _gone(pid):
            return True
        await asyncio.sleep(0.01)
    return False


async def _run(folder: Path, arguments: dict[str, Any], **limits: Any) -> Outcome:
    return await _dispatcher(folder, **limits).run(final_call("run_command", arguments))


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # A zombie whose parent (init) has not looked yet is dead all the same.
    about = Path(f"/proc/{pid}/stat")
    return about.exists() and about.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.fixture
def here(tmp_path: Path) -> str:
    return str(tmp_path.resolve())


async def test_output_error_output_and_status_are_returned_together(tmp_path: Path) -> None:
    outcome = await _run(tmp_path, {"command": "echo one; echo two >&2; exit 3", "shell": True})
    assert outcome.state is CallState.FAILED
    assert outcome.result.text == "one\ntwo\n[exit status 3]"


async def test_a_command_runs_in_the_folder(tmp_path: Path, here: str) -> None:
    outcome = await _run(tmp_path, {"command": "pwd -P"})
    assert outcome.state is CallState.RETURNED
    assert outcome.result.text == f"{here}\n[exit status 0]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"command": "echo 'a b' $HOME | wc"}, ["echo", "a b", "$HOME", "|", "wc"]),
        ({"command": "echo", "arguments": ["a b", "", "'"]}, ["echo", "a b", "", "'"]),
        ({"command": "echo $HOME", "shell": True}, ["/bin/sh", "-c", "echo $HOME"]),
    ],
)
def test_no_shell_reads_a_command_unless_asked(arguments: Any, words: list[str]) -> None:
    assert command_words(arguments) == words


async def test_secrets_of_the_environment_are_not_passed_on(tmp_path: Path) -> None:
    text = (await _run(tmp_path, {"command": "env"})).result.text
    assert "PLAIN=p" in text
    assert "sk-1" not in text
    assert "MY_TOKEN" not in text


async def test_a_command_has_no_input(tmp_path: Path) -> None:
    assert (await _run(tmp_path, {"command": "cat"})).result.text == "[exit status 0]"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program-here", "There is no program"),
        ("'unclosed", "cannot be split"),
        ("  ", "it is empty"),
        ("./plain.txt", "could not be started"),
        ("echo a\0b", "could not be started"),
    ],
)
async def test_a_command_that_cannot_start_is_an_error_with_a_reason(
    tmp_path: Path, command: str, words: str
) -> None:
    (tmp_path / "plain.txt").write_text("x")
    outcome = await _run(tmp_path, {"command": command})
    assert outcome.state is CallState.FAILED
    assert words in outcome.result.text


async def test_a_command_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path) -> None:
    command = "echo started; sleep 1000 & echo $!; wait"
    outcome = await _run(tmp_path, {"command": command, "shell": True}, seconds=0.3)
    lines = outcome.result.text.splitlines()
    assert lines[0] == "started"
    assert lines[-1] == "[stopped after 0.3 seconds]"
    assert await _goes(int(lines[1]))


async def test_a_child_in_the_background_neither_delays_the_result_nor_survives(
    tmp_path: Path,
) -> None:
    outcome = await _run(tmp_path, {"command": "sleep 1000 & echo $!", "shell": True})
    pid, status = outcome.result.text.splitlines()
    assert status == "[exit status 0]"
    assert await _goes(int(pid))


async def test_a_command_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    command = "trap '' TERM; echo $$; while :; do sleep 1; done"
    outcome = await _run(tmp_path, {"command": command, "shell": True}, seconds=0.3, grace=0.1)
    assert await _goes(int(outcome.result.text.splitlines()[0]))


async def test_endless_output_is_stopped_at_the_limit(tmp_path: Path) -> None:
    outcome = await _run(tmp_path, {"command": "yes"}, output=5_000)
    assert outcome.result.text.endswith("[stopped: it wrote more than 5,000 bytes]")
    assert len(outcome.result.text) < 5_100
    assert outcome.state is CallState.FAILED


async def test_cancelling_kills_the_process_group(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    dispatcher = _dispatcher(tmp_path)
    command = "sleep 1000 & echo $! > pipe; wait"
    call = final_call("run_command", {"command": command, "shell": True})
    task = asyncio.create_task(dispatcher.run(call))
    pid = int(await asyncio.to_thread(pipe.read_text))

    dispatcher.cancel("t1.c1")
    outcome = await task

    assert outcome.state is CallState.CANCELLED
    assert "still be running" not in outcome.result.text
    assert await _goes(pid)


async def test_a_process_that_closes_its_output_is_still_waited_for(tmp_path: Path) -> None:
    code = "import os; os.close(1); os.close(2); raise SystemExit(4)"
    outcome = await _run(tmp_path, {"command": sys.executable, "arguments": ["-c", code]})
    assert outcome.result.text == "[exit status 4]"


def test_the_tool_is_never_read_only_and_its_folder_must_exist(tmp_path: Path) -> None:
    (tool,) = shell(tmp_path, {}).tools
    assert not tool.spec.read_only
    with pytest.raises(ToolError, match="is not a folder"):
        shell(tmp_path / "absent", {})
