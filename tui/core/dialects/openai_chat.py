"""The OpenAI Chat Completions dialect and those who imitate it: SSE events in, dialect events out.

Owns the level of the chunk: `[DONE]`, JSON that is none, errors, usage, choices, and what the end
of the body means. What a choice holds is `openai_chat_choice`'s, whose a call entry is
`openai_chat_attribution`'s, the way back `openai_chat_request`'s. Deviations are met by rule and
reported as findings `chat.*`; a stream as OpenAI documents it gives none.
https://platform.openai.com/docs/api-reference/chat-streaming

The markers: a finish reason closes every call of its choice, `[DONE]` ends the turn. A body that
ends after all finish reasons but without `[DONE]` has ended too. Nothing else closes a call,
unless the endpoint is configured so (`done_ends_turn`).
"""

from __future__ import annotations

from typing import Any, Final

from tui.core import wirejson
from tui.core.conversation import TurnRequest
from tui.core.dialects import DecoderSettings, EncodedRequest, openai_chat_errors
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_chat_choice import Choice
from tui.core.dialects.openai_chat_entries import Payload
from tui.core.dialects.openai_chat_request import encode
from tui.core.events import (
    CallSpoiled,
    DialectEvent,
    KeepAlive,
    Key,
    MalformedEvent,
    TurnEnded,
    TurnStarted,
    UnknownEvent,
    UsageReported,
)
from tui.core.sse import SSEEvent, UnfinishedEvent

_DONE: Final = "[DONE]"
_PINGS: Final = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})


