"""The seam through which bytes enter: what a byte source is, as types only.

`net` (HTTP), `demo` (the scripted model) and `recording` (the replayer) each fill it, the
session uses it, and none of them knows another. Chunks carry the body after HTTP transfer
and content decoding, exactly as `curl -N` would have kept it; their boundaries mean nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One HTTP request as the dialect wrote it. It never holds a secret: `net` adds the key."""

    dialect: str
    path: str
    """Below the endpoint's base URL, with a leading slash: `/v1/messages`."""
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """Status and headers of a response. Header names are lower case, in order of arrival."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    request_url: str = ""
    """Where the request really went (after redirects are refused and the base URL joined)."""
    request_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """As sent, secret values replaced by `***`."""

    def header(self, name: str) -> str | None:
        """The first value of the header `name` (any case), or None."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), None)


class OpenResponse(Protocol):
    """A response whose head has come and whose body is still arriving."""

    @property
    def head(self) -> ResponseHead: ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body's chunks as they arrive, never empty ones.

        Raises:
            StreamBroken: the transport failed or timed out before the body was complete.
        """
        ...


class RetryNotice(Protocol):
    """Why and when a request is about to be sent again."""

    @property
    def attempt(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def wait(self) -> float:
        """Seconds."""
        ...

    @property
    def reason(self) -> str: ...


@runtime_checkable
class RetryingSource(Protocol):
    """A byte source that repeats requests by itself and says so."""

    on_retry: Callable[[RetryNotice], None] | None


class ByteSource(Protocol):
    """Somewhere a request can be sent and a response body comes back from."""

    @property
    def name(self) -> str:
        """For people: `demo`, a host name, a file name."""
        ...

    def open(self, request: WireRequest) -> AbstractAsyncContextManager[OpenResponse]:
        """Send `request`; the context's value is the open response, leaving it closes the connection.

        A response with an error status is returned, not raised: `core.response` reads it.

        Raises:
            EndpointError: no response came (DNS, connection, TLS, timeout), after the retries.
        """
        ...
