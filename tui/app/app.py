"""The Textual application: themes, keys and screens, around a workspace it is given.

It makes nothing that talks to a network, a tool or a database; `tui.cli` does, and passes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import Theme

from tui.app.browser import open_address
from tui.app.copying import copy_out
from tui.app.garbage import Garbage
from tui.app.safe import notify
from tui.app.screens.chat import ChatScreen
from tui.app.screens.elicitation import Asking
from tui.app.styles import STYLESHEETS
from tui.app.themes import CALL_COLOUR_FALLBACKS, ThemeFault
from tui.app.widgets.help_panel import HelpPanel, HelpSection
from tui.core.errors import VerbatimError
from tui.recording.replay import Pace
from tui.session.workspace import Workspace

DARK, LIGHT = "verbatim-dark", "verbatim-light"
_SECONDS_TO_READ_AN_ADDRESS = 60

HELP = (
    HelpSection(
        "Prompt",
        (
            ("Enter", "send"),
            ("Ctrl+J", "new line (Shift+Enter where the terminal tells it apart)"),
            ("Up, Down", "earlier prompts, at the first and last row"),
            ("/", "commands"),
            ("Esc", "cancel what is running; when nothing is, back to the prompt"),
        ),
    ),
    HelpSection(
        "Everywhere",
        (
            ("F2", "to the calls"),
            ("F3", "to the messages"),
            ("F4", "what came over the wire, event by event; / finds a word and its events"),
            ("F5", "time travel: the turn as it was at any moment"),
            ("Ctrl+N", "new conversation"),
            ("Ctrl+O", "open a stored conversation"),
            ("Ctrl+F", "search what was said, called and returned; Enter goes there"),
            ("F6", "this branch beside another one, or beside another conversation"),
            ("Ctrl+R", "go on after an error, a limit or a restart"),
            ("F8", "tools and servers: what they are, what may run unasked"),
            ("Ctrl+T", "next theme"),
            ("Ctrl+P", "command palette"),
            ("Ctrl+Q", "quit"),
        ),
    ),
    HelpSection(
        "Messages",
        (
            ("Up, Down", "from message to message"),
            ("y", "copy the message as it was received"),
            ("c", "copy a code block"),
            ("o", "open a link, after seeing where it leads"),
            ("t", "show or fold the thinking"),
            ("r", "ask for this turn again, as a branch; at a prompt, for another answer"),
            ("E", "edit this prompt and send it beside the old one"),
            ("b", "branch here: what is sent next goes below this message"),
            ("[, ]", "the other branches at this message"),
            ("End", "follow again"),
        ),
    ),
    HelpSection(
        "Calls",
        (
            ("1 2 3 4 5", "forming view, raw text, pretty-printed, fragments, result"),
            ("6", "what was edited before it ran, against what the model wrote"),
            ("a, s, T", "allow once, in this conversation, always this tool"),
            ("d, D", "deny; deny and tell the model why"),
            ("e", "run it with other arguments, in a record of its own"),
            ("*", "allow all that wait, when all are listed"),
            ("n", "to the next call that waits"),
            ("x", "cancel what runs"),
            ("r", "run it again by hand; the model is not told"),
            ("h", "answer by hand; a finished call gets another result, in a branch"),
            ("b", "branch behind the turn of this call"),
            ("c", "copy what the view shows, as it was received"),
        ),
    ),
)


class VerbatimApp(App[None]):
    """The chat.

    Args:
        workspace: opened when the app starts and closed when it ends.
        conversation: a stored conversation to open; None begins a new one.
        themes: what the theme files gave; `faults` are shown once.
        theme: the one to begin with.
        keymap: binding id → keys, where they differ from the defaults.
        suggestions: prompts to try, for the prompt's completion.
        welcome: a first notice, such as that no real model answers.
        first_prompt: sent as soon as the screen stands (a replay's).
        pace: of a replay, for the keys that hold and step it.
        note: a word for the status line that must not be overlooked.
    """

    TITLE = "Verbatim"
    CSS_PATH = STYLESHEETS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="app.help"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit"),
        Binding("ctrl+t", "next_theme", "Theme", id="app.theme", show=False),
    ]

    def __init__(
        self,
        workspace: Workspace,
        *,
        conversation: str | None = None,
        themes: Sequence[Theme] = (),
        faults: Sequence[ThemeFault] = (),
        theme: str = DARK,
        keymap: Mapping[str, str] | None = None,
        suggestions: tuple[str, ...] = (),
        welcome: str = "",
        first_prompt: str = "",
        pace: Pace | None = None,
        note: str = "",
        copies_folder: Path | None = None,
        garbage: Garbage | None = None,
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._conversation = conversation
        self._faults = tuple(faults)
        self._theme_names = [each.name for each in themes]
        self._suggestions = suggestions
        self._welcome = welcome
        self._first_prompt = first_prompt
        self._pace = pace
        self._note = note
        self.refusal: VerbatimError | None = None
        """Why no conversation could be opened, so that the app ended at once."""
        self._copies_folder = copies_folder
        self._warned = False
        """That leaving would lose something has been said."""
        self._garbage = garbage
        self._typed = False
        """Somebody pressed a key or moved the mouse since the last look."""
        for each in themes:
            self.register_theme(each)
        if theme in self._theme_names:
            self.theme = theme
        if keymap:
            self.set_keymap(dict(keymap))

    def _refuse(self, error: VerbatimError) -> None:
        self.refusal = error
        self.exit(return_code=2)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return CALL_COLOUR_FALLBACKS

    async def on_mount(self) -> None:
        Asking(self, self._workspace.questions)
        self._workspace.begin()
        await self._workspace.opening.local()
        await self.push_screen(
            ChatScreen(
                self._workspace,
                conversation=self._conversation,
                suggestions=self._suggestions,
                copies_folder=self._copies_folder,
                welcome=self._welcome,
                first_prompt=self._first_prompt,
                pace=self._pace,
                note=self._note,
                refuse=self._refuse,
            )
        )
        if self._garbage is not None:
            self.set_interval(1.0, self._collect)
        for fault in self._faults:
            notify(self, f"Theme skipped. {fault}", severity="warning")

    async def on_unmount(self) -> None:
        await self._workspace.close()

    async def on_event(self, event: events.Event) -> None:
        self._typed = self._typed or isinstance(event, events.InputEvent)
        await super().on_event(event)

    def _collect(self) -> None:
        if self._garbage is not None:
            typed, self._typed = self._typed, False
            self._garbage.tick(
                busy=self._workspace.busy,
                typed=typed,
                conversations=self._workspace.conversations,
            )

    async def action_quit(self) -> None:
        """Leave; only the second time where something would be lost."""
        words = self._workspace.unkept
        if words and not self._warned:
            self._warned = True
            notify(self, f"{words} Quit again to leave all the same.", severity="error")
            return
        self.exit()

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Open `url` beside the terminal; where that cannot be done, hand it to the person."""
        self._open_beside(url)

    @work(thread=True)
    def _open_beside(self, url: str) -> None:
        if not open_address(url):
            self.call_from_thread(self._hand_over, url)

    def _hand_over(self, url: str) -> None:
        copied = copy_out(url, "the address", self.copy_to_clipboard, self._copies_folder)
        notify(
            self,
            "Nothing was opened: there is no browser here that has a window of its own. "
            f"{copied.told}\n{url}",
            severity="warning",
            timeout=_SECONDS_TO_READ_AN_ADDRESS,
        )

    def action_help(self) -> None:
        self.push_screen(HelpPanel(HELP))

    def action_next_theme(self) -> None:
        names = self._theme_names
        if names:
            place = names.index(self.theme) + 1 if self.theme in names else 0
            self.theme = names[place % len(names)]
            notify(self, f"Theme {self.theme}")
