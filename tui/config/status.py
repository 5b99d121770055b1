"""What an endpoint still lacks before it can be used, for `verbatim endpoints`. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.config.endpoints import (
    Endpoint,
    KeyFromCommand,
    KeyFromEnvironment,
    KeyFromKeyring,
    NoKey,
    travels_unencrypted,
)

__all__ = ["EndpointStatus", "status_of"]


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    endpoint: Endpoint
    key: str
    """Where the key comes from, in words; never the key."""
    missing: tuple[str, ...] = ()
    """What is to be done before it can be used, one line each."""
    notes: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        return not self.missing


def status_of(
    endpoint: Endpoint, environment: Mapping[str, str], *, answering: bool | None = None
) -> EndpointStatus:
    """What `endpoint` lacks, as far as can be said without asking commands or key stores.

    Args:
        answering: whether something answers at its address; None where nobody tried.
    """
    if endpoint.demo:
        return EndpointStatus(endpoint, "needs none")
    missing, notes = [], []
    key, key_missing = _key_in_words(endpoint, environment)
    if key_missing:
        missing.append(key_missing)
    if not endpoint.base_url:
        example = (
            " (https://RESOURCE.openai.azure.com/openai/v1)" if endpoint.auth == "api-key" else ""
        )
        missing.append(f"base_url is not set{example}")
    if answering is False:
        missing.append(f"nothing answers at {endpoint.base_url}: is the server running?")
    if not endpoint.model:
        notes.append("no model is set; name one with `model` or --model")
    if travels_unencrypted(endpoint.base_url) and not isinstance(endpoint.key, NoKey):
        notes.append("the key travels unencrypted (http://)")
    return EndpointStatus(endpoint, key, tuple(missing), tuple(notes))


def _key_in_words(endpoint: Endpoint, environment: Mapping[str, str]) -> tuple[str, str]:
    """Where the key comes from, and what is missing there ("" for nothing)."""
    match endpoint.key:
        case NoKey():
            return "needs none", ""
        case KeyFromEnvironment(names, optional):
            found = next((name for name in names if environment.get(name, "").strip()), None)
            if found is not None:
                return f"from {found}", ""
            listed = " or ".join(names)
            return (
                (f"none ({listed})", "") if optional else (f"from {listed}", f"{listed} is not set")
            )
        case KeyFromCommand(arguments):
            return f"from the command {arguments[0]}", ""
        case KeyFromKeyring(service, user):
            return f"from the key store, {service}/{user}", ""
