"""One message on the screen: a header, its prose, and its marks in their places.

A `ShownMessage` comes in as an attribute and is read again at every `flush`; what a person does
to it (opens the thinking, clicks a mark) goes out as messages. Keeps no text of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, assert_never

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from tui.app.safe import clean_line, content
from tui.app.shown_message import CallMark, ProviderMark, ShownMessage, ShownPart, TextRun
from tui.app.widgets.prose_stream import ProseStream
from tui.core.parts import UNKNOWN_EVENT

_LABEL_LIMIT = 80


class MessageView(Widget):
    """Draws one `ShownMessage`; follows it while it grows."""

    class CallMarkChosen(Message):
        """The mark of a call was clicked."""

        def __init__(self, ref: str) -> None:
            super().__init__()
            self.ref = ref

    class Chosen(Message):
        """The message was clicked."""

        def __init__(self, message_id: str) -> None:
            super().__init__()
            self.message_id = message_id

    def __init__(self, shown: ShownMessage) -> None:
        super().__init__(classes=f"-{shown.role}")
        self.shown = shown
        self._part_views: list[PartView] = []
        self._ending: Static | None = None
        self._who = Static(self._header(), classes="message--who")
        self._composed = False

    def _header(self) -> Content:
        header = content(clean_line(self.shown.title, _LABEL_LIMIT))
        if self.shown.branch is not None:
            place, count = self.shown.branch
            header += Content.styled(f"  branch {place} of {count}", "$accent")
        return header

    def show_branch(self) -> None:
        """Draw which of how many branches begins here."""
        self._who.update(self._header())

    def compose(self) -> ComposeResult:
        if self.shown.role != "notice":
            yield self._who
        self._sync()
        self._composed = True
        yield from self._part_views
        if self.shown.outcome:
            self._ending = self._make_ending()
            yield self._ending

    def flush(self) -> None:
        """Draw what the message has gained."""
        if not self._composed:
            return
        self._sync()
        self._show_ending()

    def _sync(self) -> None:
        parts = self.shown.parts
        while len(self._part_views) < len(parts):
            place = len(self._part_views)
            view = _part_view(parts[place], self.shown)
            if place and not isinstance(parts[place - 1], TextRun):
                view.add_class("-after-mark")
            self._part_views.append(view)
            if self._composed:
                self.mount(view)
        for index, view in enumerate(self._part_views):
            # A run may still grow when another began, but not once the turn is closed.
            view.draw(ended=self.shown.closed, last=index == len(parts) - 1)

    def _show_ending(self) -> None:
        if self.shown.outcome and self._ending is None:
            self._ending = self._make_ending()
            self.mount(self._ending)

    def _make_ending(self) -> Static:
        mark = {"information": "·", "warning": "!", "error": "✗"}[self.shown.severity]
        self.add_class(f"-{self.shown.severity}")
        words = self.shown.outcome.replace("\n", "\n  ")
        return Static(content(f"{mark} {words}"), classes="message--ending")

    def toggle_thinking(self) -> bool:
        """Open the folded parts, or fold them; False when there are none."""
        folded = [view for view in self._part_views if isinstance(view, FoldedRun)]
        opened = any(view.opened for view in folded)
        for view in folded:
            view.set_opened(not opened)
        return bool(folded)

    def on_click(self) -> None:
        self.post_message(self.Chosen(self.shown.id))


class PartView(Widget):
    """One part of a message."""

    @abstractmethod
    def draw(self, *, ended: bool, last: bool) -> None:
        """Show the part as it is now. `ended`: it will not change any more."""


class OpenRun(ProseStream, PartView):
    """Prose or a refusal, growing."""

    def __init__(self, run: TextRun, *, literal: bool) -> None:
        super().__init__(literal=literal, classes=f"-{run.kind}")
        self._run = run
        self._drawn = 0
        self._ended = False

    def compose(self) -> ComposeResult:
        if self._run.kind == "refusal":
            yield Static(Content("refusal"), classes="message--label")
        yield from super().compose()

    def draw(self, *, ended: bool, last: bool) -> None:
        if self._ended:
            return
        if self._run.size > self._drawn:
            self.feed(self._run.text[self._drawn :])
            self._drawn = self._run.size
        if ended:
            self._ended = True
            self.close()
        else:
            self.flush()


class FoldedRun(PartView):
    """Thinking: one line that says how much, and the text when it is asked for."""

    def __init__(self, run: TextRun) -> None:
        super().__init__(classes="-folded")
        self._run = run
        self._line = Static(Content(), classes="message--fold")
        self._body: OpenRun | None = None
        self._ended = False
        self.opened = False

    def compose(self) -> ComposeResult:
        yield self._line
        if self._body is not None:
            yield self._body

    def draw(self, *, ended: bool, last: bool) -> None:
        self._ended = ended
        arrow = "▾" if self.opened else "▸"
        word = "thinking…" if last and not ended else "thinking"
        self._line.update(Content(f"{arrow} {word} · {self._run.size:,} characters"))
        if self._body is not None:
            self._body.draw(ended=ended, last=last)

    def set_opened(self, opened: bool) -> None:
        self.opened = opened
        if opened and self._body is None:
            self._body = OpenRun(self._run, literal=False)
            self.mount(self._body)
        if self._body is not None:
            self._body.display = opened
        self.draw(ended=self._ended, last=False)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self._line:
            event.stop()
            self.set_opened(not self.opened)


class CallMarkLine(PartView):
    """Where a call stands: glyph, name and state. Nothing of its arguments."""

    DEFAULT_CLASSES: ClassVar[str] = "message--mark"

    def __init__(self, mark: CallMark) -> None:
        super().__init__()
        self._mark = mark
        self._shown: tuple[str, ...] = ()

    def draw(self, *, ended: bool, last: bool) -> None:
        now = (self._mark.label, self._mark.glyph, self._mark.word, self._mark.colour)
        if now != self._shown:
            self._shown = now
            self.refresh(layout=not self.is_mounted)

    def render(self) -> Content:
        mark = self._mark
        return Content.assemble(
            (clean_line(mark.glyph, 2), f"${mark.colour}"),
            " ",
            (clean_line(mark.label, _LABEL_LIMIT), "bold"),
            "  ",
            (clean_line(mark.word, _LABEL_LIMIT), f"${mark.colour}"),
        )

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(MessageView.CallMarkChosen(self._mark.ref))


class ProviderMarkLine(PartView):
    """Something the provider ran itself."""

    DEFAULT_CLASSES: ClassVar[str] = "message--mark"

    def __init__(self, mark: ProviderMark) -> None:
        super().__init__()
        self._mark = mark

    def draw(self, *, ended: bool, last: bool) -> None:
        """It says all it has to say from the start."""

    def render(self) -> Content:
        title = clean_line(self._mark.title, _LABEL_LIMIT)
        kind = clean_line(self._mark.kind, _LABEL_LIMIT)
        if self._mark.title == UNKNOWN_EVENT:
            said = f"  {kind}, kept as it came"
        else:
            said = f"  {kind}, run by the provider" if title else "  kept by the provider"
        return Content.assemble(
            ("◇ ", "$text-muted"), (title or kind, "$text-muted bold"), (said, "$text-muted")
        )


def _part_view(part: ShownPart, message: ShownMessage) -> PartView:
    match part:
        case TextRun("thinking"):
            return FoldedRun(part)
        case TextRun():
            # What a person typed is theirs: shown as it stands, not as Markdown.
            return OpenRun(part, literal=message.role != "assistant")
        case CallMark():
            return CallMarkLine(part)
        case ProviderMark():
            return ProviderMarkLine(part)
        case _:
            assert_never(part)
