"""The journal over the store: the session's facts as rows, and rows as the session's facts.

Writes return at once (the store has one writer of its own) but for the ledger, which waits for
the disk. What a model wrote is stored as `core.codec` writes it and nothing is derived twice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from typing import Literal, assert_never, cast

from tui.core.codec import encode_message, encode_result
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    Message,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from tui.core.dialects import EncodedRequest
from tui.core.errors import StoreError
from tui.core.parts import LiveCall
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.core.turn import PlacedFinding
from tui.session.journal import ExchangeEnding, ExchangeTicket
from tui.store import Edit, NewCall, NewResult, Store

_TITLE_LENGTH = 60

_DispatchOutcome = Literal["returned", "failed", "timed out", "cancelled", "unknown"]


class StoredJournal:
    """Writes one conversation.

    Args:
        store: where to.
        conversation: its id in the store.
        parent: the message the next one goes below (None: the first).
        turns: how many exchanges the conversation has had, on all its branches.
        named: it has a title already, which a first prompt sent anew does not change.
    """

    def __init__(
        self,
        store: Store,
        conversation: str,
        *,
        parent: str | None = None,
        turns: int = 0,
        named: bool = False,
    ) -> None:
        self.store = store
        self.conversation = conversation
        self.parent = parent
        self.named = named
        self._turns = turns
        self._attempts: dict[str, int] = {}

    def add_message(
        self, message: Message, *, exchange: str | None = None, calls: Sequence[LiveCall] = ()
    ) -> str:
        if self.parent is None and isinstance(message, UserMessage) and not self.named:
            self._name_after(message)
        self.parent = self.store.add_message(
            self.conversation,
            parent=self.parent,
            role=_role(message),
            body=encode_message(message),
            plain=_prose(message),
            exchange=exchange,
            calls=[new_call_of(ordinal, call) for ordinal, call in enumerate(calls)],
        )
        return self.parent

    def begin_exchange(
        self, encoded: EncodedRequest, *, endpoint: str, model: str
    ) -> ExchangeTicket:
        request = encoded.request
        # Another window may have asked in the same conversation meanwhile.
        # Where that cannot be read, the turn goes on all the same.
        with contextlib.suppress(StoreError):
            self._turns = max(self._turns, self.store.count_exchanges(self.conversation))
        self._turns += 1
        self.store.configure(
            self.conversation, endpoint=endpoint, dialect=request.dialect, model=model
        )
        exchange = self.store.begin_exchange(
            self.conversation,
            dialect=request.dialect,
            endpoint=endpoint,
            url=request.path,
            request_headers=request.headers,
            request_body=request.body,
        )
        return ExchangeTicket(exchange, self._turns)

    def head(self, exchange: str, head: ResponseHead) -> None:
        self.store.note_head(exchange, head.status, head.headers, head.request_url)

    def chunk(self, exchange: str, at: float, data: bytes) -> None:
        self.store.append_chunk(exchange, at, data)

    def end_exchange(self, exchange: str, ending: ExchangeEnding, problem: str) -> None:
        self.store.end_exchange(exchange, ending, problem)

    def save_findings(self, endpoint: str, findings: Sequence[PlacedFinding]) -> None:
        for code, count in Counter(found.code for found in findings).items():
            self.store.count_findings(endpoint, code, count)

    async def begin_dispatch(self, ref: str, *, by: str, edit: Edit | None = None) -> bool:
        attempt = self._attempts.get(ref, 0) + 1
        begun = await asyncio.to_thread(
            self.store.begin_dispatch,
            self.conversation,
            ref,
            attempt=attempt,
            policy=by,
            edit=edit,
        )
        if begun:
            self._attempts[ref] = attempt
        return begun

    def note_attempts(self, ref: str, attempts: int) -> None:
        """A resumed call had been started `attempts` times before."""
        self._attempts[ref] = attempts

    def end_dispatch(self, result: CallResult, state: CallState, *, full: str | None) -> None:
        self.store.end_dispatch(
            self.conversation,
            result.call,
            cast(_DispatchOutcome, str(state)),
            attempt=self._attempts[result.call],
            result=_new_result(result, full),
        )

    def end_aside(self, ref: str, state: CallState) -> None:
        self.store.end_aside(
            self.conversation,
            ref,
            cast(_DispatchOutcome, str(state)),
            attempt=self._attempts[ref],
        )

    def save_result(self, result: CallResult, state: CallState) -> None:
        self.store.save_result(
            self.conversation,
            result.call,
            _new_result(result),
            state=state,
            attempt=self._attempts.get(result.call, 0),
        )

    def set_call_state(self, ref: str, state: CallState) -> None:
        self.store.set_call_state(self.conversation, ref, state)

    def _name_after(self, message: UserMessage) -> None:
        first_line = _prose(message).strip().partition("\n")[0]
        title = first_line[:_TITLE_LENGTH] + ("…" if len(first_line) > _TITLE_LENGTH else "")
        self.store.rename(self.conversation, title or "untitled")
        self.named = True


def _role(message: Message) -> Literal["user", "assistant", "results"]:
    match message:
        case UserMessage():
            return "user"
        case AssistantMessage():
            return "assistant"
        case ResultsMessage():
            return "results"
        case _:
            assert_never(message)


def _prose(message: Message) -> str:
    if isinstance(message, ResultsMessage):
        return ""  # results are searched where they are stored
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def new_call_of(ordinal: int, call: LiveCall, state: CallState | None = None) -> NewCall:
    """A call of a turn as the store takes it; `state` where it has gone further since."""
    return NewCall(
        ref=call.ref,
        ordinal=ordinal,
        key=call.key,
        wire_id=call.id,
        name=call.name,
        kind=call.kind,
        raw=call.text,
        fragments=call.buffer.count,
        digest=call.buffer.digest(),
        state=state or call.state,
        problem=call.problem,
        other_text=call.other_text,
    )


def _new_result(result: CallResult, full: str | None = None) -> NewResult:
    return NewResult(
        body=encode_result(result),
        is_error=result.is_error,
        origin=result.origin,
        plain=result.text,
        full_output=None if full is None else full.encode("utf-8", "surrogatepass"),
    )
