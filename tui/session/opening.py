"""Opening the tools while the conversation is there already, and telling how it goes.

A server may take half a minute to start; nobody waits for it who does not need it. What is
local is waited for, shortly, so that the first prompt finds its tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from tui.session.updates import Notice
from tui.tools.mcp.source import McpServer
from tui.tools.registry import Registry, ToolSource

HEAD_START: Final = 2.0
"""Seconds that local tools (files, functions) may take before the first screen."""
PATIENCE: Final = 45.0
"""Seconds that a program without a screen waits for all tools."""
_SOON: Final = 1.0
"""Seconds of waiting about which nothing is said."""


class Opening:
    """Opens one registry, in a task of its own."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._task: asyncio.Task[None] | None = None
        self._leave: Callable[[], None] = lambda: None
        self._tell: Callable[[Notice], None] | None = None
        self._connecting: tuple[ToolSource, ...] = ()
        """Those that somebody has been told about."""
        self._problems: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Start; needs a running event loop."""
        self._leave = self._registry.watch(self._look)
        self._task = asyncio.create_task(self._registry.open(), name="open the tools")

    async def local(self, patience: float = HEAD_START) -> None:
        """Wait for what needs no server, `patience` seconds at most."""
        await self._until(lambda: all(map(_is_server, self._registry.opening)), patience)

    async def all(
        self,
        patience: float = PATIENCE,
        waiting: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        """Wait for everything, `patience` seconds at most.

        Args:
            waiting: told the origins that are waited for, when it takes more than a moment.
        """
        soon = min(_SOON, patience)
        await self._until(lambda: not self._registry.opening, soon)
        if self._registry.opening:
            if waiting is not None:
                waiting([source.origin for source in self._registry.opening])
            await self._until(lambda: not self._registry.opening, patience - soon)

    def tell(self, tell: Callable[[Notice], None]) -> None:
        """Say to `tell` how things stand, and from now on what changes."""
        self._tell = tell
        self._connecting, self._problems = (), frozenset()
        self._look()
        if opening := self._registry.opening:
            names = ", ".join(source.origin for source in opening)
            words = f"Still connecting: {names}. What they offer comes as soon as they are ready."
            tell(Notice(words))
            self._connecting = opening

    async def stop(self) -> None:
        """Give up what is still being opened."""
        self._leave()
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    def _look(self) -> None:
        if self._tell is None:
            return
        registry = self._registry
        for source in self._connecting:
            if source not in registry.opening and registry.problem_of(source) is None:
                count = len(source.tools)
                tools = "1 tool" if count == 1 else f"{count} tools"
                self._tell(Notice(f"{source.origin} is connected: {tools}."))
        self._connecting = tuple(each for each in self._connecting if each in registry.opening)
        problems = [f"{each.error}\n{each.error.hint}".strip() for each in registry.problems]
        for words in problems:
            if words not in self._problems:
                self._tell(Notice(words, "warning"))
        self._problems = frozenset(problems)

    async def _until(self, condition: Callable[[], bool], patience: float) -> None:
        if self._task is None:
            return
        changed = asyncio.Event()

        def note(*_: object) -> None:
            changed.set()

        leave = self._registry.watch(note)
        self._task.add_done_callback(note)
        try:
            async with asyncio.timeout(patience):
                # The task has to have begun: until then nothing is opening yet.
                await asyncio.sleep(0)
                while not self._task.done() and not condition():
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            return
        finally:
            leave()
            self._task.remove_done_callback(note)


def _is_server(source: ToolSource) -> bool:
    return isinstance(source, McpServer)
