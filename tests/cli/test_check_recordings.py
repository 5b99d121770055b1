"""`verbatim check` of recordings: the sidecar knows what the bytes alone do not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui.cli import main
from tui.core.source import ResponseHead
from tui.recording.format import Recording, save

CALLED = (
    b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t",'
    b'"type":"function","function":{"name":"look","arguments":"{}"}}]}}]}\n\n'
)
BROKE = "the connection to example.com broke after 120 bytes of the answer"


def verdict(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    main(["check", "--json", *flags, str(path)])
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


def test_a_connection_that_broke_is_named_as_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(CALLED, dialect="openai-chat", ending="broken", problem=BROKE)
    path = save(recording, tmp_path / "broken")
    found = verdict(path, capsys)
    assert found["outcome"] == "incomplete"
    assert BROKE in json.dumps(found["findings"])
    assert [(call["state"], call["problem"]) for call in found["calls"]] == [("incomplete", BROKE)]


def test_a_cut_of_our_own_is_not_blamed_on_the_connection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(CALLED, dialect="openai-chat", ending="broken", problem=BROKE)
    path = save(recording, tmp_path / "broken")
    found = verdict(path, capsys, "--cut", "20")
    assert BROKE not in json.dumps(found)


def test_a_refusal_is_read_with_its_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = b'{"type":"error","error":{"type":"authentication_error","message":"no"}}'
    recording = Recording(body, dialect="anthropic", head=ResponseHead(401, ()))
    found = verdict(save(recording, tmp_path / "refused"), capsys)
    assert (found["dialect"], found["outcome"]) == ("anthropic", "error")
    assert found["error"] == (
        "the endpoint answered 401 (not authenticated): authentication_error: no"
    )
