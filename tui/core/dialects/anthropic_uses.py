"""Content blocks that use tools: calls for the client, and items that the provider keeps.

A call's fragments become its arguments and nothing else does; what contradicts them spoils it.
An item goes back as it came, so its exact text is kept and only what its deltas bring is put in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from tui.core import wirejson
from tui.core.arguments import join_halves
from tui.core.dialects.anthropic_blocks import Block, finding
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallExtended,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    Key,
    PartClosed,
    ProviderItemFragment,
    ProviderItemOpened,
)


def is_object(text: str) -> bool:
    """Whether `text` is exactly one RFC 8259 object, so that it may stand as an `input` value."""
    try:
        # Numbers are only looked at, not converted: their size is no matter of grammar.
        value = json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_FURTHER = ("caller",)
"""Members of a `tool_use` block that go back with it: who made the call, when code did."""


class CallBlock(Block):
    """A `tool_use` block: the client runs it.

    `input` of the start is a placeholder (`{}`) in the provider's own streams. Bridges, and the
    provider itself for calls that code execution makes, put the whole input there and send no
    delta; its exact text then stands for the fragments.
    """

    def __init__(self, key: Key, words: str, value: Mapping[str, Any], raw: str) -> None:
        super().__init__(key, "tool_use", words)
        self.readers = {"input_json_delta": self._fragment}
        self._value = value
        self._argued = False
        placeholder = value.get("input") in ({}, None, "")
        self._whole = None if placeholder else wirejson.member_text(raw, "input")
        self._fragments: list[str] = []

    def open(self) -> list[DialectEvent]:
        id, name = (
            text if isinstance(text := self._value.get(field), str) and text else None
            for field in ("id", "name")
        )
        events: list[DialectEvent] = [CallOpened(self.key, id, name)]
        further = {
            name: self._value[name] for name in _FURTHER if self._value.get(name) is not None
        }
        if further:
            events.append(CallExtended(self.key, wirejson.dumps(further)))
        if id is None:
            events.append(finding("call-id-missing", f"{self.words} is a call without an id"))
        if name is None:
            said = f"{self.words} is a call without a name"
            events.append(finding("call-name-missing", said, severity="warning"))
        if not isinstance(self._value.get("input"), dict):
            said = f"{self.words} is a call whose start has no input object, not even an empty one"
            events.append(finding("input-not-object", said))
        return events

    def repeated_by(self, value: Mapping[str, Any]) -> bool:
        """Whether another start at its index is its own, sent twice: two calls would be run."""
        id = self._value.get("id")
        same = bool(id) and all(value.get(f) == self._value.get(f) for f in ("type", "id", "name"))
        return (
            same and not self.closed and value.get("input") in ({}, None, self._value.get("input"))
        )

    def _fragment(self, delta: Mapping[str, Any], _: str) -> list[DialectEvent]:
        text = delta.get("partial_json")
        if isinstance(text, str):
            self._argued = self._argued or bool(text.strip())
            if self._whole is not None:
                self._fragments.append(text)
            return [ArgumentFragment(self.key, text)]
        said = f"partial_json of a delta of {self.words} is not a string"
        odd = finding("partial-json-not-string", said, severity="warning")
        if text is None:
            return [odd]
        problem = "a fragment of its arguments was not a string"
        return [CallSpoiled(self.key, problem, wirejson.dumps(text)), odd]

    def _untyped(self, data: str) -> list[DialectEvent]:
        problem = "a delta without a type may have been a fragment of its arguments"
        return [CallSpoiled(self.key, problem), *super()._untyped(data)]

    def _ending(self) -> list[DialectEvent]:
        return [*self._settle(), CallClosed(self.key)]

    def abandon(self) -> list[DialectEvent]:
        if self._whole is None or self._argued:
            return []
        return [ArgumentFragment(self.key, self._whole)]

    def _settle(self) -> list[DialectEvent]:
        whole = self._whole
        if whole is None:
            if self._argued or not self.strays:
                return []
            # Empty arguments would count as `{}`, and what came instead may well have been them.
            problem = (
                f"no arguments came; {', '.join(sorted(set(self.strays)))} came in their place"
            )
            return [CallSpoiled(self.key, problem)]
        if not self._argued:
            caller = self._value.get("caller")
            direct = not isinstance(caller, dict) or caller.get("type") == "direct"
            said = f"the start of {self.words} carries the whole input, which deltas should bring"
            odd = [finding("input-in-start", said, "gateway")] if direct else []
            return [ArgumentFragment(self.key, whole), *odd]
        if _same(whole, join_halves("".join(self._fragments))):
            said = f"the input of {self.words} came twice, in its start and in deltas"
            return [finding("input-twice", said, "gateway")]
        problem = "the input in its start and its fragments are different arguments"
        said = f"the start of {self.words} and its deltas disagree about the input"
        return [
            CallSpoiled(self.key, problem, whole),
            finding("input-conflict", said, "gateway", "error"),
        ]


def _same(one: str, other: str) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except (ValueError, RecursionError):
        return one == other


class ItemBlock(Block):
    """A block that the provider runs or keeps itself, or whose type we do not know.

    It goes back as it came: the exact text of its start, with `input` (or a compaction's
    `content`) put in from the deltas.
    """

    def __init__(
        self, key: Key, kind: str, words: str, value: Mapping[str, Any], raw: str, title: str
    ) -> None:
        super().__init__(key, kind, words)
        self.readers = {
            "input_json_delta": self._fragment,
            "text_delta": self._text,
            "compaction_delta": self._compaction,
        }
        self._raw = raw
        self._title = title
        self._members = {name: wirejson.member_text(raw, name) or "null" for name in value}
        self._whole = self._members["input"] if value.get("input") else None
        self._fragments: list[str] = []
        self._compacted: dict[str, list[str]] = {}
        self._rebuildable = True

    def open(self) -> list[DialectEvent]:
        return [ProviderItemOpened(self.key, self.kind, self._title)]

    def _fragment(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        text = self._string(delta, "partial_json", data)
        if not isinstance(text, str):
            self._rebuildable = False
            return text
        self._fragments.append(text)
        return [ProviderItemFragment(self.key, text)]

    def _text(self, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        # Inside a block that is not text it is not prose for certain: shown with its block.
        self._rebuildable = False
        text = self._string(delta, "text", data)
        return [ProviderItemFragment(self.key, text)] if isinstance(text, str) else text

    def _compaction(self, delta: Mapping[str, Any], _: str) -> list[DialectEvent]:
        for field in ("content", "encrypted_content"):
            if isinstance(text := delta.get(field), str):
                self._compacted.setdefault(field, []).append(text)
        content = delta.get("content")
        return [ProviderItemFragment(self.key, content)] if isinstance(content, str) else []

    def _stray(self, kind: object, delta: Mapping[str, Any], data: str) -> list[DialectEvent]:
        self._rebuildable = False
        return super()._stray(kind, delta, data)

    def _ending(self) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        streamed = join_halves("".join(self._fragments))
        if self._whole is not None and not streamed.strip():
            events.append(ProviderItemFragment(self.key, self._whole))
        raw: str | None = None
        if not self._rebuildable:
            said = (
                f"{self.words} ({self.kind}) came in deltas we do not know; it cannot be sent back"
            )
            events.append(finding("item-not-rebuilt", said, "unknown"))
        elif streamed.strip() and not is_object(streamed):
            said = f"the input of {self.words} ({self.kind}) is not a JSON object; it cannot be sent back"
            events.append(finding("item-input-invalid", said, severity="warning"))
        else:
            raw = self._rebuilt(streamed)
        return [*events, PartClosed(self.key, raw)]

    def _rebuilt(self, streamed: str) -> str:
        changed = {
            name: wirejson.dumps(join_halves("".join(text)))
            for name, text in self._compacted.items()
        }
        if streamed.strip():
            changed["input"] = streamed
        if not changed:
            return self._raw
        members = {**self._members, **changed}
        return "{" + ",".join(f"{wirejson.dumps(k)}:{v}" for k, v in members.items()) + "}"
