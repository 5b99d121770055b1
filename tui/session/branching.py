"""Branches: going on from another place of a conversation. Nothing stored is changed or lost.

Messages are a tree by parent. A branch begins where a new message is put below an older one;
what stood there before stays where it is and can be gone to again. Pure over the store: nothing
is asked of a model here. A head is the message that the next one goes below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tui.core.codec import decode_message, decode_result, encode_message
from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImagePart,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from tui.core.errors import UsageError
from tui.core.history import explain
from tui.core.states import CallState
from tui.store import MessageNode, Store

ROOT: Final = ""
"""The head before the first message."""

_NEVER_MADE = frozenset({CallState.INCOMPLETE, CallState.FORMING})


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What stands at one place of the conversation, in each of its branches."""

    ids: tuple[str, ...]
    """The first message of each branch, oldest first."""
    place: int
    """Of the message that was asked about, from 0."""

    @property
    def several(self) -> bool:
        return len(self.ids) > 1


@dataclass(frozen=True, slots=True)
class Anew:
    """A prompt to be edited and sent beside the old one."""

    head: str
    text: str
    images: tuple[ImagePart, ...] = ()


class Shape:
    """The tree of one conversation. Messages of results have no place of their own in it:

    what follows them counts as an alternative to what follows their siblings, so that a call
    that was given another result is a branch at the turn that answers it.
    """

    def __init__(self, nodes: Iterable[MessageNode]) -> None:
        found = {node.id: node for node in nodes}
        # Below a message that damage took, one stands as a first message does.
        self._nodes = {
            id: node if node.parent in found else replace(node, parent=None)
            for id, node in found.items()
        }
        self._order = {id: number for number, id in enumerate(self._nodes)}
        self._below: defaultdict[str | None, list[str]] = defaultdict(list)
        for node in self._nodes.values():
            self._below[node.parent].append(node.id)

    def path(self, head: str | None) -> list[MessageNode]:
        """From the first message to `head`; nothing for None."""
        found = []
        while head is not None and (node := self._nodes.get(head)) is not None:
            found.append(node)
            head = node.parent
        return found[::-1]

    def alternatives(self, message: str) -> Alternatives:
        """Raises: KeyError: it is no message of this conversation."""
        node = self._nodes[message]
        above = node.parent
        if above is not None and self._nodes[above].role == "results":
            above = self._nodes[above].parent
        ids = self.below(above)
        return Alternatives(ids, ids.index(message)) if message in ids else _only(message)

    def below(self, message: str | None) -> tuple[str, ...]:
        """What follows `message` in each branch, oldest first; None: the first messages."""
        found: list[str] = []
        for id in self._below[message]:
            through = self._below[id] if self._nodes[id].role == "results" else []
            found += through or [id]
        return tuple(sorted(found, key=self._order.__getitem__))

    def forks(self, head: str | None) -> dict[str, Alternatives]:
        """Message → its alternatives, for those on the way to `head` that have others."""
        found = {node.id: self.alternatives(node.id) for node in self.path(head)}
        return {id: each for id, each in found.items() if each.several}

    def results_below(self, message: str, head: str | None) -> str | None:
        """The results of a turn: those on the way to `head`, else the newest; None: it has none."""
        found = [id for id in self._below[message] if self._nodes[id].role == "results"]
        on_the_way = [node.id for node in self.path(head) if node.id in found]
        return next(reversed(on_the_way or found), None)


def _only(message: str) -> Alternatives:
    return Alternatives((message,), 0)


def shape_of(store: Store, conversation: str) -> Shape:
    return Shape(store.nodes(conversation))


def branch_point(store: Store, conversation: str, message: str, head: str | None) -> str:
    """The head from which to go on behind `message`: behind its results, if it has any."""
    return shape_of(store, conversation).results_below(message, head) or message


def regenerate(store: Store, conversation: str, message: str) -> str:
    """Make ready to ask once more for the turn `message`, or for an answer to that prompt.

    Returns the head to ask from. It is the conversation's from now on: if the client dies while
    the model answers, what came is stored below it.

    Raises:
        UsageError: nothing stands before the turn.
    """
    stored = store.message(message)
    head = stored.parent if stored.role == "assistant" else message
    if head is None:
        raise UsageError("nothing was asked before this turn, so it cannot be asked for again")
    store.set_head(conversation, head)
    return head


