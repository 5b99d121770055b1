"""Names: each tool has one, each name has one tool, and it keeps it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.calls import acting, until
from tui.core.errors import ToolError
from tui.tools.contract import HandlerTool, RunContext
from tui.tools.registry import FixedSource, Registry, fitting_name


async def _nothing(_: RunContext) -> str:
    return ""


def _tool(name: str) -> HandlerTool:
    return acting(_nothing, name)


class ChangingSource(FixedSource):
    """A source whose tools a test sets."""

    def __init__(self, name: str, *tools: Any) -> None:
        super().__init__(name, name, tools)
        self.failure: ToolError | None = None
        self.changed: Callable[[], None] | None = None

    async def open(self, changed: Callable[[], None]) -> None:
        self.changed = changed
        if self.failure:
            raise self.failure

    async def reload(self) -> None:
        if self.failure:
            raise self.failure


def test_two_sources_with_one_name_are_kept_apart() -> None:
    first, second = _tool("read"), _tool("read")
    registry = Registry([FixedSource("files", "a", [first]), FixedSource("notes", "b", [second])])

    assert [spec.name for spec in registry.specs()] == ["read", "notes__read"]
    assert registry.get("read").tool is first  # type: ignore[union-attr]
    assert registry.get("notes__read").tool is second  # type: ignore[union-attr]
    assert set(registry.specs_by_name) == {"read", "notes__read"}


def test_sources_with_the_same_name_get_numbers() -> None:
    sources = [FixedSource("files", "files", [_tool("read")]) for _ in range(4)]
    assert list(Registry(sources).specs_by_name) == [
        "read",
        "files__read",
        "files__2__read",
        "files__3__read",
    ]


async def test_a_name_never_passes_to_another_tool() -> None:
    second = _tool("read")
    first_source = ChangingSource("one", _tool("read"))
    registry = Registry([first_source, ChangingSource("two", second)])
    await registry.open()

    first_source.tools = ()
    assert first_source.changed is not None
    first_source.changed()

    # A call of `read` that waits for approval must not reach the other source's tool.
    assert registry.get("read") is None
    assert registry.get("two__read").tool is second  # type: ignore[union-attr]
    first_source.tools = (_tool("read"),)
    first_source.changed()
    assert registry.get("read").origin == "tests"  # type: ignore[union-attr]


async def test_a_source_that_fails_is_reported_and_the_others_work() -> None:
    broken = ChangingSource("broken")
    broken.failure = ToolError("it is broken", hint="Mend it.")
    async with Registry([broken, FixedSource("good", "good", [_tool("read")])]) as registry:
        assert list(registry.specs_by_name) == ["read"]
        assert [(p.origin, str(p.error)) for p in registry.problems] == [("broken", "it is broken")]
        broken.failure = None
        await registry.reload()
        assert registry.problems == ()


async def test_what_is_open_is_on_offer_while_a_slow_source_still_opens() -> None:
    release = asyncio.Event()

    class Slow(ChangingSource):
        async def open(self, changed: Callable[[], None]) -> None:
            await release.wait()
            self.tools = (_tool("late"),)

    fast = ChangingSource("fast")
    registry = Registry([Slow("slow"), fast])
    fast.tools = (_tool("early"),)
    opening = asyncio.create_task(registry.open())
    await until(lambda: "early" in registry.specs_by_name)
    assert not opening.done()
    release.set()
    await opening
    assert set(registry.specs_by_name) == {"early", "late"}


async def test_a_change_is_told_once_and_only_when_something_differs() -> None:
    told: list[int] = []
    source = ChangingSource("one", _tool("read"))
    registry = Registry([source], changed=lambda: told.append(registry.revision))
    await registry.open()
    revision = registry.revision
    assert source.changed is not None
    told.clear()
    source.changed()
    assert told == []
    source.tools = (_tool("read"), _tool("write"))
    source.changed()
    assert told == [revision + 1]


def test_two_tools_of_one_name_in_one_source_are_reported() -> None:
    first = _tool("read")
    registry = Registry([FixedSource("files", "files", [first, _tool("read")])])
    assert registry.get("read").tool is first  # type: ignore[union-attr]
    assert "two tools named 'read'" in str(registry.problems[0].error)


@pytest.mark.parametrize(
    ("name", "fitting"),
    [("read", "read"), ("files.read/all", "files_read_all"), ("a" * 64, "a" * 64), ("-x-", "-x-")],
)
def test_a_name_is_changed_only_as_far_as_providers_demand(name: str, fitting: str) -> None:
    assert fitting_name(name) == fitting


def test_two_long_names_stay_two() -> None:
    assert fitting_name("a" * 70) != fitting_name("a" * 71)


@given(st.text())
def test_every_text_makes_a_fitting_name(name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", fitting_name(name), re.ASCII)
