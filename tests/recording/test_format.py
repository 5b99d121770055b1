"""Recordings on disk: the body is plain bytes, the sidecar says the rest, nothing is guessed."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui.core.conversation import CallResult, TextContent
from tui.core.source import ResponseHead
from tui.recording.format import Recording, RecordingError, load, save

RECORDING = Recording(
    b"data: {\xc3\xa4}\n\ndata: x\n\n",
    chunks=((5, 0.25), (13, 0.25), (22, 1.5)),
    dialect="anthropic",
    endpoint="here",
    model="m",
    recorded_at="2026-11-30T03:00:00Z",
    request_url="http://127.0.0.1/v1/messages",
    request_headers=(("x-api-key", "***"),),
    request_body=b'{"a":1.0}',
    head=ResponseHead(200, (("content-type", "text/event-stream"),)),
    ending="broken",
    problem="reset",
    results=(CallResult("t1.c1", (TextContent("half \ud83d"),), origin="person"),),
)


def test_a_recording_comes_back_equal(tmp_path: Path) -> None:
    body = save(RECORDING, tmp_path / "turn")
    assert body.read_bytes() == RECORDING.body
    for name in ("turn", "turn.sse", "turn.json"):
        assert load(tmp_path / name if name != "turn" else body) == RECORDING
    assert stat.S_IMODE(body.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["turn.1", "gpt-4.1.cassette", "a.b.c"])
def test_names_may_hold_dots(tmp_path: Path, name: str) -> None:
    body = save(RECORDING, tmp_path / name)
    assert body.name == f"{name}.sse"
    assert load(body) == RECORDING
    assert load(tmp_path / f"{name}.json") == RECORDING
    (tmp_path / f"{name}.json").unlink()
    assert load(body).body == RECORDING.body


def test_a_body_that_curl_kept_is_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_bytes(b"data: x\n\n")
    assert load(path).timed_chunks() == [(0.0, b"data: x\n\n")]


def test_chunks_keep_their_times() -> None:
    body = RECORDING.body
    assert RECORDING.timed_chunks() == [(0.25, body[:5]), (0.25, body[5:13]), (1.5, body[13:22])]


def test_a_json_file_of_somebody_else_beside_the_body_is_not_taken_for_a_sidecar(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.sse").write_bytes(b"data: x\n\n")
    (tmp_path / "a.json").write_text('{"expect": 1}')
    assert load(tmp_path / "a.sse").dialect is None


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    save(RECORDING, tmp_path / "turn")
    with pytest.raises(RecordingError, match="exists already"):
        save(replace(RECORDING, body=b""), tmp_path / "turn")
    save(replace(RECORDING, body=b"", chunks=()), tmp_path / "turn", overwrite=True)
    assert load(tmp_path / "turn.sse").body == b""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verbatim_recording": 2}, "has version 2"),
        ({"body": {"file": "x", "bytes": 0, "sha256": "0"}}, "was changed since it was recorded"),
        ({"chunks": [["x", 1]]}, "cannot be read"),
        ({"ending": "merrily"}, "unheard of"),
        ({"results": [{"type": "user", "parts": []}]}, "cannot be read"),
        ({"request": {}}, "cannot be read"),
    ],
)
def test_a_sidecar_that_is_not_right_is_said_to_be_so(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    body = save(RECORDING, tmp_path / "turn")
    side = body.with_suffix(".json")
    side.write_text(json.dumps(json.loads(side.read_text()) | change))
    with pytest.raises(RecordingError, match=words):
        load(body)


def test_what_is_not_there_or_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        load(tmp_path / "none.sse")
    with pytest.raises(RecordingError, match="no such file"):
        load(tmp_path / "none.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot write"):
        save(RECORDING, tmp_path / "file" / "below" / "turn")
