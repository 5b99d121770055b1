"""Two branches side by side: what was said, called and returned in each, from where they part.

Heads come in, two columns of values go out. Messages that are the same in both stand before the
parting and are only counted. Pure over the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui.core.codec import decode_message
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    RefusalPart,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from tui.core.states import CallState
from tui.store import Store, StoredCall, StoredMessage


@dataclass(frozen=True, slots=True)
class CallSaid:
    """A call of a turn, with what it was answered with on this branch."""

    ref: str
    name: str
    state: CallState
    digest: str
    """SHA-256 of the argument text, in hexadecimal."""
    size: int
    """Characters of the argument text."""
    result: CallResult | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One prompt or one turn; results stand with their calls."""

    message: str
    who: str
    text: str
    problem: str = ""
    calls: tuple[CallSaid, ...] = ()

    @property
    def prompt(self) -> bool:
        return self.who == ""


Row = tuple[Said | None, Said | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`common`: prompts and turns before the parting, the same in both."""

    common: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One side: a conversation and the message at the end of the branch."""

    conversation: str
    head: str | None


def compare(store: Store, left: Branch, right: Branch) -> Comparison:
    """Both sides from where they part, prompt beside prompt and turn beside turn.

    Raises:
        StoreError: one of them cannot be read.
    """
    ours, theirs = _path(store, left), _path(store, right)
    same = 0
    for one, other in zip(ours, theirs, strict=False):
        if one.id != other.id and (one.role, one.body) != (other.role, other.body):
            break
        same += 1
    if _parts_at_results(ours, same) or _parts_at_results(theirs, same):
        # A call that was answered otherwise: the turn that made it stands beside its results.
        same -= 1
    common = sum(message.role != "results" for message in ours[:same])
    pair = said(store, left, ours[same:]), said(store, right, theirs[same:])
    return Comparison(common, tuple(_aligned(*pair)))


def said(store: Store, branch: Branch, messages: Sequence[StoredMessage]) -> list[Said]:
    """What stands in `messages`, oldest first, results with the calls they answer."""
    calls = {call.ref: call for call in store.calls(branch.conversation)}
    found: list[Said] = []
    for stored in messages:
        match decode_message(stored.body):
            case UserMessage(parts):
                text = "".join(
                    part.text if isinstance(part, TextPart) else f"[image {part.media_type}]"
                    for part in parts
                )
                found.append(Said(stored.id, "", text))
            case AssistantMessage() as turn:
                found.append(_turn(stored.id, turn, calls))
            case ResultsMessage(results):
                if found:
                    found[-1] = _answered(found[-1], {each.call: each for each in results})
    return found


def _path(store: Store, branch: Branch) -> list[StoredMessage]:
    return store.path(branch.conversation, branch.head)


def _parts_at_results(path: Sequence[StoredMessage], same: int) -> bool:
    return 0 < same < len(path) and path[same].role == "results"


def _turn(message: str, turn: AssistantMessage, calls: dict[str, StoredCall]) -> Said:
    text = "".join(part.text for part in turn.parts if isinstance(part, TextPart | RefusalPart))
    made = tuple(
        CallSaid(part.ref, part.name, stored.state, stored.digest, len(part.raw))
        for part in turn.calls
        if part.choice == 0 and (stored := calls.get(part.ref)) is not None
    )
    return Said(message, turn.model or "assistant", text, turn.problem, made)


def _answered(turn: Said, results: dict[str, CallResult]) -> Said:
    return replace(
        turn, calls=tuple(replace(call, result=results.get(call.ref)) for call in turn.calls)
    )


def _aligned(left: list[Said], right: list[Said]) -> list[Row]:
    """Prompts beside prompts: where one side has more turns between two, the other waits."""
    rows: list[Row] = []
    ours, theirs = list(left), list(right)
    while ours or theirs:
        one, other = (ours[0] if ours else None), (theirs[0] if theirs else None)
        if one is not None and other is not None and one.prompt != other.prompt:
            one, other = (None, other) if one.prompt else (one, None)
        if one is not None:
            ours.pop(0)
        if other is not None:
            theirs.pop(0)
        rows.append((one, other))
    return rows
