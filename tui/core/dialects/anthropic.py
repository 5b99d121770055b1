"""The Anthropic Messages dialect: SSE events of one response in, dialect events out.

Owns the message around the content blocks: how a turn begins and ends, and what it reports. The
blocks are `anthropic_content`'s, requests are `anthropic_request`'s. Every deviation from the
documented stream gives a finding `anthropic.*`. It knows no bytes and no HTTP.
Events: https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.conversation import TurnRequest
from tui.core.dialects import Decoder, DecoderSettings, Dialect, EncodedRequest
from tui.core.dialects import anthropic_reports as reports
from tui.core.dialects.anthropic_blocks import finding
from tui.core.dialects.anthropic_content import Content
from tui.core.dialects.anthropic_messages import NAME
from tui.core.dialects.anthropic_request import encode
from tui.core.dialects.anthropic_uses import CallBlock
from tui.core.endings import ending_of
from tui.core.events import (
    ArgumentFragment,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    Finding,
    KeepAlive,
    MalformedEvent,
    ProviderErrorReported,
    StopReasonGiven,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
)
from tui.core.sse import SSEEvent, UnfinishedEvent

_MESSAGE_EVENTS: Final = frozenset(
    {"content_block_start", "content_block_delta", "content_block_stop", "message_delta"}
)
_EVENTS: Final = _MESSAGE_EVENTS | {"message_start", "message_stop", "ping", "error"}
_DONE: Final = "[DONE]"


class AnthropicDecoder:
    """Reads one response. A block is found by its index, which is a key and not a position."""

    def __init__(self) -> None:
        self._content = Content()
        self._started = False
        self._message_id: object = None
        self._reason: str | None = None
        self._ended = False
        self._told: set[str] = set()

    def feed(self, event: SSEEvent) -> list[DialectEvent]:
        if self._ended:
            return [_after_end(event)]
        try:
            events = self._read(event)
        except (ValueError, RecursionError):
            # JSON of a depth, or with an integer of a length, at which the exact text of a
            # member cannot be cut out.
            events = [MalformedEvent("JSON too deep or too large to be read", event.data)]
        if event.replaced:
            events += _replaced(events)
        return events

    def close(self, unfinished: UnfinishedEvent | None) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        if unfinished is not None:
            event = SSEEvent(
                type=unfinished.type,
                data=unfinished.data,
                start=unfinished.start,
                end=unfinished.end,
                id=None,
                retry=None,
                replaced=unfinished.replaced,
                data_start=unfinished.start,
            )
            # A JSON object that was cut short is never a JSON object.
            if self._ended or _is_whole(unfinished.data):
                events += self.feed(event)
            else:
                problem = "cut off: the body ended inside it"
                events.append(MalformedEvent(problem, unfinished.data))
        if not self._ended:
            for block in self._content.unclosed:
                events += block.abandon()
            if self._reason is not None:
                said = "the body ended after the stop reason without a message_stop"
                events.append(finding("message-stop-missing", said, "gateway", "warning"))
        return events

    def _read(self, event: SSEEvent) -> list[DialectEvent]:
        data = event.data
        if data.strip() == _DONE:
            said = "[DONE] came in place of message_stop"
            return self._end(finding("done-instead-of-message-stop", said, "gateway", "warning"))
        try:
            value = wirejson.loads(data)
        except ValueError:
            return _not_json(event)
        if not isinstance(value, dict):
            return [MalformedEvent("JSON, but not an object", data)]
        kind = value.get("type")
        oddities: list[DialectEvent] = []
        named = isinstance(kind, str)
        # llama.cpp's server sends the bare error object, whose `type` is the kind of error.
        bare = named and event.type == "error" and kind not in _EVENTS
        if bare or (value.get("error") and not (named and kind in _EVENTS)):
            said = "an error came without the type of an error event"
            return [reports.error(value, data), finding("error-without-type", said, "gateway")]
        if not isinstance(kind, str):
            if event.type not in _EVENTS:
                return [UnknownEvent(event.type or "untyped", data)]
            kind = event.type
            said = "events lack their type inside the JSON; the event line names it"
            oddities += self._once("type-missing", said)
        elif event.type not in ("", "message", kind):
            said = f"the event line says {event.type!r} where the JSON says {kind!r}"
            oddities += self._once("event-name-differs", said, kind + event.type)
        if not self._started and kind in _MESSAGE_EVENTS:
            oddities += self._once("message-start-missing", f"{kind} came before message_start")
        return oddities + self._read_typed(kind, value, data)

    def _read_typed(self, kind: str, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        match kind:
            case "content_block_delta":
                return self._content.delta(value, data)
            case "content_block_start":
                return self._content.start(value, data)
            case "content_block_stop":
                return self._content.stop(value)
            case "message_start":
                return self._message_start(value, data)
            case "message_delta":
                return self._message_delta(value)
            case "message_stop":
                return self._end()
            case "ping":
                return [KeepAlive()]
            case "error":
                return [reports.error(value, data)]
            case _:
                return [UnknownEvent(kind, data)]

    def _message_start(self, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        message = value.get("message")
        if not isinstance(message, dict):
            return [MalformedEvent("a message_start without a message", data, ())]
        id, model = message.get("id"), message.get("model")
        events: list[DialectEvent] = []
        if self._started:
            events += self._second_start(id)
        self._started = True
        self._message_id = id
        events.append(
            TurnStarted(
                id if isinstance(id, str) else None, model if isinstance(model, str) else None
            )
        )
        events += reports.usage(message.get("usage"))
        content = message.get("content")
        for position, block in enumerate(content if isinstance(content, list) else []):
            events += self._content.finished(
                block, wirejson.member_text(data, "message", "content", position) or ""
            )
        return events + self._stop_reason(message)

    def _second_start(self, id: object) -> list[DialectEvent]:
        said = "a second message_start came before the message_stop of the first"
        calls = self._content.calls
        again = id == self._message_id or not calls
        odd = finding("second-message-start", said, "gateway", "warning" if again else "error")
        if again:
            return [odd]
        # A retry behind our back: the same calls are about to come a second time.
        problem = "the message began again after it, under another id"
        return [odd, *(CallSpoiled(call.key, problem) for call in calls)]

    def _message_delta(self, value: Mapping[str, Any]) -> list[DialectEvent]:
        delta = value.get("delta")
        events = self._stop_reason(delta) if isinstance(delta, dict) else []
        return events + reports.usage(value.get("usage"))

    def _stop_reason(self, holder: Mapping[str, Any]) -> list[DialectEvent]:
        reason = holder.get("stop_reason")
        if reason is None:
            return []
        if not isinstance(reason, str):
            said = f"the stop reason is not a string: {reason!r:.80}"
            return [finding("stop-reason-not-string", said, severity="warning")]
        events: list[DialectEvent] = []
        before = self._reason
        if before is not None and before != reason:
            said = f"the stop reason was {before!r} and became {reason!r}"
            events.append(finding("stop-reason-changed", said, severity="warning"))
            # An ending that lets no call run is not taken back by a later one that would.
            if not ending_of(NAME, before).calls_may_run and ending_of(NAME, reason).calls_may_run:
                return events
        self._reason = reason
        return [StopReasonGiven(reason, detail=reports.stop_detail(holder)), *events]

    def _end(self, *oddities: Finding) -> list[DialectEvent]:
        events: list[DialectEvent] = list(oddities)
        for block in self._content.unclosed:
            call = isinstance(block, CallBlock)
            said = f"the message ended, and {block.words} was never stopped"
            events += block.abandon()
            events.append(finding("block-unclosed", said, severity="warning" if call else "note"))
        if self._reason is None:
            said = "the message ended without a stop reason"
            events.append(finding("stop-reason-missing", said, severity="warning"))
        self._ended = True
        return [*events, TurnEnded()]

    def _once(self, what: str, message: str, about: str = "") -> list[DialectEvent]:
        """A finding about what a server does throughout: said the first time only."""
        if what + about in self._told:
            return []
        self._told.add(what + about)
        return [finding(what, message)]


def _replaced(events: list[DialectEvent]) -> list[DialectEvent]:
    """What to add to the events of an SSE event whose bytes were not UTF-8."""
    said = "bytes of this event were not UTF-8 and were replaced by U+FFFD"
    keys = {e.key: None for e in events if isinstance(e, ArgumentFragment | CallOpened)}
    problem = "bytes of its text were not UTF-8; what the model wrote is not known"
    return [
        *(CallSpoiled(key, problem) for key in keys),
        finding("not-utf8", said, "unknown", "warning"),
    ]


def _after_end(event: SSEEvent) -> Finding:
    if event.data.strip() == _DONE:
        return finding("done-marker", "an OpenAI-style [DONE] followed message_stop", "gateway")
    try:
        value = wirejson.loads(event.data)
    except ValueError:
        value = None
    kind = value.get("type") if isinstance(value, dict) else None
    name = kind if isinstance(kind, str) else event.type or "something"
    said = f"{name!r:.80} came after the end of the message and was ignored"
    return finding("event-after-end", said, severity="note" if name == "ping" else "warning")


def _is_whole(data: str) -> bool:
    if data.strip() == _DONE:
        return True
    try:
        return isinstance(wirejson.loads(data), dict)
    except ValueError:
        return False


def _not_json(event: SSEEvent) -> list[DialectEvent]:
    data = event.data
    if event.type == "error" and data.strip():
        said = "an error event carries plain text in place of JSON"
        odd = finding("error-not-json", said, "gateway")
        return [ProviderErrorReported(data.strip(), raw=data), odd]
    if not data.strip() and event.type not in _EVENTS - {"ping"}:
        return [KeepAlive(event.type or "empty")]
    return [MalformedEvent("not JSON" if data.strip() else "empty", data)]


class AnthropicDialect:
    """Anthropic Messages, `POST /v1/messages`."""

    @property
    def name(self) -> str:
        return NAME

    def decoder(self, settings: DecoderSettings | None = None) -> Decoder:
        return AnthropicDecoder()

    def encode(self, request: TurnRequest) -> EncodedRequest:
        return encode(request)


DIALECT: Final[Dialect] = AnthropicDialect()
