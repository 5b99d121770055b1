"""The tools on offer: sources in, one name for each tool out.

A source (a file, a server, the built-in shop) owns its tools and may change them; the registry
keeps their names apart. A name once given belongs to that tool of that source for as long as
the registry lives, so that a call which waits for approval cannot come to mean another tool.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from tui.core.conversation import ToolSpec
from tui.core.errors import ToolError
from tui.tools.contract import Tool

MAX_NAME: Final = 64
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}", re.ASCII)
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]+", re.ASCII)


class ToolSource(Protocol):
    """Something that gives tools. `tools` may be read at any time and is empty until `open`."""

    @property
    def name(self) -> str:
        """A short word that can stand before a tool's name."""

    @property
    def origin(self) -> str: ...

    @property
    def tools(self) -> Sequence[Tool]: ...

    @property
    def problem(self) -> ToolError | None:
        """What went wrong with it since it was opened; None: nothing."""

    async def open(self, changed: Callable[[], None]) -> None:
        """Load or connect. `changed` is to be called, on the event loop, when `tools` or `problem`
        differs.

        Raises:
            ToolError: it gives no tools now, and why.
        """

    async def reload(self) -> None:
        """Read it again; when that fails the old tools stay.

        Raises:
            ToolError: why it cannot be read.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """A source that gives no tools, or a tool that cannot be offered."""

    origin: str
    error: ToolError


@dataclass(frozen=True, slots=True)
class Registered:
    """A tool under the name that the model knows."""

    tool: Tool
    spec: ToolSpec
    """The tool's own, with the name changed where it had to be."""
    rule_name: str
    """What approval rules call it. Which server is ready first must not decide which tool a kept
    rule means: those of servers carry the server's name, always."""

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def origin(self) -> str:
        return self.tool.origin


