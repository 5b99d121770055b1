"""`verbatim endpoints`: the endpoints that can be named, and what each still lacks."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from tui.cli import compose
from tui.core.errors import VerbatimError
from tui.core.plaintext import clean_line

if TYPE_CHECKING:
    from tui.config.endpoints import Endpoint
    from tui.config.status import EndpointStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="only this one, with its models and findings"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--find", action="store_true", help="look for local servers on their usual ports"
    )


def run(arguments: argparse.Namespace) -> int:
    """List; 1 when the endpoint that was named cannot be used yet."""
    import asyncio

    from tui.config.presets import PRESETS
    from tui.config.status import status_of

    setting = compose.read_setting()
    if arguments.name:
        return asyncio.run(_one(setting, setting.settings.endpoint(arguments.name), arguments.json))
    names = dict.fromkeys([*setting.settings.endpoints, *PRESETS])
    found = [status_of(setting.settings.endpoint(name), setting.environment) for name in names]
    servers = asyncio.run(_find()) if arguments.find else None
    if arguments.json:
        value: dict[str, Any] = {"endpoints": [_plain(status) for status in found]}
        if servers is not None:
            value["found"] = servers
        print(json.dumps(value))
        return 0
    default = setting.settings.default_endpoint
    wide = max(len(name) for name in names)
    for status in found:
        endpoint = status.endpoint
        mark = "*" if endpoint.name == default else " "
        words = "ready" if status.ready else "; ".join(status.missing)
        print(
            f"{mark} {clean_line(endpoint.name).ljust(wide)}  {endpoint.dialect:16}  "
            f"{_place(endpoint):52}  {clean_line(words)}"
        )
    print(f"\n* is used when none is named. Configuration: {setting.paths.config_file}")
    if servers is not None:
        print("\nLocal servers found:" if servers else "\nNo local server was found.")
        for server in servers:
            models = ", ".join(server["models"]) or (
                "wants a key" if server["needs_key"] else "no models"
            )
            print(f"  {server['base_url']}  {server['kind']}: {clean_line(models, 200)}")
    return 0


async def _one(setting: compose.Setting, endpoint: Endpoint, as_json: bool) -> int:
    from tui.config.status import status_of

    status = status_of(endpoint, setting.environment)
    models: tuple[str, ...] = (endpoint.model,) if endpoint.demo else ()
    trouble = ""
    if not endpoint.demo and endpoint.base_url:
        from tui.net.discovery import list_models

        source = None
        try:
            source = compose.make_source(endpoint, setting.environment)
            models = await list_models(source, endpoint.dialect)
        except VerbatimError as error:
            trouble = f"{error} {error.hint}".strip()
        finally:
            if (close := getattr(source, "aclose", None)) is not None:
                await close()
    findings = _findings(setting, endpoint.name)
    if as_json:
        value = {**_plain(status), "models": list(models), "problem": trouble or None}
        print(json.dumps({**value, "findings": findings}))
    else:
        print(f"{clean_line(endpoint.name)}: {endpoint.dialect} at {_place(endpoint)}")
        print(f"  key: {clean_line(status.key)}")
        for words in (*status.missing, *status.notes, *([trouble] if trouble else [])):
            print(f"  {clean_line(words)}")
        for model in models:
            print(f"  model {clean_line(model)}")
        for code, count in findings.items():
            print(f"  {code} was found {count} times (docs/findings.md)")
    return 0 if status.ready and not trouble else 1


def _findings(setting: compose.Setting, endpoint: str) -> dict[str, int]:
    """How often each finding was made at the endpoint, in all recorded conversations."""
    if not setting.store_path.exists():
        return {}
    from tui.store import Store

    with Store.open(setting.store_path) as store:
        return store.findings(endpoint)


async def _find() -> list[dict[str, Any]]:
    from tui.net.discovery import probe_local

    return [
        {
            "kind": server.kind,
            "base_url": server.base_url,
            "models": list(server.models),
            "needs_key": server.needs_key,
        }
        for server in await probe_local()
    ]


def _place(endpoint: Endpoint) -> str:
    if endpoint.demo:
        return "embedded, no network"
    return clean_line(endpoint.base_url) or "(no base URL)"


def _plain(status: EndpointStatus) -> dict[str, Any]:
    endpoint = status.endpoint
    return {
        "name": endpoint.name,
        "dialect": endpoint.dialect,
        "base_url": endpoint.base_url,
        "model": endpoint.model,
        "key": status.key,
        "ready": status.ready,
        "missing": list(status.missing),
        "notes": list(status.notes),
    }
