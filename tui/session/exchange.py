"""One exchange: send a request, feed the bytes through the reader, write everything down.

A boring loop: it decides nothing about meaning. Bytes go to the journal before they are read,
so what a crash leaves behind is always at least what the screen had shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from tui.core.conversation import AssistantMessage, ToolSpec
from tui.core.dialects import DecoderSettings, EncodedRequest
from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.finalise import FinalCall
from tui.core.reader import TurnReader
from tui.core.source import ByteSource, OpenResponse, ResponseHead
from tui.session.journal import ExchangeEnding, Journal
from tui.session.updates import (
    Arrivals,
    SessionUpdate,
    TurnAdvanced,
    TurnClosed,
    TurnHandle,
    TurnOpened,
)

Emit = Callable[[SessionUpdate], None]
Clock = Callable[[], float]

_AFTER_END_SECONDS = 1.0
"""How long to wait for the transport to end a body whose turn has ended already."""


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
    started = clock()
    arrivals = Arrivals()
    reader: TurnReader | None = None
    handle: TurnHandle | None = None
    broken = ""
    ending: ExchangeEnding = "complete"

    def opened(head: ResponseHead | None) -> tuple[TurnReader, TurnHandle]:
        reader = TurnReader(
            dialect,
            head=head,
            settings=decoder_settings,
            ref_prefix=f"t{ticket.number}",
            tools=tools,
        )
        handle = TurnHandle(ticket.id, reader.turn, arrivals, endpoint, dialect, model)
        emit(TurnOpened(handle))
        return reader, handle

    try:
        async with source.open(encoded.request) as response:
            journal.head(ticket.id, response.head)
            reader, handle = opened(response.head)
            async for data in _until_over(response, reader):
                at = clock() - started
                journal.chunk(ticket.id, at, data)
                arrivals.add(len(data), at)
                steps = reader.feed(data)
                handle.steps.extend(steps)
                emit(TurnAdvanced(handle, tuple(steps)))
    except (EndpointError, UsageError) as error:
        if reader is None:
            journal.end_exchange(ticket.id, "broken", str(error))
            raise
        broken, ending = str(error), "broken"
    except asyncio.CancelledError:
        broken, ending = "it was cancelled by the user", "cancelled"

    if reader is None or handle is None:
        # Cancelled before a head came: there is a request on record and an empty, broken turn.
        reader, handle = opened(None)
    steps = reader.close(broken=broken, cancelled=ending == "cancelled")
    handle.steps.extend(steps)
    message = reader.turn.message()
    journal.end_exchange(ticket.id, ending, reader.turn.problem)
    message_id = journal.add_message(message, exchange=ticket.id, calls=reader.turn.calls)
    journal.save_findings(endpoint, reader.turn.findings)
    emit(TurnClosed(handle, message_id, message))
    return Received(
        handle,
        message,
        message_id,
        reader.final_calls,
        refusal=reader.refusal,
        cancelled=ending == "cancelled",
    )


async def _until_over(response: OpenResponse, reader: TurnReader) -> AsyncIterator[bytes]:
    """The chunks until the body ends; a server that keeps an ended turn's body open is left,

    whatever it goes on to send.
    """
    clock = asyncio.get_running_loop().time
    chunks = response.chunks()
    until: float | None = None
    try:
        while until is None or clock() < until:
            async with asyncio.timeout_at(until):
                data = await anext(chunks)
            yield data
            if until is None and reader.turn.ended_at is not None:
                until = clock() + _AFTER_END_SECONDS
    except (StopAsyncIteration, TimeoutError):
        return
    except StreamBroken:
        if reader.turn.ended_at is None:
            raise
        # The provider had said that the turn is over: how the connection ends says nothing.
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
