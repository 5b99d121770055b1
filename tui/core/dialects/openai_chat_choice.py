"""One choice of a Chat Completions stream: its deltas in, dialect events out.

Owns what a delta can hold (prose, refusal, the spellings of reasoning, calls, the old
`function_call`, things we only keep) and what a finish reason means for the calls of the choice.
How calls are written is read by `openai_chat_entries`; what surrounds a choice is the decoder's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_chat_attribution import CallTable
from tui.core.dialects.openai_chat_entries import Calls, Payload
from tui.core.dialects.openai_chat_reasoning import Reasoning
from tui.core.endings import ending_of
from tui.core.events import (
    CallDoubted,
    CallOpened,
    DialectEvent,
    Key,
    MalformedEvent,
    PartClosed,
    ProviderItemFragment,
    ProviderItemOpened,
    RefusalFragment,
    StopReasonGiven,
    TextFragment,
)

_PERHAPS_CUT: Final = "no arguments came, and without [DONE] they may still have been to come"
_NO_REASON: Final = frozenset({"", "null"})
_SILENT: Final = frozenset({"role", "index", "token_id", "channel", "provider_metadata", "name"})
"""Fields of a delta that say nothing of the answer: bookkeeping of gateways and servers."""


class Choice:
    """What one choice has become so far."""

    def __init__(self, index: int, findings: Findings) -> None:
        self.index = index
        self.reason: str | None = None
        """The finish reason that counts; None until one came."""
        self._calls = Calls(index, findings)
        self._findings = findings
        self._reasoning = Reasoning(self._key("thinking"), index, findings)
        self._opened: dict[Key, None] = {}
        self._had_delta = False
        self._segment = 0
        self._text_open = False

    @property
    def tables(self) -> tuple[CallTable, CallTable]:
        """Everything that holds calls of this choice."""
        return self._calls.tables

    # A delta ------------------------------------------------------------------------------

    def take(
        self, choice: Mapping[str, Any], payload: Payload, *path: str | int
    ) -> list[DialectEvent]:
        """Decode what one chunk says of this choice, but for its finish reason."""
        field, delta = self._delta_of(choice)
        if delta is None:
            if field is None:
                return []
            raw = payload.exact(*path, field) or ""
            return [MalformedEvent(f"one whose {field} is no object", raw)]
        return self._delta(delta, payload, (*path, field or "delta"))

    def _delta_of(self, choice: Mapping[str, Any]) -> tuple[str | None, dict[str, Any] | None]:
        """Where this chunk keeps its delta, and the delta if it is an object."""
        delta = choice.get("delta")
        if delta is not None:
            self._had_delta = self._had_delta or bool(delta)
            return "delta", delta if isinstance(delta, dict) else None
        # Perplexity sends the whole message beside each delta: taken as well, all would double.
        if choice.get("message") is not None and not self._had_delta:
            message = choice["message"]
            return "message", message if isinstance(message, dict) else None
        if isinstance(choice.get("text"), str) and not self._had_delta:
            return "text", {"content": choice["text"]}
        return None, None

    def _delta(
        self, delta: dict[str, Any], payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        if path[-1] != "delta":
            events += self._findings.once(
                f"{path[-1]}-for-delta",
                f"the chunk has `{path[-1]}` where `delta` belongs; it is read as one",
            )
        content: list[DialectEvent] = self._reasoning.take(delta)
        for field, value in delta.items():
            if value is None or field in _SILENT or field in Reasoning.FIELDS:
                continue
            where = (*path, field)
            if field == "content":
                content += self._content(value, payload, where)
            elif field == "refusal" and isinstance(value, str):
                content += self._refusal(value)
            elif field == "tool_calls":
                content += self._part_text(self._calls.take(value, payload, where))
            elif field == "function_call" and (delta.get("tool_calls") or self._calls.modern):
                content += self._beside(payload.exact(*where))
            elif field == "function_call":
                content += self._part_text(self._calls.take_legacy(value, payload, where))
            elif _says_something(value):
                content += self._kept(field, payload.exact(*where))
        if content and self.reason is not None:
            events += self._findings.once(
                "after-finish",
                "content came after the finish reason; it is taken, and calls are read only when "
                "the stream is over",
                scope=str(self.index),
                severity="warning",
            )
        return events + content

    def _content(
        self, value: object, payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        match value:
            case str():
                return self._text(value)
            case list():
                events: list[DialectEvent] = []
                for position, part in enumerate(value):
                    events += self._content_part(part, payload, (*path, position))
                return events
            case dict():
                return self._content_part(value, payload, path)
            case _:
                return self._kept("content", payload.exact(*path))

    def _content_part(
        self, part: object, payload: Payload, path: tuple[str | int, ...]
    ) -> list[DialectEvent]:
        """One part of a content list (Mistral): text, thinking, or something to keep."""
        match part:
            case str():
                return self._text(part)
            case {"type": "text" | "output_text", "text": str(text)}:
                return self._text(text)
            case {"type": "refusal", "refusal": str(text)}:
                return self._refusal(text)
            case {"type": "thinking", "thinking": thinking}:
                return self._reasoning.inline(thinking)
            case {"type": str(kind)}:
                return self._kept(kind, payload.exact(*path))
            case None:
                return []
            case _:
                return self._kept("content", payload.exact(*path))

    def _text(self, text: str) -> list[DialectEvent]:
        if not text:
            return []
        self._text_open = True
        name = f"text:{self._segment}" if self._segment else "text"
        return [TextFragment(self._open(name), text, self.index)]

    def _part_text(self, events: list[DialectEvent]) -> list[DialectEvent]:
        """Prose after a call is a part of its own, so that it stays behind the call it follows."""
        if self._text_open and any(isinstance(event, CallOpened) for event in events):
            self._segment += 1
            self._text_open = False
        return events

    def _refusal(self, text: str) -> list[DialectEvent]:
        return [RefusalFragment(self._open("refusal"), text, self.index)] if text else []

    def _kept(self, kind: str, raw: str | None) -> list[DialectEvent]:
        """Something in a delta that is neither prose nor a call: one item for each kind."""
        key = self._key(f"kept:{kind}")
        events: list[DialectEvent] = []
        if key not in self._opened:
            self._opened[key] = None
            events.append(ProviderItemOpened(key, kind, kind))
        return [*events, ProviderItemFragment(key, raw or "")]

    def _beside(self, raw: str | None) -> list[DialectEvent]:
        """A `function_call` in a turn that has `tool_calls`: a gateway tells one call twice."""
        found = self._findings.once(
            "function-call-beside",
            "`function_call` repeats what `tool_calls` say; only those are read",
            scope=str(self.index),
        )
        return [*found, *self._kept("function_call", raw)]

    # The end ------------------------------------------------------------------------------

    def finish(self, value: object) -> list[DialectEvent]:
        """Take the `finish_reason` of a chunk, after its delta."""
        if value is None or value is False:
            return []
        reason = value if isinstance(value, str) else wirejson.dumps(value)
        scope = str(self.index)
        if reason in _NO_REASON:
            return self._findings.once(
                "finish-empty", f"the finish reason {reason!r} is read as none", scope=scope
            )
        events: list[DialectEvent] = []
        before, self.reason = self.reason, self._counting(reason)
        if before is None:
            if reason in ("tool_calls", "function_call") and not any(
                table.keys for table in self.tables
            ):
                events += self._findings.once(
                    "calls-missing",
                    f"the finish reason is {reason!r}, but no call came before it",
                    scope=scope,
                    severity="warning",
                )
        elif before == reason:
            events += self._findings.once(
                "finish-twice", f"the finish reason {reason!r} is given again", scope=scope
            )
        else:
            events += self._findings.once(
                "finish-changed",
                f"the finish reason {before!r} is followed by {reason!r}; {self.reason!r} counts",
                scope=scope,
                severity="warning",
            )
        if reason != "error":
            events += self._close_calls()
        if self.reason != before:
            events.append(StopReasonGiven(self.reason, self.index))
        return events

    def _counting(self, reason: str) -> str:
        """The last reason counts, but none takes back an earlier one that forbids calls."""
        if self.reason is None or ending_of("openai-chat", self.reason).calls_may_run:
            return reason
        return self.reason

    def end_without_reason(self) -> list[DialectEvent]:
        """`[DONE]` ends turns on this endpoint: it stands for the finish reason that never comes."""
        self.reason = "stop"
        return [
            *self._close_calls(),
            StopReasonGiven("stop", self.index, "[DONE] ends turns on this endpoint"),
        ]

    def end(self, *, done: bool) -> list[DialectEvent]:
        """The stream is over: close what the finish reason allows, doubt what is not sure.

        Some servers go on after the finish reason. So without [DONE] (`done`) a body may have
        been cut there: a call opened after the finish reason stays open, and one that has no text
        yet is not taken for one without arguments.
        """
        events: list[DialectEvent] = []
        if done and self.reason is not None and self.reason != "error":
            # Opened after the finish reason, which is the marker of every call of its choice.
            events += self._close_calls()
        for table in self.tables:
            events += table.doubts()
            if not done:
                events += [CallDoubted(key, _PERHAPS_CUT) for key in table.blank_keys]
        if self.reason is not None:
            events += [PartClosed(key) for key in self._opened]
            events += self._reasoning.end()
        return events

    def _close_calls(self) -> list[DialectEvent]:
        return [event for table in self.tables for event in table.close()]

    def _key(self, name: str) -> Key:
        return Key(f"choice:{self.index}/{name}")

    def _open(self, name: str) -> Key:
        key = self._key(name)
        self._opened[key] = None
        return key


def _says_something(value: object) -> bool:
    """Whether an unknown field holds anything worth keeping. Bare numbers and flags do not."""
    match value:
        case str():
            return bool(value)
        case list():
            return bool(value)
        case dict():
            return any(item is not None for item in value.values())
        case _:
            return False
