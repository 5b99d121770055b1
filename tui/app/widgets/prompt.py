"""The prompt: what a person types, pastes or recalls, until it is sent.

Keys and pastes come in; the whole text goes out once, as a message. Pasted controls are spelled
out, so that what is seen is what is sent; a long paste stands in the text as a chip. Commands
and history are given as data, and nothing here runs a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, TextArea
from textual.widgets.option_list import Option

from tui.app.keys_in_order import KeysInOrder
from tui.app.safe import clean, clean_line

CHIP_CHARACTERS = 64 * 1024
CHIP_LINES = 2_000
"""Above either, a paste becomes a chip."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command offered after `/`: its name without the slash, and what it does."""

    name: str
    help: str
    arguments: str = ""


class PromptInput(KeysInOrder, TextArea):
    """The text area of the prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send", id="prompt.send", priority=True),
        Binding("ctrl+j,shift+enter,alt+enter", "newline", "New line", id="prompt.newline"),
        Binding("escape", "cancel", "Cancel", id="prompt.cancel", show=False),
        Binding("tab", "complete", "Complete", id="prompt.complete", show=False),
    ]
    HELP = "Enter sends; Ctrl+J begins a new line. / lists the commands, Up recalls."

    class CancelAsked(Message):
        pass

    class CompletionAsked(Message):
        pass

    class Moved(Message):
        """Up at the first row or Down at the last one was pressed."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, placeholder: str, send: Callable[[], None]) -> None:
        super().__init__(
            placeholder=Content(placeholder),
            tab_behavior="focus",
            show_line_numbers=False,
            highlight_cursor_line=False,
            compact=True,
        )
        self._chips: dict[str, str] = {}
        self._send = send

    @property
    def expanded(self) -> str:
        """The text with every chip replaced by what was pasted."""
        if not self._chips:
            return self.text
        # In one pass: what was pasted may contain the words of a chip.
        chips = re.compile("|".join(re.escape(chip) for chip in self._chips))
        return chips.sub(lambda match: self._chips[match[0]], self.text)

    def replace_all(self, text: str) -> None:
        """Show `text` instead, cleaned, with the cursor at its end."""
        self._chips.clear()
        self.load_text(clean(text, keep_tabs=True))
        self.move_cursor(self.document.end)

    def action_send(self) -> None:
        # Behind the keys that wait here, and not by a message: what is typed next must not get in.
        self.call_later(self._send)

    def action_newline(self) -> None:
        self.insert("\n")

    def action_cancel(self) -> None:
        self.post_message(self.CancelAsked())

    def action_complete(self) -> None:
        self.post_message(self.CompletionAsked())

    def action_cursor_up(self, select: bool = False) -> None:
        if not select and self.cursor_at_first_line:
            self.post_message(self.Moved(-1))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self.cursor_at_last_line:
            self.post_message(self.Moved(1))
        else:
            super().action_cursor_down(select)

    def action_delete_left(self) -> None:
        """Delete a whole chip when the cursor stands behind one."""
        if self.selection.is_empty:
            row, column = self.cursor_location
            before = self.document.get_line(row)[:column]
            for chip in self._chips:
                if before.endswith(chip):
                    self.delete((row, column - len(chip)), (row, column))
                    return
        super().action_delete_left()

    async def _on_paste(self, event: events.Paste) -> None:
        # Textual calls the handler of every base class; the one of TextArea inserts the raw text.
        event.prevent_default()
        event.stop()
        text = clean(event.text.replace("\r\n", "\n").replace("\r", "\n"), keep_tabs=True)
        lines = text.count("\n") + 1
        if len(text) > CHIP_CHARACTERS or lines > CHIP_LINES:
            text = self._chip_for(text, lines)
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def _chip_for(self, text: str, lines: int) -> str:
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        chip = f"[pasted {size}]"
        number = 1
        while chip in self._chips or chip in self.text:
            number += 1
            chip = f"[pasted {size} #{number}]"
        self._chips[chip] = text
        return chip


