"""An exchange for other tools: a recording, a cURL command, an HTTP archive (HAR 1.2).

What is stored comes in and text or a recording goes out; writing is the caller's. A key is never
in it: where one was masked, or was added by us only when sending, a shell variable stands.
"""

from __future__ import annotations

import base64
import json
import shlex
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import tui
from tui.app.wire.exchange import WireExchange
from tui.recording.format import Ending, Recording

MASK: Final = "***"
_VARIABLES: Final = {"anthropic": "ANTHROPIC_API_KEY"}
_OTHER_VARIABLE: Final = "OPENAI_API_KEY"
_HTTP: Final = ("http://", "https://")


def recording_of(exchange: WireExchange) -> Recording:
    """The exchange as `recording.format` saves it, replays included."""
    stored = exchange.stored
    endings: dict[str, Ending] = {"complete": "complete", "cancelled": "cancelled"}
    return Recording(
        exchange.body,
        chunks=exchange.chunks,
        dialect=stored.dialect,
        endpoint=stored.endpoint,
        model=exchange.model,
        recorded_at=_iso(stored.started),
        request_url=stored.url,
        request_headers=stored.request_headers,
        request_body=stored.request_body,
        head=exchange.head,
        ending=endings.get(stored.ending, "broken"),
        problem=stored.problem,
        results=exchange.results,
    )


def curl_of(exchange: WireExchange) -> str:
    """A command for a POSIX shell that sends the same request and shows the same stream."""
    stored = exchange.stored
    variable = _variable(exchange)
    words = ["curl -N " + _quoted(stored.url, variable)]
    headers = dict.fromkeys(name.lower() for name, _ in stored.request_headers)
    if "content-type" not in headers:
        words.append("-H " + shlex.quote("content-type: application/json"))
    key_header = "x-api-key" if stored.dialect == "anthropic" else "authorization"
    if not any(MASK in value for _, value in stored.request_headers):
        scheme = "" if key_header == "x-api-key" else "Bearer "
        words.append("-H " + _quoted(f"{key_header}: {scheme}{MASK}", variable))
    for name, value in stored.request_headers:
        bearer = name.lower().endswith("authorization") and value == MASK
        words.append(
            "-H " + _quoted(f"{name}: {'Bearer ' if bearer else ''}{value}", _of(name, variable))
        )
    body = stored.request_body.decode("utf-8", "backslashreplace")
    words.append("--data-raw " + shlex.quote(body))
    command = " \\\n  ".join(words)
    if not stored.url.startswith(_HTTP):
        where = shlex.quote(stored.url)
        note = f"# {where} is inside Verbatim; `verbatim demo-server` answers over HTTP.\n"
        return note + command + "\n"
    return command + "\n"


def har_of(exchange: WireExchange) -> str:
    """The exchange as an HTTP archive, version 1.2 (W3C draft of 2012), with the chunks' times.

    Sizes that are not known are -1, as the format has it. Fields that begin with `_` are ours.
    """
    stored = exchange.stored
    first = exchange.chunks[0][1] if exchange.chunks else 0.0
    last = exchange.chunks[-1][1] if exchange.chunks else first
    entry: dict[str, Any] = {
        "startedDateTime": _iso(stored.started),
        "time": round(last * 1000, 3),
        "request": {
            "method": "POST",
            "url": stored.url,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _pairs(stored.request_headers),
            "queryString": _pairs(parse_qsl(urlsplit(stored.url).query, keep_blank_values=True)),
            "postData": {"mimeType": "application/json", **_text(stored.request_body)},
            "headersSize": -1,
            "bodySize": len(stored.request_body),
        },
        "response": {
            "status": stored.status or 0,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _pairs(stored.response_headers),
            "content": {
                "size": len(exchange.body),
                "mimeType": _header(exchange, "content-type") or "text/event-stream",
                **_text(exchange.body),
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
        },
        "cache": {},
        "timings": {
            "send": 0,
            "wait": round(first * 1000, 3),
            "receive": round((last - first) * 1000, 3),
        },
        "_dialect": stored.dialect,
        "_ending": stored.ending,
        "_chunks": [[end, round(at, 6)] for end, at in exchange.chunks],
    }
    if stored.problem:
        entry["comment"] = stored.problem
    log = {
        "version": "1.2",
        "creator": {"name": "Verbatim", "version": tui.__version__},
        "entries": [entry],
    }
    return json.dumps({"log": log}, indent=1)


def _variable(exchange: WireExchange) -> str:
    return _VARIABLES.get(exchange.stored.dialect, _OTHER_VARIABLE)


def _of(header: str, variable: str) -> str:
    """The variable for the secret in a header; a header of its own has one of its own."""
    if header.lower() in ("x-api-key", "authorization", "api-key"):
        return variable
    return "".join(char if char.isalnum() else "_" for char in header.upper())


def _quoted(text: str, variable: str) -> str:
    """`text` for a shell, every masked secret replaced by `$VARIABLE`."""
    pieces = [shlex.quote(piece) if piece else "" for piece in text.split(MASK)]
    return f'"${variable}"'.join(pieces)


def _header(exchange: WireExchange, wanted: str) -> str:
    return next(
        (value for name, value in exchange.stored.response_headers if name.lower() == wanted), ""
    )


def _pairs(pairs: object) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]  # type: ignore[attr-defined]


def _text(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(data).decode("ascii"), "encoding": "base64"}


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
