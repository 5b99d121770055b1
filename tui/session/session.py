"""The session: the only loop. Prompt in, updates out, until the model stops or a limit does.

send → stream → finalise → approve → dispatch → send results → … Everything received or
decided goes through the journal; everything worth showing comes out of `updates`. It knows no
widget. One prompt runs at a time; `cancel` at any moment leaves a conversation that can go on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tui.core import dialects
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    ImagePart,
    Message,
    ResultsMessage,
    TextPart,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.dialects import DecoderSettings
from tui.core.endings import ending_of
from tui.core.errors import EndpointError, UsageError, VerbatimError
from tui.core.history import sendable
from tui.core.sentback import argument_texts
from tui.core.source import ByteSource, RetryingSource, RetryNotice
from tui.session.calls import CallRunner
from tui.session.exchange import Clock, Received, cancelling, receive
from tui.session.journal import Journal
from tui.session.reading import ReadingLoop
from tui.session.resume import Pending, pending_calls
from tui.session.updates import (
    CallsSentBack,
    ExchangeFailed,
    Idle,
    Notice,
    SessionUpdate,
    TurnLimitReached,
    UserMessageAdded,
)
from tui.tools.daemonloop import tell
from tui.tools.dispatcher import Outcome

_LEAVING_SECONDS: Final = 6.0
"""Longer than a tool may take to stop, or a locked store to let a start be written down."""

IdleReason = Literal["done", "limit", "failed", "cancelled", "incomplete"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where turns are asked of: an endpoint made ready to use."""

    name: str
    dialect: str
    source: ByteSource
    settings: TurnSettings
    decoder_settings: DecoderSettings = field(default_factory=DecoderSettings)


