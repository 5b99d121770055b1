"""Tools without code: a TOML or JSON file describes them and says how they answer.

For trying out how a model calls a tool before the tool exists. An entry has `name`,
`description`, `schema` and `answer`: "by hand" (a person answers each call, also when `answer`
is missing) or a table with one of `text`, `json`, `error`, `timeout = true`, and `delay_seconds`.
Definitions as OpenAI, Anthropic and MCP write them can be pasted: their words for the schema
(`parameters`, `input_schema`, `inputSchema`) and the `function` envelope are understood.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import JsonContent, TextContent, ToolSpec
from tui.core.errors import ToolError
from tui.core.finalise import FinalCall
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.registry import fitting_name, is_fitting

_SCHEMA_WORDS: Final = ("schema", "parameters", "input_schema", "inputSchema")
_ENTRY_WORDS: Final = frozenset(
    {"name", "description", "answer", "read_only", "timeout", "kind", "strict", "type", "title"}
    | {"annotations", "outputSchema", "cache_control", *_SCHEMA_WORDS}
)
_ANSWER_WORDS: Final = frozenset({"text", "json", "error", "timeout", "delay_seconds"})
BY_HAND: Final = "by hand"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a declared tool says: its outcome after `delay` seconds; None: it never answers."""

    outcome: ToolOutcome | None
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    spec: ToolSpec
    origin: str
    answer: Answer | None
    """None: a person answers."""
    timeout: float | None = None
    trusted: bool = True

    @property
    def answered_by_hand(self) -> bool:
        return self.answer is None

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        if self.answer is None:
            return ToolOutcome.error("A person answers this tool, and nobody was asked.")
        if self.answer.outcome is None:
            context.progress("never answers, as its file says")
            await asyncio.Event().wait()
        if self.answer.delay:
            context.progress(f"answers after {self.answer.delay:g} seconds")
            await asyncio.sleep(self.answer.delay)
        assert self.answer.outcome is not None  # noqa: S101 - the wait above never ends
        return self.answer.outcome


class DeclaredFile:
    """A source: the tools one file describes. A reload that fails keeps the old ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = fitting_name(path.stem)
        self.origin = path.name
        self.tools: Sequence[DeclaredTool] = ()
        self.problem: ToolError | None = None

    async def open(self, changed: Callable[[], None]) -> None:
        await self.reload()

    async def reload(self) -> None:
        self.tools = load_declared(self.path)

    async def close(self) -> None:
        return None


def load_declared(path: Path) -> tuple[DeclaredTool, ...]:
    """Read a file: a list of entries, or a table with them under `tool` or `tools`.

    Raises:
        ToolError: it cannot be read, or an entry cannot be used, with what to change.
    """
    document = _document(path)
    entries = document
    if isinstance(document, dict):
        entries = document.get("tools", document.get("tool"))
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list) or not entries:
        raise ToolError(
            f"{path} describes no tool",
            hint='Begin one with [[tool]] in TOML, or give a list under "tools" in JSON.',
        )
    return tuple(
        _tool(entry, f"{path}: tool {number}", path.name)
        for number, entry in enumerate(entries, start=1)
    )


def _document(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except FileNotFoundError:
        raise ToolError(f"there is no file {path}", hint="Check the path.") from None
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise ToolError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except tomllib.TOMLDecodeError as error:
        raise ToolError(f"{path}: not TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} is not UTF-8 at byte {error.start}") from error


def _tool(entry: Any, place: str, origin: str) -> DeclaredTool:
    if isinstance(entry, dict) and isinstance(entry.get("function"), dict):
        entry = {
            **entry["function"],
            **{k: v for k, v in entry.items() if k in ("answer", "timeout")},
        }
    if not isinstance(entry, dict):
        raise ToolError(f"{place} is not a table")
    name = entry.get("name")
    if not isinstance(name, str) or not is_fitting(name):
        raise ToolError(
            f"{place}: {name!r} cannot be a tool's name",
            hint="Letters, digits, _ and -, 64 at most.",
        )
    place = f"{place} ({name})"
    if unknown := sorted(set(entry) - _ENTRY_WORDS):
        raise ToolError(
            f"{place}: unknown: {', '.join(map(repr, unknown))}",
            hint="An entry has name, description, schema, answer, read_only, timeout (seconds).",
        )
    timeout = entry.get("timeout")
    if timeout is not None and not (_is_number(timeout) and timeout > 0):
        raise ToolError(f"{place}: timeout = {timeout!r} is not a number of seconds above 0")
    is_custom = entry.get("kind", entry.get("type")) == "custom"
    spec = ToolSpec(
        name=name,
        description=str(entry.get("description", "")),
        schema={} if is_custom else _schema(entry, place),
        kind="custom" if is_custom else "function",
        read_only=entry.get("read_only") is True,
    )
    return DeclaredTool(spec, origin, _answer(entry.get("answer", BY_HAND), place), timeout)


def _schema(entry: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    given = [word for word in _SCHEMA_WORDS if word in entry]
    if not given:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    schema = entry[given[0]]
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise ToolError(
            f'{place}: {given[0]} is not a JSON Schema with "type": "object"',
            hint="Arguments are one object; describe its members under properties.",
        )
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        where = ".".join(map(str, error.absolute_path)) or "schema"
        raise ToolError(f"{place}: {where}: {error.message}") from error
    return schema


def _answer(answer: Any, place: str) -> Answer | None:
    if answer == BY_HAND:
        return None
    if isinstance(answer, str):
        raise ToolError(
            f"{place}: answer = {answer!r} is not understood",
            hint=f'Write answer = "{BY_HAND}", or answer.text = {answer!r} for this very text.',
        )
    if not isinstance(answer, dict) or set(answer) - _ANSWER_WORDS:
        raise ToolError(f"{place}: answer has {', '.join(sorted(_ANSWER_WORDS))}, nothing else")
    kinds = [word for word in ("text", "json", "error", "timeout") if word in answer]
    delay = answer.get("delay_seconds", 0)
    if len(kinds) != 1 or not _is_number(delay) or delay < 0:
        raise ToolError(
            f"{place}: answer needs exactly one of text, json, error or timeout,"
            " and delay_seconds from 0 up"
        )
    value = answer[kinds[0]]
    match kinds[0]:
        case "text":
            outcome: ToolOutcome | None = ToolOutcome((TextContent(str(value)),))
        case "json":
            # TOML has dates, JSON does not: they are written as TOML writes them.
            raw = json.dumps(value, ensure_ascii=False, default=str)
            outcome = ToolOutcome((JsonContent(raw),))
        case "error":
            outcome = ToolOutcome.error(str(value))
        case _:
            if value is not True:
                raise ToolError(
                    f"{place}: answer.timeout = {value!r}",
                    hint="Write answer.timeout = true, and beside the name timeout = SECONDS.",
                )
            outcome = None
    return Answer(outcome, float(delay))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
