"""Replaying: the bytes as they came, at any pace, and never a tool."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.source import WireRequest
from tui.recording.format import Recording
from tui.recording.replay import Pace, ReplaySource
from tui.recording.split import Split, parse_split

REQUEST = WireRequest("anthropic", "/", b"{}")
SLOW = Recording(b"abcdef", chunks=((2, 1.0), (3, 1.5), (6, 4.0)))


@dataclass
class FakeClock:
    """A sleep that only counts."""

    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    @property
    def total(self) -> float:
        return round(sum(self.slept), 6)


async def played(source: ReplaySource) -> list[bytes]:
    async with source.open(REQUEST) as response:
        return [chunk async for chunk in response.chunks()]


@pytest.mark.parametrize(("factor", "seconds"), [(1.0, 4.0), (2.0, 2.0), (0.5, 8.0), (0.0, 0.0)])
async def test_a_replay_takes_the_recorded_time_over_the_factor(
    factor: float, seconds: float
) -> None:
    clock = FakeClock()
    source = ReplaySource([SLOW], pace=Pace(factor, sleep=clock.sleep))
    assert await played(source) == [b"ab", b"c", b"def"]
    assert clock.total == seconds


async def test_a_held_replay_lets_through_only_what_is_stepped() -> None:
    pace = Pace(0)
    pace.pause()
    came: list[bytes] = []

    async def play() -> None:
        async with ReplaySource([SLOW], pace=pace).open(REQUEST) as response:
            async for chunk in response.chunks():
                came.append(chunk)

    async def settle() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    task = asyncio.create_task(play())
    await settle()
    assert came == []
    pace.step()
    await settle()
    assert came == [b"ab"]
    assert pace.paused
    pace.resume()
    await task
    assert came == [b"ab", b"c", b"def"]


async def test_a_broken_recording_breaks_again_after_its_last_byte() -> None:
    source = ReplaySource([Recording(b"ab", ending="broken", problem="reset by peer")])
    with pytest.raises(StreamBroken, match="reset by peer"):
        await played(source)


async def test_recordings_are_served_in_order_and_then_it_ends() -> None:
    source = ReplaySource([Recording(b"1"), Recording(b"2")])
    assert [await played(source), await played(source)] == [[b"1"], [b"2"]]
    with pytest.raises(EndpointError, match="the recording ends here"):
        await played(source)


async def test_a_replay_can_be_cut_otherwise() -> None:
    source = ReplaySource([SLOW], split=Split("bytes", size=1))
    assert await played(source) == [b"a", b"b", b"c", b"d", b"e", b"f"]


@pytest.mark.parametrize(
    ("words", "chunks"),
    [
        ("whole", [b"abcdef"]),
        ("bytes", [b"a", b"b", b"c", b"d", b"e", b"f"]),
        ("4", [b"abcd", b"ef"]),
        ("at:5,1,1,99,0", [b"a", b"bcde", b"f"]),
    ],
)
def test_a_split_cuts_as_its_words_say(words: str, chunks: list[bytes]) -> None:
    assert list(parse_split(words).chunks(b"abcdef")) == chunks


def test_a_random_split_is_repeatable_and_loses_nothing() -> None:
    body = bytes(range(256)) * 8
    first = list(parse_split("random:7").chunks(body))
    assert first == list(parse_split("random:7").chunks(body))
    assert first != list(parse_split("random:8").chunks(body))
    assert b"".join(first) == body
    assert len(first) > 10


@pytest.mark.parametrize("words", ["", "0", "-3", "random", "random:", "at:", "at:1,x", "all", "٣"])
def test_other_words_for_a_split_are_refused_with_the_right_ones(words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_split(words)
    assert "random:SEED" in caught.value.hint
