"""An exchange taken out: read back by what reads such files, and never with a key in it."""

from __future__ import annotations

import base64
import itertools
import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.wire.making import MARCH, chunks_of
from tui.app.wire.exchange import WireExchange
from tui.app.wire.exports import curl_of, har_of, recording_of
from tui.recording.format import load, save
from tui.store import StoredExchange

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "it's $HOME `x` ü \n"}]})


def exchange(dialect: str = "anthropic", body: bytes = MARCH, **stored: object) -> WireExchange:
    known = StoredExchange(
        id="e", conversation="c", message=None, dialect=dialect, endpoint="mine",
        url="https://api.example/v1/messages?beta=true&key=***",
        request_headers=(("anthropic-version", "2023-06-01"),), request_body=BODY.encode(),
        status=200, response_headers=(("content-type", "text/event-stream"),), started=1e9,
        ended=1e9 + 2, ending="complete", problem="", tools=None, lost=0,
    )  # fmt: skip
    return WireExchange(
        replace(known, **stored),  # type: ignore[arg-type]
        1,
        body,
        tuple(chunks_of(body)),
        "m",
    )


def run_by_a_shell(command: str, **variables: str) -> list[str]:
    """The arguments that a real shell gives to `curl`."""
    script = "curl() { for each; do printf '%s\\0' \"$each\"; done; }\n" + command
    done = subprocess.run(
        ["/bin/sh", "-c", script], env=variables, capture_output=True, check=True, timeout=20
    )
    return done.stdout.decode().split("\0")[:-1]


def test_a_saved_recording_reads_back_as_it_was_received(tmp_path: Path) -> None:
    found = exchange()
    loaded = load(save(recording_of(found), tmp_path / "one.sse"))
    assert loaded.body == MARCH
    assert loaded.chunks == found.chunks
    assert loaded.request_body == BODY.encode()
    assert (loaded.dialect, loaded.model, loaded.ending) == ("anthropic", "m", "complete")
    assert loaded.head is not None
    assert found.head is not None
    assert (loaded.head.status, loaded.head.headers) == (found.head.status, found.head.headers)
    assert loaded.request_url == found.stored.url
    broken = recording_of(exchange(ending="abandoned", problem="killed"))
    assert (broken.ending, broken.problem) == ("broken", "killed")


def test_the_curl_command_sends_the_same_body_with_the_key_from_the_environment() -> None:
    arguments = run_by_a_shell(curl_of(exchange()), ANTHROPIC_API_KEY="sk-1")
    assert arguments[:2] == ["-N", "https://api.example/v1/messages?beta=true&key=sk-1"]
    assert arguments[arguments.index("--data-raw") + 1] == BODY
    headers = [value for flag, value in itertools.pairwise(arguments) if flag == "-H"]
    assert headers == [
        "content-type: application/json",
        "x-api-key: sk-1",
        "anthropic-version: 2023-06-01",
    ]


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses"])
def test_the_curl_command_bears_the_key_where_the_header_was_masked(dialect: str) -> None:
    headers = (("authorization", "***"), ("x-corp-token", "***"))
    command = curl_of(exchange(dialect, request_headers=headers))
    arguments = run_by_a_shell(command, OPENAI_API_KEY="sk-2", X_CORP_TOKEN="t")
    assert "authorization: Bearer sk-2" in arguments
    assert "x-corp-token: t" in arguments
    assert "***" not in command


def test_a_command_for_the_demo_says_that_no_server_is_there() -> None:
    command = curl_of(exchange(url="demo:/v1/messages"))
    assert command.startswith("# demo:/v1/messages is inside Verbatim")
    assert shlex.split(command, comments=True)[0] == "curl"


def test_the_archive_has_every_field_that_har_requires_and_the_bytes() -> None:
    log = json.loads(har_of(exchange()))["log"]
    assert (log["version"], log["creator"]["name"]) == ("1.2", "Verbatim")
    (entry,) = log["entries"]
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
    assert {
        "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
    } <= set(entry["request"])  # fmt: skip
    assert {
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
        "headersSize", "bodySize",
    } <= set(entry["response"])  # fmt: skip
    assert entry["startedDateTime"] == "2001-09-09T01:46:40.000+00:00"
    assert entry["request"]["queryString"] == [
        {"name": "beta", "value": "true"},
        {"name": "key", "value": "***"},
    ]
    assert entry["request"]["postData"]["text"] == BODY
    assert entry["response"]["content"]["text"].encode() == MARCH
    timings = entry["timings"]
    assert entry["time"] == pytest.approx(timings["send"] + timings["wait"] + timings["receive"])


def test_bytes_that_are_not_utf8_are_in_the_archive_all_the_same() -> None:
    body = b"data: \xff\xfe\n\n"
    content = json.loads(har_of(exchange(body=body)))["log"]["entries"][0]["response"]["content"]
    assert content["encoding"] == "base64"
    assert base64.b64decode(content["text"]) == body
