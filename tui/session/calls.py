"""The calls of one turn: approve each, run each at most once, give each exactly one result.

Comes in: the final calls and the rest of a turn's calls. Goes out: one result for each call
that goes back to the model, in the order of the calls. Final calls run concurrently; what a
call waits for or returns never touches another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tui.core.conversation import AssistantMessage, CallPart, CallResult, TextContent
from tui.core.errors import StoreError, UsageError
from tui.core.finalise import FinalCall, Invalid, finalise
from tui.core.history import explain, explain_state
from tui.core.states import CallEvent, CallState, advance
from tui.session.journal import Journal
from tui.session.updates import (
    Approval,
    ApprovalAsked,
    CallAnswered,
    CallChanged,
    CallProgress,
    CallRan,
    Decision,
    Notice,
    Scope,
    SessionUpdate,
)
from tui.store import Edit
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.policy import Policy, decide
from tui.tools.registry import Registry

_ENDED = {
    CallState.RETURNED: CallEvent.RETURNED,
    CallState.FAILED: CallEvent.FAILED,
    CallState.TIMED_OUT: CallEvent.TIMED_OUT,
    CallState.CANCELLED: CallEvent.CANCELLED,
}


@dataclass(slots=True)
class CallRunner:
    """Takes the calls of a turn from `final` to their results."""

    registry: Registry
    dispatcher: Dispatcher
    policy: Policy
    journal: Journal
    emit: Callable[[SessionUpdate], None]
    interactive: bool = True
    """Whether there is somebody to ask; without, what the policy would ask is denied."""
    on_allowed: Callable[[str, Scope], None] | None = None
    """Told `Registered.rule_name` when a person allows a tool for the conversation or always."""
    suspending: bool = False
    """The program is being left: a call that waits for a person goes on waiting in the store."""

    async def answer_all(
        self,
        message: AssistantMessage,
        final_calls: Sequence[FinalCall],
        *,
        known: Mapping[str, CallResult] | None = None,
        unknown: frozenset[str] = frozenset(),
    ) -> tuple[CallResult, ...]:
        """One result for each call of `message` that goes back, in order. Cancellation-safe:

        a cancelled task cancels the running tools, waits for them, and still returns a result
        for every call (the cancelled ones say so).

        Args:
            known: results that calls of a resumed turn have already.
            unknown: refs of calls that had been started when the client died: a person decides.
        """
        known = known or {}
        final = {call.ref: call for call in final_calls}
        tasks = {
            ref: asyncio.create_task(self._answer(call, ref in unknown), name=f"call {ref}")
            for ref, call in final.items()
        }
        cancelled = False
        while running := [task for task in tasks.values() if not task.done()]:
            try:
                await asyncio.wait(running)
            except asyncio.CancelledError:
                # Once only: the dispatcher sees to it that they end, and their results are wanted
                # however impatient somebody is.
                if not cancelled:
                    cancelled = True
                    for task in running:
                        task.cancel()
        return tuple(
            tasks[part.ref].result()
            if part.ref in tasks
            else known.get(part.ref) or self._refuse(part)
            for part in _sent_back(message)
        )

    def cancel_all(
        self, message: AssistantMessage, final_calls: Sequence[FinalCall]
    ) -> tuple[CallResult, ...]:
        """As `answer_all`, for a turn that was cancelled before anything was asked or run."""
        final = {call.ref: call for call in final_calls}
        return tuple(
            self._end_unrun(_Life(final[part.ref])) if part.ref in final else self._refuse(part)
            for part in _sent_back(message)
        )

    def _refuse(self, part: CallPart) -> CallResult:
        result = explain(part)
        self.journal.save_result(result, part.state)
        self.emit(CallAnswered(part.ref, result))
        return result

    async def _answer(self, call: FinalCall, was_started: bool) -> CallResult:
        life = _Life(call, CallState.UNKNOWN if was_started else CallState.FINAL)
        try:
            decision = await self._decide(life)
            if decision.verdict == "answer" and decision.answer is not None:
                return self._end(life, CallEvent.ANSWERED_BY_HAND, decision.answer)
            if decision.verdict == "edit":
                return await self._run_edited(life, decision)
            if decision.verdict != "allow" and was_started:
                words = explain_state(CallState.UNKNOWN)
                return self._end(life, CallEvent.FAILED, _client_error(call, words))
            if decision.verdict != "allow":
                return self._end(life, CallEvent.DENIED, _denial(call, decision))
            return await self._run(life, decision)
        except asyncio.CancelledError:
            if not (life.dispatched or life.aside) and (was_started or self.suspending):
                # Still nobody has decided; it is asked about again when the person is back.
                return _client_error(call, explain_state(life.state))
            if not life.entered:
                return self._end_unrun(life)
            words = "The call was cancelled while it ran; whether it took effect is unknown."
            return self._end(life, CallEvent.CANCELLED, _client_error(call, words))
        except StoreError as error:
            words = f"The call was not run: its start could not be written down ({error})."
            return self._end(life, CallEvent.CANCELLED, _client_error(call, words))

    async def _decide(self, life: _Life) -> Decision:
        call = life.call
        entry = self.registry.get(call.name)
        if entry is None:
            return Decision("deny", reason="its tool is no longer on offer", by="policy")
        by_hand = entry.tool.answered_by_hand
        was_started = life.state is CallState.UNKNOWN
        verdict = decide(
            entry.spec,
            entry.origin,
            self.policy,
            trusted=entry.tool.trusted,
            rule_name=entry.rule_name,
        )
        if not was_started and (
            verdict.rule == "deny" or (verdict.rule == "allow" and not by_hand)
        ):
            return Decision(verdict.rule, reason=verdict.reason, by="policy")
        if not self.interactive:
            reason = "a person has to answer it" if by_hand else "nobody is here to allow it"
            return Decision("deny", reason=f"{reason}, and no one does", by="policy")
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        if not was_started:
            self._move(life, CallEvent.APPROVAL_ASKED)
        self.emit(
            ApprovalAsked(
                Approval(
                    call,
                    origin=entry.origin,
                    read_only=entry.spec.read_only and entry.tool.trusted,
                    by_hand=by_hand,
                    was_started=was_started,
                    reason=verdict.reason,
                    claims=tuple(getattr(entry.tool, "hints", ())),
                    _answer=answer,
                )
            )
        )
        decision = await answer
        if decision.verdict == "allow" and decision.scope != "once":
            self.policy = self.policy.with_tool(entry.rule_name, "allow")
            if self.on_allowed is not None:
                self.on_allowed(entry.rule_name, decision.scope)
        return decision

    async def _run(
        self,
        life: _Life,
        decision: Decision,
        instead: FinalCall | None = None,
        told: TextContent | None = None,
    ) -> CallResult:
        call = life.call
        edit = None if instead is None else Edit(decision.edited, decision.tell)
        if not await self._begin(life, decision.by, edit):
            words = "The call had been started before; it was not started again."
            return self._end(life, CallEvent.CANCELLED, _client_error(call, words))
        outcome = await self.dispatcher.run(
            instead or call,
            started=life.enter,
            progress=lambda text, fraction: self.emit(CallProgress(call.ref, text, fraction)),
        )
        full = CallResult(call.ref, outcome.full_content).text if outcome.cut else None
        self.emit(
            CallRan(
                call.ref,
                seconds=outcome.seconds,
                traceback=outcome.traceback,
                printed=outcome.printed,
                full_output=full,
            )
        )
        result = outcome.result
        if told is not None:
            result = replace(result, content=(told, *result.content))
        return self._end(life, _ENDED[outcome.state], result, full=full)

    async def _begin(self, life: _Life, by: str, edit: Edit | None = None) -> bool:
        """Write the start down; cancelled meanwhile, wait until it is known whether it stands."""
        writing = asyncio.ensure_future(
            self.journal.begin_dispatch(life.call.ref, by=by, edit=edit)
        )
        try:
            await asyncio.wait([writing])
        except asyncio.CancelledError:
            await asyncio.wait([writing])
            if writing.exception() is None and writing.result():
                self._started(life, edit)
            raise
        if begun := writing.result():
            self._started(life, edit)
        return begun

    def _started(self, life: _Life, edit: Edit | None) -> None:
        if edit is not None and edit.told == "denied":
            life.aside = True
            return
        # The ledger has moved the stored call; here only the screens are told.
        life.dispatched = True
        life.state = advance(life.state, CallEvent.STARTED)
        self.emit(CallChanged(life.call.ref, life.state))

    async def _run_edited(self, life: _Life, decision: Decision) -> CallResult:
        """Run what a person made of the call; the call itself keeps the model's text."""
        call = life.call
        edited = self._refinalised(call, decision.edited)
        if isinstance(edited, Invalid):
            words = f"The user changed the arguments, but {edited.problem}. Nothing was run."
            return self._end(life, CallEvent.CANCELLED, _client_error(call, words))
        if decision.tell == "denied":
            return await self._run_aside(life, decision, edited)
        told = TextContent(
            f"The user changed the arguments before running the call, to: {decision.edited}"
        )
        return await self._run(life, decision, edited, told)

    async def _run_aside(self, life: _Life, decision: Decision, edited: FinalCall) -> CallResult:
        """Run what a person made of the call, for them alone; the call itself is denied."""
        call = life.call
        if not await self._begin(life, decision.by, Edit(decision.edited, "denied")):
            words = "The call had been started before; nothing was started again."
            return self._end(life, CallEvent.CANCELLED, _client_error(call, words))
        state = CallState.CANCELLED
        try:
            outcome = await self.dispatcher.run(edited, started=life.enter)
            state = outcome.state
        finally:
            self.journal.end_aside(call.ref, state)
        self.emit(Notice(f"{call.ref}, edited, {outcome.state}: {outcome.result.text}"))
        return self._end(life, CallEvent.DENIED, _denial(call, Decision("deny")))

    def _refinalised(self, call: FinalCall, raw: str) -> FinalCall | Invalid:
        return finalise(
            ref=call.ref,
            id=call.id,
            name=call.name,
            raw=raw,
            kind=call.kind,
            tools=self.registry.specs_by_name,
        )

    async def run_again(self, part: CallPart) -> Outcome:
        """Run a finished call once more because a person asks; nothing of it is sent or stored.

        Raises:
            UsageError: its text cannot be run.
        """
        found = finalise(
            ref=f"{part.ref}.again",
            id=part.id,
            name=part.name,
            raw=part.raw,
            kind=part.kind,
            tools=self.registry.specs_by_name,
        )
        if isinstance(found, Invalid):
            raise UsageError(f"{part.ref} cannot be run: {found.problem}")
        return await self.dispatcher.run(found)

    def _move(self, life: _Life, event: CallEvent) -> None:
        life.state = advance(life.state, event)
        self.journal.set_call_state(life.call.ref, life.state)
        self.emit(CallChanged(life.call.ref, life.state))

    def _end_unrun(self, life: _Life) -> CallResult:
        words = "The call was cancelled before it was run."
        return self._end(life, CallEvent.CANCELLED, _client_error(life.call, words))

    def _end(
        self, life: _Life, event: CallEvent, result: CallResult, *, full: str | None = None
    ) -> CallResult:
        result = replace(result, call=life.call.ref)
        life.state = advance(life.state, event)
        if life.dispatched:
            self.journal.end_dispatch(result, life.state, full=full)
        else:
            self.journal.save_result(result, life.state)
        self.emit(CallChanged(life.call.ref, life.state))
        self.emit(CallAnswered(life.call.ref, result))
        return result


@dataclass(slots=True)
class _Life:
    """Where one call is on its way."""

    call: FinalCall
    state: CallState = CallState.FINAL
    dispatched: bool = False
    """Its start is in the ledger, which waits for its end."""
    aside: bool = False
    """What a person made of it was started, for them alone."""
    entered: bool = False
    """Its tool was entered: from here on it may have taken effect."""

    def enter(self) -> None:
        self.entered = True


def _sent_back(message: AssistantMessage) -> list[CallPart]:
    """The calls that are part of the next request, and so need a result."""
    return [
        part
        for part in message.calls
        if part.choice == 0 and part.state is not CallState.INCOMPLETE
    ]


def _denial(call: FinalCall, decision: Decision) -> CallResult:
    if decision.by == "policy":
        words = f"The call was not run: {decision.reason}."
    else:
        words = "The user did not allow this call."
        if decision.reason:
            words += f" Reason: {decision.reason}"
    return CallResult(call.ref, (TextContent(words),), is_error=True, origin="person")


def _client_error(call: FinalCall, words: str) -> CallResult:
    return CallResult(call.ref, (TextContent(words),), is_error=True, origin="client")
