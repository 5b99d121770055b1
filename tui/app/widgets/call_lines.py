"""Lines on the screen: a scrolling view of a line source, and a block of a few lines.

Only rows that changed are drawn again. Inks become styles here, by the rules of the style sheet;
text in lines is clean already. A view of something that grows follows its end until the reader
scrolls up, and again when the reader goes back to the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui.app.calls.lines import Ink, Line, LineSource, NoteLines

_CURSOR = "ink--cursor"
_MARKED = Style(bold=True, reverse=True)
_SEARCHED_LINES = 5_000
"""Lines that are looked through for what was searched for."""


class Inked(Widget):
    """A widget that draws lines of inks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"ink--{ink}" for ink in Ink), _CURSOR}

    ALLOW_SELECT = False

    def strip_of(self, line: Line, width: int, *, cursor: bool = False) -> Strip:
        """`line` drawn in `width` cells."""
        base = self.rich_style
        segments = [
            Segment(text, self.get_component_rich_style(f"ink--{ink}", default=base))
            for text, ink in line
        ]
        strip = Strip(segments).adjust_cell_length(width, base)
        if cursor:
            strip = strip.apply_style(self.get_component_rich_style(_CURSOR, partial=True))
        return strip

    @property
    def rich_style(self) -> Style:
        return self.visual_style.rich_style


