"""What the session tells its screens: one frozen value for each thing that happened.

The loop yields these in order; a screen never asks the loop for anything but through the
handles they carry (`Approval.decide`). Text in them is as received: the screen cleans it.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tui.core.conversation import AssistantMessage, CallResult, UserMessage
from tui.core.errors import VerbatimError
from tui.core.finalise import FinalCall
from tui.core.reader import Step
from tui.core.states import CallState
from tui.core.turn import Turn


class Arrivals:
    """When the bytes of one response came: chunk ends against seconds since the request was sent."""

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._times: list[float] = []

    def add(self, size: int, at: float) -> None:
        """Note a chunk of `size` bytes that arrived `at` seconds after the request was sent."""
        self._ends.append((self._ends[-1] if self._ends else 0) + size)
        self._times.append(at)

    def time_of(self, end: int) -> float | None:
        """Seconds at which the byte before offset `end` had arrived; None when it has not."""
        index = bisect_left(self._ends, end)
        return self._times[index] if index < len(self._times) else None

    @property
    def chunks(self) -> list[tuple[int, float]]:
        """(end offset, seconds) of every chunk so far."""
        return list(zip(self._ends, self._times, strict=True))

    @property
    def total(self) -> int:
        """Bytes so far."""
        return self._ends[-1] if self._ends else 0

    @property
    def last_at(self) -> float | None:
        return self._times[-1] if self._times else None


@dataclass(frozen=True, slots=True, eq=False)
class TurnHandle:
    """A turn in progress or past, as the screens see it. `turn` is live: read it, never feed it."""

    exchange: str
    turn: Turn
    arrivals: Arrivals
    endpoint: str
    dialect: str
    model: str
    steps: list[Step] = field(default_factory=list)
    """Every SSE event so far with what it meant, for the wire pane."""


Scope = Literal["once", "conversation", "always"]


Tell = Literal["edited", "denied"]
"""What the model is told of an edited run: that it was edited, with its result; or that its own

call was denied, and the run is for the person alone."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's (or the policy's) answer to an approval."""

    verdict: Literal["allow", "deny", "answer", "edit"]
    scope: Scope = "once"
    reason: str = ""
    """Told to the model when denied."""
    answer: CallResult | None = None
    """For `answer`: the result given by hand instead of running the tool."""
    edited: str = ""
    """For `edit`: the argument text a person wants to be run in place of the model's."""
    tell: Tell = "edited"
    by: Literal["person", "policy"] = "person"


@dataclass(frozen=True, slots=True, eq=False)
class Approval:
    """A final call that waits for a decision."""

    call: FinalCall
    origin: str
    """Where the tool lives, for people: `demo shop`, `my_tools.py`, `MCP server files`."""
    read_only: bool
    """By our own word or the user's; what a server says of its tool is in `claims`."""
    by_hand: bool
    """A person answers in place of a tool: there is nothing to allow, only to answer or deny."""
    was_started: bool
    """It had been started when the client died: allowing runs it again, denying marks it failed."""
    reason: str
    """Why the policy asks, in words."""
    claims: tuple[str, ...]
    """What a server says of its own tool."""
    _answer: asyncio.Future[Decision]

    def decide(self, decision: Decision) -> bool:
        """Answer; False when it had been answered or cancelled already."""
        if self._answer.done():
            return False
        self._answer.set_result(decision)
        return True

    @property
    def open(self) -> bool:
        return not self._answer.done()


@dataclass(frozen=True, slots=True)
class UserMessageAdded:
    message_id: str
    message: UserMessage


@dataclass(frozen=True, slots=True, eq=False)
class TurnOpened:
    handle: TurnHandle


@dataclass(frozen=True, slots=True, eq=False)
class TurnAdvanced:
    """Bytes came and the turn moved. Yielded per chunk: a screen marks itself dirty and redraws at its own pace."""

    handle: TurnHandle
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TurnClosed:
    handle: TurnHandle
    message_id: str
    message: AssistantMessage


@dataclass(frozen=True, slots=True)
class CallChanged:
    ref: str
    state: CallState
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ApprovalAsked:
    approval: Approval


@dataclass(frozen=True, slots=True)
class CallProgress:
    ref: str
    text: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class CallRan:
    """What a run left behind besides its result. None of it is sent to the model."""

    ref: str
    seconds: float
    traceback: str
    printed: str
    full_output: str | None
    """All of the output, where the result holds a shortened one."""


@dataclass(frozen=True, slots=True)
class CallAnswered:
    """A call has its one result (from the tool, a person, or us saying why it did not run)."""

    ref: str
    result: CallResult


@dataclass(frozen=True, slots=True)
class CallsSentBack:
    """A request goes out; `texts` is what its bytes say of each earlier call, by ref."""

    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TurnLimitReached:
    limit: int


@dataclass(frozen=True, slots=True)
class Notice:
    text: str
    severity: Literal["information", "warning", "error"] = "information"


@dataclass(frozen=True, slots=True)
class ExchangeFailed:
    """The endpoint refused, could not be reached, or broke the stream. The conversation goes on."""

    error: VerbatimError


@dataclass(frozen=True, slots=True)
class Idle:
    """The loop is done with this prompt; the next may be typed."""

    reason: Literal["done", "limit", "failed", "cancelled", "incomplete"]


SessionUpdate = (
    UserMessageAdded
    | TurnOpened
    | TurnAdvanced
    | TurnClosed
    | CallChanged
    | ApprovalAsked
    | CallProgress
    | CallRan
    | CallAnswered
    | CallsSentBack
    | TurnLimitReached
    | Notice
    | ExchangeFailed
    | Idle
)
