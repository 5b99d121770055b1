"""How calls are written in a delta: the JSON of `tool_calls` and `function_call` in, entries out.

Knows the shapes in which servers write an entry and hands each to its table, which decides
whose it is. Argument text that is not a string is cut out of the wire as it stands there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui.core import wirejson
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_chat_attribution import CallTable
from tui.core.dialects.openai_chat_calls import Entry
from tui.core.events import (
    ArgumentFragment,
    CallExtended,
    CallKind,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    MalformedEvent,
)

_FURTHER = ("extra_content",)
"""Members of an entry that go back with the call as they came."""


@dataclass(frozen=True, slots=True)
class Payload:
    """One JSON payload of the stream, with what is needed to cut exact text out of it."""

    text: str
    number: int
    """Counts the SSE events from 0: entries with the same number came together."""

    def exact(self, *path: str | int) -> str | None:
        """The text of the value at `path` as it stands on the wire, None if it cannot be cut out."""
        try:
            return wirejson.member_text(self.text, *path)
        except (ValueError, RecursionError):
            return None


class Calls:
    """The calls of one choice, in both forms."""

    def __init__(self, choice: int, findings: Findings) -> None:
        self._choice = choice
        self._findings = findings
        self._modern = CallTable(choice, findings)
        self._legacy = CallTable(choice, findings, legacy=True)

    @property
    def tables(self) -> tuple[CallTable, CallTable]:
        return self._modern, self._legacy

    @property
    def modern(self) -> bool:
        """Whether the choice has calls in the form of `tool_calls`."""
        return bool(self._modern.keys)

    def take(
        self, value: object, payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        entries: list[tuple[object, tuple[str | int, ...]]]
        match value:
            case list():
                entries = [(entry, (*path, position)) for position, entry in enumerate(value)]
                events: list[DialectEvent] = []
            case dict():
                events = self._findings.once(
                    "tool-calls-object", "`tool_calls` is an object where a list belongs"
                )
                single = bool(value.keys() & {"function", "custom", "id", "index"})
                entries = (
                    [(value, path)]
                    if single
                    else [(item, (*path, key)) for key, item in value.items()]
                )
            case _:
                return [self._unreadable("one whose tool_calls are no list", payload.exact(*path))]
        if entries and self._legacy.keys and not self.modern:
            # A gateway that speaks both ways tells the same call twice.
            events += [
                CallSpoiled(key, "the same turn also has tool_calls, which may be the same call")
                for key in self._legacy.keys
            ]
        for entry, where in entries:
            if entry is None:
                continue
            if not isinstance(entry, dict):
                events.append(
                    self._unreadable("one with a call that is no object", payload.exact(*where))
                )
                continue
            events += self._entry(entry, payload, where)
        return events

    def _entry(
        self, entry: dict[str, Any], payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        kind: CallKind = "function"
        body, where, field = entry.get("function"), (*path, "function"), "arguments"
        events: list[DialectEvent] = []
        if body is None and isinstance(entry.get("custom"), dict):
            kind, body, where, field = "custom", entry["custom"], (*path, "custom"), "input"
        elif body is None and entry.keys() & {"name", "arguments"}:
            events += self._findings.once(
                "function-flat", "name and arguments stand in the entry, not in its `function`"
            )
            body, where = entry, path
        if body is not None and not isinstance(body, dict):
            return [
                self._unreadable("one with a function that is no object", payload.exact(*where))
            ]
        body = body or {}
        text = self._argument_text(body.get(field), payload, (*where, field))
        if text is None:
            return [self._unreadable("one whose arguments cannot be cut out", payload.text)]
        if not isinstance(body.get(field), str | None):
            events += self._findings.once(
                "arguments-object",
                "the arguments are JSON where a string belongs; their text is kept as it stands",
                scope=str(self._choice),
            )
        index, found = self._index_of(entry.get("index"))
        bare = body.get(field) is None
        named = Entry(index, _word(entry.get("id")), _word(body.get("name")), text, kind, bare)
        taken = self._modern.take(named, payload.number)
        return [*events, *found, *taken, *_extended(entry, taken)]

    def _index_of(self, value: object) -> tuple[int | None, list[DialectEvent]]:
        match value:
            case None:
                return None, []
            case bool():
                pass
            case int():
                return value, []
            case float() if value.is_integer():
                return int(value), []
            case str() if value.strip().isdecimal() and len(value) < 10:
                return int(value), self._findings.once(
                    "index-string", "the index of a call is a string; it is read as a number"
                )
        return None, self._findings.once(
            "index-unreadable", f"{value!r} is no index of a call; it is read as missing"
        )

    @staticmethod
    def _argument_text(value: object, payload: Payload, path: tuple[str | int, ...]) -> str | None:
        """The argument text; what is not a string is cut out of the wire as it stands there."""
        match value:
            case None:
                return ""
            case str():
                return value
            case _:
                return payload.exact(*path)

    def take_legacy(
        self, value: object, payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        """Read `function_call`, the form before `tool_calls`: one call, without index and id."""
        if value in ({}, ""):
            return []
        if not isinstance(value, dict):
            return [self._unreadable("one whose function_call is no object", payload.exact(*path))]
        text = self._argument_text(value.get("arguments"), payload, (*path, "arguments"))
        if text is None:
            return [self._unreadable("one whose arguments cannot be cut out", payload.text)]
        bare = value.get("arguments") is None
        entry = Entry(0, None, _word(value.get("name")), text, bare=bare)
        return self._legacy.take(entry, payload.number)

    def _unreadable(self, problem: str, raw: str | None) -> DialectEvent:
        """Something in place of a call that is none: it may have been a piece of any."""
        keys = [key for table in self.tables for key in (*table.open_keys, *table.blank_keys)]
        return MalformedEvent(problem, raw or "", tuple(dict.fromkeys(keys)))


def _extended(entry: dict[str, Any], taken: list[DialectEvent]) -> list[DialectEvent]:
    """What goes back with the call that the entry went to: Gemini signs its calls."""
    further = {name: entry[name] for name in _FURTHER if entry.get(name) is not None}
    owner = next((e.key for e in taken if isinstance(e, CallOpened | ArgumentFragment)), None)
    if not further or owner is None:
        return []
    return [CallExtended(owner, wirejson.dumps(further))]


def _word(value: object) -> str | None:
    """An id or a name; missing, null and empty are the same. Numbers become their digits."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None