class Prompt(Vertical):
    """The input with its list of commands above it."""

    class Submitted(Message):
        """A person sent `text` (chips expanded, never only white space)."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CancelAsked(Message):
        """Escape was pressed with no list open: stop what is running."""

    def __init__(
        self,
        *,
        commands: Sequence[SlashCommand] = (),
        placeholder: str = "Ask something — Enter sends, Ctrl+J begins a new line, / for commands",
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.commands = tuple(commands)
        self.history: list[str] = []
        """What was sent before, oldest first; grows with every submission."""
        self._recalled: int | None = None
        self._draft = ""
        self._input = PromptInput(placeholder, self._send)
        self._offers = OptionList()
        self._offered: list[SlashCommand] = []
        self._offered_for = ""

    def compose(self) -> ComposeResult:
        self._offers.display = False
        self._offers.can_focus = False
        yield self._offers
        yield self._input

    @property
    def text(self) -> str:
        """What would be sent now."""
        return self._input.expanded

    @text.setter
    def text(self, text: str) -> None:
        self._input.replace_all(text)

    def restore(self, text: str) -> None:
        """Give back a text that could not be sent, unless another was begun meanwhile."""
        if not self._input.text:
            self._input.replace_all(text)

    def focus(self, scroll_visible: bool = True) -> Self:
        """Focus the input."""
        self._input.focus(scroll_visible)
        return self

    def _send(self) -> None:
        if self._offered_for != self._input.text:
            self._offer()
        if self._offers.display and self._complete():
            return
        text = self._input.expanded
        if not text.strip():
            return
        if not self.history or self.history[-1] != text:
            self.history.append(text)
        self._recalled = None
        self._input.replace_all("")
        self.post_message(self.Submitted(text))

    def on_prompt_input_cancel_asked(self, event: PromptInput.CancelAsked) -> None:
        event.stop()
        if self._offers.display:
            self._offers.display = False
        else:
            self.post_message(self.CancelAsked())

    def on_prompt_input_completion_asked(self, event: PromptInput.CompletionAsked) -> None:
        event.stop()
        if self._offers.display:
            self._complete()
        else:
            self.screen.focus_next()

    def on_prompt_input_moved(self, event: PromptInput.Moved) -> None:
        event.stop()
        if self._offers.display:
            if event.step < 0:
                self._offers.action_cursor_up()
            else:
                self._offers.action_cursor_down()
            return
        self._recall(event.step)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._offer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._offers.highlighted = event.option_index
        self._complete()
        self._input.focus()

    def _offer(self) -> None:
        """List the commands that begin like the text, while it is a single word after a slash."""
        text = self._offered_for = self._input.text
        word = text[1:] if text.startswith("/") and not any(map(str.isspace, text)) else None
        self._offered = [
            command
            for command in self.commands
            if word is not None and command.name.startswith(word.lower())
        ]
        self._offers.display = bool(self._offered)
        self._offers.clear_options()
        if not self._offered:
            return
        wide = max(len(command.name) + len(command.arguments) for command in self._offered) + 4
        for command in self._offered:
            usage = f"/{command.name} {command.arguments}".rstrip()
            self._offers.add_option(
                Option(
                    Content.assemble(
                        (clean_line(usage).ljust(wide), "bold"),
                        (clean_line(command.help), "$text-muted"),
                    )
                )
            )
        self._offers.highlighted = 0

    def _complete(self) -> bool:
        """Put the highlighted command into the text; False when it stands there already."""
        place = self._offers.highlighted
        if place is None or place >= len(self._offered):
            return False
        command = self._offered[place]
        whole = f"/{command.name}"
        if self._input.text == whole and not command.arguments:
            self._offers.display = False
            return False
        self._input.replace_all(whole + " " if command.arguments else whole)
        self._offers.display = False
        return True

    def _recall(self, step: int) -> None:
        if not self.history:
            return
        if self._recalled is None:
            if step > 0:
                return
            self._draft = self._input.expanded
            self._recalled = len(self.history)
        self._recalled += step
        if self._recalled >= len(self.history):
            self._recalled = None
            self._input.replace_all(self._draft)
        else:
            self._recalled = max(self._recalled, 0)
            self._input.replace_all(self.history[self._recalled])
