"""The workspace: everything that outlives one conversation, and the way to open one.

Screens and the command line hold one of these. It knows where things are stored, which tools
are on offer, what may run unasked and how to reach an endpoint; it draws nothing and reads no
environment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tui.core.codec import decode_message
from tui.core.conversation import AssistantMessage
from tui.core.errors import StoreError, UsageError, VerbatimError
from tui.session.calls import CallRunner
from tui.session.opening import PATIENCE, Opening
from tui.session.portable.rebuilt import turn_of
from tui.session.questions import Questions
from tui.session.reading import ReadingLoop
from tui.session.resume import Resumed, read_again, resume
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import Arrivals, Notice, Scope, SessionUpdate, TurnHandle
from tui.store import Store, Trouble
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy, Rule
from tui.tools.registry import Registry

TargetMaker = Callable[[str], Target]
"""An endpoint's name ("" for the default one) → ready to be asked. Raises UsageError."""

RuleScope = Literal["tools", "origins"]


@dataclass(frozen=True, slots=True)
class OpenConversation:
    """A conversation on the desk. `resumed` is None for a new one."""

    id: str
    session: Session
    journal: StoredJournal
    runner: CallRunner
    resumed: Resumed | None = None


@dataclass(slots=True)
class Workspace:
    """See the module.

    Args:
        keep_rule: keeps a rule that a person made, in the config; raises a VerbatimError.
        questions: where MCP servers' questions wait for a person.
        clock: seconds, by which arrivals and runs are timed; only differences count.
    """

    store: Store
    registry: Registry
    policy: Policy
    target_of: TargetMaker
    max_turns: int = 12
    interactive: bool = True
    keep_rule: Callable[[RuleScope, str, Rule], None] | None = None
    questions: Questions = field(default_factory=Questions)
    clock: Callable[[], float] = time.monotonic
    _reading: ReadingLoop = field(default_factory=ReadingLoop)
    _sources: list[object] = field(default_factory=list)
    _sessions: list[Session] = field(default_factory=list)
    _runners: list[CallRunner] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop | None = None
    _opening: Opening = field(init=False)
    _left_the_disk: bool = False
    """A person went on in memory, where the disk had been meant."""

    def __post_init__(self) -> None:
        self._opening = Opening(self.registry)

    def begin(self) -> None:
        """Start to open the tools, on the running event loop; conversations may begin at once."""
        self._loop = asyncio.get_running_loop()
        self._opening.begin()

    def hear(self, trouble: Trouble) -> None:
        """The store says what keeps it from writing, or that this is over; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, trouble)

    def _tell(self, trouble: Trouble) -> None:
        if not self._sessions:
            return
        words = f"{trouble.message} {trouble.hint}".strip()
        if not trouble.over and "in memory" in trouble.options:
            words += " The turn goes on; /keep DIR or /keep memory says where it is kept instead."
            if trouble.kind == "corrupt":
                words += " What is readable of the rest comes along."
        self._sessions[-1].emit(Notice(words, "information" if trouble.over else "error"))

    async def keep_in(self, file: Path | None) -> tuple[str, ...]:
        """Keep everything from now on in the new `file`, or (None) in memory only.

        Returns what of a damaged store could not be read, in words.

        Raises:
            StoreError: it cannot be kept there; nothing has changed.
        """
        missing = await asyncio.to_thread(self.store.relocate, file)
        self._left_the_disk = file is None
        return missing

    @property
    def unkept(self) -> str:
        """What would be lost if the program ended now, in words; empty when nothing would."""
        jobs, _ = self.store.waiting
        if self.store.trouble() is not None and jobs:
            writes = "1 write waits" if jobs == 1 else f"{jobs:,} writes wait"
            return f"{writes} in memory and would be lost. /keep DIR keeps them."
        if self._left_the_disk:
            return "What was said here is in memory only and would be lost. /keep DIR keeps it."
        return ""

    @property
    def opening(self) -> Opening:
        """How far the tools are."""
        return self._opening

    @property
    def busy(self) -> bool:
        """Whether a prompt is being answered, in any conversation."""
        return any(session.busy for session in self._sessions)

    @property
    def conversations(self) -> int:
        """How many were opened so far."""
        return len(self._sessions)

    def set_rule(self, scope: RuleScope, name: str, rule: Rule) -> None:
        """Ask, allow or deny a tool (or all of an origin) from now on, in every conversation.

        Questions that wait already still wait.

        Raises:
            VerbatimError: it holds until the program is left, but could not be kept.
        """
        self.policy = _ruled(self.policy, scope, name, rule)
        for runner in self._runners:
            runner.policy = _ruled(runner.policy, scope, name, rule)
        if self.keep_rule is not None:
            self.keep_rule(scope, name, rule)

    def new(self, endpoint: str = "") -> OpenConversation:
        """A new conversation with `endpoint`.

        Raises:
            UsageError: the endpoint cannot be used, and why.
            StoreError: nothing can be written.
        """
        target = self.target(endpoint)
        conversation = self.store.create_conversation(
            endpoint=target.name,
            dialect=target.dialect,
            model=target.settings.model,
            recorded=self.store.file is not None,
        )
        journal = StoredJournal(self.store, conversation)
        return self._opened(conversation, target, journal)

    def open(
        self,
        conversation: str,
        *,
        endpoint: str = "",
        head: str | None = None,
        target: Target | None = None,
    ) -> OpenConversation:
        """A stored conversation, at its head or at the message `head` (a branch from there).

        Args:
            target: where it goes on, if it is at hand already; `endpoint` does not count then.

        Raises:
            StoreError: there is none, or it cannot be read.
            UsageError: neither its endpoint nor the default one can be used, and why.
        """
        stored = self.store.conversation(conversation)
        resumed = resume(self.store, conversation, self.registry.specs_by_name, head=head)
        if target is not None or endpoint:
            going_on = target or self.target(endpoint)
            return self._opened(conversation, going_on, resumed.journal, resumed)
        try:
            return self._opened(
                conversation, self.target(stored.endpoint), resumed.journal, resumed
            )
        except UsageError as error:
            # It can be read, and gone on with at another endpoint, all the same.
            opened = self._opened(conversation, self.target(""), resumed.journal, resumed)
            words = f"{error} From here on {opened.session.target.name} answers."
            opened.session.emit(Notice(words, "warning"))
            return opened

    def past_turn(self, resumed: Resumed, exchange: str) -> TurnHandle:
        """A past turn, read again from its bytes.

        Raises:
            StoreError: its exchange is not part of this conversation.
        """
        found = resumed.exchanges.get(exchange)
        if found is None:
            raise StoreError(f"the exchange {exchange!r} is not part of this conversation")
        stored, number = found
        if stored.lost and stored.message and not self.store.chunks(exchange):
            # Its bytes were let go, or never came along with an import.
            message = decode_message(self.store.message(stored.message).body)
            if isinstance(message, AssistantMessage):
                return TurnHandle(
                    exchange,
                    turn_of(message),
                    Arrivals(),
                    stored.endpoint,
                    stored.dialect,
                    message.model,
                )
        _, handle = read_again(self.store, stored, number, tools=self.registry.specs_by_name)
        return handle

    async def close(self) -> None:
        """Suspend what still runs, then close connections, tools and the store."""
        self.questions.leave()
        for session in self._sessions:
            await session.suspend()
        for source in self._sources:
            if (close := getattr(source, "aclose", None)) is not None:
                await self._reading.run(close())
        self._reading.close()
        await self._opening.stop()
        await self.registry.close()
        await asyncio.to_thread(self.store.close)

    def target(self, endpoint: str) -> Target:
        """The endpoint called `endpoint`, ready to be asked; closed with the workspace.

        Raises:
            UsageError: it cannot be used, and why.
        """
        target = self.target_of(endpoint)
        self._sources.append(target.source)
        return target

    def _opened(
        self,
        conversation: str,
        target: Target,
        journal: StoredJournal,
        resumed: Resumed | None = None,
    ) -> OpenConversation:
        runner = CallRunner(
            self.registry,
            Dispatcher(self.registry, timer=self.clock),
            self.policy,
            journal,
            _unheard,
            self.interactive,
            self._allowed,
        )
        session = Session(
            target,
            journal=journal,
            reading=self._reading,
            calls=runner,
            messages=resumed.messages if resumed is not None else (),
            pending=resumed.pending if resumed is not None else None,
            max_turns=self.max_turns,
            clock=self.clock,
        )
        self._sessions.append(session)
        self._runners.append(runner)
        self._opening.tell(session.emit)
        return OpenConversation(conversation, session, journal, runner, resumed)

    def _allowed(self, tool: str, scope: Scope) -> None:
        if scope != "always":
            return
        try:
            self.set_rule("tools", tool, "allow")
        except VerbatimError as error:
            words = f"{tool} may run until Verbatim is left; {error} {error.hint}"
            self._sessions[-1].emit(Notice(words.strip(), "warning"))


def _ruled(policy: Policy, scope: RuleScope, name: str, rule: Rule) -> Policy:
    return policy.with_tool(name, rule) if scope == "tools" else policy.with_origin(name, rule)


def _unheard(update: SessionUpdate) -> None:
    """Replaced by the session's own queue as soon as the session exists."""


@asynccontextmanager
async def at_work(
    workspace: Workspace,
    *,
    patience: float = PATIENCE,
    waiting: Callable[[Sequence[str]], None] | None = None,
) -> AsyncIterator[Workspace]:
    """Open the tools, wait for all of them, and close everything in the end.

    For programs without a screen; a screen uses `Workspace.begin` and `Workspace.close`.

    Args:
        patience: seconds to wait; what is not open by then is left out until it is.
        waiting: told which origins are waited for, when it takes more than a moment.
    """
    workspace.begin()
    try:
        await workspace.opening.all(patience, waiting)
        yield workspace
    finally:
        await workspace.close()
