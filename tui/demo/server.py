"""The demo behind HTTP: the same answers for any client that can be given a base URL.

Requests come in on the paths of all three dialects, paced streams go out; no key is asked for. It
is for loopback: it has no secrets and no limits. Starlette and uvicorn are the extra `server`.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui.core.errors import UsageError
from tui.demo.answer import Answer, answer, refusal
from tui.demo.pace import Sleep, check_speed, play
from tui.demo.wire import CREATED, MODEL

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send
    from uvicorn import Server

HOST: Final = "127.0.0.1"
PORT: Final = 8642

PATHS: Final[Mapping[str, str]] = {
    "/v1/messages": "anthropic",
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
}


@dataclass(frozen=True, slots=True)
class _Streamed:
    """An answer as an ASGI response.

    Starlette's own streaming response would end the body properly; where a break was asked for,
    this one returns without the final empty chunk, and the server drops the connection.
    """

    planned: Answer
    speed: float
    sleep: Sleep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in self.planned.head.headers]
        status = self.planned.head.status
        await send({"type": "http.response.start", "status": status, "headers": headers})
        gone = asyncio.ensure_future(_disconnected(receive))
        chunks = play(self.planned.chunks, self.speed, self.sleep)
        try:
            async for data in _until(chunks, gone):
                await send({"type": "http.response.body", "body": data, "more_body": True})
            if not self.planned.broken and not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _until(chunks: AsyncIterator[bytes], gone: asyncio.Future[None]) -> AsyncIterator[bytes]:
    """The chunks, until nobody listens any more."""
    async for data in chunks:
        if gone.done():
            return
        yield data


def build_app(*, seed: int = 0, speed: float = 1.0, sleep: Sleep = asyncio.sleep) -> Starlette:
    """The ASGI application. Arguments as for `DemoSource`.

    Raises:
        UsageError: the extra `server` is not installed, or `speed` is not above 0.
    """
    check_speed(speed)
    try:
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.routing import Route
    except ImportError as error:
        raise _not_installed(error) from error

    def endpoint(dialect: str) -> Callable[[Request], Any]:
        async def stream(request: Request) -> Response:
            planned = _answered(dialect, await request.body(), seed)
            # An ASGI application in its own right, which is all that a route needs.
            return _Streamed(planned, speed, sleep)  # type: ignore[return-value]

        return stream

    async def models(request: Request) -> Response:
        anthropic = "anthropic-version" in request.headers
        return JSONResponse(_models_anthropic() if anthropic else _models_openai())

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    routes = [Route(path, endpoint(dialect), methods=["POST"]) for path, dialect in PATHS.items()]
    return Starlette(routes=[*routes, Route("/v1/models", models), Route("/health", health)])


def serve(
    port: int = PORT,
    *,
    seed: int = 0,
    speed: float = 1.0,
    ready: Callable[[str], None] = lambda base_url: None,
) -> None:
    """Serve on loopback until interrupted.

    Args:
        port: 0 takes any free one.
        seed: as for `DemoSource`.
        speed: as for `DemoSource`.
        ready: called with the server's URL (without `/v1`) once connections are accepted.

    Raises:
        UsageError: the extra `server` is not installed, the port is taken, or `speed` is not above 0.
    """
    server = server_for(build_app(seed=seed, speed=speed))
    with listening(port) as listener:
        ready(f"http://{HOST}:{listener.getsockname()[1]}")
        server.run(sockets=[listener])


def server_for(app: Starlette) -> Server:
    """A server for `app`, not yet running.

    Raises:
        UsageError: the extra `server` is not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise _not_installed(error) from error
    # A break that was asked for looks like a bug to uvicorn, which would log it as an error.
    return uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none"))


def listening(port: int) -> socket.socket:
    """A socket that accepts connections on loopback.

    Raises:
        UsageError: the port cannot be had.
    """
    if not 0 <= port <= 65_535:
        raise UsageError(
            f"{port} is no port", hint="ports are numbers up to 65535; 0 is any free one"
        )
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise UsageError(
            f"the demo server cannot listen on port {port}: {error}",
            hint="choose another port, or 0 for any that is free",
        ) from error


def _answered(dialect: str, body: bytes, seed: int) -> Answer:
    try:
        streaming = json.loads(body).get("stream") is True
    except (ValueError, AttributeError, RecursionError):
        # Not a JSON object: `answer` says so in the dialect's words.
        streaming = True
    if not streaming:
        return refusal(dialect, 400, 'The demo only streams: send `"stream": true`.')
    return answer(dialect, body, seed)


def _models_openai() -> dict[str, Any]:
    model = {"id": MODEL, "object": "model", "created": CREATED, "owned_by": "verbatim"}
    return {"object": "list", "data": [model]}


def _models_anthropic() -> dict[str, Any]:
    model = {
        "type": "model",
        "id": MODEL,
        "display_name": "Verbatim demo (scripted, no model)",
        "created_at": "2025-12-01T00:00:00Z",
    }
    return {"data": [model], "has_more": False, "first_id": MODEL, "last_id": MODEL}


def _not_installed(error: ImportError) -> UsageError:
    return UsageError(
        f"the demo server needs {error.name or 'a package'}, which is not installed",
        hint="install it with: pip install 'verbatim-tui[server]'",
    )
