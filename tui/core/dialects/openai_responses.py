"""The OpenAI Responses dialect and those who imitate it: SSE events in, dialect events out.

Owns the level of the event and of the response around the items: `type` inside the JSON decides
what an event is, the `status` inside the response how the turn ended, and the first event that
ends the response ends the turn. Items are `openai_responses_output`'s, the way back
`openai_responses_request`'s. Deviations are met by rule and reported as findings `responses.*`;
a stream as OpenAI documents it gives none.
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.conversation import TurnRequest
from tui.core.dialects import DecoderSettings, EncodedRequest, openai_chat_errors
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_responses_events import ItemEvents
from tui.core.dialects.openai_responses_request import encode
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    KeepAlive,
    MalformedEvent,
    StopReasonGiven,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
    UsageReported,
)
from tui.core.sse import SSEEvent, UnfinishedEvent

_DONE: Final = "[DONE]"
_PINGS: Final = frozenset({"ping", "keepalive", "keep-alive", "heartbeat", "response.heartbeat"})
_ERRORS: Final = frozenset({"error", "response.error"})  # the second is a gateway's
_BEGINNINGS: Final = frozenset({"response.created", "response.in_progress", "response.queued"})
_ENDINGS: Final = {
    "response.completed": "completed",
    "response.done": "completed",  # the realtime API's word, used by some gateways
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}


class ResponsesDecoder:
    """Reads one response body."""

    def __init__(self) -> None:
        self._findings = Findings("responses")
        self._items = ItemEvents(self._findings)
        self._begun = False
        self._created = False
        self._response_id: str | None = None
        self._sequence: int | None = None
        self._ended = False
        self._failed = False
        self._empty = True

    def feed(self, event: SSEEvent) -> list[DialectEvent]:
        """Decode one SSE event. Never raises on what a server sends."""
        return self._event(event.type, event.data, event.replaced)

    def close(self, unfinished: UnfinishedEvent | None) -> list[DialectEvent]:
        """Say what the end of the body means, the event it may have ended in included."""
        events: list[DialectEvent] = []
        torn = False
        if unfinished is not None and (unfinished.data.strip() or unfinished.partial_line):
            if unfinished.data.strip():
                events = self._event(unfinished.type, unfinished.data, unfinished.replaced)
            elif not self._ended:
                events = [MalformedEvent("cut short by the end of the body", "")]
            torn = any(isinstance(event, MalformedEvent) for event in events)
        if not (self._ended or self._failed or self._empty or torn):
            said = "the body ended without an event that ends the response"
            events += self._findings.once("cut", said, culprit="unknown", severity="warning")
        return events

    # One SSE event ------------------------------------------------------------------------

    def _event(self, type: str, data: str, replaced: bool) -> list[DialectEvent]:
        if not data.strip():
            return [KeepAlive("empty data")]
        if self._ended:
            return self._after_end(type, data)
        try:
            events = self._read(type, data)
        except (ValueError, RecursionError):
            # JSON of a depth, or with an integer of a length, at which the exact text of a
            # member cannot be cut out.
            events = [MalformedEvent("JSON too deep or too large to be read", data)]
        if replaced:
            events += self._replaced(events)
        return events

    def _read(self, type: str, data: str) -> list[DialectEvent]:
        if data.strip() == _DONE:
            return self._done_came()
        try:
            value = wirejson.loads(data)
        except ValueError:
            return self._not_json(type, data)
        self._empty = False
        if not isinstance(value, dict):
            if type in _PINGS:
                return [KeepAlive(type)]
            self._sequence = None
            return [MalformedEvent("JSON, but not an object", data)]
        kind = value.get("type")
        events: list[DialectEvent] = []
        if not isinstance(kind, str) or _is_bare_error(kind, type, value):
            error = openai_chat_errors.reported(value, data, event_type=type)
            if error is not None:
                self._failed = True
                said = "an error came without the type of an error event"
                return [error, *self._findings.once("error-without-type", said)]
        if not isinstance(kind, str):
            if not type.startswith("response."):
                return [
                    KeepAlive(type) if type in _PINGS else UnknownEvent(type or "untyped", data)
                ]
            kind = type
            said = "events lack their type inside the JSON; the event line names it"
            events += self._findings.once("type-missing", said)
        elif type not in ("", "message", kind):
            said = f"the event line says {type!r:.80} where the JSON says {kind!r:.80}"
            events += self._findings.once("event-name-differs", said)
        return events + self._number(value) + self._typed(kind, value, data)

    def _typed(self, kind: str, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        if kind in _BEGINNINGS:
            return self._begin(kind, value)
        if kind in _ENDINGS:
            return self._end(kind, value, data)
        if kind in _ERRORS:
            self._failed = True
            error = openai_chat_errors.reported(value, data, event_type="error")
            return [error or openai_chat_errors.plain(data)]
        if kind in _PINGS:
            return [KeepAlive(kind)]
        events = self._items.take(kind, value, data)
        if events is None:
            return [UnknownEvent(kind, data)]
        if not self._created:
            self._created = True
            said = "the first item came before response.created"
            events = [*self._findings.once("created-missing", said), *events]
        return events

    def _not_json(self, type: str, data: str) -> list[DialectEvent]:
        if type in _PINGS:
            return [KeepAlive(type)]
        self._empty = False
        lines = [line for line in data.split("\n") if line.strip()]
        if len(lines) > 1 and all(map(_is_whole, lines)):
            said = (
                "events follow each other without the blank line that ends one; each line is "
                "whole and is read by itself"
            )
            events = self._findings.once("events-glued", said, severity="warning")
            for line in lines:
                events += self._after_end("", line) if self._ended else self._read("", line)
            return events
        self._sequence = None
        if type == "error":
            self._failed = True
            return [openai_chat_errors.glued(data) or openai_chat_errors.plain(data)]
        events = [MalformedEvent("not JSON", data)]
        error = openai_chat_errors.glued(data)
        if error is not None:
            self._failed = True
            events.append(error)
        return events

    def _replaced(self, events: list[DialectEvent]) -> list[DialectEvent]:
        """What to add to the events of an SSE event whose bytes were not UTF-8."""
        touched = ArgumentFragment | CallOpened | CallClosed
        keys = {event.key: None for event in events if isinstance(event, touched)}
        said = "bytes of the stream are not UTF-8"
        return [
            *self._findings.once("not-utf8", said, severity="warning"),
            *(CallSpoiled(key, "the bytes of its arguments are not UTF-8") for key in keys),
        ]

    def _number(self, value: Mapping[str, Any]) -> list[DialectEvent]:
        """Whether an event was lost: OpenAI numbers them."""
        number = value.get("sequence_number")
        if not isinstance(number, int) or isinstance(number, bool):
            return []
        before, self._sequence = self._sequence, number
        if before is None or number == before + 1:
            return []
        if number > before:
            said = f"the sequence number jumps from {before} to {number}: events may have been lost"
            return self._findings.once("sequence-gap", said, severity="warning")
        said = f"the sequence number falls back from {before} to {number}"
        return self._findings.once("sequence-falls", said)

    # The response -------------------------------------------------------------------------

    def _begin(self, kind: str, value: Mapping[str, Any]) -> list[DialectEvent]:
        response = value.get("response")
        response = response if isinstance(response, dict) else {}
        id = response.get("id")
        id = id if isinstance(id, str) and id else None
        events: list[DialectEvent] = []
        if kind == "response.created":
            if self._created:
                events += self._second(id)
            self._created = True
        self._response_id = id or self._response_id
        return events + self._started(response)

    def _started(self, response: Mapping[str, Any]) -> list[DialectEvent]:
        id, model = (
            value if isinstance(value := response.get(name), str) and value else None
            for name in ("id", "model")
        )
        if self._begun or (id is None and model is None):
            return []
        self._begun = True
        return [TurnStarted(id, model)]

    def _second(self, id: str | None) -> list[DialectEvent]:
        said = "a second response.created came before the end of the first response"
        events = self._findings.once("second-created", said, culprit="gateway", severity="warning")
        if id in (None, self._response_id):
            return events
        # A retry behind our back: the same calls are about to come a second time.
        problem = "the response began again after it, under another id"
        return events + [CallSpoiled(call.key, problem) for call in self._items.calls]

    def _end(self, kind: str, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        """The response is over. The status inside it decides how, not the name of the event."""
        named = _ENDINGS[kind]
        response = value.get("response")
        events: list[DialectEvent] = []
        if not isinstance(response, dict):
            said = f"{kind} carries no response; its name says how the response ended"
            events += self._findings.once("response-missing", said, severity="warning")
            response = {}
        status = response.get("status")
        if not isinstance(status, str) or not status:
            if response:
                said = f"the response of {kind} has no status; the event's name says how it ended"
                events += self._findings.once("status-missing", said)
            status = named
        elif status != named:
            said = f"{kind} carries a response whose status is {status!r:.80}; the status counts"
            events += self._findings.once("status-differs", said, severity="warning")
        self._ended = True
        events += self._started(response)
        events += self._items.settle(response.get("output"), data)
        events += _usage(response.get("usage"))
        error = response.get("error")
        if error or status == "failed" or named == "failed":
            self._failed = True
            payload = {"error": error or "the response failed, and no reason was given"}
            report = openai_chat_errors.reported(payload, data, event_type="error")
            events.append(report or openai_chat_errors.plain(data))
        else:
            events.append(StopReasonGiven(status, detail=_detail(response)))
        return [*events, TurnEnded()]

    def _done_came(self) -> list[DialectEvent]:
        """`[DONE]`, which this dialect does not have, in place of an event that ends the response."""
        said = (
            "[DONE] came in place of an event that ends the response: nobody said that it is whole"
        )
        events = self._findings.once("done-instead-of-end", said, severity="warning")
        self._ended = True
        return [*events, TurnEnded()]

    def _after_end(self, type: str, data: str) -> list[DialectEvent]:
        """Nothing after the end counts: a gateway may play the whole response again."""
        if _DONE.startswith(data.strip()) or type in _PINGS:
            return []
        said = "events came after the end of the response; they are kept in the record only"
        return self._findings.once("after-end", said, severity="warning")


def _is_bare_error(kind: str, type: str, value: Mapping[str, Any]) -> bool:
    """Whether an event is the error object itself, as llama.cpp's server sends it: `kind` is
    then the kind of the error, and only the event line (`type`) says that it is one."""
    known = kind in ("error", *_PINGS) or kind.startswith("response.")
    return not known and (type == "error" or bool(value.get("error")))


def _is_whole(line: str) -> bool:
    if line.strip() == _DONE:
        return True
    try:
        return isinstance(wirejson.loads(line), dict)
    except ValueError:
        return False


def _detail(response: Mapping[str, Any]) -> str:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return reason if isinstance(reason, str) else ""


def _usage(usage: object) -> list[DialectEvent]:
    if not isinstance(usage, dict):
        return []
    report = UsageReported(
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        cached_tokens=_count(usage.get("input_tokens_details"), "cached_tokens"),
        reasoning_tokens=_count(usage.get("output_tokens_details"), "reasoning_tokens"),
    )
    return [] if report == UsageReported() else [report]


def _count(counts: object, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Responses:
    """The dialect: path `/responses` below a base URL that usually ends in `/v1`."""

    name = "openai-responses"

    def decoder(self, settings: DecoderSettings | None = None) -> ResponsesDecoder:
        return ResponsesDecoder()

    def encode(self, request: TurnRequest) -> EncodedRequest:
        return encode(request)


DIALECT: Final = Responses()
