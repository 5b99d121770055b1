"""An address is opened outside the terminal or not at all."""

from __future__ import annotations

import asyncio
import os
import time
import webbrowser
from pathlib import Path

import pytest

from tests.app.chatting import chatting, workspace
from tui.app.browser import open_address

ADDRESS = "https://login.example/?a=1&b=2"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder with programs, on a machine without a desktop."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(webbrowser, "_browsers", {})
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    return folder


def program(folder: Path, name: str) -> Path:
    """A browser that writes down what it was asked to open. Its output is beside it."""
    path, seen = folder / name, folder / f"{name}.seen"
    # Made elsewhere and moved, so that whoever sees the file sees all of it.
    path.write_text(f'#!/bin/sh\necho "$1" > "{seen}.new"; /bin/mv "{seen}.new" "{seen}"\n')
    path.chmod(0o755)
    return seen


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="only there are browsers found on the path")
@pytest.mark.parametrize("name", ["www-browser", "links", "elinks", "lynx", "w3m"])
def test_browser_that_would_take_the_terminal_is_not_run(programs: Path, name: str) -> None:
    seen = program(programs, name)
    assert webbrowser.get() is not None
    assert not open_address(ADDRESS)
    assert not seen.exists()


@pytest.mark.skipif(os.name != "posix", reason="only there are browsers found on the path")
def test_text_browser_named_in_the_environment_is_not_run_either(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = program(programs, "w3m")
    monkeypatch.setenv("BROWSER", f"{programs / 'w3m'} %s")
    assert not open_address(ADDRESS)
    assert not seen.exists()


@pytest.mark.skipif(os.name != "posix", reason="only there are browsers found on the path")
def test_without_any_browser_nothing_is_opened(programs: Path) -> None:
    assert not open_address(ADDRESS)


@pytest.mark.skipif(os.name != "posix", reason="only there are browsers found on the path")
async def test_browser_named_in_the_environment_opens_it(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = program(programs, "helper.sh")
    monkeypatch.setenv("BROWSER", f"{programs / 'helper.sh'} %s")
    assert open_address(ADDRESS)
    await asyncio.to_thread(wait_for, seen)
    assert seen.read_text() == f"{ADDRESS}\n"


@pytest.mark.skipif(os.name != "posix", reason="only there are browsers found on the path")
async def test_address_that_nothing_opens_is_handed_to_the_person(
    programs: Path, tmp_path: Path
) -> None:
    seen = program(programs, "w3m")
    async with chatting(workspace(tmp_path)) as chat:
        chat.app.open_url(ADDRESS)
        await chat.until(
            lambda: any(ADDRESS in told.message for told in chat.app._notifications), "the address"
        )
        assert chat.app.clipboard == ADDRESS
    assert not seen.exists()
