"""Where the demo cuts, how it waits, and that both depend on nothing but seed and request."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.demo import talking
from tests.demo.talking import ALL, asked, turns
from tui.core.errors import UsageError
from tui.core.source import WireRequest
from tui.demo import SUGGESTIONS, DemoSource, render
from tui.demo.pace import Sent, argument_fragments, chunks, prose_fragments, seeded

TICKET = "File a ticket for A-4471: it moved from 3 March to 5 March"
ESCAPE = re.compile(r"\\u[0-9a-f]{4}|\\.")

every_dialect = pytest.mark.parametrize("dialect", ALL)
seeds = pytest.mark.parametrize("seed", range(5))


@every_dialect
@seeds
def test_the_ticket_comes_in_about_47_fragments_of_10_to_16_characters(
    dialect: str, seed: int
) -> None:
    fragments = talking.argument_fragments(dialect, asked(dialect, TICKET), seed)
    assert 40 <= len(fragments) <= 55
    assert 10 <= sum(map(len, fragments)) / len(fragments) <= 16


@every_dialect
@seeds
def test_several_fragments_of_the_ticket_end_inside_an_escape(dialect: str, seed: int) -> None:
    fragments = talking.argument_fragments(dialect, asked(dialect, TICKET), seed)
    ends = set(accumulate(map(len, fragments)))
    escapes = [match.span() for match in ESCAPE.finditer("".join(fragments))]
    assert sum(bool(ends & set(range(start + 1, end))) for start, end in escapes) >= 5


@every_dialect
@seeds
def test_a_chunk_of_the_ticket_ends_inside_a_utf8_sequence(dialect: str, seed: int) -> None:
    def whole(chunk: bytes) -> bool:
        try:
            chunk.decode()
        except UnicodeDecodeError:
            return False
        return True

    cut = render(dialect, asked(dialect, TICKET), seed)
    assert not all(map(whole, cut))
    assert whole(b"".join(cut))


def test_fragments_of_fifty_seeds_are_on_average_13_characters_long() -> None:
    text = json.dumps({"words": "the quick brown fox " * 40})
    counts = [len(argument_fragments(text, seed)) for seed in range(50)]
    assert 12.5 <= len(text) * 50 / sum(counts) <= 14.5


@given(st.text(), st.integers())
def test_no_character_is_lost_or_made_by_cutting(text: str, seed: int) -> None:
    for cut in (argument_fragments, prose_fragments):
        pieces = cut(text, seed)
        assert "".join(pieces) == text
        assert all(pieces)


@given(st.lists(st.tuples(st.binary(min_size=1), st.sampled_from([0, 1, 3, 15]))), st.integers())
def test_no_byte_is_lost_or_made_and_no_chunk_is_empty(
    events: list[tuple[bytes, float]], seed: int
) -> None:
    cut = list(chunks([Sent(*event) for event in events], seeded(seed)))
    assert b"".join(chunk.data for chunk in cut) == b"".join(data for data, _ in events)
    assert all(chunk.data for chunk in cut)


def test_what_came_before_a_silence_is_shown_before_it() -> None:
    cut = list(chunks([Sent("ä".encode() * 40, 1), Sent(b"later", 50)], seeded(1)))
    assert b"".join(chunk.data for chunk in cut if chunk.wait < 1) == "ä".encode() * 40


@every_dialect
@pytest.mark.parametrize("text", [*SUGGESTIONS, "http 500", "unicode"])
def test_the_same_seed_and_request_give_the_same_bytes(dialect: str, text: str) -> None:
    body = asked(dialect, text)
    assert render(dialect, body, 7) == render(dialect, body, 7)


@every_dialect
def test_another_seed_cuts_elsewhere_and_says_the_same(dialect: str) -> None:
    body = asked(dialect, TICKET)
    one, two = (talking.argument_fragments(dialect, body, seed) for seed in (1, 2))
    assert one != two
    assert "".join(one) == "".join(two)


@pytest.mark.parametrize("text", [*SUGGESTIONS, "unicode", "think", "wrong type", "slow", "error"])
def test_every_dialect_tells_the_same_in_the_same_fragments(text: str) -> None:
    def told(dialect: str) -> list[object]:
        return [
            [
                reader.turn.message().text,
                [(c.name, c.buffer.text, c.state) for c in reader.turn.calls],
            ]
            for reader in turns(dialect, text)
        ]

    first, *others = [name for name in ALL if _exists(name)]
    for other in others:
        assert told(other) == told(first)
        if text != "break":
            assert talking.argument_fragments(
                other, asked(other, text)
            ) == talking.argument_fragments(first, asked(first, text))


def _exists(dialect: str) -> bool:
    try:
        talking.available(dialect)
    except pytest.skip.Exception:
        return False
    return True


async def test_the_waits_are_those_of_a_watchable_stream() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    source = DemoSource("anthropic", speed=2.0, sleep=sleep)
    await _drain(source)
    assert slept[0] > 0.1
    fast, slept = slept, []
    await _drain(DemoSource("anthropic", sleep=sleep))
    assert [wait * 2 for wait in fast] == slept
    assert 0.02 <= sorted(slept)[len(slept) // 2] <= 0.06


async def test_speed_infinity_waits_for_nothing_and_still_lets_others_run() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await _drain(DemoSource("anthropic", speed=math.inf, sleep=sleep))
    assert set(slept) == {0.0}


async def _drain(source: DemoSource) -> None:
    request = WireRequest("anthropic", "/v1/messages", asked("anthropic", TICKET))
    async with source.open(request) as response:
        assert [chunk async for chunk in response.chunks()] == render("anthropic", request.body)


@pytest.mark.parametrize("speed", [0, -1, math.nan])
def test_a_speed_that_is_not_above_zero_is_refused(speed: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        DemoSource("anthropic", speed=speed)
