"""One exchange: what it does about large calls, and about being cancelled at the worst moment."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from time import monotonic

import pytest

from tests import wire
from tests.wire import READING, Reply, ScriptedSource
from tui.core.conversation import TextPart, TurnRequest, TurnSettings, UserMessage
from tui.core.dialects import load
from tui.core.events import TextFragment
from tui.core.reader import TurnReader
from tui.session.exchange import Received, receive
from tui.session.stored import StoredJournal
from tui.session.updates import Notice, SessionUpdate, TurnAdvanced, TurnClosed
from tui.store import Store


class Exchange:
    """One exchange over a scripted body, with what it said and stored."""

    def __init__(self, *chunks: bytes, then_wait: bool = False, dialect: str = "anthropic") -> None:
        self.dialect = dialect
        self.source = ScriptedSource([Reply(list(chunks), then_wait=then_wait)])
        self.store = Store.memory()
        self.conversation = self.store.create_conversation()
        self.said: list[SessionUpdate] = []
        self.emit: Callable[[SessionUpdate], None] = self.said.append

    async def run(self) -> Received:
        request = TurnRequest(TurnSettings("m"), (UserMessage((TextPart("go"),)),), ())
        return await receive(
            load(self.dialect).encode(request),
            source=self.source,
            reading=READING,
            journal=StoredJournal(self.store, self.conversation),
            emit=self.emit,
            clock=monotonic,
            endpoint="scripted",
            model="m",
            tools={},
            decoder_settings=None,
        )

    def stored(self) -> bytes:
        self.store.flush(5.0)
        (exchange,) = self.store.exchanges(self.conversation)
        return b"".join(data for _, data in self.store.chunks(exchange.id))


async def test_a_long_body_is_fed_in_slices_and_every_byte_counts_once() -> None:
    body = wire.call_turn(wire.call(1, "a", "look", *(f'"{n}",' for n in range(2_000))))
    exchange = Exchange(body)
    received = await exchange.run()
    advanced = [update for update in exchange.said if isinstance(update, TurnAdvanced)]
    assert len(advanced) > 10
    (call,) = received.message.calls
    assert call.raw == "".join(f'"{n}",' for n in range(2_000))
    assert received.handle.arrivals.total == len(body)
    assert exchange.stored() == body


async def test_others_get_the_event_loop_while_a_long_body_is_fed() -> None:
    exchange = Exchange(wire.start() + wire.text(0, *["word " * 50] * 500) + wire.ended("end_turn"))
    turns = 0

    async def another() -> None:
        nonlocal turns
        while not any(isinstance(update, TurnClosed) for update in exchange.said):
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(another())
    await exchange.run()
    await others
    slices = sum(isinstance(update, TurnAdvanced) for update in exchange.said)
    assert turns > slices > 10


async def test_prose_in_an_event_that_no_blank_line_closed_is_told_like_any_other() -> None:
    head = '{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":'
    body = (
        f'data: {head}{{"content":"Hello "}}}}]}}\n\n'
        f'data: {head}{{"content":"world"}},"finish_reason":"stop"}}]}}'
    )
    exchange = Exchange(body.encode(), dialect="openai-chat")
    received = await exchange.run()
    told = [
        event.text
        for update in exchange.said
        if isinstance(update, TurnAdvanced)
        for step in update.steps
        for event in step.events
        if isinstance(event, TextFragment)
    ]
    assert "".join(told) == received.message.text == "Hello world"
    assert isinstance(exchange.said[-1], TurnClosed)


async def test_what_had_come_when_a_turn_is_cancelled_is_fed_without_holding_others_up() -> None:
    exchange = Exchange(wire.start() + wire.text(0, *["word " * 50] * 500), then_wait=True)
    turns, at_slices = 0, []

    async def another() -> None:
        nonlocal turns
        while not any(isinstance(update, TurnClosed) for update in exchange.said):
            turns += 1
            await asyncio.sleep(0)

    def cancel_at_first(update: SessionUpdate) -> None:
        exchange.said.append(update)
        if isinstance(update, TurnAdvanced):
            at_slices.append(turns)
            if not running.cancelling():
                running.cancel()

    exchange.emit = cancel_at_first
    running = asyncio.create_task(exchange.run())
    others = asyncio.create_task(another())
    received = await running
    await others
    assert received.cancelled
    assert len(at_slices) > 10
    assert at_slices == sorted(set(at_slices)), "others had a turn between any two slices"
    assert received.message.text == "word " * 50 * 500


async def test_a_turn_that_is_cancelled_while_it_is_judged_is_written_down_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judging, go_on = threading.Event(), threading.Event()
    close = TurnReader.close

    def held(self: TurnReader, **why: object) -> object:
        judging.set()
        assert go_on.wait(20.0)
        return close(self, **why)  # type: ignore[arg-type]

    monkeypatch.setattr(TurnReader, "close", held)
    exchange = Exchange(wire.call_turn(wire.call(1, "a", "look", "{}")))
    running = asyncio.create_task(exchange.run())
    assert await asyncio.to_thread(judging.wait, 20.0)
    for _ in range(2):
        running.cancel()
        await asyncio.sleep(0)
    go_on.set()
    received = await running
    assert received.message.outcome == "complete"
    # The session runs nothing of a turn that was cancelled.
    assert received.cancelled
    assert isinstance(exchange.said[-1], TurnClosed)


BODIES = {
    "anthropic": wire.prose_turn("hello"),
    "openai-responses": (
        b'data: {"type":"response.created","response":{"id":"r","model":"m","output":[]}}\n\n'
        b'data: {"type":"response.completed","response":{"id":"r","output":[]}}\n\n'
    ),
    "openai-chat": (
        b'data: {"id":"c","object":"chat.completion.chunk","model":"m",'
        b'"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\n'
        b"data: [DONE]\n\n"
    ),
}


@pytest.mark.parametrize("asked", BODIES)
@pytest.mark.parametrize("answered", BODIES)
async def test_answer_in_another_dialect_is_named(asked: str, answered: str) -> None:
    exchange = Exchange(BODIES[answered], dialect=asked)
    await exchange.run()
    told = [update.text for update in exchange.said if isinstance(update, Notice)]
    if asked == answered:
        assert told == []
    else:
        (words,) = told
        assert f"--dialect {answered}" in words


async def test_stream_that_broke_in_the_dialect_asked_for_says_nothing_of_another() -> None:
    exchange = Exchange(BODIES["anthropic"][:150])
    await exchange.run()
    assert not any(isinstance(update, Notice) for update in exchange.said)
