"""The clock tells the time it is given, in the zone it is asked for."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tests.tools.calls import final_call
from tui.tools.clock import clock
from tui.tools.dispatcher import Dispatcher
from tui.tools.registry import Registry


def _dispatcher() -> Dispatcher:
    return Dispatcher(Registry([clock(lambda: datetime(2026, 12, 3, 23, 30, tzinfo=UTC))]))


async def test_the_time_is_told_in_another_zone() -> None:
    outcome = await _dispatcher().run(final_call("current_time", {"timezone": "Asia/Tokyo"}))
    assert json.loads(outcome.result.text) == {
        "time": "2026-12-04T08:30:00+09:00",
        "weekday": "Friday",
        "timezone": "Asia/Tokyo",
    }


async def test_without_a_zone_it_is_the_same_moment_here() -> None:
    outcome = await _dispatcher().run(final_call("current_time"))
    told = datetime.fromisoformat(json.loads(outcome.result.text)["time"])
    assert told == datetime(2026, 12, 3, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "", "Europe"])
async def test_an_unknown_zone_is_an_error_the_model_can_act_on(name: str) -> None:
    outcome = await _dispatcher().run(final_call("current_time", {"timezone": name}))
    assert outcome.result.is_error
    assert "Europe/Berlin" in outcome.result.text
