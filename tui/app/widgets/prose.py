"""Laid-out prose that does not change any more, and the one piece of it that still does.

Display trees come in, each with the source it was made from; the widget lays them out for its
width and keeps the result. A selection gives source text back, and a click on an address says
which: opening it is for others to decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.widget import Widget

from tui.app.markdown.flow import COMPONENT_CLASSES, Flow, lay_out
from tui.app.markdown.render import LINK_META
from tui.app.marking import first_line, marked


@dataclass(slots=True, eq=False)
class Piece:
    """One block as it is shown. `gap`: a blank line stands above it."""

    flows: tuple[Flow, ...]
    source: str
    gap: bool = True
    _width: int = 0
    _content: Content = field(default_factory=Content)

    def content(self, width: int) -> Content:
        if width != self._width:
            self._content, self._width = lay_out(self.flows, width), width
        return self._content


class Prose(Widget):
    """A few blocks of laid-out Markdown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENT_CLASSES)

    class LinkClicked(Message):
        """An address in the text was clicked. Nothing has been opened."""

        def __init__(self, url: str) -> None:
            super().__init__()
            self.url = url

    def __init__(self, pieces: tuple[Piece, ...] = (), *, classes: str | None = None) -> None:
        super().__init__(classes=classes, markup=False)
        self._pieces = list(pieces)
        self._source_size = sum(len(piece.source) for piece in pieces)
        self._laid: Content | None = None
        self._laid_width = 0
        self._mark: re.Pattern[str] | None = None

    def mark(self, pattern: re.Pattern[str] | None) -> int | None:
        """Mark what `pattern` finds; the line of the first match, None when there is none."""
        if pattern is not self._mark:
            self._mark = pattern
            self.refresh()
        if pattern is None:
            return None
        return first_line(self._laid_out(self.size.width or 80), pattern)

    @property
    def source_size(self) -> int:
        """Characters of source that this widget shows."""
        return self._source_size

    @property
    def source(self) -> str:
        return "".join(piece.source for piece in self._pieces)

    def show(self, *pieces: Piece) -> None:
        """Show `pieces` and nothing else."""
        width = self._laid_width if self._laid is not None else 0
        height = self._laid_out(width).get_height({}, width) if width else -1
        self._pieces = list(pieces)
        self._source_size = sum(len(piece.source) for piece in pieces)
        self._laid = None
        # Most additions fit into the last line: then nothing has to be arranged again.
        fits = width > 0 and self._laid_out(width).get_height({}, width) == height
        self.refresh(layout=not fits)

    def add(self, piece: Piece) -> None:
        """Show `piece` below what is shown."""
        self._pieces.append(piece)
        self._source_size += len(piece.source)
        self._laid = None
        self.refresh(layout=True)

    def _laid_out(self, width: int) -> Content:
        if self._laid is None or self._laid_width != width:
            parts: list[Content] = []
            for piece in self._pieces:
                if piece.gap:
                    parts.append(Content())
                parts.append(piece.content(width))
            self._laid = Content("\n").join(parts)
            self._laid_width = width
        return self._laid

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if not self._pieces:
            return 0
        return self._laid_out(width).get_height({}, width)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def render(self) -> Content:
        laid_out = self._laid_out(self.size.width or 80)
        return laid_out if self._mark is None else marked(laid_out, self._mark)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected words where the source has them so, else the source of the blocks touched."""
        laid_out = self._laid_out(self.size.width or 80)
        text = selection.extract(laid_out.plain)
        source = self.source
        if text in source:
            return text, "\n"
        if text.strip() and text.strip() in source:
            return text.strip(), "\n"
        return self._source_touched(selection).strip("\n"), "\n"

    def _source_touched(self, selection: Selection) -> str:
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else 1_000_000_000
        touched: list[str] = []
        line = 0
        for piece in self._pieces:
            top = line + piece.gap
            line = top + piece.content(self.size.width or 80).plain.count("\n") + 1
            if top <= last and line > first:
                touched.append(piece.source)
        return "".join(touched)

    def on_click(self, event: events.Click) -> None:
        url = event.style.meta.get(LINK_META)
        if isinstance(url, str):
            event.stop()
            self.post_message(self.LinkClicked(url))
