"""One run of prose while it streams and after: finished blocks frozen, one live tail.

Text pieces come in; `flush` draws what came since. A settled block is laid out once and joins a
frozen widget of about two kilobytes; only the open block is drawn again. An open fence or table,
and anything long, is shown line by line as it stands and laid out once when it ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from tui.app.markdown.blocks import Block, BlockSplitter
from tui.app.markdown.flow import Code, Flow, Raw
from tui.app.markdown.render import render, too_large
from tui.app.safe import clean, clean_line
from tui.app.widgets.prose import Piece, Prose

CHUNK = 2_048
"""Characters of source after which a frozen widget is full."""

LIVE_LIMIT = 4_096
"""Characters of an open block above which it is shown as it stands."""

_SLICE_LINES = 60


class ProseStream(Widget):
    """A column of frozen `Prose` with a live one at its end."""

    def __init__(self, *, literal: bool = False, classes: str | None = None) -> None:
        """`literal`: no Markdown is read, the text is shown as it stands."""
        super().__init__(classes=classes)
        self._literal = literal
        self._splitter = BlockSplitter()
        self._waiting: list[str] = []
        self._frozen: list[Prose] = []
        self._sliced: list[Prose] = []
        """Parts of the open block that are drawn line by line and will not grow."""
        self._sliced_size = 0
        self._live: Prose | None = None
        """There is one while a block is open."""
        self._composed = False

    def compose(self) -> ComposeResult:
        self._composed = True
        yield from self._frozen
        yield from self._sliced
        if self._live is not None:
            yield self._live

    def feed(self, text: str) -> None:
        """Take text; nothing is drawn before `flush`."""
        if text:
            self._waiting.append(text)

    def flush(self) -> None:
        """Draw what came since the last time."""
        if not self._waiting:
            return
        text = "".join(self._waiting)
        self._waiting.clear()
        for block in self._splitter.feed(text):
            self._settle(block)
        self._show_open(self._splitter.open)

    def close(self) -> None:
        """No more text: the tail is laid out like the rest."""
        self.flush()
        for block in self._splitter.close():
            self._settle(block)
        self._show_open(None)

    def _settle(self, block: Block) -> None:
        for part in self._sliced:
            if part.is_attached:
                part.remove()
        self._sliced.clear()
        self._sliced_size = 0
        for piece in self._pieces(block):
            last = self._frozen[-1] if self._frozen else None
            if last is not None and last.source_size + len(piece.source) <= CHUNK:
                last.add(piece)
            else:
                if last is None:
                    piece.gap = False
                self._frozen.append(self._placed(Prose((piece,))))

    def _pieces(self, block: Block) -> Iterator[Piece]:
        gap = block.loose if block.follows else True
        if self._literal or too_large(block):
            position = 0
            source = block.source
            while position < len(source):
                end = _cut(source, position)
                flow = self._as_it_stands(block, source[position:end].strip("\n"), position == 0)
                if flow is not None:
                    yield Piece((flow,), source[position:end], gap)
                    gap = False
                position = end
            return
        if flows := render(block):
            yield Piece(tuple(flows), block.source, gap)

    def _show_open(self, block: Block | None) -> None:
        if block is None or not block.source.strip():
            if self._live is not None and self._composed:
                self._live.remove()
            self._live = None
            return
        gap = bool(self._frozen) and (block.loose if block.follows else True)
        as_it_stands = (
            self._literal or block.kind in ("fence", "table") or len(block.source) > LIVE_LIMIT
        )
        if as_it_stands:
            piece = self._slice(block, gap)
        else:
            piece = Piece(tuple(render(block, live=True)), block.source, gap)
        if self._live is None:
            self._live = self._placed(Prose((piece,), classes="-live"))
        else:
            self._live.show(piece)

    def _slice(self, block: Block, gap: bool) -> Piece:
        """Freeze all but the end of an open block; return the end."""
        source = block.source
        while len(source) - self._sliced_size > CHUNK + CHUNK // 2 or (
            source.count("\n", self._sliced_size) > _SLICE_LINES + _SLICE_LINES // 2
        ):
            end = _cut(source, self._sliced_size)
            text = source[self._sliced_size : end]
            flow = self._as_it_stands(block, text.removesuffix("\n"), self._sliced_size == 0)
            if flow is not None:
                piece = Piece((flow,), text, gap and not self._sliced)
                self._sliced.append(self._placed(Prose((piece,))))
            self._sliced_size = end
        text = source[self._sliced_size :]
        flow = self._as_it_stands(block, text.removesuffix("\n"), self._sliced_size == 0)
        flows = () if flow is None else (flow,)
        return Piece(flows, text, gap and not self._sliced)

    def _as_it_stands(self, block: Block, text: str, first: bool) -> Flow | None:
        if self._literal or block.kind != "fence":
            text = text.strip("\n") if first else text
            return Raw(Content(clean(text.removesuffix("\r")))) if text else None
        language = ""
        if first:
            opening, line_end, text = text.lstrip("\n").partition("\n")
            if not line_end:
                return Raw(Content(clean(opening.removesuffix("\r"))))
            language = clean_line(opening.strip(" \t\r`~"), 24)
        if block.closed:
            text = text.removesuffix("\n").rpartition("\n")[0] if _closes(text) else text
        return Code(Content(clean(text.removesuffix("\r"))), language) if text or first else None

    def _placed(self, prose: Prose) -> Prose:
        if self._composed:
            self.mount(prose, before=self._live)
        return prose


def _closes(text: str) -> bool:
    last = text.rstrip("\n").rpartition("\n")[2].strip(" \t\r")
    return len(last) >= 3 and last == last[0] * len(last) and last[0] in "`~"


def _cut(source: str, start: int) -> int:
    """Where a slice from `start` ends: after a line if one ends in reach, else after a word."""
    end = start
    for _ in range(_SLICE_LINES):
        line_end = source.find("\n", end, start + CHUNK)
        if line_end < 0:
            break
        end = line_end + 1
    if end > start:
        return end
    if len(source) - start <= CHUNK:
        return len(source)
    space = source.rfind(" ", start, start + CHUNK)
    return space + 1 if space > start else start + CHUNK
