"""The contrast: careless clients on the same bytes, framed so that nobody takes it for the truth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from tui.app.widgets.wire_table import WireLines
from tui.app.wire.contrasts import ContrastLines


class ContrastTable(WireLines):
    """The owner asks for other lines whenever the position changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", show=False),
        Binding("down,j", "scroll_down", show=False),
    ]
    HELP = "Not Verbatim: what clients with well-known mistakes would have made of these bytes."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wanted: Callable[[], ContrastLines] | None = None
        self._deriving = False

    def derive(self, lines: Callable[[], ContrastLines]) -> None:
        """Show what `lines` gives, which runs in a thread; of several that wait only the last."""
        self._wanted = lines
        if not self._deriving:
            self._deriving = True
            self._derive()

    @work(group="contrast")
    async def _derive(self) -> None:
        try:
            while (lines := self._wanted) is not None:
                self._wanted = None
                # The reader stays where they are.
                self.replace(await asyncio.to_thread(lines))
        finally:
            self._deriving = False
