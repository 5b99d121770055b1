"""A store of its own for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.making import Troubles
from tui.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made; nothing is there yet."""
    return tmp_path / "data" / "verbatim.db"


@pytest.fixture
def troubles() -> Troubles:
    return Troubles()


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, path: Path, troubles: Troubles) -> Iterator[Store]:
    """An empty store, once in a file and once in memory; it must not have met trouble."""
    opened = (
        Store.open(path, on_trouble=troubles)
        if request.param == "file"
        else Store.memory(on_trouble=troubles)
    )
    with opened as store:
        yield store
    assert troubles.heard == []
