"""Responses are read in a thread of their own: what that promises, and what it must not break."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic

import pytest

from tests import wire
from tests.wire import READING, Reply, ScriptedSource
from tui.core.errors import EndpointError, StreamBroken
from tui.core.source import ResponseHead, WireRequest
from tui.session import reading
from tui.session.reading import Incoming

REQUEST = WireRequest("anthropic", "/v1/messages", b"{}")
PATIENCE = 20.0
"""Seconds after which a test that would wait for ever fails."""


@dataclass
class Kept:
    """A tap that keeps what it is told and lets others wait for it."""

    heads: list[ResponseHead] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def head(self, head: ResponseHead) -> None:
        self.heads.append(head)

    def chunk(self, at: float, data: bytes) -> None:
        with self.changed:
            self.data.append(data)
            self.threads.add(threading.current_thread().name)
            self.changed.notify_all()

    def wait_for(self, count: int) -> bool:
        """Hold the calling thread until `count` chunks have come."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.data) >= count, PATIENCE)


def incoming(source: ScriptedSource | Endless, tap: Kept) -> Incoming:
    return Incoming(source, REQUEST, there=READING, tap=tap, clock=monotonic)


async def all_of(response: Incoming) -> bytes:
    found = bytearray()
    await into(found, response)
    return bytes(found)


async def into(found: bytearray, response: Incoming) -> None:
    while chunks := await response.take():
        for chunk in chunks:
            found += chunk.data


class Endless:
    """Sends numbered chunks until the reader goes away, and can refuse to notice that."""

    name = "endless"

    def __init__(self, *, stubborn: bool = False) -> None:
        self.stubborn = stubborn
        self._lets_go = asyncio.Event()
        self._there: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[Endless]:
        self._there = asyncio.get_running_loop()
        try:
            yield self
        finally:
            if self.stubborn:
                await self._lets_go.wait()

    def let_go(self) -> None:
        assert self._there is not None
        self._there.call_soon_threadsafe(self._lets_go.set)

    @property
    def head(self) -> ResponseHead:
        return wire.SSE_HEAD

    async def chunks(self) -> AsyncIterator[bytes]:
        number = 0
        while True:
            await asyncio.sleep(0)
            number += 1
            yield b"%d " % number


async def test_bytes_are_written_down_while_the_loop_that_draws_is_held_up() -> None:
    tap = Kept()
    response = incoming(ScriptedSource([Reply([b"one ", b"two ", b"three"])]), tap)
    # No await from here: the event loop of this test stands still.
    assert tap.wait_for(3)
    assert tap.threads == {"verbatim-reading"}
    assert await response.opened() == tap.heads[0]
    assert await all_of(response) == b"one two three"
    assert await response.leave() == []


async def test_chunks_come_with_the_time_at_which_they_were_read() -> None:
    ticks = iter(range(100))
    tap = Kept()
    source = ScriptedSource([Reply([b"a", b"b", b"c"])])
    response = Incoming(source, REQUEST, there=READING, tap=tap, clock=lambda: float(next(ticks)))
    assert tap.wait_for(3)
    assert [(chunk.at, chunk.data) for chunk in await response.take()] == [
        (1.0, b"a"),
        (2.0, b"b"),
        (3.0, b"c"),
    ]


async def test_what_broke_the_response_is_raised_after_all_that_came_before() -> None:
    tap = Kept()
    broken = StreamBroken("the stream broke")
    response = incoming(ScriptedSource([Reply([b"one ", b"two"], breaks=broken)]), tap)
    await response.opened()
    found = bytearray()
    with pytest.raises(StreamBroken, match="the stream broke"):
        await into(found, response)
    assert found == b"one two" == b"".join(tap.data)


async def test_a_response_that_never_came_says_why() -> None:
    refused = EndpointError("nobody is there")
    response = incoming(ScriptedSource([Reply([], refused=refused)]), Kept())
    with pytest.raises(EndpointError, match="nobody is there"):
        await response.opened()
    assert await response.leave() == []


async def test_what_is_written_down_is_handed_out_though_the_reader_leaves() -> None:
    tap = Kept()
    response = incoming(Endless(), tap)
    await response.opened()
    taken = [chunk.data for chunk in await response.take()]
    assert tap.wait_for(len(taken) + 5)
    taken += [chunk.data for chunk in await response.leave()]
    assert taken == tap.data


async def rounds(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_what_nobody_takes_is_left_with_the_sender_until_somebody_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_AHEAD_BYTES", 30)
    tap = Kept()
    response = incoming(Endless(), tap)
    await response.opened()
    assert tap.wait_for(8)
    # An endless source would send one chunk in each of these.
    await READING.run(rounds(1_000))
    held = b"".join(tap.data)
    assert 30 <= len(held) < 40
    found = bytearray()
    while len(found) <= 100:
        for chunk in await response.take():
            found += chunk.data
    for chunk in await response.leave():
        found += chunk.data
    assert found == b"".join(tap.data)
    assert found.startswith(held)


async def cancelled_while(act: Callable[[], None], response: Incoming) -> list[bytes]:
    leaving = asyncio.create_task(response.leave())
    await asyncio.sleep(0)
    leaving.cancel()
    act()
    return [chunk.data for chunk in await leaving]


async def test_a_cancellation_while_leaving_loses_nothing() -> None:
    tap, source = Kept(), Endless(stubborn=True)
    response = incoming(source, tap)
    await response.opened()
    assert tap.wait_for(3)
    assert await cancelled_while(source.let_go, response) == tap.data


async def test_a_source_that_will_not_close_is_left_and_nothing_more_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_LEAVING_SECONDS", 0.01)
    tap, source = Kept(), Endless(stubborn=True)
    response = incoming(source, tap)
    await response.opened()
    assert tap.wait_for(3)
    taken = [chunk.data for chunk in await response.leave()]
    source.let_go()
    assert taken == tap.data
