"""How a run ended, in words: for the model a message it can act on, for people the traceback.

Comes in what a tool returned or raised, or that it was stopped; goes out a state, an outcome and
a traceback. Nothing a tool raises, not even an exception without words, raises here.
"""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass
from typing import Final, Literal

from tui.core.states import CallState
from tui.tools.contract import RunContext, ToolOutcome

EndState = Literal[CallState.RETURNED, CallState.FAILED, CallState.TIMED_OUT, CallState.CANCELLED]
_MAX_MESSAGE: Final = 4_000
"""Characters of an exception's own words that the model is sent."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What a tool raised."""

    message: str
    traceback: str

    @classmethod
    def by(cls, error: BaseException) -> Raised:
        return cls(_message(error), _trace(error))


def how_it_ended(work: asyncio.Task[ToolOutcome | Raised]) -> tuple[EndState, ToolOutcome, str]:
    if work.cancelled():
        words = "The tool failed: it cancelled itself. Nobody else asked for it."
        return CallState.FAILED, ToolOutcome.error(words), ""
    match work.result():
        case Raised(message, trace):
            return CallState.FAILED, ToolOutcome.error(message), trace
        case ToolOutcome() as outcome:
            return CallState.FAILED if outcome.is_error else CallState.RETURNED, outcome, ""


def given_up(
    timeout: float | None, context: RunContext, work: asyncio.Task[ToolOutcome | Raised]
) -> tuple[EndState, ToolOutcome, str]:
    """How a run ends that was stopped, by its `timeout` or (None) by a person."""
    state: EndState
    if timeout is not None:
        state = CallState.TIMED_OUT
        words = f"The call timed out: no result after {timeout:g} seconds."
    else:
        state = CallState.CANCELLED
        words = "The call was cancelled by the user while it ran."
    words += " What it did until then is not undone."
    if context.left_running:
        words += f" Note: {context.left_running}."
    trace = ""
    if work.done() and not work.cancelled():
        # It raised something of its own while it was being cancelled: keep that for people.
        said = work.result()
        trace = said.traceback if isinstance(said, Raised) else ""
    return state, ToolOutcome.error(words), trace


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"The tool failed: it tried to end the program (exit {error.code!r})."
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an exception whose __str__ raises is still only a failed tool
        words = "(its message cannot be read)"
    if len(words) > _MAX_MESSAGE:
        words = f"{words[:_MAX_MESSAGE]} [and {len(words) - _MAX_MESSAGE:,} more characters]"
    name = type(error).__name__
    return f"The tool failed: {name}: {words}" if words else f"The tool failed: {name}"


def _trace(error: BaseException) -> str:
    """The traceback without our own frames at its top: it begins where the tool's code does."""
    frame = error.__traceback__
    while (
        frame is not None
        and frame.tb_next is not None
        and frame.tb_frame.f_globals.get("__name__", "").startswith("tui.tools.")
    ):
        frame = frame.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, frame))
    except Exception as problem:  # noqa: BLE001 - the same __str__ that raises
        return f"{type(error).__name__} (its traceback cannot be written: {type(problem).__name__})"
