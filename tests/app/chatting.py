"""A chat for tests: the real app over the real session, store and tools, without waiting."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tui.app.app import VerbatimApp
from tui.app.screens.chat import ChatScreen
from tui.app.themes import load_themes, theme_folders
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.prompt import Prompt
from tui.core.conversation import TurnSettings
from tui.core.source import ByteSource
from tui.demo import DemoSource
from tui.session.session import Target
from tui.session.workspace import Workspace
from tui.store import Store
from tui.tools.policy import Policy
from tui.tools.registry import Registry
from tui.tools.shop import shop


def workspace(
    folder: Path,
    *,
    source: ByteSource | None = None,
    store: Store | None = None,
    mode: str = "read-only",
) -> Workspace:
    """The demo (or `source`) with the demo shop below `folder`."""
    answering = source or DemoSource("anthropic", speed=math.inf)
    return Workspace(
        store=store or Store.open(folder / "store.sqlite"),
        registry=Registry([shop(folder)]),
        policy=Policy(mode=mode),  # type: ignore[arg-type]
        target_of=lambda name: Target(
            name or "demo", "anthropic", answering, TurnSettings("verbatim-demo")
        ),
    )


class Chat:
    """What a test does with the screen and looks for on it."""

    def __init__(self, app: VerbatimApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> ChatScreen:
        return next(screen for screen in self.app.screen_stack if isinstance(screen, ChatScreen))

    @property
    def pane(self) -> MessagePane:
        return self.screen.query_one(MessagePane)

    @property
    def panel(self) -> CallPanel:
        return self.screen.query_one(CallPanel)

    @property
    def prompt(self) -> Prompt:
        return self.screen.query_one(Prompt)

    async def until(self, condition: Callable[[], object], what: str) -> None:
        """Let the app work until `condition` holds."""
        for _ in range(2000):
            if condition():
                return
            await self.pilot.pause(0.005)
        raise AssertionError(f"never came: {what}\n{self.shown()}")

    async def say(self, text: str) -> None:
        """Type and send."""
        before = len(self.screen.opened.session.messages)
        self.prompt.text = text
        self.prompt.focus()
        await self.pilot.press("enter")
        await self.until(
            lambda: len(self.screen.opened.session.messages) > before, "the session to begin"
        )

    async def idle(self) -> None:
        await self.until(lambda: not self.screen.opened.session.busy, "the session to be idle")
        await self.pilot.pause()
        await self.pilot.pause(0.1)

    def shown(self) -> str:
        """The text of the whole screen, as drawn."""
        lines = []
        for y in range(self.app.size.height):
            strip = self.app.screen._compositor.render_strips()[y]
            lines.append("".join(segment.text for segment in strip).rstrip())
        return "\n".join(lines)

    @property
    def prose(self) -> str:
        """The source text of every message, and the words of every mark: all the pane holds."""
        return "\n".join(message.source for message in self.pane.shown)


@asynccontextmanager
async def chatting(
    work: Workspace, *, size: tuple[int, int] = (140, 40), conversation: str | None = None
) -> AsyncIterator[Chat]:
    """Run the app over `work`."""
    themes = load_themes(theme_folders())
    assert themes.faults == ()
    app = VerbatimApp(work, themes=themes.themes, conversation=conversation)
    async with app.run_test(size=size, tooltips=True) as pilot:
        chat = Chat(app, pilot)
        await chat.until(
            lambda: len(app.screen_stack) > 1 and chat.screen._opened is not None, "the chat screen"
        )
        yield chat
