"""Content blocks of an Anthropic message: one block's start, deltas and end in, dialect events out.

Owns what a block makes of its own deltas, what of those that have no place in it, and the two
kinds of block that are prose. Blocks that use tools are `anthropic_uses`; which block a delta
belongs to is `anthropic_content`'s.
Block and delta types: https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.events import (
    CitationGiven,
    Culprit,
    DialectEvent,
    Finding,
    Key,
    PartClosed,
    Severity,
    TextFragment,
    ThinkingFragment,
    ThinkingSigned,
    UnattributedFragment,
    UnknownEvent,
)

_DELTAS: Final = frozenset(
    {
        "text_delta",
        "thinking_delta",
        "signature_delta",
        "input_json_delta",
        "citations_delta",
        "compaction_delta",
    }
)

DeltaReader = Callable[[Mapping[str, Any], str], list[DialectEvent]]


def finding(
    what: str, message: str, culprit: Culprit = "server", severity: Severity = "note"
) -> Finding:
    return Finding(f"anthropic.{what}", message, culprit, severity)


class Block:
    """One content block. `key` names it in the dialect events, `words` in findings."""

    def __init__(self, key: Key, kind: str, words: str) -> None:
        self.key = key
        self.kind = kind
        self.words = words
        self.closed = False
        self.readers: dict[str, DeltaReader] = {}
        self.strays: list[str] = []
        """Types of the deltas that came inside this block and have no place in it."""
        self.asides: dict[Key, None] = {}
        """Keys of the parts that such deltas began; they close with the block."""

    def open(self) -> list[DialectEvent]:
        """What the block's start says."""
        return []

    def delta(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        """What one delta says; `data` is the event's JSON text."""
        kind = delta.get("type")
        reader = self.readers.get(kind) if isinstance(kind, str) else None
        return reader(delta, data) if reader else self._stray(kind, delta, data)

    def close(self) -> list[DialectEvent]:
        """What the block's stop says."""
        self.closed = True
        return [*(PartClosed(key) for key in self.asides), *self._ending()]

    def _ending(self) -> list[DialectEvent]:
        return [PartClosed(self.key)]

    def abandon(self) -> list[DialectEvent]:
        """What is left to say when the message ends and the block was never stopped."""
        return []

    def _stray(self, kind: object, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        """A delta whose type has no place in this block: its type decides what it is."""
        if not isinstance(kind, str):
            return self._untyped(data)
        self.strays.append(kind)
        text: object
        events: list[DialectEvent]
        match kind:
            case "text_delta" if isinstance(text := delta.get("text"), str):
                events = [TextFragment(self._aside("text"), text)]
            case "thinking_delta" if isinstance(text := delta.get("thinking"), str):
                events = [ThinkingFragment(self._aside("thinking"), text)]
            case "input_json_delta" if isinstance(text := delta.get("partial_json"), str):
                events = unattributed(text, f"a fragment of arguments names {self.words}")
            case _ if kind in _DELTAS:
                events = [UnknownEvent(kind, data)]
            case _:
                # The provider documents that new delta types may come at any time.
                return [UnknownEvent(kind, data)]
        said = f"a {kind} came inside {self.words}"
        return [*events, finding("delta-in-wrong-block", said, severity="warning")]

    def _aside(self, name: str) -> Key:
        key = Key(f"{self.key}/{name}")
        self.asides[key] = None
        return key

    def _untyped(self, data: str) -> list[DialectEvent]:
        said = f"a delta of {self.words} has no type"
        return [
            UnknownEvent("content_block_delta", data),
            finding("delta-type-missing", said, severity="warning"),
        ]

    def _string(self, delta: Mapping[str, Any], field: str, data: str) -> str | list[DialectEvent]:
        """The string at `field`, or what to say when there is none."""
        value = delta.get(field)
        if isinstance(value, str):
            return value
        said = f"{field} of a delta of {self.words} is not a string"
        return [
            UnknownEvent(str(delta.get("type")), data),
            finding("field-not-string", said, severity="warning"),
        ]


def unattributed(
    text: str, problem: str, suspects: tuple[Key, ...] | None = None
) -> list[DialectEvent]:
    """Argument text that no call owns; an empty fragment is nobody's loss and says nothing."""
    return [UnattributedFragment(text, problem, suspects)] if text else []


class TextBlock(Block):
    def __init__(
        self, key: Key, words: str, value: Mapping[str, Any] | None = None, raw: str = ""
    ) -> None:
        super().__init__(key, "text", words)
        self.readers = {"text_delta": self._text, "citations_delta": self._citation}
        self._value: Mapping[str, Any] = value or {}
        citations = self._value.get("citations")
        self._citations = (
            [wirejson.member_text(raw, "citations", i) or "null" for i in range(len(citations))]
            if isinstance(citations, list)
            else []
        )

    def open(self) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        text = self._value.get("text")
        if isinstance(text, str) and text:
            said = f"the start of {self.words} carries text, which deltas should bring"
            events = [TextFragment(self.key, text), finding("text-in-start", said)]
        return events + [CitationGiven(self.key, raw) for raw in self._citations]

    def _text(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        text = self._string(delta, "text", data)
        return [TextFragment(self.key, text)] if isinstance(text, str) else text

    def _citation(self, _: Mapping[str, Any], data: str) -> list[DialectEvent]:
        raw = wirejson.member_text(data, "delta", "citation")
        if raw is None:
            said = f"a citations_delta of {self.words} holds no citation"
            return [UnknownEvent("citations_delta", data), finding("citation-missing", said)]
        return [CitationGiven(self.key, raw)]


class ThinkingBlock(Block):
    def __init__(self, key: Key, words: str, value: Mapping[str, Any] | None = None) -> None:
        super().__init__(key, "thinking", words)
        self.readers = {"thinking_delta": self._thinking, "signature_delta": self._signature}
        self._value: Mapping[str, Any] = value or {}

    def open(self) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        text, signature = self._value.get("thinking"), self._value.get("signature")
        if isinstance(text, str) and text:
            said = f"the start of {self.words} carries thinking, which deltas should bring"
            events += [ThinkingFragment(self.key, text), finding("text-in-start", said)]
        if isinstance(signature, str) and signature:
            events.append(ThinkingSigned(self.key, signature))
        return events

    def _thinking(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        text = self._string(delta, "thinking", data)
        return [ThinkingFragment(self.key, text)] if isinstance(text, str) else text

    def _signature(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        text = self._string(delta, "signature", data)
        return [ThinkingSigned(self.key, text)] if isinstance(text, str) else text
