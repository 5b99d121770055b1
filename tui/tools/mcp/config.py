"""The `mcpServers` file that MCP clients share, read as it stands.

Each server has `command`, `args`, `env`, `cwd`, or `url` and `headers`. `${NAME}` and
`${NAME:-default}` in them stand for variables of the environment; nothing else is taken from it.
Which of its tools are offered is said by `includeTools`, `excludeTools` (as Gemini CLI has them)
and `disabledTools` (as Roo Code and others have it).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from tui.core.errors import ToolError

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_ASKED = re.compile(r"\$\{(?:input|command|config):[^}]*\}")
"""What some editors ask a person or themselves for."""
_URLS = ("httpUrl", "url", "serverUrl")
_STDIO = ("stdio",)
_HTTP = ("http", "streamable-http", "streamableHttp", "streamable_http")


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server. What may hold a secret is not in its `repr`."""

    name: str
    command: str | None = None
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path | None = None
    url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tools: tuple[str, ...] | None = None
    """Names of the tools that are offered, `*` standing for anything; None: all."""
    exclude: tuple[str, ...] = ()
    """Names of tools that are not offered, even if they are in `tools`."""

    roots: tuple[Path, ...] = ()
    """Folders that the server is told it may work in, if it asks; none: it is not told of any."""
    fault: ToolError | None = None
    """Why it cannot be started as it is configured; the rest is empty then."""

    def offers(self, tool: str) -> bool:
        """Whether a tool of this name is to be offered."""
        return (self.tools is None or _fits_any(tool, self.tools)) and not _fits_any(
            tool, self.exclude
        )

    def unmet(self, tools: Collection[str]) -> tuple[str, ...]:
        """Names in `tools` and `exclude` that fit none of the server's own: a misspelling?"""
        named = (*(self.tools or ()), *self.exclude)
        return tuple(each for each in named if not any(fnmatchcase(tool, each) for tool in tools))


def _fits_any(tool: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def read_servers(path: Path, environment: Mapping[str, str]) -> tuple[ServerConfig, ...]:
    """The servers of a file, without those marked `"disabled": true` or `"enabled": false`.

    One that is configured wrongly has its `fault`: the others are used all the same.

    Raises:
        ToolError: the file cannot be used.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ToolError(f"there is no file {path}", hint="Check the path after mcp:") from None
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise ToolError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} is not UTF-8 at byte {error.start}") from error
    servers = document.get("mcpServers", document.get("servers")) if _is_table(document) else None
    if not _is_table(servers):
        raise ToolError(
            f"{path} names no MCP servers",
            hint='It needs {"mcpServers": {"NAME": {"command": "...", "args": [...]}}}.',
        )
    return tuple(
        sound(name, partial(_server, name, entry, f"{path}: {name}", environment))
        for name, entry in servers.items()
        if not (_is_table(entry) and _is_off(entry))
    )


def sound(name: str, read: Callable[[], ServerConfig]) -> ServerConfig:
    """What `read` gives; where it raises a `ToolError`, a server with that fault."""
    try:
        return read()
    except ToolError as error:
        return ServerConfig(name, fault=error)


def _is_off(entry: Mapping[str, Any]) -> bool:
    return entry.get("disabled") is True or entry.get("enabled") is False


def expanded(
    name: str,
    *,
    command: Sequence[str] = (),
    url: str = "",
    env: Mapping[str, str],
    headers: Mapping[str, str],
    cwd: str | None = None,
    tools: tuple[str, ...] | None = None,
    exclude: tuple[str, ...] = (),
    roots: Sequence[str] = (),
    place: str,
    environment: Mapping[str, str],
) -> ServerConfig:
    """A server configured elsewhere, as `read_servers` would give it: with its variables filled in.

    Args:
        command: the program and its arguments; `url` where it has none.
        place: where it is configured, for errors.

    Raises:
        ToolError: a variable has neither a value nor a default.
    """

    def filled(text: str, key: str) -> str:
        return _expanded(text, f"{place}: {key}", environment)

    words = [filled(word, "command") for word in command]
    return ServerConfig(
        name,
        command=words[0] if words else None,
        args=tuple(words[1:]),
        env={key: filled(value, f"env.{key}") for key, value in env.items()},
        cwd=Path(filled(cwd, "cwd")).expanduser() if cwd else None,
        url=filled(url, "url") if url else None,
        headers={key: filled(value, f"headers.{key}") for key, value in headers.items()},
        tools=tools,
        exclude=exclude,
        roots=tuple(Path(filled(each, "roots")).expanduser() for each in roots),
    )


def _server(name: str, entry: Any, place: str, environment: Mapping[str, str]) -> ServerConfig:
    if not _is_table(entry):
        raise ToolError(f"{place} is not a table")
    kind = entry.get("type", entry.get("transport"))
    if kind is not None and kind not in _STDIO + _HTTP:
        raise ToolError(
            f"{place}: servers of type {kind!r} are not supported",
            hint='Give "command" for a program, or "url" of a streamable HTTP endpoint.',
        )
    url_key = next((key for key in _URLS if key in entry), None)
    if ("command" in entry) == (url_key is not None):
        raise ToolError(f'{place} needs either "command" or "url"')

    def text(key: str) -> str:
        value = entry[key]
        if not isinstance(value, str) or not value:
            raise ToolError(f"{place}: {key} is not a text")
        return _expanded(value, f"{place}: {key}", environment)

    def table(key: str) -> dict[str, str]:
        value = entry.get(key) or {}
        if not _is_table(value) or not all(isinstance(item, str) for item in value.values()):
            raise ToolError(f"{place}: {key} is not a table of texts")
        return {
            word: _expanded(item, f"{place}: {key}.{word}", environment)
            for word, item in value.items()
        }

    def texts(key: str) -> tuple[str, ...]:
        value = entry.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ToolError(f"{place}: {key} is not a list of texts")
        return tuple(value)

    tools = texts("includeTools") or None
    exclude = (*texts("excludeTools"), *texts("disabledTools"))
    roots = tuple(
        Path(_expanded(each, f"{place}: roots", environment)).expanduser()
        for each in texts("roots")
    )
    if url_key is not None:
        url = text(url_key)
        if not url.startswith(("http://", "https://")):
            raise ToolError(f"{place}: url is no http or https address")
        return ServerConfig(
            name, url=url, headers=table("headers"), tools=tools, exclude=exclude, roots=roots
        )
    return ServerConfig(
        name,
        command=text("command"),
        args=tuple(_expanded(item, f"{place}: args", environment) for item in texts("args")),
        env=table("env"),
        cwd=Path(text("cwd")).expanduser() if entry.get("cwd") else None,
        tools=tools,
        exclude=exclude,
        roots=roots,
    )


def _expanded(text: str, place: str, environment: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        found = environment.get(name)
        if found is None and default is None:
            raise ToolError(
                f"{place} needs the variable {name}, which is not set",
                hint=f"Set {name}, or write ${{{name}:-default}}.",
            )
        return found if found is not None else (default or "")

    if asked := _ASKED.search(text):
        raise ToolError(
            f"{place} asks for {asked[0]!r}, which only an editor knows",
            hint="Write ${NAME} for a variable of the environment instead.",
        )
    return _VARIABLE.sub(value, text)


def _is_table(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
