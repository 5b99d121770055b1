"""One line that says where the chat stands: endpoint, model, state, tokens, findings, time.

Attributes in, one drawn line out. What does not fit is left away from the least important on.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from tui.app.safe import clean_line
from tui.core.events import UsageReported

_NAME_LIMIT = 40
_SEPARATOR = " · "
_TICK_SECONDS = 0.2


class StatusLine(Widget):
    """The status of the conversation in one row."""

    endpoint: reactive[str] = reactive("")
    model: reactive[str] = reactive("")
    state: reactive[str] = reactive("idle")
    """One word or two: idle, streaming, awaiting approval, running tools, ..."""
    busy: reactive[bool] = reactive(False)
    """Whether a prompt is being worked on; the time runs while it is."""
    input_tokens: reactive[int | None] = reactive(None)
    output_tokens: reactive[int | None] = reactive(None)
    findings: reactive[int] = reactive(0)
    """Deviations from the dialect seen so far."""
    elapsed: reactive[float | None] = reactive(None)
    """Seconds that the last prompt has taken so far; None before the first."""
    note: reactive[str] = reactive("")
    """A word that must not be overlooked: demo model, recording, replay."""

    class FindingsChosen(Message):
        """The badge was clicked."""

    def __init__(self, *, clock: Callable[[], float] = monotonic, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._began = 0.0
        self._ticking: Timer | None = None

    def on_mount(self) -> None:
        self._ticking = self.set_interval(_TICK_SECONDS, self._tick, pause=not self.busy)

    def watch_busy(self, busy: bool) -> None:
        if busy:
            self._began = self._clock()
        self._tick()
        if self._ticking is not None:
            (self._ticking.resume if busy else self._ticking.pause)()

    def _tick(self) -> None:
        if self._began:
            self.elapsed = self._clock() - self._began

    def show_usage(self, usage: UsageReported) -> None:
        """Show the token counts of a turn; what it does not say is left as it is."""
        if usage.input_tokens is not None:
            self.input_tokens = usage.input_tokens
        if usage.output_tokens is not None:
            self.output_tokens = usage.output_tokens

    def add_findings(self, count: int) -> None:
        self.findings += count

    def start_over(self) -> None:
        """Forget counts and time: another conversation is shown."""
        self.input_tokens = self.output_tokens = self.elapsed = None
        self.findings = 0
        self._began = 0.0

    def render(self) -> Content:
        width = self.size.width
        for dropped in range(5):
            left, right = self._left(dropped), self._right(dropped)
            space = width - left.cell_length - right.cell_length
            if space >= 2 or dropped == 4:
                return left + Content(" " * max(space, 1)) + right
        return Content()

    def _left(self, dropped: int) -> Content:
        mark, colour = ("●", "$call-running") if self.busy else ("○", "$text-muted")
        parts = [Content.styled(f"{mark} {clean_line(self.state, _NAME_LIMIT)}", colour)]
        if self.model:
            parts.append(Content.styled(clean_line(self.model, _NAME_LIMIT), "bold"))
        if self.endpoint and dropped < 3:
            parts.append(Content(clean_line(self.endpoint, _NAME_LIMIT)))
        if self.note and dropped < 4:
            parts.append(Content.styled(clean_line(self.note, _NAME_LIMIT), "$warning"))
        return Content.styled(_SEPARATOR, "$text-muted").join(parts)

    def _right(self, dropped: int) -> Content:
        parts: list[Content] = []
        if self.findings:
            word = "finding" if self.findings == 1 else "findings"
            parts.append(Content.styled(f"⚑ {self.findings:,} {word}", "$warning"))
        if dropped < 1 and (self.input_tokens is not None or self.output_tokens is not None):
            parts.append(
                Content(f"↑ {_count(self.input_tokens)} ↓ {_count(self.output_tokens)} tokens")
            )
        if dropped < 2 and self.elapsed is not None:
            parts.append(Content(_seconds(self.elapsed)))
        return Content.styled(_SEPARATOR, "$text-muted").join(parts)

    def on_click(self) -> None:
        if self.findings:
            self.post_message(self.FindingsChosen())


def _count(tokens: int | None) -> str:
    if tokens is None:
        return "–"
    return f"{tokens:,}" if tokens < 100_000 else f"{tokens / 1000:,.0f}k"


def _seconds(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02} min"
