"""The file tools see one folder and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import final_call
from tui.core.conversation import ImageContent
from tui.core.errors import ToolError
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.files import files
from tui.tools.registry import Registry

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "today.md").write_text("Bread\nmilk\nZürich\n", encoding="utf-8")
    (root / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    (root / "image.bin").write_bytes(PNG)
    (root / "data.bin").write_bytes(b"\x7fELF\0\0milk")
    (tmp_path / "secret.txt").write_text("the secret milk")
    (tmp_path / "root-sibling").mkdir()
    (tmp_path / "root-sibling" / "x.txt").write_text("milk")
    return root


async def _run(root: Path, name: str, arguments: Any = None) -> Outcome:
    registry = Registry([files(root)])
    call = final_call(name, arguments or {}, tools=registry.specs_by_name)
    return await Dispatcher(registry).run(call)


async def test_a_folder_is_listed_folders_first(root: Path) -> None:
    outcome = await _run(root, "list_files")
    assert outcome.result.text.splitlines() == [
        "notes/",
        "data.bin (10 bytes)",
        "image.bin (16 bytes)",
        f"long.txt ({(root / 'long.txt').stat().st_size:,} bytes)",
    ]


async def test_lines_are_counted_from_one_and_the_range_is_named(root: Path) -> None:
    arguments = {"path": "long.txt", "first_line": 4999}
    assert (await _run(root, "read_file", arguments)).result.text == (
        "line 4999\nline 5000\n[lines 4999 to 5000 of 5000]"
    )
    whole = (await _run(root, "read_file", {"path": "long.txt"})).result.text
    assert whole.endswith("line 2000\n[lines 1 to 2000 of 5000]")
    beyond = await _run(root, "read_file", {"path": "long.txt", "first_line": 9000})
    assert beyond.result.is_error
    assert "only 5000 lines" in beyond.result.text


async def test_an_image_is_an_image_whatever_its_name(root: Path) -> None:
    outcome = await _run(root, "read_file", {"path": "image.bin"})
    assert outcome.result.content == (ImageContent("image/png", PNG),)


async def test_a_search_finds_lines_of_text_files_only(root: Path) -> None:
    assert (await _run(root, "search_files", {"text": "MILK"})).result.text == (
        "notes/today.md:2: milk"
    )
    nothing = await _run(root, "search_files", {"text": "milk", "name_pattern": "*.txt"})
    assert nothing.result.text == "[no line contains 'milk']"


async def test_a_search_that_finds_too_much_says_so(root: Path) -> None:
    text = (await _run(root, "search_files", {"text": "line"})).result.text
    assert len(text.splitlines()) == 201
    assert text.endswith("[more hits not shown; search for something rarer]")


@pytest.mark.parametrize("name", ["read_file", "list_files", "search_files"])
@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "notes/../../secret.txt", "{outside}/secret.txt", "link", "../root-sibling",
     "folder_link/secret.txt", "..", "/", "loop", "nul\0"],
)  # fmt: skip
async def test_nothing_outside_the_folder_can_be_reached(root: Path, name: str, path: str) -> None:
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder_link").symlink_to(root.parent)
    (root / "loop").symlink_to(root / "loop")
    arguments = {"path": path.format(outside=root.parent)}
    if name == "search_files":
        arguments["text"] = "milk"
    outcome = await _run(root, name, arguments)
    assert outcome.result.is_error
    assert "secret milk" not in outcome.result.text


async def test_links_to_outside_are_neither_searched_nor_described(root: Path) -> None:
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder_link").symlink_to(root.parent)
    found = await _run(root, "search_files", {"text": "milk"})
    assert found.result.text == "notes/today.md:2: milk"
    listed = (await _run(root, "list_files")).result.text
    assert "link (link to outside the folder)" in listed


async def test_links_inside_the_folder_work(root: Path) -> None:
    (root / "today").symlink_to(root / "notes" / "today.md")
    assert "Bread" in (await _run(root, "read_file", {"path": "today"})).result.text


async def test_the_root_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    outcome = await _run(tmp_path / "alias", "read_file", {"path": "notes/today.md"})
    assert "Bread" in outcome.result.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("absent", "There is no 'absent'"),
        ("notes", "'notes' is a folder"),
        ("data.bin", "'data.bin' is not text"),
        ("pipe", "'pipe' is not a plain file"),
        ("sparse", "the limit is"),
    ],
)
async def test_what_cannot_be_read_is_an_error_with_a_reason(
    root: Path, path: str, words: str
) -> None:
    os.mkfifo(root / "pipe")
    with (root / "sparse").open("wb") as file:
        file.truncate(50_000_000)
    outcome = await _run(root, "read_file", {"path": path})
    assert outcome.result.is_error
    assert words in outcome.result.text


def test_the_folder_must_be_one(root: Path) -> None:
    with pytest.raises(ToolError, match="is not a folder"):
        files(root / "long.txt")
