"""What httpx and the system below it raise, in our own errors and in words for a person.

The border for foreign exceptions: nothing of httpx, ssl or socket leaves `net`. Every message
goes through the caller's `mask`, because libraries quote what they were given.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tui.core.errors import EndpointError, StreamBroken
from tui.net.urls import host_of, leads_to_this_machine

__all__ = ["Target", "reason_of_break", "seconds", "stream_broken", "unanswered"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request was going, and how its errors are made fit to be shown."""

    url: str
    proxy: str | None
    mask: Callable[[str], str]

    @property
    def host(self) -> str:
        return host_of(self.url)

    def error(self, message: str, hint: str, *, retryable: bool = False) -> EndpointError:
        return EndpointError(self.mask(message), hint=self.mask(hint), retryable=retryable)


def unanswered(problem: Exception, target: Target, connect_timeout: float | None) -> EndpointError:
    """The error for a request that got no response.

    `retryable` is set where a second attempt may succeed: nothing listening, a slow or lost
    connection, a name server that is busy. Not for names and certificates that are wrong.
    """
    import httpx

    host, error = target.host, target.error
    for cause in _causes(problem):
        match cause:
            case httpx.ProxyError():
                proxy = f" {host_of(target.proxy)}" if target.proxy else ""
                return error(
                    f"the proxy{proxy} did not let the request to {host} through: {cause}",
                    "check `proxy` in the configuration, or HTTPS_PROXY and NO_PROXY",
                )
            case socket.gaierror():
                busy = cause.errno == socket.EAI_AGAIN
                return error(
                    f"the name {_name_in(target)!r} cannot be found ({cause.strerror})",
                    "check the base URL, and that this machine is online",
                    retryable=busy,
                )
            case ssl.SSLCertVerificationError():
                return error(
                    f"the certificate of {host} is not trusted: {cause.verify_message}",
                    "for a server or a company proxy with its own certificate authority, set"
                    " `ca_file` of the endpoint to that authority's certificate",
                )
            case ssl.SSLError():
                return error(
                    f"TLS with {host} failed: {cause.reason or cause}",
                    "if the server speaks plain HTTP, begin the base URL with http://",
                )
            case ConnectionRefusedError():
                return _refused(target)
            case httpx.ConnectTimeout():
                return error(
                    f"{host} did not accept a connection within {seconds(connect_timeout)}",
                    "check the base URL, the network, and whether a proxy is needed",
                    retryable=True,
                )
            case httpx.RemoteProtocolError() if not str(cause).startswith("Server disconnected"):
                return error(
                    f"what {host} answers is not HTTP: {cause}",
                    "check the port and whether the base URL should begin with https://",
                )
            case httpx.LocalProtocolError() | httpx.UnsupportedProtocol() | httpx.InvalidURL():
                return error(
                    f"the request to {host} cannot be sent: {cause}",
                    "check the base URL and the headers of the endpoint",
                )
            case httpx.ConnectError():
                continue
            case httpx.RemoteProtocolError() | httpx.NetworkError():
                return error(
                    f"{host} closed the connection without an answer",
                    "try again; if it stays so, look at the server's own log",
                    retryable=True,
                )
            case _:
                continue
    return error(
        f"no connection to {host}: {_reason(problem)}",
        "check the base URL and the network",
        retryable=True,
    )


def stream_broken(reason: str, received: int, target: Target) -> StreamBroken:
    """The error for a body that did not arrive whole; `received` counts bytes on the wire."""
    came = f"after {received} bytes of the answer" if received else "before any byte of the answer"
    return StreamBroken(
        target.mask(f"the connection to {target.host} broke {came}: {reason}"),
        hint="what arrived is kept and no call of this turn was run; send the message again",
        retryable=True,
    )


def reason_of_break(problem: Exception) -> str:
    """Why a body stopped, in a few words."""
    text = str(problem)
    if "incomplete chunked read" in text or "complete message body" in text:
        return f"it was closed before the end ({text})"
    return _reason(problem)


def _refused(target: Target) -> EndpointError:
    if target.proxy:
        return target.error(
            f"nothing answers at the proxy {host_of(target.proxy)}: the connection was refused",
            "check `proxy` in the configuration",
        )
    here = leads_to_this_machine(target.url)
    return target.error(
        f"nothing answers at {target.host}: the connection was refused",
        "is the server running? Start it, or put its port into the base URL"
        if here
        else "check host and port of the base URL, and that the server is running",
        retryable=True,
    )


def _name_in(target: Target) -> str:
    host = host_of(target.proxy) if target.proxy else target.host
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


def seconds(limit: float | None) -> str:
    """A time limit in words."""
    return "the time allowed" if limit is None else f"{limit:g} s"


def _reason(problem: Exception) -> str:
    for cause in _causes(problem):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    return str(problem) or type(problem).__name__


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """The exception and all that it came from, the nearest first."""
    waiting, seen = [problem], set[int]()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            waiting += cause.exceptions
        waiting += [near for near in (cause.__cause__, cause.__context__) if near is not None]
