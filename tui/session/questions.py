"""Questions of MCP servers on their way to a person, and the answers on their way back.

A question that nobody listens to is declined at once, and one that nobody answers in time is
declined by itself: no call hangs on a person who has gone. What is asked is shown elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tui.tools.mcp.questions import Question, QuestionAnswer

PATIENCE: Final = 100.0
"""Seconds; a call that asks is given up after 120."""
DECLINED: Final = QuestionAnswer("decline")


@dataclass(frozen=True, slots=True, eq=False)
class OpenQuestion:
    """A question that waits."""

    question: Question
    until: float
    """When it is declined, on the clock of the event loop."""
    _answer: asyncio.Future[QuestionAnswer]

    @property
    def open(self) -> bool:
        return not self._answer.done()

    def answer(self, answer: QuestionAnswer) -> bool:
        """Answer; False when it was answered, declined or withdrawn before."""
        if self._answer.done():
            return False
        self._answer.set_result(answer)
        return True


@dataclass(slots=True)
class Questions:
    """What waits for a person, oldest first. Used from one event loop."""

    patience: float = PATIENCE
    _open: list[OpenQuestion] = field(default_factory=list)
    _listener: Callable[[], None] | None = None

    @property
    def open(self) -> tuple[OpenQuestion, ...]:
        return tuple(self._open)

    def listen(self, changed: Callable[[], None]) -> None:
        """Somebody is there from now on; `changed` is called when `open` has changed."""
        self._listener = changed

    def leave(self) -> None:
        """Nobody is there any more: what waits is declined."""
        self._listener = None
        for asked in self._open:
            asked.answer(DECLINED)

    async def ask(self, question: Question) -> QuestionAnswer:
        """Ask and wait; what a tool source is given as `AskPerson`."""
        if self._listener is None:
            return DECLINED
        loop = asyncio.get_running_loop()
        asked = OpenQuestion(question, loop.time() + self.patience, loop.create_future())
        self._open.append(asked)
        self._changed()
        try:
            async with asyncio.timeout(self.patience):
                return await asked._answer
        except TimeoutError:
            return DECLINED
        finally:
            self._open.remove(asked)
            # Withdrawn with its call, or too late: whoever still shows it must see that.
            asked._answer.cancel()
            self._changed()

    def _changed(self) -> None:
        if self._listener is not None:
            self._listener()
