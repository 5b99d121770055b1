"""Tools described in a file, without code: what may stand there and how they answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import dispatcher_of, final_call
from tui.core.conversation import CallResult, JsonContent, TextContent
from tui.core.errors import ToolError
from tui.core.states import CallState
from tui.tools.declared import DeclaredFile, DeclaredTool, load_declared
from tui.tools.registry import Registry

TOML = """
[[tool]]
name = "weather"
description = "The weather."
read_only = true
answer = "by hand"
[tool.schema]
type = "object"
required = ["city"]
properties.city = { type = "string" }

[[tool]]
name = "fixed_text"
answer.text = "It rains."

[[tool]]
name = "fixed_json"
answer.json = { degrees = 12, on = 2026-12-03 }

[[tool]]
name = "broken"
answer.error = "The service is closed."
answer.delay_seconds = 0.001

[[tool]]
name = "silent"
timeout = 0.05
answer.timeout = true
"""


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, DeclaredTool]:
    path = tmp_path / "tools.toml"
    path.write_text(TOML)
    return {tool.spec.name: tool for tool in load_declared(path)}


async def _answer(tool: DeclaredTool) -> tuple[CallState, CallResult]:
    outcome = await dispatcher_of(tool).run(final_call(tool.spec.name))
    return outcome.state, outcome.result


async def test_each_answer_is_given_as_declared(tools: dict[str, DeclaredTool]) -> None:
    assert await _answer(tools["fixed_text"]) == (
        CallState.RETURNED,
        CallResult("t1.c1", (TextContent("It rains."),)),
    )
    state, result = await _answer(tools["fixed_json"])
    assert result.content == (JsonContent('{"degrees": 12, "on": "2026-12-03"}'),)
    state, result = await _answer(tools["broken"])
    assert (state, result.text) == (CallState.FAILED, "The service is closed.")
    state, result = await _answer(tools["silent"])
    assert state is CallState.TIMED_OUT


def test_a_tool_without_a_declared_answer_is_answered_by_hand(
    tools: dict[str, DeclaredTool],
) -> None:
    by_hand = {name for name, tool in tools.items() if tool.answered_by_hand}
    assert by_hand == {"weather"}
    assert tools["weather"].spec.read_only
    assert tools["weather"].spec.schema["required"] == ["city"]
    assert tools["fixed_text"].spec.schema["additionalProperties"] is False


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "function", "function": {"name": "f", "description": "F.", "parameters": None}},
        {"type": "function", "name": "f", "description": "F.", "parameters": None, "strict": True},
        {"name": "f", "description": "F.", "input_schema": None},
        {"name": "f", "description": "F.", "inputSchema": None, "annotations": {}},
    ],
    ids=["chat", "responses", "anthropic", "mcp"],
)
def test_definitions_can_be_pasted_as_each_provider_writes_them(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    text = json.dumps([entry]).replace("null", json.dumps(schema))
    (tmp_path / "tools.json").write_text(text)
    (tool,) = load_declared(tmp_path / "tools.json")
    assert (tool.spec.name, tool.spec.description, tool.spec.schema) == ("f", "F.", schema)
    assert tool.answered_by_hand


def test_a_custom_tool_takes_free_text(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"tools": [{"type": "custom", "name": "code"}]}')
    (tool,) = load_declared(tmp_path / "t.json")
    assert (tool.spec.kind, tool.spec.schema) == ("custom", {})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("[[tool]\n", "not TOML"),
        ("x = 1", "describes no tool"),
        ("[[tool]]\nname = 'two words'", "cannot be a tool's name"),
        ("[[tool]]\nname = 'f'\nanswers = 1", "unknown: 'answers'"),
        ("[[tool]]\nname = 'f'\nanswer = 'hello'", "answer = 'hello' is not understood"),
        ("[[tool]]\nname = 'f'\nanswer.text = 'a'\nanswer.json = 1", "exactly one of"),
        ("[[tool]]\nname = 'f'\nanswer.txt = 'a'", "nothing else"),
        ("[[tool]]\nname = 'f'\nanswer.text = 'a'\nanswer.delay_seconds = -1", "exactly one of"),
        ("[[tool]]\nname = 'f'\nanswer.timeout = 3", "answer.timeout = 3"),
        ("[[tool]]\nname = 'f'\ntimeout = true", "not a number of seconds"),
        ("[[tool]]\nname = 'f'\nschema.type = 'string'", '"type": "object"'),
        (
            "[[tool]]\nname = 'f'\nschema.type = 'object'\nschema.properties.a.type = 'text'",
            "properties.a.type",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_why(
    tmp_path: Path, source: str, words: str
) -> None:
    path = tmp_path / "tools.toml"
    path.write_text(source)
    with pytest.raises(ToolError) as caught:
        load_declared(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_broken_json_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"tools": [\n}')
    with pytest.raises(ToolError, match=r"t\.json:2: not JSON"):
        load_declared(tmp_path / "t.json")


async def test_a_reload_that_fails_keeps_the_old_tools(tmp_path: Path) -> None:
    path = tmp_path / "tools.toml"
    path.write_text("[[tool]]\nname = 'f'")
    async with Registry([DeclaredFile(path)]) as registry:
        path.write_text("[[tool]]")
        await registry.reload()
        assert list(registry.specs_by_name) == ["f"]
        assert len(registry.problems) == 1
        path.write_text("[[tool]]\nname = 'g'")
        await registry.reload()
        assert list(registry.specs_by_name) == ["g"]
        assert not registry.problems
