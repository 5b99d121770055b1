"""The status line says the most important things in the room it has."""

from __future__ import annotations

import pytest

from tests.app.screens import HOSTILE, WidgetApp, until
from tui.app.widgets.status_line import StatusLine
from tui.core.events import UsageReported


def filled(line: StatusLine) -> None:
    line.endpoint, line.model, line.state = "anthropic", "claude", "streaming"
    line.show_usage(UsageReported(1_234, None))
    line.show_usage(UsageReported(None, 567_890))
    line.add_findings(2)
    line.note = "demo model"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (100, "○ streaming · claude · anthropic · demo model"),
        (66, "○ streaming · claude · anthropic · demo model"),
        (52, "○ streaming · claude · demo model"),
        (30, "○ streaming · claude"),
    ],
)
async def test_what_does_not_fit_is_left_away(width: int, shown: str) -> None:
    app = WidgetApp(StatusLine())
    async with app.run_test(size=(width, 5)) as pilot:
        filled(app.query_one(StatusLine))
        await until(pilot, lambda: shown in app.text())
        assert "⚑ 2" in app.text()
        assert ("↑ 1,234 ↓ 568k tokens" in app.text()) is (width == 100)


async def test_the_time_runs_while_it_is_busy() -> None:
    now = [100.0]
    app = WidgetApp(StatusLine(clock=lambda: now[0]))
    async with app.run_test(size=(80, 5)) as pilot:
        line = app.query_one(StatusLine)
        assert line.elapsed is None
        line.busy = True
        now[0] = 103.25
        await until(pilot, lambda: "3.2 s" in app.text() and "●" in app.text())
        now[0] = 225.0
        line.busy = False
        await until(pilot, lambda: "2:05 min" in app.text() and "○" in app.text())
        line.start_over()
        await until(pilot, lambda: "min" not in app.text())


async def test_names_from_outside_cannot_break_the_line() -> None:
    app = WidgetApp(StatusLine())
    async with app.run_test(size=(200, 5), tooltips=True) as pilot:
        line = app.query_one(StatusLine)
        line.model = line.endpoint = line.state = line.note = "[/x]\n" + HOSTILE
        await until(pilot, lambda: "[/x]␤␛]0;owned␇" in app.text())
