"""One exchange: send a request, feed the bytes through the reader, write everything down.

A boring loop: it decides nothing about meaning. Bytes are in the journal before they are read,
so what a crash leaves behind is always at least what the screen had shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from tui.core.conversation import AssistantMessage, ToolSpec
from tui.core.dialects import DecoderSettings, EncodedRequest
from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.finalise import FinalCall
from tui.core.parts import LiveProviderItem
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.core.source import ByteSource, ResponseHead
from tui.session.journal import ExchangeEnding, ExchangeTicket, Journal
from tui.session.reading import Arrived, Incoming, ReadingLoop
from tui.session.updates import (
    Arrivals,
    Notice,
    SessionUpdate,
    TurnAdvanced,
    TurnClosed,
    TurnHandle,
    TurnOpened,
)
from tui.tools.threads import in_daemon_thread

Emit = Callable[[SessionUpdate], None]
Clock = Callable[[], float]
_T = TypeVar("_T")

_AFTER_END_SECONDS: Final = 1.0
"""How long to wait for the transport to end a body whose turn has ended already."""
_SLICE: Final = 8192
"""Bytes that are read before others may use the event loop: about 2 ms of small events."""
_ROUNDS: Final = 8
"""Rounds of the event loop between two slices: a typed key takes several to reach its widget."""


@dataclass(frozen=True, slots=True)
class Received:
    """A turn that is over and written down."""

    handle: TurnHandle
    message: AssistantMessage
    message_id: str
    final_calls: tuple[FinalCall, ...]
    refusal: EndpointError | None = None
    """Why the response was no event stream at all."""
    cancelled: bool = False


async def receive(
    encoded: EncodedRequest,
    *,
    source: ByteSource,
    reading: ReadingLoop,
    journal: Journal,
    emit: Emit,
    clock: Clock,
    endpoint: str,
    model: str,
    tools: Mapping[str, ToolSpec],
    decoder_settings: DecoderSettings | None,
) -> Received:
    """Run one exchange to its end, however it ends.

    A cancelled task still closes the turn as broken, writes it down, and returns with
    `cancelled` set: the caller decides what becomes of the cancellation.

    Raises:
        EndpointError, UsageError: no response came at all, or the request could not be sent; the
            exchange is noted as broken, no turn exists.
    """
    ticket = journal.begin_exchange(encoded, endpoint=endpoint, model=model)
    dialect = encoded.request.dialect
    arrivals = Arrivals()

    def opened(head: ResponseHead | None) -> _Feeding:
        reader = TurnReader(
            dialect,
            head=head,
            settings=decoder_settings,
            ref_prefix=f"t{ticket.number}",
            tools=tools,
        )
        handle = TurnHandle(ticket.id, reader.turn, arrivals, endpoint, dialect, model)
        emit(TurnOpened(handle))
        return _Feeding(reader, handle, emit)

    incoming = Incoming(
        source, encoded.request, there=reading, tap=_Tap(journal, ticket), clock=clock
    )
    feeding: _Feeding | None = None
    rest: list[Arrived] = []
    broken = ""
    ending: ExchangeEnding = "complete"
    try:
        try:
            feeding = opened(await incoming.opened())
            await _feed(feeding, incoming)
        finally:
            rest = await incoming.leave()
    except (EndpointError, UsageError) as error:
        if feeding is None:
            journal.end_exchange(ticket.id, "broken", str(error))
            raise
        broken, ending = str(error), "broken"
    except asyncio.CancelledError:
        broken, ending = "it was cancelled by the user", "cancelled"

    if feeding is None:
        # Cancelled: there is a request on record, and an empty, broken turn.
        feeding = opened(incoming.head)
    # What is in the journal is part of the turn, though nobody waited for it any more.
    feeding.add(rest)
    await _to_its_end(feeding.feed())
    reader, handle = feeding.reader, feeding.handle
    cancelled = ending == "cancelled"
    # Parsing a large call and holding it against its schema takes a while (some schemas for ever):
    # not on the screen's time, nor on that of a program that is being left.
    closing = in_daemon_thread(partial(reader.close, broken=broken, cancelled=cancelled))
    if steps := await _to_its_end(closing):
        handle.steps.extend(steps)
        emit(TurnAdvanced(handle, tuple(steps)))
    message = reader.turn.message()
    journal.end_exchange(ticket.id, ending, reader.turn.problem)
    message_id = journal.add_message(message, exchange=ticket.id, calls=reader.turn.calls)
    journal.save_findings(endpoint, reader.turn.findings)
    emit(TurnClosed(handle, message_id, message))
    if not cancelled and (other := _other_dialect(handle, feeding.beginning)) is not None:
        emit(
            Notice(
                f"The endpoint answered in another dialect: {other}, not {dialect}. "
                f"`--dialect {other}` asks it in that one.",
                "error",
            )
        )
    return Received(
        handle,
        message,
        message_id,
        reader.final_calls,
        refusal=reader.refusal,
        # Also while the turn was being closed: then it is whole, but what it asks for is not run.
        cancelled=cancelled or cancelling(),
    )


def cancelling() -> bool:
    """Whether the running task was told to stop, though it may have gone on to end properly."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _other_dialect(handle: TurnHandle, beginning: bytes) -> str | None:
    """The dialect of a body in which nothing could be read in the one that was asked for."""
    turn = handle.turn
    if turn.outcome != "incomplete" or not all(isinstance(p, LiveProviderItem) for p in turn.parts):
        return None
    found = dialect_of(beginning)
    return None if found == handle.dialect else found


