"""`verbatim fixture`: the commands, their words in the sidecar, and our own fixtures' currency."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.streams import make
from tui.cli import main
from tui.core import dialects
from tui.core.reader import TurnReader
from tui.core.turn import Turn
from tui.recording.format import load

STREAMS = Path(__file__).parents[1] / "streams"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def turn_of(path: Path) -> Turn:
    recording = load(path)
    assert recording.dialect is not None
    reader = TurnReader(recording.dialect)
    reader.feed(recording.body)
    reader.close(broken="" if recording.ending == "complete" else "it broke")
    return reader.turn


def said(turn: Turn) -> Any:
    """What a translation must keep."""
    return (
        turn.text,
        turn.thinking,
        turn.refusal,
        [(call.name, call.text, call.state) for call in turn.calls],
        turn.outcome,
    )


def test_our_own_fixtures_are_what_their_commands_make(tmp_path: Path) -> None:
    made = {path.name: path.read_bytes() for path in make.make(tmp_path / "made")}
    kept = {path.name: path.read_bytes() for path in make.kept()}
    assert sorted(made) == sorted(kept), "run: python -m tests.streams.make"
    assert [name for name in made if made[name] != kept[name]] == []


def test_a_fixture_says_how_it_was_made_from_the_first_step_on() -> None:
    assert load(STREAMS / "anthropic-slow-chunks.sse").made_by[1:] == (
        "verbatim fixture rechunk anthropic-long-ticket.sse --split=700",
        "verbatim fixture delay step-late.sse --gap=0.05 --before=12:3",
    )


def test_the_words_of_a_fixture_make_it_again(here: Path) -> None:
    wanted = load(STREAMS / "chat-interleaved.sse")
    documents = here / "numbers.json", here / "nested.json"
    for path in documents:
        path.write_bytes((STREAMS / "documents" / path.name).read_bytes())
    for place, words in enumerate(wanted.made_by):
        assert main([*shlex.split(words)[1:], "-o", ("chat-numbers", "again")[place]]) == 0
    assert load(here / "again.sse").body == wanted.body


@pytest.mark.parametrize("to", dialects.NAMES)
@pytest.mark.parametrize(
    "name",
    [
        "anthropic-long-ticket",
        "anthropic-interleaved-same-tool",
        "anthropic-no-arguments",
        "anthropic-limit-in-call",
        "chat-numbers",
        "chat-pairs-in-halves",
        "responses-long-ticket",
    ],
)
def test_a_translated_turn_says_the_same(here: Path, name: str, to: str) -> None:
    source = STREAMS / f"{name}.sse"
    assert main(["fixture", "translate", str(source), "--dialect", to, "-o", "there"]) == 0
    assert load(here / "there.sse").dialect == to
    old, new = turn_of(source), turn_of(here / "there.sse")
    assert said(new) == said(old)
    pieces = [[piece.text for piece in call.fragments if piece.text] for call in old.calls]
    assert [[piece.text for piece in call.fragments if piece.text] for call in new.calls] == pieces


def test_a_document_goes_in_character_for_character(here: Path) -> None:
    text = '{ "a" : 1.0,\n\t"b": "\\u00e9 \\/ 🚀", "c": 123456789012345678901234567890 }'
    (here / "doc.json").write_text(text + "\n", "utf-8")
    for dialect in dialects.NAMES:
        assert (
            main(
                [
                    "fixture",
                    "from-json",
                    "doc.json",
                    "--name",
                    "pay",
                    "--dialect",
                    dialect,
                    "-o",
                    dialect,
                ]
            )
            == 0
        )
        (call,) = turn_of(here / f"{dialect}.sse").calls
        assert (call.name, call.text, str(call.state)) == ("pay", text, "final")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["from-json", "bad.json", "--name", "x", "--dialect", "anthropic"],
            "not what arguments are",
        ),
        (["from-json", "bad.json", "--dialect", "anthropic"], "--name is missing"),
        (["from-json", "absent.json", "--name", "x", "--dialect", "anthropic"], "cannot read"),
        (["from-json", "--dialect", "anthropic"], "nothing to write"),
        (["from-json", "--before", "x", "--upto", "3", "--dialect", "anthropic"], "needs a call"),
        (["refragment", "one.sse", "--size", "0"], "cannot be cut"),
        (["delay", "one.sse", "--before", "3"], "is no delay"),
        (["head", "one.sse", "--header", "x"], "is no header"),
        (["head", "one.sse", "--status", "7"], "is no status"),
        (["cut", "one.sse", "--event", "900"], "no event 900"),
        (["edit", "bad.txt", "--path", "a", "--json", "1"], "tells its dialect"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_written(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    (here / "bad.json").write_text("{'a': 1}", "utf-8")
    (here / "bad.txt").write_text("{'a': 1}", "utf-8")
    (here / "one.sse").write_bytes((STREAMS / "chat-whole-call.sse").read_bytes())
    assert main(["fixture", *words, "-o", "out"]) == 2
    assert problem in capsys.readouterr().err
    assert not (here / "out.sse").exists()


def test_what_exists_is_kept_unless_overwriting_is_asked_for(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["fixture", "from-json", "--call", "x", "--dialect", "openai-chat", "-o", "out"]
    assert [main(words), main(words), main([*words, "--overwrite"])] == [0, 2, 0]
    assert "exists already" in capsys.readouterr().err


def test_the_list_shows_every_event_and_no_terminal_sequence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fixture", "list", str(STREAMS / "chat-hostile-prose.sse")]) == 0
    assert main(["fixture", "list", str(STREAMS / "anthropic-broken-in-character.sse")]) == 0
    out = capsys.readouterr().out
    assert "TurnEnded" in out
    assert "behind the last whole event" in out
    assert out.isascii()
    assert "\x1b" not in out


def test_the_audit_finds_our_own_fixtures_complete(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fixture", "audit", str(STREAMS)]) == 0
    assert not re.search(r"(?m)^missing", capsys.readouterr().out)


def test_the_audit_names_what_is_missing_and_how_to_make_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "one.sse").write_bytes((STREAMS / "chat-whole-call.sse").read_bytes())
    assert main(["fixture", "audit", ".", "--only", "framing,calls.in-one-piece"]) == 1
    out = capsys.readouterr().out
    assert "missing  framing.bom" in out
    assert "verbatim fixture frame FILE --bom -o OUT" in out
    assert "present  calls.in-one-piece: one.sse" in out
    assert main(["fixture", "audit", ".", "--only", "calls.in-one-piece"]) == 0


def test_the_audit_speaks_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "one.sse").write_bytes((STREAMS / "chat-whole-call.sse").read_bytes())
    assert (
        main(["fixture", "audit", ".", "--json", "--only", "framing", "--ignore", "framing.cr"])
        == 1
    )
    report = json.loads(capsys.readouterr().out)
    assert report["fixtures"] == 1
    assert report["missing"] == [item["code"] for item in report["items"]]
    assert "framing.cr" not in report["missing"]
    assert set(report["items"][0]) == {"code", "catches", "present", "files", "make"}
