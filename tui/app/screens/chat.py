"""The chat screen: messages on one side, calls on the other, a prompt below.

Composes the widgets, gives them to the presenter, and turns what a person does into what the
session is asked. On a narrow terminal the call panel stands below the messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Resize

from tui.app.commands import COMMANDS
from tui.app.presenter import STREAMING, WAITING, Presenter, text_of
from tui.app.safe import notify
from tui.app.screens.conversations import Conversations
from tui.app.screens.deciding import DecidingScreen
from tui.app.screens.time_travel import TimeTravel
from tui.app.screens.tools import ToolsScreen
from tui.app.screens.wire import WireScreen
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.prompt import Prompt
from tui.app.widgets.status_line import StatusLine
from tui.app.wire.source import WireSource
from tui.config.paths import STORE_NAME
from tui.core.conversation import AssistantMessage, ImagePart, UserMessage
from tui.core.errors import VerbatimError
from tui.core.turn import Turn
from tui.recording.replay import Pace
from tui.session.images import load_image
from tui.session.updates import Approval
from tui.session.workspace import OpenConversation, Workspace

NARROW = 110
"""Columns below which the call panel goes under the messages."""


class ChatScreen(DecidingScreen):
    """One conversation at a time; another takes its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "calls", "Calls", id="chat.calls"),
        Binding("f3", "messages", "Messages", id="chat.messages"),
        Binding("f4", "wire", "Wire", id="chat.wire"),
        Binding("f5", "travel", "Time travel", id="chat.travel"),
        Binding("ctrl+n", "new", "New", id="chat.new"),
        Binding("ctrl+o", "conversations", "Open", id="chat.open"),
        Binding("ctrl+f", "search", "Search", id="chat.search", priority=True),
        Binding("f6", "compare", "Compare", id="chat.compare", show=False, priority=True),
        Binding("f8", "tools", "Tools", id="chat.tools"),
        Binding("ctrl+r", "proceed", "Go on", id="chat.proceed"),
        Binding("ctrl+s", "step", "Step", id="replay.step", show=False, priority=True),
        Binding("ctrl+y", "hold", "Hold", id="replay.hold", show=False, priority=True),
        Binding("escape", "cancel", "Cancel", id="chat.cancel", show=False),
    ]
    AUTO_FOCUS = "PromptInput"

    def __init__(
        self,
        workspace: Workspace,
        *,
        conversation: str | None = None,
        suggestions: tuple[str, ...] = (),
        copies_folder: Path | None = None,
        welcome: str = "",
        first_prompt: str = "",
        pace: Pace | None = None,
        note: str = "",
        refuse: Callable[[VerbatimError], None] | None = None,
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.suggestions = suggestions
        self.welcome = welcome
        self._wanted = conversation
        self._first_prompt = first_prompt
        self._pace = pace
        self._note = note
        self._refuse = refuse or self.complain
        self._images: list[ImagePart] = []
        self.copies_folder = copies_folder
        self._opened: OpenConversation | None = None
        self._presenter: Presenter | None = None

    def compose(self) -> ComposeResult:
        with Container(id="work"):
            yield MessagePane(id="messages", copies_folder=self.copies_folder)
            yield CallPanel(id="calls", clock=self.workspace.clock)
        yield Prompt(commands=COMMANDS, id="prompt")
        yield StatusLine(clock=self.workspace.clock, id="status")

    def on_mount(self) -> None:
        self._show_note()
        try:
            if self._wanted:
                self._show(self.workspace.open(self._wanted))
            else:
                self._show(self.workspace.new())
                if self._first_prompt:
                    self.opened.session.send(self._first_prompt)
        except VerbatimError as error:
            # Without a conversation there is nothing to show: say why where it will be read.
            self._refuse(error)

    def on_resize(self, event: Resize) -> None:
        self.query_one("#work").set_class(event.size.width < NARROW, "-narrow")

    # A conversation -----------------------------------------------------------------------

    @property
    def opened(self) -> OpenConversation:
        assert self._opened is not None, "a conversation is opened on mount"  # noqa: S101
        return self._opened

    @property
    def waiting(self) -> int:
        """Calls that wait for a person."""
        return self.query_one(CallPanel).wants_attention

    @property
    def arrived(self) -> tuple[int, int] | None:
        """The number of the newest turn, and how many of its bytes have come."""
        return None if self._presenter is None else self._presenter.arrived

    def _show(self, opened: OpenConversation) -> None:
        self._opened = opened
        self.editing, self.at_earlier = None, False
        pane, panel = self.query_one(MessagePane), self.query_one(CallPanel)
        presenter = self._presenter = Presenter(pane, panel, self)
        self._show_target()
        self.query_one(StatusLine).start_over()
        resumed = opened.resumed
        if resumed is None and self.welcome:
            pane.add_notice(self.welcome)
        if resumed is not None:
            with pane.filling():
                for stored, message in zip(resumed.stored, resumed.messages, strict=False):
                    match message:
                        case UserMessage():
                            pane.add_user(stored.id, text_of(message))
                        case AssistantMessage() if stored.exchange is not None:
                            handle = self.workspace.past_turn(resumed, stored.exchange)
                            panel.show_past(handle, resumed.states, resumed.results, resumed.edits)
                            presenter.past_turn(handle, dict(resumed.states))
                        case _:
                            pass
            if resumed.pending is not None:
                pane.add_notice(
                    "Verbatim ended before these calls were over. Ctrl+R takes them up.",
                    "warning",
                )
            self.mark_branches()
        self.show_state("ready", busy=False)
        self._follow(opened, presenter)

    @work(exclusive=True, group="session", exit_on_error=True)
    async def _follow(self, opened: OpenConversation, presenter: Presenter) -> None:
        async for update in opened.session.updates():
            presenter.take(update)
            self.note_message(update)

    async def replace_conversation(self, opened: OpenConversation) -> None:
        before = self._opened
        if before is not None:
            before.session.cancel()
            await before.session.wait_idle()
        await self.query_one(MessagePane).clear()
        await self.query_one(CallPanel).clear()
        self._show(opened)
        self.query_one(Prompt).focus()

    def _show_note(self) -> None:
        notes = [self._note] if self._note else []
        # A replay is of something that is kept.
        if self.workspace.store.file is None and self._pace is None:
            notes.append("in memory only")
        self.query_one(StatusLine).note = " · ".join(notes)

    def _show_target(self) -> None:
        target, status = self.opened.session.target, self.query_one(StatusLine)
        status.endpoint, status.model = target.source.name, target.settings.model

    # What a person does -------------------------------------------------------------------

    @on(Prompt.Submitted)
    async def _submit(self, event: Prompt.Submitted) -> None:
        name, _, argument = event.text.strip().partition(" ")
        if name.startswith("/") and name[1:] in {command.name for command in COMMANDS}:
            try:
                await self._command(name[1:], argument.strip())
            except VerbatimError as error:
                self.complain(error)
            return
        if self.send_edited(event.text):
            return
        try:
            self.opened.session.send(event.text, tuple(self._images))
            self._images.clear()
        except VerbatimError as error:
            self.query_one(Prompt).restore(event.text)
            self.complain(error)

    async def _command(self, name: str, argument: str) -> None:
        match name:
            case "new":
                self.action_new()
            case "open":
                self.action_conversations()
            case "go-on":
                self.action_proceed()
            case "endpoint" | "model":
                self._retarget(name, argument)
            case "wire":
                self.action_wire()
            case "travel":
                self.action_travel()
            case "tools":
                self.action_tools()
            case "reload":
                self._reload()
            case "regenerate":
                self.regenerate()
            case "edit":
                self.edit_prompt()
            case "branch":
                self.branch_here(self.query_one(MessagePane).chosen)
            case "answer":
                self.answer_again(*argument.partition(" ")[::2])
            case "search":
                self.search(argument)
            case "compare":
                self.compare()
            case "title" | "tag" | "pin":
                self.file_away(name, argument)
            case "image":
                await self._add_image(argument)
            case "keep":
                await self._keep(argument)
            case "theme":
                await self.app.run_action("next_theme")
            case "help":
                await self.app.run_action("help")
            case _:
                await self.app.run_action("quit")

    @on(Prompt.CancelAsked)
    def action_cancel(self) -> None:
        if self._opened is None:
            return
        if self._opened.session.cancel():
            self.show_state("cancelling", busy=True)
        elif not self.give_up():
            self.query_one(Prompt).focus()

    def action_proceed(self) -> None:
        try:
            # From where the screen stands: what comes is stored there if the client dies meanwhile.
            if self.at_earlier and not self.opened.session.busy:
                self.workspace.store.set_head(self.opened.id, self.opened.journal.parent)
            self.opened.session.proceed()
        except VerbatimError as error:
            self.complain(error)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # In a chat that is no replay these keys are the prompt's.
        return self._pace is not None if action in ("step", "hold") else True

    def action_hold(self) -> None:
        """Hold a replay, or let it run on."""
        if self._pace is not None:
            if self._pace.paused:
                self._pace.resume()
            else:
                self._pace.pause()
            self.show_state(STREAMING, busy=True)

    def action_step(self) -> None:
        """Let one chunk of a held replay through."""
        if self._pace is not None:
            self._pace.step()

    def action_calls(self) -> None:
        if not self.query_one(CallPanel).focus_chosen():
            notify(self.app, "There is no call yet.")

    def action_wire(self) -> None:
        """What came over the wire for the turn that is looked at, or the newest."""
        self._look_back(WireScreen)

    def action_travel(self) -> None:
        """The turn that is looked at, or the newest, as it was at any moment."""
        self._look_back(TimeTravel)

    def _look_back(self, kind: type[WireScreen | TimeTravel]) -> None:
        target = self.opened.session.target
        source = WireSource(
            self.workspace.store,
            self.opened.id,
            {} if self._presenter is None else self._presenter.handles,
            self.workspace.registry.specs_by_name,
            settings=target.decoder_settings,
            endpoint=target.name,
        )
        try:
            exchange = self._exchange_looked_at(source.exchanges())
            if exchange is None:
                notify(self.app, "There is no turn yet.")
                return
            self.app.push_screen(kind(source, exchange, copies_folder=self.copies_folder))
        except VerbatimError as error:
            self.complain(error)

    def _exchange_looked_at(self, exchanges: Sequence[str]) -> str | None:
        pane, panel = self.query_one(MessagePane), self.query_one(CallPanel)
        card = panel.chosen if panel.has_focus_within else None
        if card is not None:
            return card.model.handle.exchange
        if pane.has_focus and pane.chosen in exchanges:
            return pane.chosen
        return exchanges[-1] if exchanges else None

    def action_search(self) -> None:
        self.search()

    def action_compare(self) -> None:
        try:
            self.compare()
        except VerbatimError as error:
            self.complain(error)

    def action_messages(self) -> None:
        self.query_one(MessagePane).focus()

    @work(exclusive=True, group="open")
    async def action_new(self) -> None:
        try:
            await self.replace_conversation(self.workspace.new(self.opened.session.target.name))
        except VerbatimError as error:
            self.complain(error)

    def action_conversations(self) -> None:
        self.app.push_screen(
            Conversations(self.workspace.store, self.open_conversation, current=self.opened.id)
        )

    @work(exclusive=True, group="open")
    async def open_conversation(self, conversation: str) -> None:
        """Put a stored conversation in place of the one that is open."""
        try:
            await self.replace_conversation(self.workspace.open(conversation))
        except VerbatimError as error:
            self.complain(error)

    async def _add_image(self, name: str) -> None:
        if not name:
            self._images.clear()
            notify(self.app, "No image goes along. /image FILE adds one.")
            return
        try:
            self._images.append(await asyncio.to_thread(load_image, Path(name)))
        except VerbatimError as error:
            self.complain(error)
        else:
            notify(self.app, f"{len(self._images)} to go along with the next prompt: {name}")

    async def _keep(self, where: str) -> None:
        if not where:
            place = self.workspace.store.file or "memory only"
            notify(self.app, f"Kept in {place}. /keep DIR or /keep memory changes it.")
            return
        try:
            folder = None if where == "memory" else await asyncio.to_thread(Path(where).expanduser)
            missing = await self.workspace.keep_in(None if folder is None else folder / STORE_NAME)
        except VerbatimError as error:
            self.complain(error)
            return
        self._show_note()
        notify(self.app, f"Kept in {self.workspace.store.file or 'memory only'} from now on.")
        if missing:
            words = f"Not all of the damaged store could be read: {'; '.join(missing)}"
            notify(self.app, words, severity="warning")

    def _retarget(self, what: str, argument: str) -> None:
        session = self.opened.session
        if not argument:
            current = session.target.name if what == "endpoint" else session.target.settings.model
            notify(self.app, f"The {what} is {current}. /{what} NAME changes it.")
            return
        try:
            if what == "endpoint":
                session.retarget(self.workspace.target(argument))
            else:
                target = session.target
                session.retarget(replace(target, settings=replace(target.settings, model=argument)))
        except VerbatimError as error:
            self.complain(error)
            return
        self._show_target()

    def action_tools(self) -> None:
        self.app.push_screen(ToolsScreen(self.workspace, self.opened.runner))

    @work(exclusive=True, group="reload")
    async def _reload(self) -> None:
        await self.workspace.registry.reload()
        count = len(self.workspace.registry.entries())
        tools = "1 tool is" if count == 1 else f"{count:,} tools are"
        notify(self.app, f"Read again: {tools} on offer. F8 shows them.")

    # The presenter's stage ----------------------------------------------------------------

    def show_state(self, word: str, *, busy: bool) -> None:
        if word in (WAITING, STREAMING) and self._pace is not None and self._pace.paused:
            word = "held: Ctrl+S steps, Ctrl+Y goes on"
        status = self.query_one(StatusLine)
        status.state = word
        if status.busy != busy:
            status.busy = busy

    def show_usage(self, turn: Turn) -> None:
        self.query_one(StatusLine).show_usage(turn.usage)

    def show_findings(self, turn: Turn) -> None:
        self.query_one(StatusLine).add_findings(len(turn.findings))

    def ask_for(self, approval: Approval) -> None:
        self.show_state("a call waits for you: F2", busy=True)
        # Typing must never answer a question: the keys go to it only where they were already.
        panel = self.query_one(CallPanel)
        if panel.has_focus_within:
            panel.attend()

    def became_idle(self, reason: str) -> None:
        words = {"done": "ready", "limit": "stopped at the turn limit"}
        self.show_state(words.get(reason, reason), busy=False)
        if not isinstance(self.focused, MessagePane):
            self.query_one(Prompt).focus()

    def complain(self, error: VerbatimError) -> None:
        notify(self.app, f"{error}\n{error.hint}".strip(), severity="error")
