"""The gate before the SSE decoder: is this response a stream, and if not, what went wrong?

A response's head and its body bytes come in; bytes for the SSE decoder or, at the end, one
error that a person can act on come out. The bytes decide rather than the content type, which
gateways get wrong both ways. However the body is cut, the same bytes and words come out.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from tui.core.errorbody import clean, readable
from tui.core.errors import EndpointError
from tui.core.source import ResponseHead

__all__ = ["BodyGate", "error_from", "is_retryable"]

_COLLECTED: Final = 64 * 1024
"""Bytes kept of a body that is not a stream; the rest is read and dropped."""

_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r\n"
_FIELDS: Final = (b"data", b"event", b"id", b"retry")
_LONGEST_FIELD: Final = 5
_FIELD_ENDS: Final = b":\r\n"
_DOCUMENT_STARTS: Final = b'{["<'

_RETRYABLE: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

_REASONS: Final = {
    400: "bad request", 401: "not authenticated", 402: "payment required", 403: "forbidden",
    404: "not found", 405: "method not allowed", 408: "request timeout", 409: "conflict",
    413: "request too large", 415: "unsupported media type", 422: "request not understood",
    425: "too early", 429: "too many requests", 500: "internal server error",
    501: "not implemented", 502: "bad gateway", 503: "service unavailable",
    504: "gateway timeout", 529: "overloaded",
}  # fmt: skip

_WRONG_PLACE: Final = "check the base URL, and that the endpoint speaks this dialect"
_BAD_REQUEST: Final = (
    "the endpoint does not accept this request: check the model, the dialect and `extra_body`"
)
_SERVER_TROUBLE: Final = "the fault is the server's; try again"
_HINTS: Final = {
    400: _BAD_REQUEST,
    401: "the endpoint did not accept the key; `verbatim endpoints` says where the key is read from",
    402: "the account behind the key has no credit left",
    403: "the key is not allowed to do this: check the model, the project and the region",
    405: _WRONG_PLACE,
    408: "try again",
    413: "the conversation is too long for the endpoint: begin a new one, or send smaller results",
    415: _WRONG_PLACE,
    422: _BAD_REQUEST,
    500: _SERVER_TROUBLE,
    501: _WRONG_PLACE,
    502: "a gateway got no answer from the model's server; try again",
    503: "the server is not ready or is out of capacity; a local server may still be loading",
    504: "the gateway gave up waiting for the model; try again, or ask for less",
    529: "the provider is overloaded; try again in a little while",
}

_JSON_START: Final = re.compile(rb'\{\s*["}]|["\[]')


def is_retryable(status: int) -> bool:
    """Whether the same request may succeed later: 408, 409, 425, 429, 5xx except 501 and 505."""
    return status in _RETRYABLE or (status > 505 and status <= 599)


def error_from(head: ResponseHead | None, body: bytes, *, broken: str = "") -> EndpointError:
    """The error that a response which is no stream amounts to.

    Args:
        head: None when only the body is known; then status 200 is assumed.
        body: as much of it as there is, decoded.
        broken: why the body did not arrive whole, "" when it did.
    """
    status = head.status if head else 200
    words = readable(body)
    cut = f" [the answer broke off: {broken}]" if broken else ""
    if 200 <= status < 300:
        return _not_a_stream(status, body, words + cut, _media_type(head))
    if 300 <= status < 400:
        return _redirect(head, status)
    reason = f" ({_REASONS[status]})" if status in _REASONS else ""
    said = f": {words}" if words else " and said nothing about why"
    return EndpointError(
        f"the endpoint answered {status}{reason}{said}{cut}",
        hint=_hint(head, status, words),
        status=status,
        retryable=is_retryable(status) and not _out_of_credit(words),
    )


def _media_type(head: ResponseHead | None) -> str:
    value = head.header("content-type") if head else None
    return clean((value or "").partition(";")[0]).lower()


def _out_of_credit(words: str) -> bool:
    return "insufficient_quota" in words or "exceeded your current quota" in words


def _hint(head: ResponseHead | None, status: int, words: str) -> str:
    url = head.request_url if head else ""
    if status == 404:
        place = f" (asked: {url})" if url else ""
        version = " the base URL may need /v1 at its end;" if url and "/v1" not in url else ""
        return f"check the model's name and the base URL;{version} `verbatim endpoints` lists both{place}"
    if status == 429:
        if _out_of_credit(words):
            return _HINTS[402]
        wait = _stated_wait(head)
        return f"the endpoint asks to wait {wait}" if wait else "wait a little and try again"
    if status in (503, 529) and (wait := _stated_wait(head)):
        return f"{_HINTS[status]} (the endpoint asks to wait {wait})"
    return _HINTS.get(status, _SERVER_TROUBLE if status >= 500 else _BAD_REQUEST)


def _stated_wait(head: ResponseHead | None) -> str:
    if head is None:
        return ""
    seconds = head.header("retry-after")
    if seconds:
        return f"{seconds} s" if seconds.strip().isdigit() else f"until {clean(seconds)}"
    milliseconds = head.header("retry-after-ms")
    return f"{clean(milliseconds)} ms" if milliseconds else ""


def _redirect(head: ResponseHead | None, status: int) -> EndpointError:
    target = head.header("location") if head else None
    to = f" to {clean(target)}" if target else ""
    return EndpointError(
        f"the endpoint redirects{to} (status {status}); redirects are not followed, because the"
        " key would go with them",
        hint="if that is where you want to go, put it into the base URL",
        status=status,
    )


def _not_a_stream(status: int, body: bytes, words: str, kind: str) -> EndpointError:
    start = body.removeprefix(_BOM).lstrip(_BLANKS)
    said = f": {words}" if words else ""
    if not start:
        return EndpointError(
            f"the endpoint answered {status} with an empty body",
            hint="try again; if it stays so, a gateway in between swallows the stream",
            status=status,
            retryable=True,
        )
    if start[:1] == b"<":
        message = f"the endpoint answered with a web page instead of an event stream{said}"
        hint = "the base URL leads to a web site or a login page: check it"
    elif kind in ("application/x-ndjson", "application/jsonl", "application/json-lines"):
        message = f"the endpoint answered with JSON lines ({kind}) instead of an event stream{said}"
        hint = "this is a server's native API (Ollama's is at /api); its base URL ends in /v1"
    elif _JSON_START.match(start):
        message = f"the endpoint answered with JSON instead of an event stream{said}"
        hint = f"either it does not stream, or the request went to the wrong place: {_WRONG_PLACE}"
    else:
        named = f"{kind!r}" if kind not in ("", "text/event-stream") else "something"
        message = f"the endpoint answered with {named} instead of an event stream{said}"
        hint = _WRONG_PLACE
    return EndpointError(message, hint=hint, status=status)


class BodyGate:
    """Passes a stream's bytes on and collects what is none.

    A status of 300 and more is never a stream, whatever its body says it is. Else the first
    bytes after a byte order mark and blanks decide: a field name or comment of the grammar is a
    stream; a JSON document or markup is none; of anything else, the content type decides.

    Args:
        head: None for a body without one (a file); it is then taken for a stream in doubt.
    """

    def __init__(self, head: ResponseHead | None) -> None:
        self._head = head
        self._held = bytearray()
        self._start: int | None = None
        refused = head is not None and not 200 <= head.status < 300
        self._verdict: Literal["stream", "refused", "open"] = "refused" if refused else "open"
        self._rest = b""

    @property
    def collected(self) -> bytes:
        """The body so far, up to 64 KiB, while or because it was not passed on."""
        return bytes(self._held)

    def feed(self, data: bytes) -> bytes:
        """Take in the next bytes of the body; returns what the SSE decoder is to be fed."""
        if self._verdict == "stream":
            return data
        self._held += data
        if self._verdict == "open":
            self._verdict = self._judge()
        if self._verdict == "stream":
            passed = bytes(self._held)
            self._held.clear()
            return passed
        if self._verdict == "refused":
            del self._held[_COLLECTED:]
        return b""

    def close(self, broken: str = "") -> EndpointError | None:
        """The body has ended. Returns what was wrong with the response, None when it was a stream.

        Args:
            broken: why the body did not arrive whole, "" when it did. A broken body that shows
                no error so far is not called empty: None is returned, the break is the error.
        """
        if self._verdict == "stream":
            return None
        if self._verdict == "open":
            # What is still in doubt is blank, or the beginning of a field's name.
            blank = not self._held.removeprefix(_BOM).strip(_BLANKS)
            if not blank or broken:
                self._rest = bytes(self._held)
                self._held.clear()
                return None
        return error_from(self._head, bytes(self._held), broken=broken)

    def rest(self) -> bytes:
        """After `close`: what had been held back in doubt and is to be passed on after all."""
        return self._rest

    def _judge(self) -> Literal["stream", "refused", "open"]:
        held = self._held
        if self._start is None:
            if len(held) < len(_BOM) and _BOM.startswith(held):
                return "open"
            self._start = len(_BOM) if held.startswith(_BOM) else 0
        while self._start < len(held) and held[self._start] in _BLANKS:
            self._start += 1
        start = bytes(held[self._start : self._start + _LONGEST_FIELD + 1])
        if not start:
            return "open"
        if start[0] in _DOCUMENT_STARTS:
            return "refused"
        if start[:1] == b":":
            return "stream"
        for field in _FIELDS:
            if field.startswith(start):
                return "open"
            if start.startswith(field) and start[len(field)] in _FIELD_ENDS:
                return "stream"
        # Neither: fields we do not know are legal in a stream, so the promise counts.
        promised = self._head is None or _media_type(self._head) == "text/event-stream"
        return "stream" if promised else "refused"
