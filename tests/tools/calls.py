"""Final calls and tools for tests: calls through the real `finalise`, tools from a function."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tui.core.conversation import TextContent, ToolSpec
from tui.core.finalise import FinalCall, finalise
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.registry import FixedSource, Registry


def final_call(
    name: str,
    arguments: Any = None,
    *,
    ref: str = "t1.c1",
    tools: Mapping[str, ToolSpec] | None = None,
) -> FinalCall:
    """A final call; with `tools` its arguments are checked against the schema as in production."""
    raw = json.dumps({} if arguments is None else arguments)
    call = finalise(ref=ref, id="call_1", name=name, raw=raw, kind="function", tools=tools)
    assert isinstance(call, FinalCall), call
    return call


def acting(
    act: Callable[[RunContext], Awaitable[Any]],
    name: str = "act",
    *,
    timeout: float | None = None,
) -> HandlerTool:
    """A tool without arguments that does `act`; what that returns is content, or made text."""

    async def handler(_: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        value = await act(context)
        return value if isinstance(value, ToolOutcome) else ToolOutcome((TextContent(str(value)),))

    spec = ToolSpec(name, "Acts.", {"type": "object", "properties": {}})
    return HandlerTool(spec, "tests", handler, timeout)


def registry_of(*tools: Any) -> Registry:
    return Registry([FixedSource("tests", "tests", tools)])


def dispatcher_of(*tools: Any, **options: Any) -> Dispatcher:
    return Dispatcher(registry_of(*tools), **options)


async def run_alone(
    act: Callable[[RunContext], Awaitable[Any]], *, timeout: float | None = None, **options: Any
) -> Outcome:
    """Dispatch one call of a tool that does `act`."""
    return await dispatcher_of(acting(act, timeout=timeout), **options).run(final_call("act"))


async def until(condition: Callable[[], bool]) -> None:
    """Let the other tasks move until `condition()`; fails instead of waiting for ever."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("what was waited for never came")