class Registry:
    """The tools by name. `async with Registry(sources)` opens and closes the sources."""

    def __init__(
        self, sources: Iterable[ToolSource] = (), *, changed: Callable[[], None] | None = None
    ) -> None:
        self._sources: list[ToolSource] = list(sources)
        self._watchers: list[Callable[[], None]] = []
        self._opening: dict[int, ToolSource] = {}
        self._given: dict[tuple[int, str], str] = {}
        self._taken: set[str] = set()
        self._by_name: dict[str, Registered] = {}
        self._source_problems: dict[int, Problem] = {}
        self._tool_problems: list[Problem] = []
        self.revision = 0
        """Grows with every change of what is on offer, of `opening` and of `problems`."""
        self._last_state: object = None
        self._collect()
        # From here on: what the sources give at once is not a change.
        if changed is not None:
            self.watch(changed)

    def watch(self, act: Callable[[], None]) -> Callable[[], None]:
        """Call `act`, on the event loop, after each change; returns what ends that."""
        self._watchers.append(act)

        def leave() -> None:
            if act in self._watchers:
                self._watchers.remove(act)

        return leave

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What cannot be offered or used now, for people."""
        later = (
            Problem(source.origin, source.problem)
            for index, source in enumerate(self._sources)
            if source.problem is not None and index not in self._source_problems
        )
        return (*self._source_problems.values(), *later, *self._tool_problems)

    @property
    def specs_by_name(self) -> Mapping[str, ToolSpec]:
        """What `core.finalise` checks calls against."""
        return {name: entry.spec for name, entry in self._by_name.items()}

    @property
    def sources(self) -> tuple[ToolSource, ...]:
        return tuple(self._sources)

    @property
    def opening(self) -> tuple[ToolSource, ...]:
        """Sources that are being opened or read again just now."""
        return tuple(self._opening.values())

    def problem_of(self, source: ToolSource) -> ToolError | None:
        """Why `source` gives no tools or its old ones; None: nothing is wrong with it."""
        for index, each in enumerate(self._sources):
            if each is source and index in self._source_problems:
                return self._source_problems[index].error
        return source.problem

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told, in the order of the sources."""
        return tuple(entry.spec for entry in self._by_name.values())

    def entries(self) -> tuple[Registered, ...]:
        return tuple(self._by_name.values())

    def get(self, name: str) -> Registered | None:
        return self._by_name.get(name)

    async def open(self) -> None:
        """Open all sources at the same time. One that fails is in `problems`; the others work.

        What is open is on offer at once, so this may run in the background.
        """
        await self._each(lambda source: source.open(self._collect))

    async def reload(self) -> None:
        """Read every source again. What fails keeps its old tools and is in `problems`."""
        await self._each(lambda source: source.reload())

    async def settled(self) -> None:
        """Return when nothing is being opened."""
        changed = asyncio.Event()
        leave = self.watch(changed.set)
        try:
            while self._opening:
                changed.clear()
                await changed.wait()
        finally:
            leave()

    async def restart(self, source: ToolSource) -> None:
        """Open one source anew: a file is read again, a server is ended and started."""
        await self._each(lambda each: each.open(self._collect), source)

    async def close(self) -> None:
        """Close all sources; never raises, so that the program can always end."""
        await asyncio.gather(*(source.close() for source in self._sources), return_exceptions=True)

    async def __aenter__(self) -> Registry:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _each(
        self, act: Callable[[ToolSource], Awaitable[None]], only: ToolSource | None = None
    ) -> None:
        async def one(index: int, source: ToolSource) -> None:
            try:
                await act(source)
            except ToolError as error:
                self._source_problems[index] = Problem(source.origin, error)
            else:
                self._source_problems.pop(index, None)
            finally:
                self._opening.pop(index, None)
                # At once: a server that takes its time keeps nobody else's tools away.
                self._collect()

        chosen = {
            index: source
            for index, source in enumerate(self._sources)
            # What is being opened is not opened a second time meanwhile.
            if (only is None or source is only) and index not in self._opening
        }
        self._opening |= chosen
        self._collect()
        await asyncio.gather(*(one(index, source) for index, source in chosen.items()))

    def _collect(self) -> None:
        found: dict[str, Registered] = {}
        self._tool_problems = []
        for index, source in enumerate(self._sources):
            seen: set[str] = set()
            for tool in source.tools:
                own_name = tool.spec.name
                if own_name in seen:
                    error = ToolError(
                        f"{source.origin} offers two tools named {own_name!r}; the first is used",
                        hint="Give one of them another name.",
                    )
                    self._tool_problems.append(Problem(source.origin, error))
                    continue
                seen.add(own_name)
                name = self._name_for(index, source, own_name)
                spec = tool.spec if name == own_name else replace(tool.spec, name=name)
                rule_name = name if tool.trusted else fitting_name(f"{source.name}__{own_name}")
                found[name] = Registered(tool, spec, rule_name)
        self._by_name = found
        problems = [str(problem.error) for problem in self.problems]
        state = (self.specs_by_name, problems, list(self._opening))
        if state != self._last_state:
            self._last_state = state
            self.revision += 1
            for act in tuple(self._watchers):
                act()

    def _name_for(self, index: int, source: ToolSource, own_name: str) -> str:
        given = self._given.get((index, own_name))
        if given is not None:
            return given
        name = fitting_name(own_name)
        if name in self._taken:
            name = fitting_name(f"{source.name}__{own_name}")
        number = 2
        while name in self._taken:
            name = fitting_name(f"{source.name}__{number}__{own_name}")
            number += 1
        self._given[index, own_name] = name
        self._taken.add(name)
        return name


def is_fitting(name: str) -> bool:
    """Every provider takes this as a tool's name."""
    return _NAME.fullmatch(name) is not None


def fitting_name(name: str) -> str:
    """A name every provider takes: `[a-zA-Z0-9_-]`, 1 to 64 characters, still telling.

    A name that had to be changed ends in four digits of its hash where it would otherwise be
    cut or empty, so that two long names stay two.
    """
    if is_fitting(name):
        return name
    cleaned = _UNFIT.sub("_", name).strip("_")
    if cleaned and len(cleaned) <= MAX_NAME:
        return cleaned
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return f"{(cleaned or 'tool')[: MAX_NAME - 5]}_{mark}"


class FixedSource:
    """A source whose tools never change: the built-in ones, and tools made in a test."""

    def __init__(self, name: str, origin: str, tools: Iterable[Tool]) -> None:
        self.name = name
        self.origin = origin
        self.tools: Sequence[Tool] = tuple(tools)
        self.problem: ToolError | None = None

    async def open(self, changed: Callable[[], None]) -> None:
        return None

    async def reload(self) -> None:
        return None

    async def close(self) -> None:
        return None
