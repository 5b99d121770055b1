"""The finder of recorded streams, over a folder made here: tests must not vanish unnoticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import shared

CASE = {"id": "cut", "dialect": "openai-chat", "expect": {"text": ""}}
LINES = [
    {"file": "responses/b.sse", "dialect": "responses", "events": 1},
    {"file": "anthropic/a.sse", "dialect": "anthropic", "events": 2},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("streams/responses", "streams/anthropic", "cases"):
        (tmp_path / name).mkdir(parents=True)
    manifest = "".join(json.dumps(line) + "\n" for line in LINES)
    (tmp_path / "streams/manifest.jsonl").write_text(manifest, encoding="utf-8")
    (tmp_path / "streams/anthropic/a.sse").write_bytes(b"data: a\n\n")
    (tmp_path / "cases/cut.json").write_text(json.dumps(CASE), encoding="utf-8")
    (tmp_path / "cases/cut.sse").write_bytes(b"data: c")
    monkeypatch.setattr(shared, "ROOT", tmp_path)
    return tmp_path


def test_streams_come_in_the_order_of_the_manifest_under_our_dialect_names(folder: Path) -> None:
    assert shared.streams() == [
        shared.RecordedStream(folder / "streams/responses/b.sse", "openai-responses", LINES[0]),
        shared.RecordedStream(folder / "streams/anthropic/a.sse", "anthropic", LINES[1]),
    ]


def test_streams_of_one_dialect(folder: Path) -> None:
    (stream,) = shared.streams("anthropic")
    assert (stream.id, stream.read()) == ("anthropic/a", b"data: a\n\n")
    assert shared.streams("openai-chat") == []


def test_cases_of_one_dialect(folder: Path) -> None:
    (case,) = shared.cases("openai-chat")
    assert case == shared.WireCase(folder / "cases/cut.sse", CASE)
    assert (case.id, case.read()) == ("cut", b"data: c")
    assert shared.cases("anthropic") == []


def test_without_the_folder_there_is_nothing_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "ROOT", tmp_path / "absent")
    assert (shared.streams(), shared.cases(), shared.manifest()) == ([], [], ())


@shared.needs_shared
def test_every_recorded_body_has_the_length_that_the_manifest_says() -> None:
    assert shared.streams()
    assert [len(stream.read()) for stream in shared.streams()] == [
        line["bytes"] for line in shared.manifest()
    ]
