"""A list of which one, or several, are chosen. Words in, positions out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.app.keys_in_order import KeysInOrder
from tui.app.safe import clean_line

_LIMIT = 200


class ChoiceList(KeysInOrder, OptionList):
    """Enter or space chooses the row; a second time takes it back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "select", "Choose", show=False)]

    class Changed(Message):
        pass

    def __init__(
        self, words: Sequence[str], *, chosen: Sequence[int] = (), several: bool = False
    ) -> None:
        super().__init__()
        self._words = tuple(words)
        self._several = several
        self.chosen: set[int] = set(chosen)

    def on_mount(self) -> None:
        self._draw()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        place = event.option_index
        if place in self.chosen:
            self.chosen.remove(place)
        else:
            self.chosen = {*self.chosen, place} if self._several else {place}
        self._draw()
        self.post_message(self.Changed())

    def _draw(self) -> None:
        place = self.highlighted or 0
        self.clear_options()
        self.add_options([Option(self._row(index)) for index in range(len(self._words))])
        self.highlighted = place if self._words else None

    def _row(self, index: int) -> Content:
        marks = ("[x]", "[ ]") if self._several else ("(•)", "( )")
        mark = marks[0] if index in self.chosen else marks[1]
        style = "bold" if index in self.chosen else ""
        return Content.styled(f"{mark} {clean_line(self._words[index], _LIMIT)}", style)
