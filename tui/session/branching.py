"""Branches: going on from another place of a conversation. Nothing stored is changed or lost.

Messages are a tree by parent. A branch begins where a new message is put below an older one;
what stood there before stays where it is and can be opened again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tui.core.codec import decode_message, decode_result, encode_message
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from tui.core.errors import UsageError
from tui.core.history import explain
from tui.store import Store, StoredMessage

ROOT: Final = ""
"""The head before the first message."""


def before(store: Store, message: str) -> str:
    """The head from which `message` was added: regenerate a turn or send a prompt anew from it."""
    return store.message(message).parent or ROOT


def prompt_text(store: Store, message: str) -> str:
    """What the person wrote in `message`.

    Raises:
        UsageError: it is no prompt.
    """
    found = decode_message(store.message(message).body)
    if not isinstance(found, UserMessage):
        raise UsageError("only a prompt can be edited and sent anew", hint="choose one of yours")
    return "".join(part.text for part in found.parts if isinstance(part, TextPart))


def last_of(store: Store, conversation: str, role: str, head: str | None = None) -> StoredMessage:
    """The newest message of a role on a branch.

    Raises:
        UsageError: there is none.
    """
    for message in reversed(store.path(conversation, head)):
        if message.role == role:
            return message
    raise UsageError("there is nothing to go back to yet")


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
    known = {each: decode_result(found.body) for each, found in store.results(conversation).items()}
    if turn.outcome != "complete":
        raise UsageError(f"the turn of {ref} did not end well, so it cannot be answered")
    known[ref] = replace(result, call=ref)
    results = tuple(known.get(part.ref) or explain(part) for part in turn.calls if part.choice == 0)
    return store.add_message(
        conversation,
        parent=call.message,
        role="results",
        body=encode_message(ResultsMessage(results)),
    )
