"""History: which of a conversation's messages may be sent, and under which call ids.

Comes in: the messages as kept, broken turns and all. Goes out: messages in which every call
has exactly one result, plus the id to send for each call. The rules:

- A call that is incomplete was never made: it is left out. Prose beside it stays.
- Every other call goes back with its one result. Where none is stored the client says why
  in an error result (invalid, denied, cancelled, unknown, or simply not answered yet).
- Results stand directly behind their turn, in the order of its calls; orphans are dropped.
- Unsigned thinking of a broken turn, and a turn in which nothing is left, are left out.
- A call is sent under the provider's id. One is made up where none came, where it is taken
  already (in one turn for Chat Completions, whose results follow their turn; in the whole
  request elsewhere), or where it comes from another dialect and may not be legal here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tui.core.conversation import (
    AssistantMessage,
    AssistantPart,
    CallPart,
    CallResult,
    Message,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    UserMessage,
)
from tui.core.states import CallState

_PORTABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_PORTABLE = re.compile(r"[^A-Za-z0-9_-]")

REASONS: Final[Mapping[CallState, str]] = {
    CallState.INVALID: "The call was not run: {problem}.",
    CallState.DENIED: "The user did not allow this call.",
    CallState.CANCELLED: "The call was cancelled before it returned.",
    CallState.TIMED_OUT: "The tool did not answer in time.",
    CallState.UNKNOWN: "The client stopped while the tool was running; whether it took effect is unknown.",
}
_NOT_RUN: Final = "The call was not run."


@dataclass(frozen=True, slots=True)
class Sendable:
    """What `core.conversation.TurnRequest` is built from."""

    messages: tuple[Message, ...]
    call_ids: Mapping[str, str]
    """`CallPart.ref` → id to send, unique among these messages."""
    notes: tuple[str, ...] = ()
    """What was left out, one sentence each, for the user."""


def explain(call: CallPart) -> CallResult:
    """The error result that tells the model why `call` has no result of a tool."""
    words = REASONS.get(call.state, _NOT_RUN).format(problem=call.problem or "it is invalid")
    if call.state is CallState.INVALID:
        words += " Correct the arguments and call the tool again."
    return CallResult(call.ref, (TextContent(words),), is_error=True, origin="client")


def explain_state(state: CallState) -> str:
    """The same in words, for a call that ended in `state`."""
    return REASONS.get(state, _NOT_RUN)


def sendable(messages: Sequence[Message], dialect: str) -> Sendable:
    """The messages that may be sent to an endpoint of `dialect`, made whole by the rules above."""
    stored: dict[str, CallResult] = {}
    for message in messages:
        if isinstance(message, ResultsMessage):
            for result in message.results:
                stored.setdefault(result.call, result)
    sent: list[Message] = []
    ids: dict[str, str] = {}
    notes: list[str] = []
    for message in messages:
        match message:
            case UserMessage():
                sent.append(message)
            case ResultsMessage():
                pass  # placed behind their turn below
            case AssistantMessage():
                kept = _kept(message)
                if len(message.calls) > sum(isinstance(part, CallPart) for part in kept):
                    notes.append(
                        "A call whose arguments were never complete is not sent back: "
                        f"{', '.join(_left_out(message.calls))}."
                    )
                if not kept:
                    continue
                turn = replace(message, parts=tuple(kept))
                sent.append(turn)
                if turn.calls:
                    taken = set() if dialect == "openai-chat" else set(ids.values())
                    foreign = turn.dialect != dialect or dialect == "anthropic"
                    _assign_ids(turn.calls, ids, taken, only_portable=foreign)
                    sent.append(
                        ResultsMessage(
                            tuple(stored.get(call.ref) or explain(call) for call in turn.calls)
                        )
                    )
    return Sendable(tuple(sent), ids, tuple(notes))


def _kept(message: AssistantMessage) -> list[AssistantPart]:
    broken = message.outcome != "complete"
    kept: list[AssistantPart] = []
    for part in message.parts:
        match part:
            case CallPart():
                if part.choice == 0 and part.state not in (CallState.INCOMPLETE, CallState.FORMING):
                    kept.append(part)
            case TextPart():
                if part.text or part.item is not None:
                    kept.append(part)
            case ThinkingPart():
                if not broken or part.signature or part.item is not None:
                    kept.append(part)
            case _:
                kept.append(part)
    # Thinking alone is no answer, and providers refuse a turn that holds nothing else.
    return [] if all(isinstance(part, ThinkingPart) for part in kept) else kept


def _left_out(calls: Iterable[CallPart]) -> list[str]:
    return [call.name or "unnamed" for call in calls if call.state is CallState.INCOMPLETE]


def _assign_ids(
    calls: Sequence[CallPart], ids: dict[str, str], taken: set[str], *, only_portable: bool
) -> None:
    for call in calls:
        wanted = call.id or ""
        if only_portable and not _PORTABLE_ID.fullmatch(wanted):
            wanted = _NOT_PORTABLE.sub("_", wanted)[:48]
        candidate = wanted or _NOT_PORTABLE.sub("_", f"call_{call.ref}")
        number = 2
        while candidate in taken:
            candidate = f"{wanted or 'call'}_{number}"
            number += 1
        taken.add(candidate)
        ids[call.ref] = candidate
