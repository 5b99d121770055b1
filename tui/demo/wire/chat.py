"""A plan as OpenAI Chat Completions events.

Thinking goes into `reasoning_content`, as DeepSeek and most compatible servers send it; OpenAI
itself streams none here. Source: https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final, assert_never

from tui.demo.pace import Sent
from tui.demo.plan import Call, End, Piece, Plan, Prose, Refusal, Silence, Thinking, Together
from tui.demo.wire import (
    CREATED,
    FAILURE,
    MODEL,
    Pen,
    alternately,
    estimated_tokens,
    framed,
    texts,
    thinking_texts,
)

_FINISH_REASONS: Final[Mapping[End, str]] = {
    "done": "stop",
    "calls": "tool_calls",
    "limit": "length",
    # OpenAI ends a turn with a refusal in the ordinary way.
    "refused": "stop",
}


def write(plan: Plan, pen: Pen, request: Mapping[str, Any]) -> Iterator[Sent]:
    """The events of one completion with one choice."""
    response = _Completion(pen, _wants_usage(request))
    yield response.delta({"role": "assistant", "content": None}, beats=15)
    for piece in plan.pieces:
        yield from response.piece(piece)
    if plan.end in ("cut", "broken"):
        return
    if plan.end == "error":
        yield Sent(framed(error_body(500, FAILURE)), 3)
        return
    yield response.delta({}, _FINISH_REASONS[plan.end])
    if response.wants_usage:
        yield response.usage(plan.pieces)
    yield Sent(b"data: [DONE]\n\n")


class _Completion:
    def __init__(self, pen: Pen, wants_usage: bool) -> None:
        self.wants_usage = wants_usage
        self._pen = pen
        self._numbers = count()
        self._common = {
            "id": pen.id("chatcmpl-", 29),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": MODEL,
            "system_fingerprint": "fp_demo",
        }

    def piece(self, piece: Piece) -> Iterator[Sent]:
        match piece:
            case Thinking(text):
                yield from self._words("reasoning_content", text)
            case Prose(text):
                yield from self._words("content", text)
            case Refusal(text):
                yield from self._words("refusal", text)
            case Call():
                yield from self._call(piece, next(self._numbers))
            case Together(calls):
                yield from alternately(*(self._call(call, next(self._numbers)) for call in calls))
            case Silence(seconds, beats):
                yield from (Sent(b": keep-alive\n\n", seconds * 25) for _ in range(beats))
            case _:
                assert_never(piece)

    def delta(self, delta: object, finish_reason: str | None = None, beats: float = 1) -> Sent:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        # With usage asked for, every event but the last says that it has none.
        usage = {"usage": None} if self.wants_usage else {}
        return Sent(framed({**self._common, "choices": [choice], **usage}), beats)

    def usage(self, pieces: tuple[Piece, ...]) -> Sent:
        spent = estimated_tokens(*texts(pieces))
        usage = {
            "prompt_tokens": self._pen.input_tokens,
            "completion_tokens": spent,
            "total_tokens": self._pen.input_tokens + spent,
            "completion_tokens_details": {
                "reasoning_tokens": estimated_tokens(*thinking_texts(pieces))
            },
        }
        return Sent(framed({**self._common, "choices": [], "usage": usage}))

    def _words(self, field: str, text: str) -> Iterator[Sent]:
        return (self.delta({field: part}) for part in self._pen.prose(text))

    def _call(self, call: Call, index: int) -> Iterator[Sent]:
        opening = {
            "index": index,
            "id": self._pen.id("call_"),
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        yield self.delta({"tool_calls": [opening]}, beats=3)
        for part in self._pen.arguments(call.arguments):
            yield self.delta({"tool_calls": [{"index": index, "function": {"arguments": part}}]})


def _wants_usage(request: Mapping[str, Any]) -> bool:
    options = request.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def error_body(status: int, message: str) -> dict[str, Any]:
    """The body of an HTTP error, and of the error that may come inside a stream."""
    kinds = {400: "invalid_request_error", 404: "invalid_request_error", 429: "requests"}
    codes = {429: "rate_limit_exceeded", 404: "not_found"}
    error = {
        "message": message,
        "type": kinds.get(status, "server_error"),
        "param": None,
        "code": codes.get(status),
    }
    return {"error": error}
