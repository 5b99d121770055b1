"""The journal: what the loop writes down, as the loop sees it.

`StoredJournal` (in `session.stored`) writes to the store; `session.exchange` and `session.calls`
know only this. Methods that must be durable before the loop goes on are coroutines; the
others hand over and return at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tui.core.conversation import CallResult, Message
from tui.core.dialects import EncodedRequest
from tui.core.parts import LiveCall
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.core.turn import PlacedFinding
from tui.store import Edit

ExchangeEnding = Literal["complete", "broken", "cancelled"]


@dataclass(frozen=True, slots=True)
class ExchangeTicket:
    """An exchange that was written down. `number` counts the turns of the conversation from 1."""

    id: str
    number: int


class Journal(Protocol):
    def add_message(
        self, message: Message, *, exchange: str | None = None, calls: Sequence[LiveCall] = ()
    ) -> str:
        """Append to the conversation's current branch, with its calls; returns the message's id."""
        ...

    def begin_exchange(
        self, encoded: EncodedRequest, *, endpoint: str, model: str
    ) -> ExchangeTicket:
        """Write the request down (it holds no secret) before it is sent."""
        ...

    def head(self, exchange: str, head: ResponseHead) -> None: ...

    def chunk(self, exchange: str, at: float, data: bytes) -> None:
        """Hand over a chunk that arrived `at` seconds after the request; never blocks."""
        ...

    def end_exchange(self, exchange: str, ending: ExchangeEnding, problem: str) -> None: ...

    def save_findings(self, endpoint: str, findings: Sequence[PlacedFinding]) -> None: ...

    async def begin_dispatch(self, ref: str, *, by: str, edit: Edit | None = None) -> bool:
        """Durably note that the call is about to run; False when it had been started before.

        With `edit`, that what a person made of it is about to run.

        Raises:
            StoreError: it could not be written, and the tool must not start.
        """
        ...

    def end_dispatch(self, result: CallResult, state: CallState, *, full: str | None) -> None:
        """The started call `result.call` ended; `full` is its output where the result was cut."""
        ...

    def end_aside(self, ref: str, state: CallState) -> None:
        """What a person made of the call ended, which the model is not told of."""
        ...

    def save_result(self, result: CallResult, state: CallState) -> None:
        """The result of a call that was not run: denied, invalid, answered by hand, cancelled."""
        ...

    def set_call_state(self, ref: str, state: CallState) -> None: ...
