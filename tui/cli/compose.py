"""Putting the pieces together: from flags, configuration and environment to ready parts.

The only place that reads the environment. What it makes is passed on as values. Nothing heavy is
imported before it is needed: this module stands behind `--help` as well.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui.core import dialects
from tui.core.errors import UsageError

if TYPE_CHECKING:
    from tui.config.endpoints import Endpoint
    from tui.config.paths import Paths
    from tui.config.settings import McpServer, Settings
    from tui.core.source import ByteSource
    from tui.session.session import Target
    from tui.tools.mcp.config import ServerConfig
    from tui.tools.mcp.questions import AskPerson
    from tui.tools.policy import Policy
    from tui.tools.registry import Registry

DEMO_TOOLS: Final = ("shop", "time")


@dataclass(frozen=True, slots=True)
class Setting:
    """What every command that talks to an endpoint starts from."""

    environment: Mapping[str, str]
    paths: Paths
    settings: Settings

    @property
    def store_path(self) -> Path:
        from tui.config.paths import STORE_NAME

        return self.paths.data / STORE_NAME


def read_setting(environment: Mapping[str, str] | None = None) -> Setting:
    """Read folders and configuration, once.

    Raises:
        ConfigError: the configuration file holds what does not belong there.
    """
    from tui.config.paths import Paths
    from tui.config.settings import load_settings

    environment = dict(os.environ if environment is None else environment)
    paths = Paths.from_environment(environment)
    return Setting(environment, paths, load_settings(paths.config_file))


def add_endpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags that say whom to ask; `endpoint_of` reads them."""
    parser.add_argument("--endpoint", metavar="NAME", help="a configured endpoint or a preset")
    parser.add_argument("--dialect", choices=dialects.NAMES)
    parser.add_argument("--base-url", metavar="URL", help="with or without /v1")
    parser.add_argument("--model", metavar="NAME")
    parser.add_argument("--system", metavar="TEXT", help="the system prompt")
    parser.add_argument(
        "--tools",
        action="append",
        metavar="SPEC",
        help="shop, time, files:DIR, fetch, shell, a .py, .toml or .json file, mcp:FILE; repeatable",
    )
    parser.add_argument("--max-turns", type=int, metavar="N", help="turns one prompt may take")


def check_max_turns(arguments: argparse.Namespace) -> None:
    """Raises: UsageError when `--max-turns` leaves no turn."""
    if arguments.max_turns is not None and arguments.max_turns < 1:
        raise UsageError(f"--max-turns {arguments.max_turns} leaves no turn", hint="give 1 or more")


def endpoint_of(arguments: argparse.Namespace, setting: Setting) -> Endpoint:
    """The endpoint that the flags name, else the configured one, else the demo.

    Raises:
        UsageError: the flags do not fit together or name nothing.
    """
    named, url = arguments.endpoint, arguments.base_url
    if named and url:
        raise UsageError("--endpoint and --base-url exclude each other", hint="give one of them")
    if url:
        if not arguments.model:
            raise UsageError("--base-url needs --model", hint="name a model that it offers")
        from tui.config.endpoints import endpoint_from_flags
        from tui.config.presets import PRESETS

        return endpoint_from_flags(
            arguments.dialect or "openai-chat",
            url,
            arguments.model,
            presets=PRESETS,
            timeouts=setting.settings.timeouts,
        )
    endpoint = setting.settings.endpoint(named or "")
    if arguments.dialect and arguments.dialect != endpoint.dialect:
        if not endpoint.demo:
            raise UsageError(
                f"the endpoint {endpoint.name!r} speaks {endpoint.dialect}, not {arguments.dialect}",
                hint="leave --dialect out, or give --base-url and --model with it",
            )
        endpoint = replace(endpoint, dialect=arguments.dialect)
    return replace(endpoint, model=arguments.model) if arguments.model else endpoint


