"""What is out there: the models an endpoint lists, and the model servers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from tui.core import wirejson
from tui.core.errors import EndpointError
from tui.core.response import error_from
from tui.core.source import ByteSource, WireRequest
from tui.net.http_source import Connection, HttpSource, Timeouts
from tui.net.urls import host_of

__all__ = ["LOCAL_PORTS", "LocalServer", "list_models", "probe_local"]

LOCAL_PORTS: Final[Mapping[int, str]] = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",
    8000: "vLLM",
    30000: "SGLang",
    4000: "LiteLLM",
}
"""The ports on which model servers listen unless told otherwise."""

_LONGEST_LIST: Final = 8 * 1024 * 1024
_KEY_WANTED: Final = (401, 403)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A model server found on this machine."""

    kind: str
    """What usually listens on that port; servers do not say who they are."""
    base_url: str
    models: tuple[str, ...]
    needs_key: bool = False


async def list_models(source: ByteSource, dialect: str) -> tuple[str, ...]:
    """The model names that an endpoint lists, in its order.

    Raises:
        EndpointError: no answer, an error status, or an answer that lists no models.
    """
    path = "/v1/models?limit=1000" if dialect == "anthropic" else "/models"
    headers = (("anthropic-version", "2023-06-01"),) if dialect == "anthropic" else ()
    request = WireRequest(dialect, path, b"", headers, method="GET")
    body = bytearray()
    async with source.open(request) as response:
        async for chunk in response.chunks():
            body += chunk
            if len(body) > _LONGEST_LIST:
                break
    head = response.head
    if not 200 <= head.status < 300:
        raise error_from(head, bytes(body))
    models = _names(bytes(body))
    if models is None:
        raise EndpointError(
            f"{host_of(head.request_url) or source.name} answered without a list of models",
            hint="the endpoint may not list its models; name one with `model` or --model",
            status=head.status,
        )
    return models


def _names(body: bytes) -> tuple[str, ...] | None:
    """`{"data": [{"id"}]}` (all), `[{"id"}]` (Together), `{"models": [{"name"}]}` (Ollama)."""
    try:
        value: Any = wirejson.loads(body.decode())
    except ValueError:
        return None
    if isinstance(value, dict):
        value = value.get("data", value.get("models"))
    if not isinstance(value, list):
        return None
    found = (item.get("id") or item.get("name") for item in value if isinstance(item, dict))
    return tuple(name for name in found if isinstance(name, str))


async def probe_local(
    ports: Iterable[int] = tuple(LOCAL_PORTS), *, timeout: float = 1.0
) -> tuple[LocalServer, ...]:
    """The model servers that answer on these ports of this machine, in the order of `ports`.

    Args:
        timeout: seconds for each port; they are asked at the same time.
    """
    found = await asyncio.gather(*(_probe(port, timeout) for port in ports))
    return tuple(server for server in found if server is not None)


async def _probe(port: int, timeout: float) -> LocalServer | None:
    try:
        async with asyncio.timeout(timeout):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
    except OSError:  # TimeoutError is one
        return None
    kind, base_url = LOCAL_PORTS.get(port, "unknown"), f"http://127.0.0.1:{port}/v1"
    timeouts = Timeouts(connect=timeout, first_byte=timeout, between_chunks=timeout)
    source = HttpSource(Connection(kind, base_url, timeouts=timeouts, retries=0))
    try:
        return LocalServer(kind, base_url, await list_models(source, "openai-chat"))
    except EndpointError as problem:
        if problem.status in _KEY_WANTED:
            return LocalServer(kind, base_url, (), needs_key=True)
        return None
    finally:
        await source.aclose()
