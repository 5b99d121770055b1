"""Recordings that other programs made: HAR files of browsers and proxies, cassettes of VCR.

Parsed JSON (or YAML) comes in, recordings go out, one for each event stream in the file. What is
no event stream is left out; secrets in headers are masked as they are in our own.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

from tui.core.errors import UsageError
from tui.core.sniff import dialect_of
from tui.core.source import ResponseHead
from tui.recording.format import Recording

_EVENT_STREAM: Final = "text/event-stream"
_SECRET_WORDS: Final = ("authorization", "cookie", "key", "token", "secret", "password")


def is_har(plain: object) -> bool:
    return isinstance(plain, dict) and isinstance(plain.get("log"), dict)


def is_cassette(plain: object) -> bool:
    return isinstance(plain, dict) and isinstance(plain.get("interactions"), list)


def from_har(plain: dict[str, Any]) -> list[Recording]:
    """The event streams of an HTTP archive. http://www.softwareishard.com/blog/har-12-spec/

    Raises:
        UsageError: an entry is not what the format says.
    """
    try:
        streams = [
            entry
            for entry in plain["log"]["entries"]
            if str(entry["response"].get("content", {}).get("mimeType", "")).startswith(
                _EVENT_STREAM
            )
        ]
        held = [entry for entry in streams if entry["response"]["content"].get("text")]
        if streams and not held:
            raise UsageError(
                "the archive names event streams and does not hold their bodies",
                hint="some browsers leave them out; let a proxy write the archive",
            )
        return [_from_har_entry(entry) for entry in held]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"this is no HTTP archive that can be read: {error!r}") from error


def from_cassette(plain: dict[str, Any]) -> list[Recording]:
    """The event streams of a VCR cassette.

    Raises:
        UsageError: an interaction is not what VCR writes.
    """
    try:
        found = [_from_interaction(each) for each in plain["interactions"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"this is no cassette that can be read: {error!r}") from error
    return [recording for recording in found if recording is not None]


def parse_yaml(text: str) -> Any:
    """The value that YAML text holds, by the optional library.

    Raises:
        UsageError: the library is not installed, or the text is no YAML.
    """
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise UsageError(
            "reading a YAML cassette needs the package pyyaml",
            hint="pip install pyyaml, or save the cassette with VCR's JSON serializer",
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"this is no YAML: {error}") from error


def _from_har_entry(entry: dict[str, Any]) -> Recording:
    request, response = entry["request"], entry["response"]
    content = response["content"]
    text = content.get("text", "")
    body = (
        base64.b64decode(text)
        if content.get("encoding") == "base64"
        else text.encode("utf-8", "surrogatepass")
    )
    posted = (request.get("postData") or {}).get("text", "")
    return _recording(
        body,
        str(request["url"]),
        [(each["name"], each["value"]) for each in request.get("headers", [])],
        posted.encode("utf-8", "surrogatepass"),
        int(response["status"]),
        [(each["name"], each["value"]) for each in response.get("headers", [])],
        recorded_at=str(entry.get("startedDateTime", "")),
    )


def _from_interaction(each: dict[str, Any]) -> Recording | None:
    request, response = each["request"], each["response"]
    body = _body_of(response["body"])
    headers = _headers(response.get("headers", {}))
    streamed = any(
        name.lower() == "content-type" and value.startswith(_EVENT_STREAM)
        for name, value in headers
    )
    if not streamed and dialect_of(body) is None:
        return None
    status = response["status"]
    return _recording(
        body,
        str(request["uri"]),
        _headers(request.get("headers", {})),
        _body_of(request.get("body")),
        int(status["code"] if isinstance(status, dict) else status),
        headers,
    )


def _recording(
    body: bytes,
    url: str,
    request_headers: list[tuple[str, str]],
    request_body: bytes,
    status: int,
    headers: list[tuple[str, str]],
    *,
    recorded_at: str = "",
) -> Recording:
    body = _unpacked(body, headers)
    # What said how it was packed is no longer true.
    kept = [
        (name.lower(), value)
        for name, value in headers
        if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
    ]
    return Recording(
        body,
        dialect=dialect_of(body),
        endpoint="imported",
        recorded_at=recorded_at,
        request_url=url,
        request_headers=tuple(_masked(request_headers)),
        request_body=request_body,
        head=ResponseHead(status, tuple(_masked(kept))),
    )


def _unpacked(body: bytes, headers: Iterable[tuple[str, str]]) -> bytes:
    """The body without its content coding. VCR keeps it as it came unless it is told otherwise,

    archives and careful cassettes keep it decoded and the header all the same.
    """
    coding = "".join(str(value) for name, value in headers if name.lower() == "content-encoding")
    if coding in ("", "identity") or dialect_of(body) is not None:
        return body
    try:
        if body[:2] == b"\x1f\x8b":
            return zlib.decompressobj(wbits=31).decompress(body)
        if coding == "deflate":
            wrapped = body[:1] == b"\x78"
            return zlib.decompressobj(wbits=15 if wrapped else -15).decompress(body)
    except zlib.error as error:
        raise UsageError(f"a body that should be {coding} cannot be unpacked: {error}") from error
    if coding in ("br", "zstd"):
        raise UsageError(
            f"a body is packed with {coding}, which cannot be unpacked here",
            hint="record the cassette with decode_compressed_response=True",
        )
    return body


def _masked(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, value in headers:
        secret = any(word in name.lower() for word in _SECRET_WORDS)
        yield name, "***" if secret else str(value)


def _headers(plain: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (str(name), str(value))
        for name, values in plain.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def _body_of(plain: Any) -> bytes:
    match plain:
        case None:
            return b""
        case bytes():
            return plain
        case str():
            return plain.encode("utf-8", "surrogatepass")
        case {"string": text}:
            return _body_of(text)
        case {"base64_string": text}:
            return base64.b64decode(text)
        case _:
            raise ValueError(f"a body of type {type(plain).__name__}")
