"""Keeping secrets out of what is shown, logged and recorded: text in, text with `***` out.

Which headers, query fields and parts of a URL are secret is said here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

__all__ = ["BodyMask", "is_secret_name", "mask", "masked_headers", "secrets_in_url"]

MASK: Final = "***"

_SHORTEST: Final = 6
"""Characters; a shorter "key" (`x`, `none`) is a dummy, and would take words apart."""

_SECRET_NAME: Final = re.compile(
    # Whole words, so that `x-ratelimit-remaining-tokens` stays readable.
    r"(^|[-_])(auth|authorization|cookie|credentials?|key|password|secret|sig|signature|token)([-_]|$)"
    r"|api_?key|access_?token",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether a header or query field of this name carries a secret (`x-api-key`, `set-cookie`)."""
    return bool(_SECRET_NAME.search(name))


def secrets_in_url(url: str) -> tuple[str, ...]:
    """The password and the secret query values in a URL, as written and decoded."""
    parts = urlsplit(url)
    found = [value for name, value in parse_qsl(parts.query) if is_secret_name(name)]
    if parts.password:
        found += [parts.password, unquote(parts.password)]
    return tuple(found)


def mask(text: str, secrets: Iterable[str]) -> str:
    """`text` with every occurrence of a secret, plain or percent-encoded, replaced by `***`."""
    for secret in sorted(_worth_hiding(secrets), key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def masked_headers(
    headers: Iterable[tuple[str, str]], secrets: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Headers as they may be recorded: names in lower case, secret values replaced."""
    hidden = tuple(secrets)
    return tuple(
        (name.lower(), MASK if is_secret_name(name) else mask(value, hidden))
        for name, value in headers
    )


def _worth_hiding(secrets: Iterable[str]) -> set[str]:
    plain = {secret for secret in secrets if len(secret) >= _SHORTEST}
    return plain | {quote(secret, safe="") for secret in plain}


class BodyMask:
    """Masks secrets in a body that arrives in chunks, holding back what may become one.

    For error bodies only: some gateways repeat the key they refuse. Streams pass unread.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted(
            (secret.encode() for secret in _worth_hiding(secrets)), key=len, reverse=True
        )
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Take in a chunk; returns what can no longer be part of a secret."""
        text = self._masked(self._held + data)
        keep = max((self._overlap(text, secret) for secret in self._secrets), default=0)
        passed, self._held = text[: len(text) - keep], text[len(text) - keep :]
        return passed

    def close(self) -> bytes:
        """The body has ended; returns what was held back."""
        held, self._held = self._held, b""
        return held

    def _masked(self, text: bytes) -> bytes:
        for secret in self._secrets:
            text = text.replace(secret, MASK.encode())
        return text

    @staticmethod
    def _overlap(text: bytes, secret: bytes) -> int:
        """How many of the last bytes of `text` begin `secret`."""
        longest = min(len(text), len(secret) - 1)
        return next((n for n in range(longest, 0, -1) if text.endswith(secret[:n])), 0)
