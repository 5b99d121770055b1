"""How values become columns: text that may hold half a surrogate pair, headers, ids.

In: strings and headers as they were received or typed. Out: what SQLite can hold, and back,
without loss, but for secrets: values of headers and URL parameters that carry one become
`***` on the way in. It does not know what a message body means.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import zlib
from collections.abc import Iterable

MASK = "***"
INDEXED_CHARACTERS = 131_072
"""Of one text, this much can be searched. Indexing 128 Ki characters takes the writer some
10 ms; indexing megabytes would hold up response bytes behind it."""

_SECRET_HEADER = re.compile(
    r"(proxy-)?authorization|(set-)?cookie2?"
    r"|.*(api-?key|apikey|auth-?token|access-?token|security-?token|password|secret|credential).*"
    r"|.*-(key|token)",
    re.IGNORECASE,
)
_SECRET_PARAMETER = re.compile(
    r"(?P<name>[?&;](?:[a-z_-]*(?:key|token|secret|password|signature|sig|auth))=)[^&;#]*",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=://)[^/?#]*@")


def new_id(now: float) -> str:
    """An id that no other process makes, and that sorts by time: milliseconds, then chance."""
    return f"{int(now * 1000):012x}{secrets.token_hex(8)}"


def pack(text: str) -> str | bytes:
    """`text` for a TEXT column. SQLite's text is UTF-8, which has no lone surrogates: a string
    with one is stored as a blob in UTF-8 with surrogates (which column affinity leaves alone)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return pack_raw(text)
    return text


def unpack(value: str | bytes) -> str:
    """Inverse of `pack`."""
    return unpack_raw(value) if isinstance(value, bytes) else value


def pack_optional(text: str | None) -> str | bytes | None:
    return None if text is None else pack(text)


def unpack_optional(value: str | bytes | None) -> str | None:
    return None if value is None else unpack(value)


def pack_raw(text: str) -> bytes:
    """`text` as bytes: UTF-8 in which a lone surrogate is encoded like any code point."""
    return text.encode("utf-8", "surrogatepass")


def unpack_raw(value: bytes) -> str:
    """Inverse of `pack_raw`."""
    return value.decode("utf-8", "surrogatepass")


def pack_body(body: bytes) -> bytes:
    """A request body, compressed: each holds the whole conversation before it."""
    return zlib.compress(body, 1)


def unpack_body(value: bytes) -> bytes:
    """Inverse of `pack_body`."""
    return zlib.decompress(value)


def pack_headers(headers: Iterable[tuple[str, str]]) -> str:
    """Headers in their order as JSON text (ASCII), with every value that is a secret masked."""
    return json.dumps(
        [
            [name, MASK if _SECRET_HEADER.fullmatch(name.strip()) else value]
            for name, value in headers
        ]
    )


def unpack_headers(value: str) -> tuple[tuple[str, str], ...]:
    """Inverse of `pack_headers`; what was masked stays masked."""
    return tuple((name, content) for name, content in json.loads(value))


def mask_url(url: str) -> str:
    """`url` without user, password and the values of parameters that carry keys."""
    return _SECRET_PARAMETER.sub(rf"\g<name>{MASK}", _USERINFO.sub(f"{MASK}@", url))


def searchable(text: str, *, is_json: bool = False) -> str:
    """`text` as the index holds it: well-formed, without NUL, at most `INDEXED_CHARACTERS`.

    In JSON text escapes become the characters they stand for, so that é is found however the
    model wrote it. The index is for finding; what is shown comes from the record.
    """
    if is_json and "\\u" in text:
        # An unfinished or invalid buffer is found as it was written.
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), ensure_ascii=False)
    text = text[:INDEXED_CHARACTERS].replace("\0", " ")
    return text.encode("utf-8", "replace").decode()
