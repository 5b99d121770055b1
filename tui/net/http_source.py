"""The byte source over HTTP: a dialect's request in, the response's head and body bytes out.

Owns connections, the key's way into a header, timeouts, proxies, TLS and retries. Follows no
redirect, because the key would follow too, and does not judge what comes back: a response with
an error status is returned like any other. httpx is loaded when the first request is sent.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING

from tui import __version__
from tui.core.errors import EndpointError, UsageError
from tui.core.inflate import Inflater
from tui.core.source import OpenResponse, ResponseHead, WireRequest
from tui.net.connection import Auth, Connection, Timeouts, check_sendable, key_header
from tui.net.failures import Target, reason_of_break, seconds, stream_broken, unanswered
from tui.net.retry import Retry, backoff, wait_for_status
from tui.net.secrets import BodyMask, mask, masked_headers
from tui.net.urls import host_of, join_url, leads_to_this_machine

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["Auth", "Connection", "HttpSource", "Timeouts"]


class HttpSource:
    """Sends requests to one endpoint. Connections are kept and used again until `aclose`.

    Args:
        connection: the endpoint.
        on_retry: told before each wait; may be replaced at any time.
        sleep, dice, now: the clock and the randomness, replaced in tests.

    Raises:
        UsageError: the key or a header cannot be sent.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        on_retry: Callable[[Retry], None] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        dice: Callable[[], float] = random.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.on_retry = on_retry
        self._connection = connection
        self._secrets = connection.secrets
        self._sleep = sleep
        self._dice = dice
        self._now = now
        self._client: httpx.AsyncClient | None = None
        check_sendable(connection)

    def __repr__(self) -> str:
        return f"HttpSource({self.name!r})"

    @property
    def name(self) -> str:
        return self._connection.name or host_of(self._connection.base_url)

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[OpenResponse]:
        """See `core.source.ByteSource.open`. Also raises UsageError for a wrong proxy or CA file."""
        answer = await self._answer(request)
        try:
            yield answer
        finally:
            await answer.aclose()

    async def aclose(self) -> None:
        """Close the connections. The source can be used again afterwards."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _answer(self, request: WireRequest) -> _HttpResponse:
        connection = self._connection
        limit = connection.retries + 1
        for attempt in count(1):
            try:
                answer = await self._attempt(request)
            except EndpointError as problem:
                if not problem.retryable or attempt >= limit:
                    raise
                retry = Retry(attempt, limit, backoff(attempt, self._dice()), str(problem))
            else:
                head = answer.head
                wait = wait_for_status(head, attempt, dice=self._dice(), now=self._now())
                if wait is None or attempt >= limit:
                    return answer
                await answer.aclose()
                reason = f"{host_of(head.request_url)} answered {head.status}"
                retry = Retry(attempt, limit, wait, reason, head.status)
            if self.on_retry is not None:
                self.on_retry(retry)
            await self._sleep(retry.wait)
        raise AssertionError("count() does not end")

    async def _attempt(self, request: WireRequest) -> _HttpResponse:
        import httpx

        connection, limits = self._connection, self._connection.timeouts
        target = Target(
            join_url(connection.base_url, request.path),
            connection.proxy,
            lambda text: mask(text, self._secrets),
        )
        client = self._ready_client()
        deadline = _deadline(limits.first_byte)
        try:
            message = client.build_request(
                request.method, target.url, content=request.body, headers=self._headers(request)
            )
            async with asyncio.timeout_at(deadline):
                response = await client.send(message, stream=True)
        except TimeoutError as problem:
            raise target.error(
                f"{target.host} did not begin to answer within {seconds(limits.first_byte)}",
                "a local model may still be loading; `timeouts.first_byte` sets how long to wait",
            ) from problem
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            raise unanswered(problem, target, limits.connect) from problem
        head = ResponseHead(
            response.status_code,
            masked_headers(_pairs(response.headers), self._secrets),
            target.mask(str(message.url.copy_with(userinfo=b""))),
            masked_headers(_pairs(message.headers), self._secrets),
        )
        try:
            inflater = Inflater(head.header("content-encoding"))
        except EndpointError as problem:
            await response.aclose()
            problem.status = head.status
            raise
        hide = BodyMask(self._secrets) if head.status >= 400 else None
        return _HttpResponse(head, response, target, deadline, limits, inflater, hide)

    def _headers(self, request: WireRequest) -> dict[str, str]:
        connection = self._connection
        headers = {
            "accept": "text/event-stream" if request.method == "POST" else "application/json",
            "accept-encoding": "identity",
            "user-agent": f"verbatim/{__version__}",
        }
        if request.body:
            headers["content-type"] = "application/json"
        headers |= {name.lower(): value for name, value in request.headers}
        headers |= key_header(connection, request.dialect)
        headers |= {name.lower(): value for name, value in connection.headers}
        return headers

    def _ready_client(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = self._new_client()
        return self._client

    def _new_client(self) -> httpx.AsyncClient:
        import httpx

        connection = self._connection
        # Proxies from the environment are for what lies beyond this machine.
        local = leads_to_this_machine(connection.base_url) and connection.proxy is None
        try:
            return httpx.AsyncClient(
                verify=self._tls(),
                proxy=connection.proxy,
                trust_env=not local,
                follow_redirects=False,
                # Reading is timed here, where the first byte and the later ones can differ.
                timeout=httpx.Timeout(None, connect=connection.timeouts.connect),
            )
        except (ImportError, ValueError, httpx.InvalidURL) as problem:
            raise UsageError(
                mask(
                    f"endpoint {connection.name!r}: the proxy is no use: {problem}", self._secrets
                ),
                hint="check `proxy` in the configuration, or ALL_PROXY and HTTPS_PROXY",
            ) from problem

    def _tls(self) -> ssl.SSLContext:
        import httpx

        context = httpx.create_ssl_context()
        path = self._connection.ca_file
        if path:
            try:
                context.load_verify_locations(cafile=path)
            except OSError as problem:  # SSLError is one
                raise UsageError(
                    f"endpoint {self._connection.name!r}: no certificates in the CA file"
                    f" {path!r}: {problem.strerror or problem}",
                    hint="`ca_file` names a file of certificates in PEM format",
                ) from problem
        return context


class _HttpResponse:
    """An open response; fills `core.source.OpenResponse`."""

    def __init__(
        self,
        head: ResponseHead,
        response: httpx.Response,
        target: Target,
        deadline: float | None,
        limits: Timeouts,
        inflater: Inflater,
        hide: BodyMask | None,
    ) -> None:
        self._head = head
        self._response = response
        self._target = target
        self._deadline = deadline
        self._limits = limits
        self._inflater = inflater
        self._hide = hide

    @property
    def head(self) -> ResponseHead:
        return self._head

    async def aclose(self) -> None:
        await self._response.aclose()

    async def chunks(self) -> AsyncIterator[bytes]:
        """See `core.source.OpenResponse.chunks`; secrets in the body of an error are masked."""
        inflater, hide, received = self._inflater, self._hide, 0
        raw = self._response.aiter_raw()
        while (data := await self._read(raw, received)) is not None:
            received += len(data)
            body = inflater.feed(data)
            if hide is not None:
                body = hide.feed(body)
            if body:
                yield body
            if inflater.problem:
                break
        if hide is not None and (rest := hide.close()):
            yield rest
        if problem := inflater.close():
            raise stream_broken(problem, received, self._target)

    async def _read(self, raw: AsyncIterator[bytes], received: int) -> bytes | None:
        """The next bytes from the wire, None after the last."""
        import httpx

        name = "between_chunks" if received else "first_byte"
        limit: float | None = getattr(self._limits, name)
        deadline = _deadline(limit) if received else self._deadline
        try:
            async with asyncio.timeout_at(deadline):
                return await anext(raw, None)
        except TimeoutError as problem:
            raise stream_broken(
                f"nothing came for {seconds(limit)} (`timeouts.{name}`)", received, self._target
            ) from problem
        except (httpx.HTTPError, httpx.StreamError, OSError) as problem:
            raise stream_broken(reason_of_break(problem), received, self._target) from problem


def _deadline(limit: float | None) -> float | None:
    return None if limit is None else asyncio.get_running_loop().time() + limit


def _pairs(headers: httpx.Headers) -> list[tuple[str, str]]:
    """Headers in order, repeated ones too, any byte representable."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw]