class InkBlock(Inked):
    """A few lines, made anew for a width whenever `renew` is called."""

    DEFAULT_CSS = """
    InkBlock { height: auto; width: 1fr; }
    """

    def __init__(
        self,
        make: Callable[[int], list[Line]],
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._make = make
        self._lines: list[Line] = []
        self._made_for = 0

    @property
    def lines(self) -> list[Line]:
        """The lines as they are drawn now."""
        return self._lines

    def renew(self) -> None:
        """Draw what changed. Layout follows when there are more or fewer lines."""
        width = self.size.width
        if not self.is_attached or width <= 0:
            return
        old, self._lines = self._lines, self._make(width)
        self._made_for = width
        if len(old) != len(self._lines):
            self.refresh(layout=True)
            return
        for y, (one, other) in enumerate(zip(old, self._lines, strict=True)):
            if one != other:
                self.refresh(Region(0, y, width, 1))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if width != self._made_for or not self._lines:
            self._lines = self._make(max(width, 1))
            self._made_for = width
        return len(self._lines)

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._made_for:
            self.renew()
            self.refresh()

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else []
        return self.strip_of(line, self.size.width)


class CallLines(Inked, ScrollView, can_focus=False):
    """A scrolling view of a line source."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source: LineSource = NoteLines()
        self._drawn: dict[int, Line] = {}
        self._seen: tuple[int, int, bool] | None = None
        self._count = 0
        self._following = True
        self._moving = False
        self._mark: re.Pattern[str] | None = None
        self.cursor: int | None = None
        """The line that Enter acts on; None outside of row mode."""

    @property
    def source(self) -> LineSource:
        return self._source

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while lines come."""
        return self._following and self._source.grows

    @property
    def line_count(self) -> int:
        return self._count

    @property
    def first_visible(self) -> int:
        return self.scroll_offset.y

    @property
    def rows_visible(self) -> int:
        return self.scrollable_content_region.height

    def show(self, source: LineSource, *, at: int = 0) -> None:
        """Show another source, from line `at` or from its end if it grows."""
        if source is self._source:
            return
        self._source = source
        self._seen = None
        self._following = True
        self.cursor = None if self.cursor is None else 0
        self._place(at)
        self.flush()
        self.refresh()

    def replace(self, source: LineSource) -> None:
        """Show the newer form of the same view; the reader stays where they are."""
        self._source = source
        self._seen = None
        self.flush()
        self.refresh()

    def flush(self) -> None:
        """Draw what changed since the last time."""
        width = self.scrollable_content_region.width
        if not self.is_attached or width <= 0:
            return
        source = self._source
        seen = (source.revision, width, True)
        if seen == self._seen:
            return
        count = source.count(width)
        self._count = count
        self._seen = (source.revision, width, source.complete(width))
        if (count, width) != (self.virtual_size.height, self.virtual_size.width):
            self._grow(Size(width, count))
        if self.following:
            self._place(max(count - self.rows_visible, 0))
        self._refresh_changed(width)

    def _grow(self, size: Size) -> None:
        """Set the virtual size without a layout of the screen: no other widget's place hangs on it.

        Textual lays out everything anew for each change of it (36 ms of a frame, measured); the
        scrollbar asks for a layout by itself when it comes or goes.
        """
        self.set_reactive(CallLines.virtual_size, size)
        self._scroll_update(size)

    def go_to(self, line: int) -> None:
        """Bring a line into sight, a few lines below the top."""
        self._following = False
        self._place(max(line - 2, 0))

    def mark(self, pattern: re.Pattern[str] | None) -> None:
        """Mark what `pattern` finds, and bring the first of it into sight."""
        self._mark = pattern
        self.refresh()
        width = self.scrollable_content_region.width
        if pattern is None or width <= 0:
            return
        before = ""
        for index in range(min(self._source.count(width), _SEARCHED_LINES)):
            text = "".join(text for text, _ in self._source.line(index, width))
            if pattern.search(text):
                self.go_to(index)
                return
            if before and pattern.search(before + text):
                # Broken at the end of the line above.
                self.go_to(index - 1)
                return
            before = text

    def follow(self) -> None:
        """Go to the end, and stay there while lines come."""
        self._following = True
        self._place(max(self.line_count - self.rows_visible, 0))

    def move_cursor(self, by: int) -> None:
        """Move the row cursor and keep it in sight."""
        old = self.cursor
        self.cursor = min(max((old or 0) + by, 0), max(self.line_count - 1, 0))
        if self.cursor < self.first_visible:
            self._following = False
            self._place(self.cursor)
        elif self.cursor >= self.first_visible + self.rows_visible:
            self._place(self.cursor - self.rows_visible + 1)
        self.refresh()

    def begin_rows(self) -> None:
        """Enter row mode at the first line in sight."""
        self.cursor = min(self.first_visible, max(self.line_count - 1, 0))
        self.refresh()

    def end_rows(self) -> None:
        self.cursor = None
        self.refresh()

    def toggle_row(self) -> bool:
        """Open or close the row at the cursor; whether there was something to open."""
        width = self.scrollable_content_region.width
        if self.cursor is None or width <= 0:
            return False
        begins = self._source.toggle(self.cursor, width)
        if begins is None:
            return False
        self._following = False
        self.cursor = begins
        self._seen = None
        self.flush()
        self.move_cursor(0)
        return True

    def on_resize(self) -> None:
        self._seen = None
        self.flush()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._moving:
            return
        if new_value < old_value and new_value < self.max_scroll_y:
            self._following = False
        elif new_value > old_value and new_value >= self.max_scroll_y:
            self._following = True

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        if shown:
            # Textual tells a bar of a scroll only while it is there.
            self.vertical_scrollbar.position = self.scroll_y

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if self._seen is None or self._seen[1] != width or index >= self._count:
            # Not laid out yet: the flush that does so comes before the next frame.
            return Strip.blank(width, self.rich_style)
        line = self._drawn[index] = self._source.line(index, width)
        strip = self.strip_of(line, width, cursor=index == self.cursor)
        return strip if self._mark is None else _marked(strip, self._mark)

    def _place(self, y: int) -> None:
        self._moving = True
        try:
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        finally:
            self._moving = False

    def _refresh_changed(self, width: int) -> None:
        first = self.scroll_offset.y
        stop = min(first + self.rows_visible, self._count)
        drawn, self._drawn = self._drawn, {}
        for index in range(first, stop):
            line = self._source.line(index, width)
            self._drawn[index] = line
            if drawn.get(index) != line:
                self.refresh(Region(0, index - first, width, 1))


def _marked(strip: Strip, pattern: re.Pattern[str]) -> Strip:
    """`strip` with every match of `pattern` marked."""
    text = strip.text
    for found in pattern.finditer(text):
        start, end = cell_len(text[: found.start()]), cell_len(text[: found.end()])
        cut = [place for place in (start, end, strip.cell_length) if place]
        parts = list(strip.divide(cut))
        marked = 1 if start else 0
        if marked < len(parts):
            parts[marked] = parts[marked].apply_style(_MARKED)
        strip = Strip.join(parts)
    return strip
