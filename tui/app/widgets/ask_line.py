"""A line in which words are typed for one purpose at a time; not on the screen until it is asked."""

from __future__ import annotations

from textual import on
from textual.message import Message
from textual.widgets import Input


class AskLine(Input):
    """`ask` opens it; what is typed goes out with the purpose, and the line is gone."""

    class Answered(Message):
        """Words were typed for a purpose. The owner gives the focus to what it likes."""

        def __init__(self, purpose: str, typed: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.typed = typed

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True)
        self._purpose = ""

    def on_mount(self) -> None:
        self.display = False

    @property
    def asking(self) -> bool:
        return self.display

    def ask(self, purpose: str, title: str, value: str) -> None:
        """Open the line. `title` is shown while it is empty."""
        self._purpose = purpose
        self.placeholder = title
        self.value = value
        self.display = True
        self.focus()

    def close(self) -> None:
        self.display = False

    @on(Input.Submitted)
    def _answer(self, event: Input.Submitted) -> None:
        event.stop()
        self.close()
        self.post_message(self.Answered(self._purpose, event.value))
