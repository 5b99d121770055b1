"""What a tool is: a spec for the model, an origin for people, and a way to run a final call.

`run` takes a `FinalCall`, which only `core.finalise` makes, so a tool cannot be handed arguments
that are still forming. It returns content; it may raise anything (the dispatcher makes an error
result of it). Cancellation is asyncio's.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tui.core.conversation import ResultContent, TextContent, ToolSpec
from tui.core.finalise import FinalCall

ProgressSink = Callable[[str, float | None], None]
"""Told the text, and how much is done from 0 to 1 where that is known. On the event loop."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gave back, whole. `is_error`: it says itself that it did not do what was asked."""

    content: tuple[ResultContent, ...]
    is_error: bool = False

    @classmethod
    def error(cls, message: str) -> ToolOutcome:
        """An error in words that the model can act on."""
        return cls((TextContent(message),), is_error=True)


class RunContext:
    """One run, as the tool sees it. Every method may be called from any thread.

    A Python function gets it by having a parameter annotated `RunContext`; the model does not
    see that parameter.
    """

    def __init__(self, ref: str, sink: ProgressSink | None = None) -> None:
        self.ref = ref
        """`CallPart.ref` of the call."""
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._over = False
        self.left_running = ""
        """What could not be stopped when the run was cancelled, in words; empty when nothing."""

    @property
    def cancelled(self) -> bool:
        """The run was cancelled or timed out. For loops in threads, which nothing can interrupt."""
        return self._stopped.is_set()

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Report how far it is; `fraction` from 0 to 1. Ignored once the run is over."""
        if self._sink is None or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._report, text, fraction)

    def stop(self) -> None:
        """The dispatcher has given up on this run."""
        self._stopped.set()

    def finish(self) -> None:
        """The run is over: later reports go nowhere."""
        self._over = True

    def _report(self, text: str, fraction: float | None) -> None:
        if self._sink is not None and not self._over:
            self._sink(text, None if fraction is None else min(1.0, max(0.0, fraction)))


class Tool(Protocol):
    """Anything that can be offered to a model."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def origin(self) -> str:
        """Where it lives, for people: `demo shop`, `my_tools.py`, `MCP server files`."""

    @property
    def trusted(self) -> bool:
        """`spec.read_only` is our own word or the user's, not the claim of a foreign server."""

    @property
    def answered_by_hand(self) -> bool:
        """A person answers instead of the tool; `run` is never called then."""

    @property
    def timeout(self) -> float | None:
        """Seconds after which it is given up; None: the dispatcher's default."""

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome: ...


Handler = Callable[[Mapping[str, Any], RunContext], Awaitable[ToolOutcome]]


@dataclass(frozen=True, slots=True)
class HandlerTool:
    """A tool of ours: a spec written by hand and an async function of the parsed arguments."""

    spec: ToolSpec
    origin: str
    handler: Handler
    timeout: float | None = None
    trusted: bool = True
    answered_by_hand: bool = False

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        arguments = call.arguments
        if isinstance(arguments, str):
            return ToolOutcome.error(f"{self.spec.name} takes a JSON object, not free text")
        return await self.handler(arguments, context)
