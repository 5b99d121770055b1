"""What the tests of widgets stand on: an app with our themes and style sheets, and two edges.

`RecordingDriver` is a terminal that keeps every byte; a headless app draws none. Hostile text is
here, so that every sink is shown the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from tui.app.selection_guard import SelectionGuard
from tui.app.styles import STYLESHEETS
from tui.app.themes import CALL_COLOUR_FALLBACKS, load_themes, theme_folders

HOSTILE = (
    "\x1b]0;owned\x07 \x1b]52;c;aGk=\x1b\\ \x1b]8;;http://evil\x1b\\x \x1b[31mred \x1b[2J\x1b[1;1H"
    " \x1bP+q\x1b\\ \x1b[?1049l \x9b31m \x9d0;c1\x9c \x00\x07\x08\x0b\x0c\x7f \rover"
    " \u202etxet\u202c \u2066x\u2069 \u200f\u200b\u2060\ufeff\u00ad \u2028\u2029\x85"
    " \U000e0041\U000e0042 \ud800 \udc00 a\u200db\ufe0f [bold]x[/bold] [@click=app.quit]go[/] [/y] x]"
)

FORBIDDEN = (
    *"\x00\x07\x08\x0b\x0c\x7f\x85\x9b\x9d\x9c\u202e\u202c\u2066\u2069\u200f\u200b\u2060\ufeff\u00ad",
    *"\u2028\u2029\U000e0041\ud800\udc00",
)
"""Characters of `HOSTILE` that no terminal may be sent, whoever writes them."""


class RecordingDriver(HeadlessDriver):
    """A terminal on which everything is written down and nothing is drawn."""

    written: list[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.written = []

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.written.append(data)


class WidgetApp(App[None]):
    """An app that holds the widgets under test and keeps the messages they send."""

    CSS_PATH = STYLESHEETS
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, *widgets: Widget, theme: str = "verbatim-dark", recording: bool = False
    ) -> None:
        super().__init__(driver_class=RecordingDriver if recording else None)
        for loaded in load_themes(theme_folders()).themes:
            self.register_theme(loaded)
        self.theme = theme
        self.shown_widgets = widgets

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return CALL_COLOUR_FALLBACKS

    def get_default_screen(self) -> Screen[None]:
        return SelectionGuard()

    def compose(self) -> ComposeResult:
        yield from self.shown_widgets

    def text(self) -> str:
        """What stands on the screen, line by line, without spaces at the ends of lines."""
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


async def burst(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys faster than any widget takes them in, as over a slow line or on a busy screen.

    `pilot.press` waits after every key, and so cannot show that one overtakes another.
    """
    driver = pilot.app._driver
    assert driver is not None
    names = {".": "full_stop", " ": "space", "*": "asterisk"}
    for key in keys:
        event = Key(names.get(key, key), key if len(key) == 1 else None)
        event.set_sender(pilot.app)
        driver.send_message(event)
    await pilot.pause()


async def until(pilot: Pilot[Any], condition: Callable[[], bool], turns: int = 400) -> None:
    """Let the app work until `condition` holds; fail when it never does."""
    for _ in range(turns):
        if condition():
            return
        await pilot.pause()
        await asyncio.sleep(0.005)
    raise AssertionError("the condition was never met")
