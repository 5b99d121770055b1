"""The words that name tools."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui.core.errors import ToolError, UsageError
from tui.tools.specs import KNOWN, Surroundings, open_tools


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return Surroundings(tmp_path / "data", tmp_path, {"PATH": "/bin"})


async def test_each_word_opens_its_tools(around: Surroundings) -> None:
    (around.working_dir / "mine.py").write_text("def add(a: int):\n    'Add.'\n")
    (around.working_dir / "hand.toml").write_text("[[tool]]\nname = 'ask_me'\n")
    words = ["shop", "time", "files:.", "fetch", "shell", "mine.py", "hand.toml", "shop"]
    async with open_tools(words, around) as registry:
        assert registry.problems == ()
        assert list(registry.specs_by_name) == [
            "lookup_order", "search_orders", "create_ticket", "list_open_tickets",
            "current_time", "list_files", "read_file", "search_files", "fetch_page",
            "run_command", "add", "ask_me",
        ]  # fmt: skip
        assert {entry.origin for entry in registry.entries()} == {
            "demo shop", "clock", f"files in {around.working_dir.name}", "web", "shell",
            "mine.py", "hand.toml",
        }  # fmt: skip


@pytest.mark.parametrize("word", ["shopping", "files:", "shop:x", "fetch:all", "a.txt", "mcp:", ""])
def test_a_word_that_means_nothing_says_what_would(around: Surroundings, word: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_tools([word], around)
    assert all(form in caught.value.hint for form, _ in KNOWN)


def test_a_folder_that_is_none_is_an_error_at_once(around: Surroundings) -> None:
    with pytest.raises(ToolError, match="is not a folder"):
        open_tools(["files:absent"], around)


async def test_a_file_that_is_missing_is_a_problem_and_the_rest_works(around: Surroundings) -> None:
    async with open_tools(["absent.py", "time"], around) as registry:
        assert list(registry.specs_by_name) == ["current_time"]
        assert "there is no file" in str(registry.problems[0].error)


def test_offering_built_in_tools_imports_nothing_slow() -> None:
    code = (
        "import sys, tui.tools.specs, tui.tools.dispatcher, tui.tools.policy;"
        "print([m for m in ('httpx', 'pydantic', 'mcp', 'jsonschema', 'docstring_parser')"
        " if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
