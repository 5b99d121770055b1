"""The scrolling view of a call: its bar tells where the reader is, whatever came, went or was resized."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from tui.app.calls.lines import Ink, Line, LineSource
from tui.app.widgets.call_lines import CallLines


class Growing(LineSource):
    """Numbered lines; grown by hand."""

    def __init__(self, lines: int) -> None:
        self.lines = lines

    @property
    def revision(self) -> int:
        return self.lines

    def count(self, width: int) -> int:
        return self.lines

    def line(self, index: int, width: int) -> Line:
        return [(f"line {index}", Ink.PLAIN)]


class Shown(App[None]):
    # As in the card of a call.
    CSS = """
    CallLines { height: 1fr; overflow-y: auto; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    def compose(self) -> ComposeResult:
        yield CallLines()


def place(lines: CallLines) -> tuple[float, int, int] | None:
    """What the scroll bar says: where, of how much, how much of it is in sight."""
    if not lines.show_vertical_scrollbar:
        return None
    bar = lines.vertical_scrollbar
    return bar.position, bar.window_virtual_size, bar.window_size


async def test_the_bar_comes_grows_and_goes_with_the_lines() -> None:
    app = Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        lines, source = app.query_one(CallLines), Growing(5)
        lines.show(source)
        await pilot.pause()
        assert place(lines) is None
        for count in (30, 31, 300):
            source.lines = count
            lines.flush()
            await pilot.pause()
            assert place(lines) == (0, count, 10)
            assert lines.scrollable_content_region.width == lines.virtual_size.width == 39
        source.lines = 5
        lines.flush()
        await pilot.pause()
        assert place(lines) is None
        assert lines.scrollable_content_region.width == lines.virtual_size.width == 39


@pytest.mark.parametrize("height", [40, 20])
async def test_a_bar_that_comes_back_says_where_the_reader_is_by_then(height: int) -> None:
    app = Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        lines = app.query_one(CallLines)
        lines.show(Growing(20))
        await pilot.pause()
        lines.go_to(12)
        await pilot.pause()
        assert place(lines) == (10, 20, 10)
        await pilot.resize_terminal(40, height)
        await pilot.pause()
        assert (place(lines), lines.scroll_offset.y) == (None, 0)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert place(lines) == (lines.scroll_offset.y, 20, 10) == (0, 20, 10)