def prompt_anew(store: Store, message: str) -> Anew:
    """What the person wrote in `message`, and where it goes when it was edited.

    Raises:
        UsageError: it is no prompt.
    """
    stored = store.message(message)
    found = decode_message(stored.body)
    if not isinstance(found, UserMessage):
        raise UsageError("only a prompt can be edited and sent anew", hint="choose one of yours")
    return Anew(
        stored.parent or ROOT,
        "".join(part.text for part in found.parts if isinstance(part, TextPart)),
        tuple(part for part in found.parts if isinstance(part, ImagePart)),
    )


def switch(store: Store, conversation: str, message: str, step: int) -> str:
    """Go from `message` to the alternative `step` places further, round the end.

    Returns the head, the newest message of that branch; it is the conversation's from now on.

    Raises:
        UsageError: nothing else was ever said there.
    """
    found = shape_of(store, conversation).alternatives(message)
    if not found.several:
        raise UsageError(
            "there is no other branch at this message",
            hint="choose one that says 'branch 1 of 2'",
        )
    return go_to(store, conversation, found.ids[(found.place + step) % len(found.ids)])


def go_to(store: Store, conversation: str, message: str) -> str:
    """The branch of `message` that was last written to is the conversation's; returns its head."""
    if any(node.id == message for node in _current(store, conversation)):
        return store.conversation(conversation).head or message
    head = store.newest_leaf(message)
    store.set_head(conversation, head)
    return head


def replace_result(store: Store, conversation: str, ref: str, result: CallResult) -> str:
    """Put other results below the turn of the call `ref`: its own is `result`, the rest as before.

    Returns the new head; the branch with the old results stays.

    Raises:
        UsageError: there is no such call, or its turn cannot go on.
    """
    call = store.call(conversation, ref)
    if call is None or call.message is None:
        raise UsageError(f"there is no call {ref!r} in this conversation")
    turn = decode_message(store.message(call.message).body)
    if not isinstance(turn, AssistantMessage):
        raise UsageError(f"{ref} does not stand in a turn")
    sent_back = _sent_back(turn)
    if turn.outcome != "complete" or ref not in {part.ref for part in sent_back}:
        raise UsageError(
            f"{ref} was never complete, so it cannot be answered", hint="r asks for the turn again"
        )
    known = _known_results(store, conversation, call.message)
    known[ref] = replace(result, call=ref)
    results = tuple(
        known.get(part.ref) or _why_none(store, conversation, part) for part in sent_back
    )
    return store.add_message(
        conversation,
        parent=call.message,
        role="results",
        body=encode_message(ResultsMessage(results)),
        plain=result.text,
    )


def last_of(path: Sequence[MessageNode], role: str) -> str:
    """The newest message of a role on a path.

    Raises:
        UsageError: there is none.
    """
    for node in reversed(path):
        if node.role == role:
            return node.id
    raise UsageError("there is nothing to go back to yet")


def _current(store: Store, conversation: str) -> list[MessageNode]:
    return shape_of(store, conversation).path(store.conversation(conversation).head)


def _sent_back(turn: AssistantMessage) -> list[CallPart]:
    return [part for part in turn.calls if part.choice == 0 and part.state not in _NEVER_MADE]


def _known_results(store: Store, conversation: str, turn: str) -> dict[str, CallResult]:
    """What the calls of `turn` were answered with on the current branch, else when they ran."""
    known = {ref: decode_result(found.body) for ref, found in store.results(conversation).items()}
    head = store.conversation(conversation).head
    below = shape_of(store, conversation).results_below(turn, head)
    if below is not None:
        message = decode_message(store.message(below).body)
        if isinstance(message, ResultsMessage):
            known |= {result.call: result for result in message.results}
    return known


def _why_none(store: Store, conversation: str, part: CallPart) -> CallResult:
    stored = store.call(conversation, part.ref)
    return explain(part if stored is None else replace(part, state=stored.state))
