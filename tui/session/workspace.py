"""The workspace: everything that outlives one conversation, and the way to open one.

Screens and the command line hold one of these. It knows where things are stored, which tools
are on offer, what may run unasked and how to reach an endpoint; it draws nothing and reads no
environment.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tui.core.errors import StoreError
from tui.session.calls import CallRunner
from tui.session.resume import Resumed, read_again, resume
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import Notice, Scope, SessionUpdate, TurnHandle
from tui.store import Store
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import Registry

TargetMaker = Callable[[str], Target]
"""An endpoint's name ("" for the default one) → ready to be asked. Raises UsageError."""


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
        on_always: told the tool that a person allowed for always, to keep it in the config.
    """

    store: Store
    registry: Registry
    policy: Policy
    target_of: TargetMaker
    max_turns: int = 12
    interactive: bool = True
    on_always: Callable[[str], None] | None = None
    _sources: list[object] = field(default_factory=list)
    _sessions: list[Session] = field(default_factory=list)

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
            recorded=self.store.path is not None,
        )
        journal = StoredJournal(self.store, conversation)
        return self._opened(conversation, target, journal)

    def open(
        self, conversation: str, *, endpoint: str = "", head: str | None = None
    ) -> OpenConversation:
        """A stored conversation, at its head or at the message `head` (a branch from there).

        Raises:
            StoreError: there is none, or it cannot be read.
            UsageError: its endpoint cannot be used any more, and why.
        """
        stored = self.store.conversation(conversation)
        resumed = resume(self.store, conversation, self.registry.specs_by_name, head=head)
        target = self.target(endpoint or stored.endpoint)
        return self._opened(conversation, target, resumed.journal, resumed)

    def past_turn(self, resumed: Resumed, exchange: str) -> TurnHandle:
        """A past turn, read again from its bytes.

        Raises:
            StoreError: its exchange is not part of this conversation.
        """
        found = resumed.exchanges.get(exchange)
        if found is None:
            raise StoreError(f"the exchange {exchange!r} is not part of this conversation")
        stored, number = found
        _, handle = read_again(self.store, stored, number, tools=self.registry.specs_by_name)
        return handle

    async def close(self) -> None:
        """Suspend what still runs, then close connections, tools and the store."""
        for session in self._sessions:
            await session.suspend()
        for source in self._sources:
            if (close := getattr(source, "aclose", None)) is not None:
                await close()
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
            Dispatcher(self.registry),
            self.policy,
            journal,
            _unheard,
            self.interactive,
            self._allowed,
        )
        session = Session(
            target,
            journal=journal,
            calls=runner,
            messages=resumed.messages if resumed is not None else (),
            pending=resumed.pending if resumed is not None else None,
            max_turns=self.max_turns,
        )
        self._sessions.append(session)
        for words in self._troubles():
            session.emit(Notice(words, "warning"))
        return OpenConversation(conversation, session, journal, runner, resumed)

    def _troubles(self) -> Sequence[str]:
        return [
            f"{problem.error} {problem.error.hint}".strip() for problem in self.registry.problems
        ]

    def _allowed(self, tool: str, scope: Scope) -> None:
        if scope == "always":
            self.policy = self.policy.with_tool(tool, "allow")
            if self.on_always is not None:
                self.on_always(tool)


def _unheard(update: SessionUpdate) -> None:
    """Replaced by the session's own queue as soon as the session exists."""


@asynccontextmanager
async def at_work(workspace: Workspace) -> AsyncIterator[Workspace]:
    """Open the tools, and close everything in the end."""
    await workspace.registry.open()
    try:
        yield workspace
    finally:
        await workspace.close()
