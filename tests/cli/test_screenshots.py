"""The pictures of the documentation: drawn twice, a scene is the same to the byte."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tui.cli.drawing import Scene, SceneTime, draw
from tui.cli.screenshots import SCENES, main

FOLDER = Path(__file__).parents[2] / "screenshots"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scene sets NO_COLOR or takes it away: put back what was there."""
    monkeypatch.setenv("NO_COLOR", os.environ.get("NO_COLOR", ""))


def words(picture: str) -> str:
    """The text of a picture."""
    return " ".join(re.findall(r"<text [^>]*>([^<]*)</text>", picture)).replace("&#160;", " ")


def scene(name: str) -> Scene:
    return next(each for each in SCENES if each.name == name)


async def test_a_scene_is_drawn_the_same_twice_with_the_recorded_times_alone() -> None:
    first = await draw(scene("forming-80x24"), FOLDER)
    assert await draw(scene("forming-80x24"), FOLDER) == first
    assert "forming" in words(first)


async def test_a_killed_run_is_drawn_as_it_is_found_again() -> None:
    assert "unknown" in words(await draw(scene("unknown"), FOLDER))


async def test_the_clock_of_a_scene_stands_where_the_stream_is_held() -> None:
    time = SceneTime(2)
    time.begun.set()
    began = time()
    await time.wait(0.5)
    await time.wait(0.25)
    assert (time() - began, time.left) == (0.75, 0)


def test_a_picture_that_is_missing_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "turns").symlink_to(FOLDER / "turns")
    assert main(["--check", "--folder", str(tmp_path), "forming-80x24"]) == 1
    assert "is drawn otherwise" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["turns"]
    assert main(["nonsense"]) == 2
