"""What it takes to reach an endpoint: address, key, header kind, limits. Values that show no secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tui.core.errors import UsageError
from tui.net.secrets import is_secret_name, secrets_in_url

__all__ = ["Auth", "Connection", "Timeouts", "check_sendable", "key_header"]

Auth = Literal["by-dialect", "x-api-key", "bearer", "api-key", "none"]
"""How the key travels. `by-dialect`: `x-api-key` for anthropic, else `Authorization: Bearer`;
`api-key` is Azure's."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds; None waits for ever. They begin anew with every attempt."""

    connect: float | None = 10.0
    first_byte: float | None = 300.0
    """From sending the request to the first byte of the body."""
    between_chunks: float | None = 120.0


@dataclass(frozen=True, slots=True)
class Connection:
    """All that is needed to send requests to one endpoint. Its repr shows no secret."""

    name: str
    base_url: str = field(repr=False)
    key: str | None = field(default=None, repr=False)
    auth: Auth = "by-dialect"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent last: they replace what the dialect and we would send."""
    secret_headers: frozenset[str] = frozenset()
    """Names of headers that carry a secret though they do not sound like it."""
    timeouts: Timeouts = Timeouts()
    proxy: str | None = field(default=None, repr=False)
    """A proxy for every request; None obeys the environment (but this machine needs none)."""
    ca_file: str | None = None
    """Certificates (PEM) to trust besides the usual ones."""
    retries: int = 2
    """How often a request is repeated at most."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be shown or recorded."""
        found = [self.key] if self.key else []
        found += [
            value
            for name, value in self.headers
            if name in self.secret_headers or is_secret_name(name)
        ]
        # `Authorization: Bearer KEY` hides KEY, too, where it stands alone.
        found += [value.partition(" ")[2] for value in found if " " in value]
        return (*found, *secrets_in_url(self.base_url), *secrets_in_url(self.proxy or ""))


def key_header(connection: Connection, dialect: str) -> dict[str, str]:
    """The header that carries the key in this dialect; empty where none is sent."""
    if not connection.key or connection.auth == "none":
        return {}
    auth = connection.auth
    if auth == "by-dialect":
        auth = "x-api-key" if dialect == "anthropic" else "bearer"
    if auth == "bearer":
        return {"authorization": f"Bearer {connection.key}"}
    return {auth: connection.key}


def check_sendable(connection: Connection) -> None:
    """Refuse a key or header value that HTTP cannot carry, without showing it.

    Raises:
        UsageError: there is one.
    """
    values = [("the key", connection.key or "")]
    values += [(f"the header {name!r}", value) for name, value in connection.headers]
    for what, value in values:
        if not (value.isascii() and value == value.strip() and value.isprintable()):
            raise UsageError(
                f"endpoint {connection.name!r}: {what} holds a blank at an end, a line break or a"
                " character beyond ASCII, and cannot be sent",
                hint="look for a stray line end or quotation mark where it is stored",
            )
