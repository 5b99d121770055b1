"""What a person writes to name tools (`shop`, `files:DIR`, `PATH.py`, ...) and what it opens.

The composition root passes in where things lie; nothing here reads the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui.core.errors import UsageError
from tui.tools.clock import clock
from tui.tools.declared import DeclaredFile
from tui.tools.fetch import fetch
from tui.tools.files import files
from tui.tools.functions import PythonFile
from tui.tools.mcp.config import ServerConfig
from tui.tools.mcp.source import McpServer, mcp_sources
from tui.tools.registry import Registry, ToolSource
from tui.tools.shell import shell
from tui.tools.shop import shop

if TYPE_CHECKING:
    from tui.tools.mcp.questions import AskPerson

KNOWN: Final = (
    ("shop", "the demo shop: orders and tickets in a real file"),
    ("time", "the current time"),
    ("files:DIR", "list, read and search the files below a folder"),
    ("fetch", "fetch pages of the public web (fetch:private: of this network too)"),
    ("shell", "run commands here (shell:DIR: in another folder)"),
    ("PATH.py", "the functions of a Python file"),
    ("PATH.toml", "tools described in a file, without code (also PATH.json)"),
    ("mcp:PATH.json", "the MCP servers of an mcpServers file"),
)
"""Every form, with what it means."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the tools of this program find themselves."""

    data_dir: Path
    """Where the demo shop keeps its file."""
    working_dir: Path
    """What relative paths begin with."""
    environment: Mapping[str, str]
    """For `shell`, and for MCP servers as far as their configuration asks for it."""
    ask_person: AskPerson | None = None
    """Answers the questions of MCP servers; None declines them all."""


def open_tools(
    specs: Iterable[str],
    around: Surroundings,
    *,
    servers: Iterable[ServerConfig] = (),
    changed: Callable[[], None] | None = None,
) -> Registry:
    """A registry over everything named; `async with` it (or `await registry.open()`).

    The same thing named twice is opened once. `servers` are MCP servers configured elsewhere
    than in a file that a spec names. `changed` is called, on the event loop, when what is on
    offer differs.

    Raises:
        UsageError: a word that means nothing.
        ToolError: a folder or a server file that cannot be used. Files of tools that do not
            load are found when the registry is opened, and are in its `problems`.
    """
    sources: list[ToolSource] = []
    for spec in dict.fromkeys(specs):
        sources.extend(sources_of(spec, around))
    sources.extend(McpServer(server, around.ask_person) for server in servers)
    return Registry(sources, changed=changed)


def sources_of(spec: str, around: Surroundings) -> list[ToolSource]:
    """What one word names; see `open_tools`."""
    kind, _, rest = spec.partition(":")
    match kind, rest:
        case "shop", "":
            return [shop(around.data_dir)]
        case "time", "":
            return [clock()]
        case "files", _ if rest:
            return [files(_path(rest, around))]
        case "fetch", "" | "private":
            return [fetch(allow_private=bool(rest))]
        case "shell", _:
            return [shell(_path(rest or ".", around), around.environment)]
        case "mcp", _ if rest:
            return list(mcp_sources(_path(rest, around), around.environment, around.ask_person))
        case _:
            return [_file_source(spec, around)]


def _file_source(spec: str, around: Surroundings) -> ToolSource:
    path = _path(spec, around)
    match path.suffix.lower():
        case ".py":
            return PythonFile(path)
        case ".toml" | ".json":
            return DeclaredFile(path)
        case _:
            forms = ", ".join(form for form, _ in KNOWN)
            raise UsageError(f"{spec!r} names no tools", hint=f"It may be one of: {forms}.")


def _path(text: str, around: Surroundings) -> Path:
    return around.working_dir / Path(text).expanduser()
