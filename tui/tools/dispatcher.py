"""The dispatcher runs final calls, and nothing else: one call in, its one result out.

It owns the limit on calls that run at the same time, timeouts, cancellation, what is done with
output that is too long, and the translation of whatever a tool raises. Whether a call may run
(policy, approval, the ledger of what has been dispatched) was decided before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from tui.core.conversation import CallResult, ResultContent, TextContent
from tui.core.errors import ProtocolViolation
from tui.core.finalise import FinalCall
from tui.core.states import CallState
from tui.tools.contract import ProgressSink, RunContext, Tool, ToolOutcome
from tui.tools.endings import EndState, Raised, given_up, how_it_ended
from tui.tools.limits import OutputLimits, within
from tui.tools.printed import Printed, captured
from tui.tools.registry import Registry

DEFAULT_TIMEOUT: Final = 120.0
"""Seconds."""
_LAST_GRACE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run ended. `result` goes to the model; the rest is for people."""

    result: CallResult
    state: EndState
    """FAILED exactly when the tool raised or said itself that its result is an error."""
    full_content: tuple[ResultContent, ...]
    """All the tool gave back; `result.content` is this, cut to the limits."""
    cut: bool
    traceback: str
    """Of what the tool raised, from the tool's own frames on; never sent to the model."""
    printed: str
    """What it wrote to standard output and error."""
    started_at: float
    """Seconds since the epoch; when it was started, after any waiting for its turn."""
    seconds: float
    """How long it ran."""


class Dispatcher:
    """Runs final calls of the tools in a registry.

    Args:
        limit: calls that run at the same time; further ones wait for their turn.
        default_timeout: seconds, for tools that do not name their own.
        grace: seconds a cancelled tool may take to clean up before it is left behind.
        clock, timer: seconds since the epoch; seconds that never run backwards.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        limit: int = 4,
        default_timeout: float = DEFAULT_TIMEOUT,
        grace: float = 2.0,
        limits: OutputLimits | None = None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._places = asyncio.Semaphore(limit)
        self._default_timeout = default_timeout
        self._grace = grace
        self._limits = limits or OutputLimits()
        self._clock = clock
        self._timer = timer
        self._stops: dict[str, asyncio.Future[None]] = {}

    @property
    def in_progress(self) -> frozenset[str]:
        """References of the calls that run or wait for their turn."""
        return frozenset(self._stops)

    def cancel(self, ref: str) -> bool:
        """Cancel one call; its `run` then returns CANCELLED. False: it is not in progress."""
        stop = self._stops.get(ref)
        if stop is None or stop.done():
            return False
        stop.set_result(None)
        return True

    async def run(
        self,
        call: FinalCall,
        *,
        progress: ProgressSink | None = None,
        started: Callable[[], None] | None = None,
    ) -> Outcome:
        """Run `call` once and say how it ended. Whatever the tool does, this returns.

        Cancelling the task that awaits this cancels the tool too, and raises `CancelledError`
        once the tool is out of the way; `cancel(ref)` gives an outcome instead.

        Args:
            progress: told how far the tool is.
            started: called when it has its turn, right before the tool is entered.

        Raises:
            ProtocolViolation: this is no final call, or this very call is in progress.
        """
        if not isinstance(call, FinalCall):
            raise ProtocolViolation(f"only a final call can be dispatched, not {call!r:.200}")
        if call.ref in self._stops:
            raise ProtocolViolation(f"the call {call.ref} is in progress already")
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stops[call.ref] = stop
        try:
            if not await self._place(stop):
                return self._unrun(call, CallState.CANCELLED, "cancelled before it was started")
            try:
                entry = self._registry.get(call.name)
                if entry is None:
                    words = f"there is no tool named {call.name!r} any more"
                    return self._unrun(call, CallState.FAILED, words)
                if started is not None:
                    started()
                return await self._run(entry.tool, call, stop, progress)
            finally:
                self._places.release()
        finally:
            del self._stops[call.ref]

    async def _place(self, stop: asyncio.Future[None]) -> bool:
        """Wait for a turn; False when the call was cancelled first."""
        if not self._places.locked():
            await self._places.acquire()
            return True
        place = asyncio.ensure_future(self._places.acquire())
        try:
            await _first(place, stop)
        except asyncio.CancelledError:
            self._give_up(place)
            raise
        if stop.done():
            self._give_up(place)
            return False
        return True

    def _give_up(self, place: asyncio.Future[Literal[True]]) -> None:
        if place.done() and not place.cancelled():
            self._places.release()
        place.cancel()

    async def _run(
        self,
        tool: Tool,
        call: FinalCall,
        stop: asyncio.Future[None],
        progress: ProgressSink | None,
    ) -> Outcome:
        context = RunContext(call.ref, progress)
        printed = Printed()
        timeout = tool.timeout if tool.timeout is not None else self._default_timeout
        started_at, began = self._clock(), self._timer()
        work = asyncio.create_task(_guarded(tool, call, context, printed), name=f"tool {call.ref}")
        try:
            await _first(work, stop, timeout=timeout)
            if not work.done():
                await self._stop(work, context)
                ended = given_up(None if stop.done() else timeout, context, work)
            else:
                ended = how_it_ended(work)
        except asyncio.CancelledError:
            await self._stop(work, context)
            raise
        finally:
            context.finish()
        state, outcome, trace = ended
        content, cut = within(outcome.content, self._limits)
        return Outcome(
            result=CallResult(call.ref, content, is_error=outcome.is_error),
            state=state,
            full_content=outcome.content,
            cut=cut,
            traceback=trace,
            printed=printed.text,
            started_at=started_at,
            seconds=self._timer() - began,
        )

    async def _stop(self, work: asyncio.Task[ToolOutcome | Raised], context: RunContext) -> None:
        context.stop()
        work.cancel()
        await asyncio.wait({work}, timeout=self._grace)
        if not work.done():
            # A second time: whoever waits for something that does not end gives up waiting.
            work.cancel()
            await asyncio.wait({work}, timeout=_LAST_GRACE)
        if not work.done():
            context.left_running = "it does not react to being cancelled and may still be running"
            # Asked once more when it ends, so that asyncio does not report it as forgotten.
            work.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _unrun(self, call: FinalCall, state: EndState, words: str) -> Outcome:
        content = (TextContent(f"The call was not run: {words}."),)
        result = CallResult(call.ref, content, is_error=True, origin="client")
        return Outcome(result, state, content, False, "", "", self._clock(), 0.0)


async def _first(
    one: asyncio.Future[Any], other: asyncio.Future[None], *, timeout: float | None = None
) -> None:
    """Wait until one of them is done, `timeout` seconds at most. Neither is cancelled."""
    waited: set[asyncio.Future[Any]] = {one, other}
    await asyncio.wait(waited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


async def _guarded(
    tool: Tool, call: FinalCall, context: RunContext, printed: Printed
) -> ToolOutcome | Raised:
    with captured(printed):
        try:
            return await tool.run(call, context)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - sys.exit in a tool must not end the program
            return Raised.by(error)
