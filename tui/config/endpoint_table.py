"""Reading an endpoint's table of the configuration file; what an endpoint is, `endpoints` says."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast, get_args

from tui.config.endpoints import (
    Auth,
    Endpoint,
    KeyFromCommand,
    KeyFromEnvironment,
    KeyFromKeyring,
    KeySource,
    NoKey,
    Timeouts,
)
from tui.config.table import Table
from tui.core import dialects

__all__ = ["read_endpoint", "read_timeouts"]

_PROXY_SCHEMES: Final = ("http", "https", "socks5", "socks5h")


def read_endpoint(
    name: str, table: Table, presets: Mapping[str, Endpoint], timeouts: Timeouts, folder: Path
) -> Endpoint:
    """The endpoint in `[endpoints.NAME]`, as far as its table can be used.

    Built upon the preset that it names or that has its name. `folder` is the one in which the
    file lies; a relative `ca_file` is sought there.
    """
    named = table.choice("preset", tuple(presets))
    dialect = table.choice("dialect", dialects.NAMES)
    base_url = table.url("base_url")
    base = presets.get(named or ("" if table.has("preset") else name))
    if base is None:
        for key, value in (("dialect", dialect), ("base_url", base_url)):
            if value is None and not table.has(key) and not table.has("preset"):
                table.fault(key, "is missing; write it, or name a `preset` that brings it")
    base = base or Endpoint(name, dialect or dialects.NAMES[0])
    given: dict[str, Any] = {
        "dialect": dialect,
        "base_url": base_url,
        "model": table.text("model"),
        "key": _read_key(table),
        "auth": cast(Auth | None, table.choice("auth", get_args(Auth))),
        "headers": _read_headers(table),
        "extra_body": table.json_map("extra_body"),
        "effort": table.text("effort"),
        "thinking_tokens": table.integer("thinking_tokens"),
        "max_output_tokens": table.integer("max_output_tokens", least=1),
        "temperature": table.number("temperature"),
        "parallel_calls": table.boolean("parallel_calls"),
        "done_ends_turn": table.boolean("done_ends_turn"),
        "proxy": table.url("proxy", _PROXY_SCHEMES, password=True),
        "ca_file": _read_path(table, "ca_file", folder),
        "retries": table.integer("retries"),
    }
    inner = table.table("timeouts")
    limits = read_timeouts(inner, timeouts) if inner is not None else timeouts
    table.finish()
    kept = {key: value for key, value in given.items() if value is not None}
    return replace(base, name=name, timeouts=limits, **kept)


def read_timeouts(table: Table, otherwise: Timeouts) -> Timeouts:
    """The table `timeouts`; what it does not set is as in `otherwise`."""

    def limit(key: str, default: float | None) -> float | None:
        value = table.number(key)
        return default if value is None else value or None

    limits = Timeouts(
        limit("connect", otherwise.connect),
        limit("first_byte", otherwise.first_byte),
        limit("between_chunks", otherwise.between_chunks),
    )
    table.finish()
    return limits


def _read_key(table: Table) -> KeySource | None:
    for misplaced in ("api_key", "key_env", "api_key_env", "token"):
        if table.has(misplaced):
            table.text(misplaced, secret=True)
            table.fault(misplaced, 'write key = {env = "NAME"}; keys do not belong in this file')
    if not table.has("key"):
        return None
    if not isinstance(table.raw("key"), dict):
        if table.raw("key") == "none":
            return NoKey()
        table.fault(
            "key",
            'keys do not belong in this file; write {env = "NAME"}, {command = ["pass", "NAME"]},'
            ' {keyring = "SERVICE"} or "none"',
        )
        return None
    inner = table.table("key")
    if inner is None:
        return None
    optional = inner.boolean("optional") or False
    command = inner.texts("command")
    if command is not None and len(command) == 1:
        command = tuple(_split(inner, command[0]))
    keyring, user = inner.text("keyring"), inner.text("user")
    names = inner.texts("env")
    inner.finish()
    sources: list[KeySource] = []
    if names:
        sources.append(KeyFromEnvironment(names, optional))
    if command:
        sources.append(KeyFromCommand(command))
    if keyring:
        sources.append(KeyFromKeyring(keyring, user or "verbatim"))
    if len(sources) != 1:
        table.fault("key", "give one of env, command and keyring, and not an empty one")
        return None
    return sources[0]


def _split(table: Table, command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as problem:
        table.fault("command", f"cannot be split into arguments ({problem}); write a list")
        return []


def _read_headers(table: Table) -> tuple[tuple[str, str], ...] | None:
    headers = table.text_map("headers")
    if headers is None:
        return None
    for name in headers:
        if not name or not all(
            c.isascii() and (c.isalnum() or c in "!#$%&'*+-.^_`|~") for c in name
        ):
            table.fault("headers", f"{name!r} is no header name")
    return tuple(headers.items())


def _read_path(table: Table, key: str, folder: Path) -> str | None:
    value = table.text(key)
    return None if value is None else str(folder / Path(value).expanduser())
