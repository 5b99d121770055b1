"""Live parts: the pieces of a turn while it streams, and what a conversation keeps of them.

A part holds its fragments with the byte spans they came from. Only `turn` changes parts;
everybody else reads. Calls are parts too, in their place between the prose around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tui.core import wirejson
from tui.core.arguments import ArgumentBuffer, Fragment
from tui.core.conversation import (
    AssistantPart,
    CallPart,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    TextPart,
    ThinkingPart,
)
from tui.core.errors import ProtocolViolation
from tui.core.events import CallKind, Key
from tui.core.finalise import Invalid
from tui.core.states import CallEvent, CallState, advance


@dataclass(slots=True, eq=False)
class LivePart:
    """What every part has. Offsets are bytes of the response body."""

    key: Key
    opened_at: int
    choice: int = 0
    closed: bool = False
    raw_item: str | None = None
    """The item as JSON text, once the provider has sent all of it."""
    buffer: ArgumentBuffer = field(default_factory=ArgumentBuffer)

    def append(self, text: str, span: tuple[int, int]) -> None:
        self.buffer.append(text, span)

    @property
    def text(self) -> str:
        return self.buffer.text

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        return self.buffer.fragments


@dataclass(slots=True, eq=False)
class LiveText(LivePart):
    citations: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class LiveThinking(LivePart):
    signature: str | None = None


@dataclass(slots=True, eq=False)
class LiveRefusal(LivePart):
    pass


UNKNOWN_EVENT: Final = "unknown event"
"""The title of an item that is an event this dialect does not have."""


@dataclass(slots=True, eq=False)
class LiveProviderItem(LivePart):
    kind: str = ""
    title: str = ""


@dataclass(slots=True, eq=False)
class LiveCall(LivePart):
    """A call the client is to run. `buffer` is its argument buffer."""

    ref: str = ""
    id: str | None = None
    name: str = ""
    kind: CallKind = "function"
    state: CallState = CallState.FORMING
    problem: str = ""
    """Why it is invalid or incomplete."""
    closed_at: int | None = None
    """Offset after the event that carried the marker."""
    suspicion: str = ""
    """An event that may have been part of it could not be read: it ends incomplete."""
    contradiction: str = ""
    """The stream contradicts its text: it ends invalid."""
    other_text: str | None = None
    misfit: Invalid | None = None
    """Where the text went wrong, for marks on the raw text."""

    def advance(self, event: CallEvent) -> None:
        """Move to the state that follows `event`.

        Raises:
            ProtocolViolation: the table has no such step.
        """
        self.state = advance(self.state, event)

    def end(self, event: CallEvent, problem: str) -> None:
        state = advance(self.state, event)
        # The reason first: whoever sees the state, from another thread too, sees why.
        self.problem = problem
        self.state = state

    def part(self) -> CallPart:
        """The call as a conversation keeps it."""
        return CallPart(
            ref=self.ref,
            id=self.id,
            name=self.name,
            raw=self.buffer.text,
            kind=self.kind,
            state=self.state,
            problem=self.problem,
            other_text=self.other_text,
            choice=self.choice,
        )


def as_message_parts(parts: Sequence[LivePart], dialect: str) -> tuple[AssistantPart, ...]:
    """The parts of choice 0 in stream order, as values. Empty prose leaves nothing."""
    kept: list[AssistantPart] = []
    for part in parts:
        if part.choice != 0:
            continue
        item = _item(part, dialect)
        match part:
            case LiveCall():
                kept.append(replace(part.part(), item=item))
            case LiveText():
                if part.buffer.length or item is not None:
                    kept.append(TextPart(part.text, tuple(part.citations), item))
            case LiveThinking():
                kept.append(ThinkingPart(part.text, part.signature, item))
            case LiveRefusal():
                kept.append(RefusalPart(part.text))
            case LiveProviderItem():
                kept.append(ProviderPart(part.kind, part.title, part.text, item))
            case _:
                raise ProtocolViolation(f"{part!r} is no part a turn can hold")
    return tuple(kept)


def _item(part: LivePart, dialect: str) -> ProviderItem | None:
    if part.raw_item is None:
        return None
    try:
        value = wirejson.loads(part.raw_item)
    except ValueError:
        return None
    kind = value.get("type", "") if isinstance(value, dict) else ""
    return ProviderItem(dialect, kind if isinstance(kind, str) else "", part.raw_item)
