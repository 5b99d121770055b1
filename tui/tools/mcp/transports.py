"""The two ways to reach a server: a program with pipes, or an address.

Both are the SDK's; what is added is where the program's standard error goes (the log, never the
terminal) and that its end is noticed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from tui.tools.mcp.config import ServerConfig
from tui.tools.mcp.serverlog import ServerLog

_CONNECT_TIMEOUT: Final = 30.0
_READ_TIMEOUT: Final = 300.0
"""A server may hold a response open while it works."""
_LAST_WORDS: Final = 0.2
"""Seconds to read what a program that has ended still said."""


def transport(
    config: ServerConfig,
    log: ServerLog,
    errors_ended: Callable[[], None],
    answered: Callable[[int], None],
) -> AbstractAsyncContextManager[Any]:
    """The SDK's streams to a server.

    Args:
        errors_ended: called when its standard error ends.
        answered: told the status of each HTTP response.
    """
    if config.url is not None:
        return _http(config.url, config, answered)
    if config.command is not None:
        return _stdio(config.command, config, log, errors_ended)
    raise ValueError(f"{config.name} has neither a command nor a url")


@asynccontextmanager
async def _stdio(
    command: str, config: ServerConfig, log: ServerLog, errors_ended: Callable[[], None]
) -> AsyncIterator[Any]:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=command,
        args=list(config.args),
        env=dict(config.env),
        cwd=config.cwd,
        # One stray byte in a server's output must not end the session.
        encoding_error_handler="replace",
    )
    receiver, sender = os.pipe()
    reading = asyncio.create_task(log.read(receiver, errors_ended))
    errors = os.fdopen(sender, "w")
    try:
        async with stdio_client(parameters, errlog=errors) as streams:
            # The server's process alone holds the other end now: it ends when that does.
            errors.close()
            yield streams
    finally:
        errors.close()
        await asyncio.wait({reading}, timeout=_LAST_WORDS)
        reading.cancel()
        await asyncio.wait({reading})


@asynccontextmanager
async def _http(
    url: str, config: ServerConfig, answered: Callable[[int], None]
) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def note(response: httpx2.Response) -> None:
        # Of the stream for the server's own messages nobody waits for an answer.
        if response.request.method == "POST":
            answered(response.status_code)

    timeout = httpx2.Timeout(_CONNECT_TIMEOUT, read=_READ_TIMEOUT)
    async with (
        httpx2.AsyncClient(
            headers=dict(config.headers), timeout=timeout, event_hooks={"response": [note]}
        ) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams
