"""The calls of one turn: approve each, run each at most once, give each exactly one result.

Comes in: the final calls and the rest of a turn's calls. Goes out: one result for each call
that goes back to the model, in the order of the calls. Final calls run concurrently; what a
call waits for or returns never touches another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tui.core.conversation import AssistantMessage, CallPart, CallResult, TextContent
from tui.core.finalise import FinalCall
from tui.core.history import explain
from tui.core.states import CallEvent, CallState, advance
from tui.session.journal import Journal
from tui.session.updates import (
    Approval,
    ApprovalAsked,
    CallAnswered,
    CallChanged,
    CallProgress,
    Decision,
    SessionUpdate,
)
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import ApprovalPolicy, decide
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
    policy: ApprovalPolicy
    journal: Journal
    emit: Callable[[SessionUpdate], None]
    interactive: bool = True
    """Whether there is somebody to ask; without, what the policy would ask is denied."""
    on_policy_change: Callable[[str, Decision], None] | None = None
    """Told when a person allows a tool for the conversation or always."""

    async def answer_all(
        self, message: AssistantMessage, final_calls: Sequence[FinalCall]
    ) -> tuple[CallResult, ...]:
        """One result for each call of `message` that goes back, in order. Cancellation-safe:

        a cancelled task cancels the running tools, waits for them, and still returns a result
        for every call (the cancelled ones say so).
        """
        final = {call.ref: call for call in final_calls}
        sent_back = [
            part
            for part in message.calls
            if part.choice == 0 and part.state is not CallState.INCOMPLETE
        ]
        tasks = {
            ref: asyncio.create_task(self._answer(call), name=f"call {ref}")
            for ref, call in final.items()
        }
        if tasks:
            try:
                await asyncio.wait(tasks.values())
            except asyncio.CancelledError:
                for task in tasks.values():
                    task.cancel()
                await asyncio.wait(tasks.values())
        return tuple(
            tasks[part.ref].result() if part.ref in tasks else self._refuse(part)
            for part in sent_back
        )

    def _refuse(self, part: CallPart) -> CallResult:
        result = explain(part)
        self.journal.save_result(result)
        self.emit(CallAnswered(part.ref, result))
        return result

    async def _answer(self, call: FinalCall) -> CallResult:
        state = CallState.FINAL
        try:
            decision, state = await self._approve(call)
            if decision.verdict == "answer" and decision.answer is not None:
                return self._end(call, state, CallEvent.ANSWERED_BY_HAND, decision.answer)
            if decision.verdict == "deny":
                words = "The user did not allow this call."
                if decision.by == "policy":
                    words = f"The call was not run: {decision.reason}."
                elif decision.reason:
                    words += f" Reason: {decision.reason}"
                denial = CallResult(call.ref, (TextContent(words),), is_error=True, origin="person")
                return self._end(call, state, CallEvent.DENIED, denial)
            return await self._run(call, state, decision)
        except asyncio.CancelledError:
            cancelled = CallResult(
                call.ref,
                (TextContent("The call was cancelled before it was run."),),
                is_error=True,
                origin="client",
            )
            return self._end(call, state, CallEvent.CANCELLED, cancelled)

    async def _approve(self, call: FinalCall) -> tuple[Decision, CallState]:
        tool = self.registry.get(call.name)
        verdict = decide(tool.spec, tool.origin, self.policy)
        if verdict.action == "allow":
            return Decision("allow", by="policy"), CallState.FINAL
        if verdict.action == "deny":
            return Decision("deny", reason=verdict.reason, by="policy"), CallState.FINAL
        if not self.interactive:
            reason = "nobody is here to allow it, and the policy does not"
            return Decision("deny", reason=reason, by="policy"), CallState.FINAL
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        state = self._move(call.ref, CallState.FINAL, CallEvent.APPROVAL_ASKED)
        self.emit(ApprovalAsked(Approval(call, tool.origin, tool.spec.read_only, answer)))
        try:
            decision = await answer
        except asyncio.CancelledError:
            answer.cancel()
            raise
        if decision.verdict == "allow" and decision.scope != "once":
            self.policy.allow(call.name)
            if self.on_policy_change is not None:
                self.on_policy_change(call.name, decision)
        return decision, state

    async def _run(self, call: FinalCall, state: CallState, decision: Decision) -> CallResult:
        if not await self.journal.begin_dispatch(call.ref, by=decision.by):
            twice = CallResult(
                call.ref,
                (TextContent("The call had been started before; it was not started again."),),
                is_error=True,
                origin="client",
            )
            return self._end(call, state, CallEvent.CANCELLED, twice)
        state = self._move(call.ref, state, CallEvent.STARTED)
        outcome = await self.dispatcher.run(
            call, progress=lambda text, fraction: self.emit(CallProgress(call.ref, text, fraction))
        )
        self.journal.end_dispatch(call.ref, outcome.state)
        return self._end(
            call, state, _ENDED[outcome.state], outcome.result, full_output=outcome.full_output
        )

    def _move(self, ref: str, state: CallState, event: CallEvent) -> CallState:
        state = advance(state, event)
        self.journal.set_call_state(ref, state)
        self.emit(CallChanged(ref, state))
        return state

    def _end(
        self,
        call: FinalCall,
        state: CallState,
        event: CallEvent,
        result: CallResult,
        *,
        full_output: str | None = None,
    ) -> CallResult:
        result = replace(result, call=call.ref)
        self.journal.save_result(result, full_output=full_output)
        self._move(call.ref, state, event)
        self.emit(CallAnswered(call.ref, result))
        return result
