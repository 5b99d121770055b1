"""Endpoints: a place to talk to, as the configuration, a preset or the command line names it.

Owns what an endpoint is and where its key is to be found; knows no HTTP and reads no key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from tui.config.table import url_problem
from tui.core import dialects
from tui.core.conversation import TurnSettings
from tui.core.dialects import DecoderSettings
from tui.core.errors import UsageError
from tui.core.hosts import is_loopback

__all__ = [
    "Auth",
    "Endpoint",
    "KeyFromCommand",
    "KeyFromEnvironment",
    "KeyFromKeyring",
    "KeySource",
    "NoKey",
    "Timeouts",
    "endpoint_from_flags",
    "travels_unencrypted",
]

Auth = Literal["by-dialect", "x-api-key", "bearer", "api-key", "none"]
"""Which header carries the key. `by-dialect`: `x-api-key` for anthropic, else a bearer token."""

_USUAL_KEYS: Final = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
}


@dataclass(frozen=True, slots=True)
class NoKey:
    """The endpoint needs no key."""


@dataclass(frozen=True, slots=True)
class KeyFromEnvironment:
    names: tuple[str, ...]
    """Variables, the first that is set counts."""
    optional: bool = False
    """Without any of them, requests go out without a key."""


@dataclass(frozen=True, slots=True)
class KeyFromCommand:
    arguments: tuple[str, ...]
    """A program and its arguments; what it prints is the key. No shell is involved."""


@dataclass(frozen=True, slots=True)
class KeyFromKeyring:
    service: str
    user: str = "verbatim"


KeySource = NoKey | KeyFromEnvironment | KeyFromCommand | KeyFromKeyring


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds; None (0 in the file) waits for ever."""

    connect: float | None = 10.0
    first_byte: float | None = 300.0
    between_chunks: float | None = 120.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A configured place to talk to. Holds where the key comes from, never the key."""

    name: str
    dialect: str
    base_url: str = ""
    model: str = ""
    """"" where none is configured: the endpoint's own list offers some."""
    key: KeySource = NoKey()
    auth: Auth = "by-dialect"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """As written; `${NAME}` in a value stands for a variable of the environment."""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    effort: str | None = None
    thinking_tokens: int | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    parallel_calls: bool | None = None
    done_ends_turn: bool = False
    timeouts: Timeouts = Timeouts()
    proxy: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    retries: int = 2
    demo: bool = False
    """The embedded demo model: no base URL, no key, no network."""
    preset: str = ""

    def turn_settings(self, *, system: str = "", model: str = "") -> TurnSettings:
        """What shapes this endpoint's requests; `model` replaces the configured one."""
        return TurnSettings(
            model=model or self.model,
            system=system,
            max_output_tokens=self.max_output_tokens,
            temperature=self.temperature,
            parallel_calls=self.parallel_calls,
            effort=self.effort,
            thinking_tokens=self.thinking_tokens,
            extra_body=self.extra_body,
        )

    @property
    def secret_headers(self) -> frozenset[str]:
        """The headers whose values come from the environment, and so are not to be shown."""
        return frozenset(name for name, value in self.headers if "${" in value)

    @property
    def decoder_settings(self) -> DecoderSettings:
        return DecoderSettings(done_ends_turn=self.done_ends_turn)


def endpoint_from_flags(
    dialect: str,
    base_url: str,
    model: str,
    *,
    presets: Mapping[str, Endpoint],
    timeouts: Timeouts = Timeouts(),
) -> Endpoint:
    """The endpoint that `--dialect`, `--base-url` and `--model` describe.

    Its key is VERBATIM_API_KEY; else, at a host that a preset knows, the preset's variable;
    else the dialect's usual one, unless that would send it unencrypted over a network. Without
    any of them requests go out without a key.

    Raises:
        UsageError: no such dialect, no URL, or no model.
    """
    dialects.load(dialect)
    if problem := url_problem(base_url):
        raise UsageError(f"--base-url: {problem}")
    if not model.strip():
        raise UsageError("--model is empty", hint="name a model that the endpoint offers")
    at_host = (p for p in presets.values() if _origin(p.base_url) == _origin(base_url))
    known = next((p for p in at_host if isinstance(p.key, KeyFromEnvironment)), None)
    names: tuple[str, ...] = ("VERBATIM_API_KEY",)
    if known is not None and isinstance(known.key, KeyFromEnvironment):
        names += known.key.names
    elif not travels_unencrypted(base_url):
        names += (_USUAL_KEYS[dialect],)
    return Endpoint(
        "command line",
        dialect,
        base_url,
        model,
        KeyFromEnvironment(names, optional=True),
        known.auth if known else "by-dialect",
        timeouts=timeouts,
    )


def travels_unencrypted(base_url: str) -> bool:
    """Whether requests to `base_url` leave this machine as plain HTTP."""
    parts = urlsplit(base_url)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