class ChatDecoder:
    """Reads one response body."""

    def __init__(self, settings: DecoderSettings | None = None) -> None:
        self._settings = settings or DecoderSettings()
        self._findings = Findings("chat")
        self._choices: dict[int, Choice] = {}
        self._number = 0
        self._started = False
        self._done = False
        self._failed = False

    def feed(self, event: SSEEvent) -> list[DialectEvent]:
        """Decode one SSE event. Never raises on what a server sends."""
        return self._event(event.type, event.data, event.replaced)

    def close(self, unfinished: UnfinishedEvent | None) -> list[DialectEvent]:
        """Say what the end of the body means, the event it may have ended in included."""
        events: list[DialectEvent] = []
        torn = False
        if unfinished is not None:
            rest = unfinished.data.strip()
            # llama-server ends its bodies with `data: [DONE]` and no blank line. A piece of that
            # line takes nothing with it that anybody needs.
            if not (rest and _DONE.startswith(rest) and rest != _DONE):
                events = self._unfinished(unfinished)
                torn = any(isinstance(event, MalformedEvent) for event in events)
        if self._done:
            return events
        reasons = [choice.reason for choice in self._choices.values()]
        if torn or self._failed or not self._number:
            return events
        if not reasons or None in reasons:
            events += self._findings.once(
                "cut",
                "the body ended without [DONE] and without a finish reason for every choice",
                culprit="unknown",
                severity="warning",
            )
            return events
        events += self._findings.once(
            "done-missing", "the body ended without [DONE]; the finish reason is taken as the end"
        )
        return events + self._end(done=False)

    def _unfinished(self, unfinished: UnfinishedEvent) -> list[DialectEvent]:
        if unfinished.data.strip():
            return self._event(unfinished.type, unfinished.data, unfinished.replaced)
        if unfinished.partial_line and not self._done:
            return [MalformedEvent("cut short by the end of the body", "")]
        return []

    # One SSE event ------------------------------------------------------------------------

    def _event(self, type: str, data: str, replaced: bool) -> list[DialectEvent]:
        if self._done:
            if _is_done(data):
                return self._findings.once("done-twice", "[DONE] was sent more than once")
            return self._findings.once(
                "after-done",
                "events came after [DONE]; they are kept in the record only",
                severity="warning",
            )
        if not data.strip():
            return [KeepAlive("empty data")]
        events = self._read(type, data)
        if replaced:
            events += self._findings.once(
                "not-utf8", "bytes of the stream are not UTF-8", severity="warning"
            )
            events += [
                CallSpoiled(key, "the bytes of its arguments are not UTF-8")
                for choice in self._choices.values()
                for table in choice.tables
                for key in table.carriers()
            ]
        else:
            for choice in self._choices.values():
                for table in choice.tables:
                    table.carriers()
        return events

    def _read(self, type: str, data: str) -> list[DialectEvent]:
        if _is_done(data):
            return self._done_came(data)
        try:
            value = wirejson.loads(data)
        except ValueError:
            return self._not_json(type, data)
        return self._value(type, value, data)

    def _value(self, type: str, value: Any, data: str) -> list[DialectEvent]:
        if isinstance(value, dict):
            return self._payload(type, value, data)
        if type == "error":
            self._failed = True
            return [openai_chat_errors.plain(value if isinstance(value, str) else data)]
        if type in _PINGS:
            return [KeepAlive(type)]
        return [self._malformed("JSON, but not an object", data)]

    def _not_json(self, type: str, data: str) -> list[DialectEvent]:
        if type in _PINGS:
            return [KeepAlive(type)]
        lines = [line for line in data.split("\n") if line.strip()]
        if len(lines) > 1 and all(map(_is_whole, lines)):
            events = self._findings.once(
                "events-glued",
                "events follow each other without the blank line that ends one; each line is whole "
                "and is read by itself",
                severity="warning",
            )
            for line in lines:
                events += [] if self._done else self._read(type, line)
            return events
        if type == "error":
            self._failed = True
            return [openai_chat_errors.glued(data) or openai_chat_errors.plain(data)]
        events = [self._malformed("not JSON", data)]
        error = openai_chat_errors.glued(data)
        if error is not None:
            self._failed = True
            events.append(error)
        return events

    def _malformed(self, problem: str, raw: str) -> MalformedEvent:
        """An event that may have held anything: a piece of every open call, and of those that
        are closed but have no text, since those alone would seem whole without it."""
        blank: list[Key] = []
        suspects: list[Key] = []
        for choice in self._choices.values():
            for table in choice.tables:
                suspects += table.open_keys
                blank += [key for key in table.blank_keys if key not in suspects]
        return MalformedEvent(problem, raw, (*suspects, *blank) if blank else None)

    # One chunk ----------------------------------------------------------------------------

    def _payload(self, type: str, payload: dict[str, Any], data: str) -> list[DialectEvent]:
        self._number += 1
        events = self._begin(payload)
        error = openai_chat_errors.reported(payload, data, event_type=type)
        choices = payload.get("choices")
        if isinstance(choices, dict):
            events += self._findings.once(
                "choices-object", "`choices` is an object where a list belongs"
            )
            events += self._choice(
                choices, 0, Payload(data, self._number), ("choices",), error is None
            )
        elif isinstance(choices, list):
            for position, choice in enumerate(choices):
                events += self._choice(
                    choice,
                    position,
                    Payload(data, self._number),
                    ("choices", position),
                    error is None,
                )
        elif choices is not None:
            events.append(self._malformed("one whose choices are no list", data))
        usage = _usage(payload)
        if usage is not None:
            events.append(usage)
        if error is not None:
            self._failed = True
            events.append(error)
        elif choices is None and usage is None:
            events += self._no_chunk(type, payload, data)
        return events

    def _begin(self, payload: dict[str, Any]) -> list[DialectEvent]:
        id, model = (
            value if isinstance(value := payload.get(name), str) and value else None
            for name in ("id", "model")
        )
        if self._started or (id is None and model is None):
            return []
        self._started = True
        return [TurnStarted(id, model)]

    def _choice(
        self,
        value: object,
        position: int,
        payload: Payload,
        path: tuple[str | int, ...],
        may_finish: bool,
    ) -> list[DialectEvent]:
        if not isinstance(value, dict):
            return [self._malformed("one with a choice that is no object", payload.text)]
        index, events = self._choice_index(value.get("index"), position)
        if index is None:
            return [self._malformed("one whose choice has no readable index", payload.text)]
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = Choice(index, self._findings)
        # The delta first: servers put the last fragment into the chunk that finishes.
        events += choice.take(value, payload, *path)
        if may_finish:
            # In a chunk that reports an error it is no permission to run anything.
            events += choice.finish(value.get("finish_reason"))
        return events

    def _choice_index(self, value: object, position: int) -> tuple[int | None, list[DialectEvent]]:
        match value:
            case bool():
                return None, []
            case int():
                return value, []
            case None:
                return position, self._findings.once(
                    "choice-index-missing", "a choice has no index; its place in the list counts"
                )
            case str() if value.isdecimal() and len(value) < 10:
                return int(value), self._findings.once(
                    "choice-index-string", "the index of a choice is a string"
                )
            case _:
                return None, []

    def _no_chunk(self, type: str, payload: dict[str, Any], data: str) -> list[DialectEvent]:
        kind = payload.get("type") or payload.get("object") or type
        kind = kind if isinstance(kind, str) else "object"
        if kind in _PINGS:
            return [KeepAlive(kind)]
        if kind == "chat.completion.chunk":
            return self._findings.once("choices-missing", "a chunk has no `choices`")
        return [UnknownEvent(kind or "object without choices", data)]

    # The end ------------------------------------------------------------------------------

    def _done_came(self, data: str) -> list[DialectEvent]:
        self._done = True
        events: list[DialectEvent] = []
        if data.strip() != _DONE:
            events += self._findings.once("done-spelling", f"the end marker is spelled {data!r}")
        for choice in self._choices.values():
            if choice.reason is not None or self._failed:
                continue
            if self._settings.done_ends_turn:
                events += self._findings.once(
                    "done-as-marker",
                    "[DONE] came without a finish reason; on this endpoint it ends turns",
                    scope=str(choice.index),
                )
                events += choice.end_without_reason()
            else:
                events += self._findings.once(
                    "finish-missing",
                    "[DONE] came without a finish reason: nobody said that the answer is complete",
                    scope=str(choice.index),
                    severity="warning",
                )
        return events + self._end(done=True)

    def _end(self, *, done: bool) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        for choice in self._choices.values():
            events += choice.end(done=done)
        events.append(TurnEnded())
        return events


def _is_done(data: str) -> bool:
    return data.strip().strip("\"'").strip().upper() == _DONE


def _is_whole(line: str) -> bool:
    if _is_done(line):
        return True
    try:
        return isinstance(wirejson.loads(line), dict)
    except ValueError:
        return False


def _usage(payload: dict[str, Any]) -> UsageReported | None:
    """Token counts; Groq keeps them in `x_groq`, DeepSeek has its own word for cached ones."""
    groq = payload.get("x_groq")
    usage = payload.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
    if not isinstance(usage, dict):
        return None
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
    report = UsageReported(
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        cached_tokens=cached if cached is not None else _count(usage, "prompt_cache_hit_tokens"),
        reasoning_tokens=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
    )
    return None if report == UsageReported() else report


def _count(counts: object, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class ChatCompletions:
    """The dialect: path `/chat/completions` below a base URL that usually ends in `/v1`."""

    name = "openai-chat"

    def decoder(self, settings: DecoderSettings | None = None) -> ChatDecoder:
        return ChatDecoder(settings)

    def encode(self, request: TurnRequest) -> EncodedRequest:
        return encode(request)


DIALECT: Final = ChatCompletions()
