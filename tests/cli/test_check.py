"""`verbatim check` as scripts, people and CI systems use it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.lint.streams import call, chat, entry, say
from tui.cli import main
from tui.core.source import ResponseHead
from tui.recording.format import Recording, save

GOOD = call('{"a":1}')
CUT = call('{"a":1', finish=None, done=False)
KEYS = {
    "file", "dialect", "outcome", "stop_reason", "text", "thinking", "refusal", "calls", "error",
    "findings",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.sse").write_bytes(GOOD)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "cut.sse").write_bytes(CUT)
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_json_has_one_line_a_file_with_the_keys_scripts_rely_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["check", "--json", str(folder / "good.sse"), str(folder / "deep/cut.sse")])
    good, cut = lines(capsys)
    assert status == 1
    assert good.keys() == cut.keys() == KEYS
    assert (good["outcome"], good["calls"][0]["arguments"]) == ("complete", {"a": 1})
    assert (cut["outcome"], cut["calls"][0]["state"]) == ("incomplete", "incomplete")
    found = next(each for each in cut["findings"] if each["code"] == "turn.cut-in-call")
    assert found["offset"] == len(CUT)
    assert (found["severity"], found["culprit"]) == ("error", "transport")
    assert found["advice"] == "Send the request again."


def test_good_files_alone_give_status_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder / "good.sse")]) == 0
    assert "good.sse: complete" in capsys.readouterr().out


def test_a_file_that_is_not_there_gives_status_2_and_the_others_are_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--json", str(folder / "none.sse"), str(folder / "good.sse")]) == 2
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 1
    assert "none.sse" in output.err


@pytest.mark.parametrize(
    "flags", [["--split", "odd"], ["--cut", "-1"], ["--sample", "-1"], ["--cut", "x"]]
)
def test_wrong_usage_gives_status_2(folder: Path, flags: list[str]) -> None:
    try:
        status: Any = main(["check", *flags, str(folder / "good.sse")])
    except SystemExit as left:
        status = left.code
    assert status == 2


def test_a_folder_means_the_streams_below_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "other.txt").write_text("x")
    main(["check", "--json", str(folder)])
    assert [Path(each["file"]).name for each in lines(capsys)] == ["cut.sse", "good.sse"]


def test_a_folder_without_streams_cannot_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert "no .sse file" in capsys.readouterr().err


def test_a_dash_means_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert main(["check", "--json", "-"]) == 0
    assert lines(capsys)[0]["file"] == "-"


@pytest.mark.parametrize("name", ["body", "answer.json", "kept.txt"])
def test_a_body_may_have_any_name(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(GOOD)
    assert main(["check", "--json", str(tmp_path / name)]) == 0
    assert lines(capsys)[0]["outcome"] == "complete"


def test_a_recording_knows_its_dialect_and_its_head_and_flags_win(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = ResponseHead(503, (("content-type", "text/event-stream"),))
    path = save(Recording(GOOD, dialect="anthropic", head=head), tmp_path / "one")
    main(["check", "--json", str(path)])
    main(["check", "--json", "--status", "200", "--dialect", "openai-chat", str(path)])
    recorded, flagged = lines(capsys)
    assert (recorded["dialect"], recorded["outcome"]) == ("anthropic", "error")
    assert (flagged["dialect"], flagged["outcome"]) == ("openai-chat", "complete")


def test_quiet_shows_bad_files_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--quiet", str(folder)])
    text = capsys.readouterr().out
    assert "cut.sse: incomplete" in text
    assert "good.sse:" not in text
    assert "2 files: 1 incomplete, 1 complete" in text
    assert "errors: call.unclosed, turn.cut-in-call" in text


def test_people_read_where_whose_doing_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(folder / "deep/cut.sse")])
    text = capsys.readouterr().out
    assert f"error turn.cut-in-call at byte {len(CUT)}, the transport's doing" in text
    assert "do: Send the request again." in text
    assert "bytes: " in text


def test_notes_are_counted_unless_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(b": wait\n\n" + GOOD)
    main(["check", str(path)])
    assert "notes: sse.comment" in capsys.readouterr().out
    main(["check", "--notes", str(path)])
    assert "note sse.comment at byte 0, the server's doing" in capsys.readouterr().out


def test_what_a_model_wrote_cannot_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(
        chat({"content": "\x1b[2J[red]"}, entry('{"\x1b]0;x":"\u202e"', name="\x1b[1m[b]"))
    )
    main(["check", "--notes", "--contrast", str(path)])
    output = capsys.readouterr()
    assert "\x1b" not in output.out + output.err
    assert output.out.isascii()
    assert "\\u001b[1m[b]" in output.out


def test_proofs_and_contrast_are_added_to_the_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--every-split", "--every-cut", "--contrast"]
    main(["check", "--json", *flags, str(folder / "deep/cut.sse")])
    (said,) = lines(capsys)
    assert said.keys() == KEYS | {
        "contrast", "splits", "split_differences", "cuts", "early_acts",
    }  # fmt: skip
    assert said["splits"] == said["cuts"] == len(CUT) - 1
    assert said["split_differences"] == said["early_acts"] == []
    tolerant = next(e for e in said["contrast"] if e["name"] == "run-at-tolerant-parse")
    assert tolerant["careless"] == '{"a":1}'
    main(["check", "--json", "--every-cut", "--sample", "5", str(folder / "good.sse")])
    assert lines(capsys)[0]["cuts"] == 5


def test_chunks_of_the_split_are_what_careless_clients_get(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(say("one", " two"))
    main(["check", "--json", "--contrast", "--split", "at:30", str(path)])
    (said,) = lines(capsys)
    lost = next(each for each in said["contrast"] if each["name"] == "lines-per-chunk")
    assert (lost["went_wrong_at"], lost["careless"]) == (30, " two")


def test_junit_has_one_case_a_file_and_can_be_parsed_whatever_a_model_wrote(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "odd.sse").write_bytes(call('{"a":"\x1b\ud83d"', finish="length"))
    main(["check", "--junit", str(folder / "report.xml"), str(folder)])
    suite = ET.parse(folder / "report.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    failed = {
        Path(each.get("name", "")).name: each.find("failure") is not None
        for each in suite.iter("testcase")
    }
    assert failed == {"good.sse": False, "cut.sse": True, "odd.sse": True}


def test_an_early_act_is_not_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(call('{"a":1}', done=False) + chat(entry(" "), finish=None))
    assert main(["check", str(path)]) == 0
    assert main(["check", "--every-cut", str(path)]) == 1
    assert "may run" in capsys.readouterr().out
