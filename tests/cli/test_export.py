"""`verbatim export`, `import` and `search` over a store on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.portable.conversations import make
from tui.cli import main


@pytest.fixture
async def conversation(home: Path) -> str:
    """The id of a conversation of three turns in this home's store."""
    store, id = await make(home / "data" / "verbatim.sqlite", prompt="Look at é")
    store.close()
    return id


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(arguments)
    return status, capsys.readouterr().out


def test_what_is_exported_as_json_can_be_imported_and_exported_again(
    conversation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.json"
    assert main(["export", conversation, "--as", "json", "-o", str(file)]) == 0
    assert file.stat().st_mode & 0o077 == 0
    status, printed = out_of(capsys, "import", str(file))
    assert status == 0
    _, again = out_of(capsys, "export", printed.strip(), "--as", "json")
    first, second = json.loads(file.read_text()), json.loads(again)
    for key in ("title", "tags", "model"):
        assert first[key] == second[key]
    assert [m["message"] for m in first["messages"]] == [m["message"] for m in second["messages"]]
    assert [r["result"] for r in first["results"]] == [r["result"] for r in second["results"]]
    assert main(["export", conversation, "--as", "json", "-o", str(file)]) == 2


def test_all_conversations_go_into_a_folder(conversation: str, tmp_path: Path) -> None:
    assert main(["export", "--all", "--as", "html", "-o", str(tmp_path / "pages")]) == 0
    assert [path.name for path in (tmp_path / "pages").iterdir()] == [f"{conversation}.html"]
    assert main(["export", "--all", "--as", "html"]) == 2


def test_an_exported_test_passes_where_it_is_run_and_fails_on_other_bytes(
    conversation: str, tmp_path: Path
) -> None:
    assert main(["export", conversation, "--as", "pytest", "--turn", "1", "-o", str(tmp_path)]) == 0
    (test,) = tmp_path.glob("test_*.py")
    (fixture,) = tmp_path.glob("*.sse")
    assert test.name == f"test_{fixture.stem}.py"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def run() -> int:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        print(done.stdout)
        return done.returncode

    assert run() == 0
    fixture.write_bytes(fixture.read_bytes().replace(b"Let me", b"Let us"))
    assert run() == 1


def test_recordings_of_every_turn_come_back_as_a_conversation(
    conversation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", conversation, "--as", "sse", "-o", str(tmp_path)]) == 0
    files = sorted(map(str, tmp_path.glob("*.sse")))
    assert len(files) == 3
    capsys.readouterr()
    status, id = out_of(capsys, "import", *files, "--title", "again")
    assert status == 0
    _, page = out_of(capsys, "export", id.strip())
    assert page.startswith("# again\n")
    assert "Let me look." in page
    assert "This turn is incomplete" in page
    assert main(["export", conversation, "--as", "sse", "--turn", "9", "-o", str(tmp_path)]) == 2


def test_search_finds_prose_arguments_and_results_where_they_stand(
    conversation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, kind, call in (
        ("Let me look", "prose", None),
        ("wrong", "arguments", "t1.c2"),
        ("ann@example.com", "result", "t1.c1"),
    ):
        status, printed = out_of(capsys, "search", text, "--in", kind, "--json")
        assert status == 0
        (hit,) = [json.loads(line) for line in printed.splitlines()]
        assert (hit["conversation"], hit["call"]) == (conversation, call)
    status, printed = out_of(capsys, "search", "example")
    assert "  result of t1.c1: " in printed
    assert "\x1b" not in printed
    assert main(["search", "absent-word"]) == 1
    assert main(["search", '""']) == 2


def test_without_a_store_nothing_is_made(home: Path) -> None:
    assert main(["search", "x"]) == 2
    assert not home.exists()


@pytest.mark.parametrize("text", ["{", "{}", '{"log": {"entries": []}}'])
def test_a_file_that_is_nothing_of_the_kind_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    assert main(["import", str(file)]) == 2


def test_an_exported_page_cannot_be_imported_and_is_named(
    conversation: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert main(["export", conversation, "--as", "markdown", "-o", str(page)]) == 0
    capsys.readouterr()
    assert main(["import", str(page)]) == 2
    told = capsys.readouterr().err
    assert f"{str(page)!r} is no event stream" in told
    assert "--dialect" not in told


def test_replay_without_the_screen_asks_for_no_more_turns_than_it_was_given(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ticket = Path(__file__).parents[2] / "screenshots" / "turns" / "ticket.sse"
    main(["replay", "--headless", str(ticket)])
    told = capsys.readouterr().err
    assert "create_ticket" in told
    assert "--max-turns" not in told