class Session:
    """One open conversation.

    Args:
        target: the endpoint; may be replaced between prompts (`retarget`).
        journal: where everything is written down.
        reading: where responses are read.
        calls: what takes calls to their results.
        messages: the conversation so far (a resumed one).
        pending: calls of its last turn that wait for a decision; `proceed` takes them up.
        max_turns: turns one prompt may take before the loop stops and says so.
    """

    def __init__(
        self,
        target: Target,
        *,
        journal: Journal,
        reading: ReadingLoop,
        calls: CallRunner,
        messages: Sequence[Message] = (),
        pending: Pending | None = None,
        max_turns: int = 12,
        clock: Clock = time.monotonic,
    ) -> None:
        self.target = target
        self.messages: list[Message] = list(messages)
        self.max_turns = max_turns
        self._journal = journal
        self._reading = reading
        self._calls = calls
        self._calls.emit = self.emit
        self._pending = pending
        self._clock = clock
        self._updates: asyncio.Queue[SessionUpdate] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._told: set[str] = set()

    # For screens --------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def emit(self, update: SessionUpdate) -> None:
        """Put an update in line for the screens."""
        self._updates.put_nowait(update)

    async def updates(self) -> AsyncIterator[SessionUpdate]:
        """Every update in order, for one consumer, for as long as the session lives."""
        while True:
            yield await self._updates.get()

    def send(self, text: str, images: Sequence[ImagePart] = ()) -> None:
        """Start on a prompt; what happens comes out of `updates`, ending with `Idle`.

        Raises:
            UsageError: a prompt is still running, or there is nothing in it.
        """
        self._refuse_if_busy()
        if not text.strip() and not images:
            raise UsageError("the prompt is empty")
        # Going on with something else is an answer too: history says that they were not run.
        self._pending = None
        parts = (*((TextPart(text),) if text else ()), *images)
        message = UserMessage(parts)
        message_id = self._journal.add_message(message)
        self.messages.append(message)
        self.emit(UserMessageAdded(message_id, message))
        self._start()

    def proceed(self) -> None:
        """Go on from where the conversation stands: after a crash, a limit, or a failed exchange.

        Raises:
            UsageError: a prompt is still running, nothing was asked, or the last answer is whole.
        """
        self._refuse_if_busy()
        if not self.messages:
            raise UsageError("nothing was asked yet")
        last = self.messages[-1]
        if (
            isinstance(last, AssistantMessage)
            and last.outcome == "complete"
            and not self._paused(last)
            and self._pending is None
        ):
            raise UsageError(
                "there is nothing to go on with: the last answer is whole",
                hint="/regenerate asks for it once more, as a branch",
            )
        self._start()

    def cancel(self) -> bool:
        """Stop the stream or the running tools; True when there was something to stop."""
        if self._task is None or self._task.done():
            return False
        return self._task.cancel()

    async def suspend(self) -> None:
        """Stop because the program is left: what came is kept, and calls that wait for a person

        wait on, for `resume` to take up.
        """
        self._calls.suspending = True
        self.cancel()
        if self._task is not None:
            # What takes longer is judged again at the next start, from the bytes.
            await asyncio.wait([self._task], timeout=_LEAVING_SECONDS)

    async def wait_idle(self) -> None:
        """Return when no prompt is running."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def run_again(self, ref: str) -> Outcome:
        """Run a finished call once more, for the person alone.

        Raises:
            UsageError: there is no such call, or its text cannot be run.
        """
        for message in self.messages:
            if isinstance(message, AssistantMessage):
                for part in message.calls:
                    if part.ref == ref:
                        return await self._calls.run_again(part)
        raise UsageError(f"there is no call {ref!r} in this conversation")

    def retarget(self, target: Target) -> None:
        """Ask another endpoint from the next turn on, in whatever dialect it speaks."""
        self._refuse_if_busy()
        self.target = target

    def _refuse_if_busy(self) -> None:
        if self.busy:
            raise UsageError("the model is still answering", hint="cancel it or wait")

    # The loop -----------------------------------------------------------------------------

    def _start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="session")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            # Before it had begun: else `_run` tells of it.
            self.emit(Idle("cancelled"))

    async def _run(self) -> None:
        reason: IdleReason = "failed"
        try:
            reason = await self._turns()
        except asyncio.CancelledError:
            reason = "cancelled"
        except VerbatimError as error:
            self.emit(ExchangeFailed(error))
        finally:
            self.emit(Idle(reason))

    async def _turns(self) -> IdleReason:
        if self._pending is not None:
            pending, self._pending = await self._checked_again(self._pending), None
            results = await self._calls.answer_all(
                pending.message,
                pending.final_calls,
                known=pending.known,
                unknown=pending.unknown,
            )
            if self._calls.suspending:
                return "cancelled"
            self._add_results(results)
            if cancelling():
                return "cancelled"
        for _ in range(self.max_turns):
            try:
                received = await self._one_turn()
            except EndpointError as error:
                self.emit(ExchangeFailed(error))
                return "failed"
            message = received.message
            if received.cancelled:
                if not self._calls.suspending:
                    self._add_results(self._calls.cancel_all(message, received.final_calls))
                return "cancelled"
            if message.outcome == "error" and not received.final_calls:
                self.emit(ExchangeFailed(received.refusal or EndpointError(message.problem)))
                return "failed"
            results = await self._calls.answer_all(message, received.final_calls)
            if self._calls.suspending:
                return "cancelled"
            self._add_results(results)
            if cancelling():
                return "cancelled"
            if message.outcome == "incomplete":
                return "incomplete"
            if not results and not self._paused(message):
                return "done"
        self.emit(TurnLimitReached(self.max_turns))
        return "limit"

    async def _checked_again(self, pending: Pending) -> Pending:
        """Against the tools of now: a server may have come since the conversation was opened."""
        registry = self._calls.registry
        if opening := registry.opening:
            names = ", ".join(source.origin for source in opening)
            self.emit(Notice(f"Waiting for {names}; Esc stops waiting."))
            await registry.settled()
        tools = registry.specs_by_name
        return pending_calls(pending.message, pending.known, tools) or pending

    async def _one_turn(self) -> Received:
        target = self.target
        registry = self._calls.registry
        history = sendable(self.messages, target.dialect)
        encoded = dialects.load(target.dialect).encode(
            TurnRequest(target.settings, history.messages, registry.specs(), history.call_ids)
        )
        self._tell_once((*history.notes, *encoded.left_out))
        sent = argument_texts(target.dialect, encoded.request.body)
        refs = {id: ref for ref, id in history.call_ids.items()}
        if sent:
            self.emit(CallsSentBack({refs[id]: raw for id, raw in sent.items() if id in refs}))
        if isinstance(target.source, RetryingSource):
            here = asyncio.get_running_loop()
            target.source.on_retry = lambda retry: tell(here, self._tell_retry, retry)
        received = await receive(
            encoded,
            source=target.source,
            reading=self._reading,
            journal=self._journal,
            emit=self.emit,
            clock=self._clock,
            endpoint=target.name,
            model=target.settings.model,
            tools=registry.specs_by_name,
            decoder_settings=target.decoder_settings,
        )
        self.messages.append(received.message)
        return received

    def _add_results(self, results: Sequence[CallResult]) -> None:
        if results:
            message = ResultsMessage(tuple(results))
            self._journal.add_message(message)
            self.messages.append(message)

    @staticmethod
    def _paused(message: AssistantMessage) -> bool:
        ending = ending_of(message.dialect, message.stop_reason)
        return not ending.calls_may_run and ending.continues

    def _tell_retry(self, retry: RetryNotice) -> None:
        self.emit(
            Notice(
                f"Trying again in {round(retry.wait, 1):g} s"
                f" (attempt {retry.attempt + 1} of {retry.limit}): {retry.reason}",
                "warning",
            )
        )

    def _tell_once(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            if sentence not in self._told:
                self._told.add(sentence)
                self.emit(Notice(sentence, "warning"))
