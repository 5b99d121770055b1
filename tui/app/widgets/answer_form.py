"""A form in a call's card: an answer by hand, edited arguments, or the reason of a denial.

What a person types or pastes goes out once, as a message, checked only for what `calls.edits`
refuses. Typing here answers nothing by itself.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import TextArea

from tui.app.after_typing import after_typing
from tui.app.calls.edits import TOLD
from tui.app.calls.lines import Ink, Line, clipped, flowed, spelled, wrapped
from tui.app.keys_in_order import KeysInOrder
from tui.app.safe import clean
from tui.app.widgets.call_lines import InkBlock
from tui.session.updates import Tell

Purpose = Literal["answer", "edit", "reason"]

_TITLES: dict[Purpose, str] = {
    "answer": "Answer in place of the tool",
    "edit": "Edit the arguments of this run; what the model wrote stays as it is",
    "reason": "Deny, and tell the model why",
}


class PlainArea(KeysInOrder, TextArea):
    """A text area in which a paste is shown before it can do anything."""

    class EnterPressed(Message):
        pass

    def __init__(self, text: str = "", *, one_line: bool = False) -> None:
        super().__init__(clean(text, keep_tabs=True), soft_wrap=True, tab_behavior="focus")
        self._one_line = one_line

    async def _on_key(self, event: events.Key) -> None:
        # The handler of the base class is called by Textual, unless that is prevented here.
        if self._one_line and event.key == "enter":
            event.prevent_default()
            event.stop()
            self.post_message(self.EnterPressed())

    async def _on_paste(self, event: events.Paste) -> None:
        # The handler of the base class would insert the text as it is.
        event.prevent_default()
        event.stop()
        text = clean(event.text.replace("\r\n", "\n").replace("\r", "\n"), keep_tabs=True)
        if self._one_line:
            text = text.replace("\n", " ")
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)


class AnswerForm(Vertical):
    """One question to a person with room for the answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "submit", "Submit", id="form.submit", priority=True),
        Binding("escape", "close", "Close", id="form.close", priority=True),
        Binding("ctrl+t", "switch_kind", "Switch", id="form.kind", priority=True),
        Binding("ctrl+r", "switch_error", "Error", id="form.error", priority=True),
    ]

    class Submitted(Message):
        """A person is done. `as_json` and `is_error` are of an answer, `tell` is of an edit."""

        def __init__(
            self, purpose: Purpose, text: str, *, as_json: bool, is_error: bool, tell: Tell
        ) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text
            self.as_json = as_json
            self.is_error = is_error
            self.tell: Tell = tell

    class Closed(Message):
        """Escape was pressed: nothing is answered."""

    def __init__(self, purpose: Purpose, text: str = "") -> None:
        super().__init__(classes=f"-{purpose}")
        self.purpose = purpose
        self.as_json = False
        self.is_error = False
        self.tell: Tell = "edited"
        self._problem = ""
        self._early: str | None = None
        """What was typed while the focus was on its way here; None: it is not."""
        self._early_at = (0, 0)
        self._area = PlainArea(text, one_line=purpose == "reason")
        self._title = InkBlock(self._title_lines)
        self._hints = InkBlock(self._hint_lines)

    def compose(self) -> ComposeResult:
        yield self._title
        # Above the text: in a low panel the end of the text may lie below its edge.
        yield self._hints
        yield self._area

    @property
    def text(self) -> str:
        return self._area.text

    def focus_text(self) -> None:
        """Give the text the focus as soon as it can have it."""
        if not self._area.has_focus:
            self._early, self._early_at = "", self._area.cursor_location
        if self._area.is_attached:
            self._area.focus()
        else:
            self.call_after_refresh(self._area.focus)

    def take_early(self, character: str | None) -> bool:
        """A key for the text that comes before the text has the focus; False: it has, or is not to."""
        if self._early is None:
            return False
        if character is not None and character.isprintable():
            self._early += character
        return True

    def on_descendant_focus(self) -> None:
        early, self._early = self._early, None
        if early:
            self._area.insert(early, self._early_at)

    def complain(self, problem: str) -> None:
        """Say why what was typed cannot be used."""
        self._problem = problem
        self._hints.renew()

    def action_submit(self) -> None:
        after_typing([self._area], self._submit)

    def _submit(self) -> None:
        self.post_message(
            self.Submitted(
                self.purpose,
                self._area.text,
                as_json=self.as_json,
                is_error=self.is_error,
                tell=self.tell,
            )
        )

    def action_close(self) -> None:
        self.post_message(self.Closed())

    def action_switch_kind(self) -> None:
        if self.purpose == "answer":
            self.as_json = not self.as_json
        elif self.purpose == "edit":
            self.tell = "denied" if self.tell == "edited" else "edited"
        self._hints.renew()

    def action_switch_error(self) -> None:
        if self.purpose == "answer":
            self.is_error = not self.is_error
            self._hints.renew()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "switch_kind":
            return self.purpose != "reason"
        return self.purpose == "answer" if action == "switch_error" else True

    def on_plain_area_enter_pressed(self, event: PlainArea.EnterPressed) -> None:
        event.stop()
        self.action_submit()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._problem:
            self.complain("")

    def _title_lines(self, width: int) -> list[Line]:
        return [clipped([(_TITLES[self.purpose], Ink.STRONG)], width)]

    def _hint_lines(self, width: int) -> list[Line]:
        lines: list[Line] = []
        if self._problem:
            lines += [[(row, Ink.PROBLEM)] for row in wrapped([spelled(self._problem)], width)[:3]]
        keys: list[Line] = [[("ctrl+s", Ink.KEY), (" submit   ", Ink.MUTED)]]
        match self.purpose:
            case "answer":
                kind = "JSON" if self.as_json else "text"
                keys.append([("ctrl+t", Ink.KEY), (" as ", Ink.MUTED), (f"{kind}   ", Ink.STRONG)])
                told = "an error" if self.is_error else "a result"
                words = f"{told}   "
                keys.append([("ctrl+r", Ink.KEY), (" told as ", Ink.MUTED), (words, Ink.STRONG)])
            case "edit":
                lines += [[(row, Ink.PLAIN)] for row in wrapped([TOLD[self.tell]], width)]
                keys.append([("ctrl+t", Ink.KEY), (" tell it otherwise   ", Ink.MUTED)])
            case "reason":
                keys = [[("enter", Ink.KEY), (" deny with this reason   ", Ink.MUTED)]]
        keys.append([("escape", Ink.KEY), (" close", Ink.MUTED)])
        return [*lines, *flowed(keys, width)]