def make_source(endpoint: Endpoint, environment: Mapping[str, str]) -> ByteSource:
    """The byte source of an endpoint.

    Raises:
        UsageError: a key is missing, or the endpoint has no URL.
    """
    if endpoint.demo:
        from tui.demo import DemoSource

        return DemoSource(endpoint.dialect)
    if not endpoint.base_url:
        raise UsageError(
            f"the endpoint {endpoint.name!r} has no base URL",
            hint=f'write base_url = "https://..." under [endpoints.{endpoint.name}]',
        )
    from tui.config.keys import resolve_headers, resolve_key
    from tui.net.connection import Connection, Timeouts
    from tui.net.http_source import HttpSource

    limits = endpoint.timeouts
    return HttpSource(
        Connection(
            endpoint.name,
            endpoint.base_url,
            key=resolve_key(endpoint, environment),
            auth=endpoint.auth,
            headers=resolve_headers(endpoint, environment),
            secret_headers=endpoint.secret_headers,
            timeouts=Timeouts(limits.connect, limits.first_byte, limits.between_chunks),
            proxy=endpoint.proxy,
            ca_file=endpoint.ca_file,
            retries=endpoint.retries,
        )
    )


def make_target(
    endpoint: Endpoint, environment: Mapping[str, str], *, system: str = "", model: str = ""
) -> Target:
    """An endpoint made ready to be asked.

    Raises:
        UsageError: a key is missing, the endpoint has no URL, or no model is named.
    """
    from tui.session.session import Target

    settings = endpoint.turn_settings(system=system, model=model)
    if endpoint.demo and not settings.model:
        settings = replace(settings, model="verbatim-demo")
    if not settings.model:
        raise UsageError(
            f"no model is named for the endpoint {endpoint.name!r}",
            hint="give --model, or write model = ... in its table",
        )
    return Target(
        endpoint.name,
        endpoint.dialect,
        make_source(endpoint, environment),
        settings,
        endpoint.decoder_settings,
    )


def tool_specs(arguments: argparse.Namespace, settings: Settings, endpoint: Endpoint) -> list[str]:
    """Which tools to offer: those of the flags, else the configured ones, else the demo's."""
    if arguments.tools is not None:
        return [spec for spec in arguments.tools if spec != "none"]
    if settings.tools:
        return list(settings.tools)
    return list(DEMO_TOOLS) if endpoint.demo else []


def make_registry(
    specs: Sequence[str],
    setting: Setting,
    *,
    ask_person: AskPerson | None = None,
    with_servers: bool = True,
) -> Registry:
    """The tools that `specs` name and (`with_servers`) the configured MCP servers, not yet opened.

    Args:
        ask_person: answers the questions of MCP servers; None declines them all.

    Raises:
        UsageError: a spec names nothing.
        ToolError: a folder or a server file cannot be used.
    """
    from tui.tools.specs import Surroundings, open_tools

    around = Surroundings(setting.paths.data, Path.cwd(), setting.environment, ask_person)
    return open_tools(specs, around, servers=_servers(setting) if with_servers else ())


def _servers(setting: Setting) -> list[ServerConfig]:
    """The servers of the configuration, its `${NAME}` filled in from the environment."""
    from tui.tools.mcp.config import expanded, sound

    def filled(server: McpServer) -> ServerConfig:
        return expanded(
            server.name,
            command=server.command,
            url=server.url,
            env=server.environment,
            headers=server.headers,
            cwd=server.folder,
            tools=server.tools,
            exclude=server.exclude,
            roots=server.roots,
            place=f"{setting.paths.config_file}: mcp.{server.name}",
            environment=setting.environment,
        )

    return [sound(server.name, partial(filled, server)) for server in setting.settings.mcp]


def tell_waiting(origins: Sequence[str]) -> None:
    """Say on standard error which tools are waited for."""
    from tui.core.plaintext import clean_line

    names = ", ".join(clean_line(origin) for origin in origins)
    print(f"verbatim: waiting for {names}", file=sys.stderr, flush=True)


def make_policy(settings: Settings, approve: str | None, *, interactive: bool) -> Policy:
    """The approval policy: the configured one, its mode replaced by `--approve`."""
    from tui.tools.policy import Policy

    configured = settings.approvals
    mode = approve or configured.mode
    return Policy(
        mode=mode,  # type: ignore[arg-type]  # argparse allowed only the three words
        otherwise=configured.otherwise if interactive else "deny",
        tools=configured.tools,
        origins=configured.origins,
    )
