"""The configuration file, read once, strictly, into frozen values; the command line does the rest.

Every fault in the file is reported at once. Without a file everything has its default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from tui.config.endpoint_table import read_endpoint, read_timeouts
from tui.config.endpoints import Endpoint, Timeouts
from tui.config.errors import ConfigError
from tui.config.presets import DEMO, PRESETS
from tui.config.table import Table
from tui.core.errors import UsageError

__all__ = ["Approvals", "McpServer", "Retention", "Rule", "Settings", "load_settings"]

Rule = Literal["ask", "allow", "deny"]
Mode = Literal["all", "read-only", "none"]
Otherwise = Literal["ask", "deny"]


@dataclass(frozen=True, slots=True)
class Approvals:
    """Which calls run unasked. Rules for a tool go before rules for an origin, then the mode."""

    mode: Mode = "read-only"
    otherwise: Otherwise = "ask"
    tools: Mapping[str, Rule] = field(default_factory=dict)
    origins: Mapping[str, Rule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server: a command to start, or the URL of one that runs."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: str | None = None
    """The working folder of the command."""
    tools: tuple[str, ...] | None = None
    """Names of the tools to offer, `*` standing for anything; None: all."""
    exclude: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    """Folders that the server is told it may work in; `./` and `~/` have become absolute paths."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long conversations are kept, in days since they were last changed; None: for ever."""

    days: int | None = None
    raw_days: int | None = None
    """After these the response bytes go, and messages, calls and results stay."""
    keep_pinned: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    default_endpoint: str = DEMO
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    """Those of the file; presets are found by `endpoint` as well."""
    system: str = ""
    tools: tuple[str, ...] = ()
    """As for `--tools`; `./` and `~/` at the beginning have become absolute paths."""
    mcp: tuple[McpServer, ...] = ()
    approvals: Approvals = Approvals()
    max_turns: int = 12
    record: bool = True
    """Keep the bytes of every response."""
    theme: str = ""
    """"" leaves the choice to the screen."""
    dark: bool | None = None
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Action → key, where it differs from the default."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    retention: Retention = Retention()

    def endpoint(self, name: str = "") -> Endpoint:
        """The endpoint called `name`, configured or preset; the default one for "".

        Raises:
            UsageError: there is none of that name.
        """
        wanted = name or self.default_endpoint
        found = self.endpoints.get(wanted) or PRESETS.get(wanted)
        if found is None:
            names = ", ".join(dict.fromkeys([*self.endpoints, *PRESETS]))
            raise UsageError(f"there is no endpoint {wanted!r}", hint=f"there are: {names}")
        return found


def load_settings(file: Path) -> Settings:
    """The settings in `file`; the defaults when it does not exist.

    Raises:
        ConfigError: it cannot be read, is no TOML, or holds what does not belong there.
    """
    try:
        text = file.read_bytes().decode()
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise ConfigError(str(file), [f"cannot be read: {reason}"]) from problem
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(str(file), [f"is not TOML: {problem}"]) from problem
    problems: list[str] = []
    settings = _read(Table(values, "", problems), file.parent.absolute())
    if problems:
        raise ConfigError(str(file), problems)
    return settings


def _read(table: Table, folder: Path) -> Settings:
    inner = table.table("timeouts")
    timeouts = read_timeouts(inner, Timeouts()) if inner is not None else Timeouts()
    endpoints = {
        name: read_endpoint(name, each, PRESETS, timeouts, folder)
        for name, each in table.tables("endpoints").items()
    }
    default = table.text("endpoint")
    if default is not None and default not in endpoints and default not in PRESETS:
        table.fault("endpoint", f"there is no endpoint {default!r}; add [endpoints.NAME] for it")
    tools = tuple(_absolute(spec, folder) for spec in table.texts("tools") or ())
    servers = [_read_mcp(name, each, folder) for name, each in table.tables("mcp").items()]
    given: dict[str, Any] = {
        "default_endpoint": default or next(iter(endpoints), DEMO),
        "system": table.text("system"),
        "max_turns": table.integer("max_turns", least=1),
        "record": table.boolean("record"),
        "theme": table.text("theme"),
        "dark": table.boolean("dark"),
        "keymap": table.text_map("keymap"),
        "approvals": _read_approvals(table),
        "retention": _read_retention(table),
    }
    table.finish()
    return Settings(
        endpoints=MappingProxyType(endpoints),
        tools=tools,
        mcp=tuple(servers),
        timeouts=timeouts,
        **{key: value for key, value in given.items() if value is not None},
    )


def _absolute(spec: str, folder: Path) -> str:
    if spec.startswith(("./", "../", "~/")):
        return str(folder / Path(spec).expanduser())
    return spec


def _read_approvals(table: Table) -> Approvals | None:
    inner = table.table("approval")
    if inner is None:
        return None
    rules = get_args(Rule)
    approvals = Approvals(
        cast(Mode, inner.choice("mode", get_args(Mode)) or Approvals().mode),
        cast(Otherwise, inner.choice("otherwise", get_args(Otherwise)) or "ask"),
        cast(dict[str, Rule], inner.text_map("tools", choices=rules) or {}),
        cast(dict[str, Rule], inner.text_map("origins", choices=rules) or {}),
    )
    inner.finish()
    return approvals


def _read_retention(table: Table) -> Retention | None:
    inner = table.table("retention")
    if inner is None:
        return None
    keep = inner.boolean("keep_pinned")
    retention = Retention(
        inner.integer("days", least=1),
        inner.integer("raw_days", least=1),
        True if keep is None else keep,
    )
    inner.finish()
    return retention


def _read_mcp(name: str, table: Table, folder: Path) -> McpServer:
    command = table.texts("command") or ()
    arguments = table.texts("args") or ()
    url = table.url("url")
    if bool(command) == table.has("url"):
        table.fault("", "give either `command`, to start the server, or `url`, where it runs")
    working = table.text("cwd")
    server = McpServer(
        name,
        (*command, *arguments),
        url or "",
        table.text_map("env") or {},
        table.text_map("headers") or {},
        None if working is None else str(folder / Path(working).expanduser()),
        table.texts("tools"),
        table.texts("exclude") or (),
        tuple(_absolute(each, folder) for each in table.texts("roots") or ()),
    )
    table.finish()
    return server