@dataclass(frozen=True, slots=True)
class _Tap:
    """What arrives goes into the journal."""

    journal: Journal
    ticket: ExchangeTicket

    def head(self, head: ResponseHead) -> None:
        self.journal.head(self.ticket.id, head)

    def chunk(self, at: float, data: bytes) -> None:
        self.journal.chunk(self.ticket.id, at, data)


class _Feeding:
    """A turn and the bytes that wait to be fed to it."""

    def __init__(self, reader: TurnReader, handle: TurnHandle, emit: Emit) -> None:
        self.reader = reader
        self.handle = handle
        self._emit = emit
        self._waiting = bytearray()
        self.beginning = b""
        """The first slice of the body, as it came."""

    def add(self, chunks: Iterable[Arrived]) -> None:
        for chunk in chunks:
            self.handle.arrivals.add(len(chunk.data), chunk.at)
            self._waiting += chunk.data

    async def feed(self) -> None:
        """Feed what waits, and let others have their turn in between."""
        while self._step():
            for _ in range(_ROUNDS):
                await asyncio.sleep(0)

    def _step(self) -> bool:
        """Feed one slice; False when nothing waited."""
        data = bytes(self._waiting[:_SLICE])
        if not data:
            return False
        del self._waiting[:_SLICE]
        self.beginning = self.beginning or data
        steps = self.reader.feed(data)
        self.handle.steps.extend(steps)
        self._emit(TurnAdvanced(self.handle, tuple(steps)))
        return True


async def _to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Await `work`, however often the waiting is cancelled."""
    task = asyncio.create_task(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()


async def _feed(feeding: _Feeding, incoming: Incoming) -> None:
    """Feed until the body ends; a server that keeps an ended turn's body open is left,

    whatever it goes on to send.
    """
    clock = asyncio.get_running_loop().time
    turn = feeding.reader.turn
    until: float | None = None
    try:
        while until is None or clock() < until:
            async with asyncio.timeout_at(until):
                chunks = await incoming.take()
            if not chunks:
                return
            feeding.add(chunks)
            await feeding.feed()
            if until is None and turn.ended_at is not None:
                until = clock() + _AFTER_END_SECONDS
    except TimeoutError:
        return
    except StreamBroken:
        if turn.ended_at is None:
            raise
        # The provider had said that the turn is over: how the connection ends says nothing.
