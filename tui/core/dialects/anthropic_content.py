"""The content of an Anthropic message: which block each event of the stream means.

Block events come in with their index; what the block named by it makes of them goes out. An
index is a key, not a position: gaps are fine, a second block at an index is a new part, and
what no block owns is said to be nobody's. The message around is `anthropic`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.dialects.anthropic_blocks import (
    Block,
    TextBlock,
    ThinkingBlock,
    finding,
    unattributed,
)
from tui.core.dialects.anthropic_uses import CallBlock, ItemBlock
from tui.core.events import (
    CallSpoiled,
    CitationGiven,
    DialectEvent,
    Finding,
    Key,
    MalformedEvent,
    ThinkingSigned,
    UnattributedFragment,
    UnknownEvent,
)

_WHOLE_IN_START: Final = frozenset({"anthropic.text-in-start", "anthropic.input-in-start"})


class Content:
    """The blocks of one message, open and stopped."""

    def __init__(self) -> None:
        self._newest: dict[str, Block] = {}
        self._blocks: list[tuple[str, Block]] = []
        self._used: dict[str, int] = {}
        self._titles: dict[str, str] = {}
        self._told: set[str] = set()
        self._orphaned = False
        """Arguments came that belong to no call."""

    @property
    def calls(self) -> list[CallBlock]:
        return [block for _, block in self._blocks if isinstance(block, CallBlock)]

    @property
    def unclosed(self) -> list[Block]:
        """The blocks that were never stopped."""
        return [block for _, block in self._blocks if not block.closed]

    def start(self, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        index, oddities = self._index(value)
        block = value.get("content_block")
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return [MalformedEvent("a content_block_start without a typed block", data, ())]
        raw = wirejson.member_text(data, "content_block") or ""
        before = self._newest.get(index)
        if isinstance(before, CallBlock) and before.repeated_by(block):
            said = f"the start of {before.words} came a second time"
            return [*oddities, finding("start-duplicate", said, severity="warning")]
        opened = self._open(index, block, raw)
        if before is not None and before.closed:
            said = f"the index of {before.words} was used again after its stop"
            oddities.append(finding("index-reused", said, severity="warning"))
        elif before is not None:
            said = f"a new block began at the index of {before.words}, which was still open"
            oddities.append(finding("index-reopened", said, severity="warning"))
        return oddities + opened

    def stop(self, value: Mapping[str, Any]) -> list[DialectEvent]:
        index, oddities = self._index(value)
        block = self._newest.get(index)
        if block is None:
            said = f"a content_block_stop names block {index}, which was never started"
            return [*oddities, finding("stop-without-start", said, severity="warning")]
        if block.closed:
            said = f"{block.words} was stopped a second time"
            return [*oddities, finding("stop-duplicate", said)]
        return oddities + block.close()

    def delta(self, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        index, oddities = self._index(value)
        block = self._newest.get(index)
        delta = value.get("delta")
        if not isinstance(delta, dict):
            problem = "a content_block_delta without a delta"
            if block is None:
                return [*oddities, MalformedEvent(problem, data)]
            touched = (block.key,) if isinstance(block, CallBlock) else ()
            return [*oddities, MalformedEvent(problem, data, touched)]
        if block is None:
            said = f"a delta names block {index}, which was never started"
            odd = finding("delta-without-start", said, severity="warning")
            return [*oddities, odd, *self._homeless(index, delta, data, said)]
        if block.closed:
            return oddities + self._late(index, block, delta, data)
        events = block.delta(delta, data)
        if not isinstance(block, CallBlock):
            events = [self._with_suspects(event, index) for event in events]
        return oddities + events

    def finished(self, value: object, raw: str) -> list[DialectEvent]:
        """A block that stands in the message from its start: complete, without a stop of its own."""
        index = f"start:{len(self._blocks)}"
        events = self._open(index, value, raw)
        block = self._newest.pop(index, None)
        events += block.close() if block is not None else []
        kept: list[DialectEvent] = []
        for event in events:
            if isinstance(event, Finding) and event.code in _WHOLE_IN_START:
                said = "message_start carries content, which blocks should bring"
                kept += self._once("content-in-message-start", said)
            else:
                kept.append(event)
        return kept

    def _open(self, index: str, value: object, raw: str) -> list[DialectEvent]:
        if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
            return [MalformedEvent("a message_start with a block that has no type", raw, ())]
        key, words = self._new_key(index)
        block: Block
        match kind:
            case "text":
                block = TextBlock(key, words, value, raw)
            case "thinking":
                block = ThinkingBlock(key, words, value)
            case "tool_use":
                block = CallBlock(key, words, value, raw)
            case _:
                block = ItemBlock(key, kind, words, value, raw, self._title(value))
        if self._orphaned and isinstance(block, CallBlock):
            # They may be what this call would otherwise seem to be without.
            block.strays.append("arguments before its start")
        self._register(index, block)
        return block.open()

    def _late(
        self, index: str, block: Block, delta: Mapping[str, Any], data: str
    ) -> list[DialectEvent]:
        """A delta for a block that was stopped. For a call it contradicts the marker."""
        kind = delta.get("type")
        said = f"a {kind} came after the stop of {block.words}"
        odd = finding("delta-after-stop", said, severity="warning")
        if isinstance(block, CallBlock) and kind not in ("text_delta", "thinking_delta"):
            text = delta.get("partial_json")
            if kind == "input_json_delta" and text in ("", None):
                return [odd]
            problem = "something came for it after its content_block_stop"
            other = text if isinstance(text, str) else data
            return [CallSpoiled(block.key, problem, other), odd]
        if isinstance(block, ThinkingBlock) and kind == "signature_delta":
            signature = delta.get("signature")
            return (
                [ThinkingSigned(block.key, signature), odd] if isinstance(signature, str) else [odd]
            )
        if isinstance(block, TextBlock) and kind == "citations_delta":
            raw = wirejson.member_text(data, "delta", "citation")
            return [CitationGiven(block.key, raw), odd] if raw is not None else [odd]
        if isinstance(block, ItemBlock) and kind == "input_json_delta":
            return [UnknownEvent(kind, data), odd]
        return [odd, *self._homeless(index, delta, data, said)]

    def _homeless(
        self, index: str, delta: Mapping[str, Any], data: str, problem: str
    ) -> list[DialectEvent]:
        """A delta without an open block: prose opens one, arguments belong to nobody."""
        kind = delta.get("type")
        block: Block
        match kind:
            case "text_delta" | "citations_delta":
                block = TextBlock(*self._new_key(index))
            case "thinking_delta" | "signature_delta":
                block = ThinkingBlock(*self._new_key(index))
            case "input_json_delta":
                text = delta.get("partial_json")
                text = text if isinstance(text, str) else wirejson.dumps(text)
                return [self._with_suspects(event, index) for event in unattributed(text, problem)]
            case _:
                return [UnknownEvent(kind if isinstance(kind, str) else "untyped delta", data)]
        self._register(index, block)
        return block.delta(delta, data)

    def _with_suspects(self, event: DialectEvent, index: str) -> DialectEvent:
        """Arguments that belong to nobody also suspect the calls that were at this index before."""
        if not isinstance(event, UnattributedFragment):
            return event
        self._orphaned = True
        here = {b.key for i, b in self._blocks if i == index and isinstance(b, CallBlock)}
        if not here:
            return event
        open_calls = {call.key for call in self.calls if not call.closed}
        return UnattributedFragment(event.text, event.problem, tuple(sorted(here | open_calls)))

    def _register(self, index: str, block: Block) -> None:
        self._newest[index] = block
        self._blocks.append((index, block))

    def _new_key(self, index: str) -> tuple[Key, str]:
        """The key of a new block at `index`, and words for it."""
        earlier = self._used.get(index, 0)
        self._used[index] = earlier + 1
        key = index if index.startswith("start:") else f"block:{index}"
        key += f"#{earlier + 1}" if earlier else ""
        return Key(key), key.replace(":", " ", 1)

    def _index(self, value: Mapping[str, Any]) -> tuple[str, list[DialectEvent]]:
        """The index as text. One that is missing is a key too: `?`."""
        index = value.get("index")
        if isinstance(index, int) and not isinstance(index, bool):
            return str(index), []
        if index is None:
            return "?", self._once("index-missing", "block events do not say which block they mean")
        said = f"a block index is not a number: {index!r:.80}"
        odd = self._once("index-not-number", said)
        if isinstance(index, str) and index.isascii() and index.isdigit():
            return index, odd
        return wirejson.dumps(index), odd

    def _title(self, block: Mapping[str, Any]) -> str:
        """The tool's name: its own, or for a result that of the use it answers."""
        id, name, answers = (block.get(field) for field in ("id", "name", "tool_use_id"))
        if isinstance(name, str):
            if isinstance(id, str):
                self._titles[id] = name
            return name
        return self._titles.get(answers, "") if isinstance(answers, str) else ""

    def _once(self, what: str, message: str, about: str = "") -> list[DialectEvent]:
        """A finding about what a server does throughout: said the first time only."""
        if what + about in self._told:
            return []
        self._told.add(what + about)
        return [finding(what, message)]
