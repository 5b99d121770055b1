"""Dialect events: what a dialect decoder says happened, in words no provider owns.

One frozen dataclass each. A decoder turns an SSE event into zero or more of these; the turn
consumes them in order. A `Key` is how the stream itself refers to a part or call (block index,
output index, choice + tool index + ordinal), spelled by the dialect; it is never a tool's name.
Raw JSON that must go back to the provider as it came is carried as text, not as objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NewType

Key = NewType("Key", str)

CallKind = Literal["function", "custom"]
"""`function`: the arguments are one JSON object. `custom`: free text (OpenAI custom tools)."""

Culprit = Literal["model", "server", "gateway", "transport", "client", "unknown"]
Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    id: str | None
    model: str | None


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Token counts so far; a later report replaces the fields it gives (None: not given)."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextFragment:
    key: Key
    text: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class RefusalFragment:
    key: Key
    text: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class ThinkingFragment:
    key: Key
    text: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class ThinkingSigned:
    """A signature (or encrypted content) belonging to the thinking part `key`; appended if it comes in pieces."""

    key: Key
    signature: str


@dataclass(frozen=True, slots=True)
class CitationGiven:
    key: Key
    raw: str
    """The citation object as JSON text."""


@dataclass(frozen=True, slots=True)
class CallOpened:
    """The model begins a call that the client is to run."""

    key: Key
    id: str | None
    name: str | None
    kind: CallKind = "function"
    choice: int = 0


@dataclass(frozen=True, slots=True)
class CallNamed:
    """The id or the name of an open call came late (None: unchanged)."""

    key: Key
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ArgumentFragment:
    key: Key
    text: str


@dataclass(frozen=True, slots=True)
class CallExtended:
    """The call has members besides id, name and arguments that go back with it as they came.

    `members` is a JSON object as text: who called (`caller`), a `namespace`, a signature.
    """

    key: Key
    members: str


@dataclass(frozen=True, slots=True)
class CallClosed:
    """The terminal marker of one call.

    `full` is the whole argument text where the marker repeats it: it is compared with the
    joined fragments, and stands for them when none came.
    """

    key: Key
    full: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderItemOpened:
    """Something the provider runs or keeps itself: shown, kept, sent back, never dispatched."""

    key: Key
    kind: str
    """The wire's own type name: `server_tool_use`, `mcp_call`, `redacted_thinking`, ..."""
    title: str = ""
    """The tool's name or another word for people."""


@dataclass(frozen=True, slots=True)
class ProviderItemFragment:
    key: Key
    text: str


@dataclass(frozen=True, slots=True)
class PartClosed:
    """A part (text, thinking or provider item) is complete.

    `raw` is the item as JSON text in the dialect's own shape where it has to be sent back as
    it came (reasoning items, server tools and their results, redacted thinking, compaction).
    """

    key: Key
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class StopReasonGiven:
    """The provider's own word for why the turn (or one choice of it) ended, not yet the end."""

    reason: str
    choice: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The dialect's end marker of the whole turn. What follows it is ignored with a finding."""


@dataclass(frozen=True, slots=True)
class ProviderErrorReported:
    """The provider (or a gateway) reported an error inside the stream."""

    message: str
    kind: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class MalformedEvent:
    """An SSE event that is not what the dialect promises (not JSON, not an object, cut in the middle).

    `suspects` are the calls it could have touched; None means every call still open.
    """

    problem: str
    raw: str
    suspects: tuple[Key, ...] | None = None


@dataclass(frozen=True, slots=True)
class UnattributedFragment:
    """Argument text that no rule gives to a call. Its `suspects` must not run (None: every open call)."""

    text: str
    problem: str
    suspects: tuple[Key, ...] | None = None


@dataclass(frozen=True, slots=True)
class CallSpoiled:
    """Something contradicts this call's text (done event differs, text not UTF-8, ...): it must not run."""

    key: Key
    problem: str
    other_text: str | None = None
    """The text that disagrees with the buffer, kept and shown beside it."""


@dataclass(frozen=True, slots=True)
class CallDoubted:
    """The call looks whole, and something may still have been to come: it ends incomplete."""

    key: Key
    problem: str


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event or block type we do not know: kept and shown, not fatal."""

    kind: str
    raw: str


@dataclass(frozen=True, slots=True)
class KeepAlive:
    kind: str = "ping"


@dataclass(frozen=True, slots=True)
class Finding:
    """A deviation from the dialect as documented, met by rule. `code` is stable: `chat.index-missing`."""

    code: str
    message: str
    culprit: Culprit = "server"
    severity: Severity = "note"


DialectEvent = (
    TurnStarted
    | UsageReported
    | TextFragment
    | RefusalFragment
    | ThinkingFragment
    | ThinkingSigned
    | CitationGiven
    | CallOpened
    | CallNamed
    | ArgumentFragment
    | CallExtended
    | CallClosed
    | ProviderItemOpened
    | ProviderItemFragment
    | PartClosed
    | StopReasonGiven
    | TurnEnded
    | ProviderErrorReported
    | MalformedEvent
    | UnattributedFragment
    | CallSpoiled
    | CallDoubted
    | UnknownEvent
    | KeepAlive
    | Finding
)
