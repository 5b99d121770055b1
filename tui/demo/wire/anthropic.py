"""A plan as Anthropic Messages events.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count, islice
from typing import Any, Final, assert_never

from tui.demo.pace import Sent
from tui.demo.plan import Call, End, Piece, Plan, Prose, Refusal, Silence, Thinking, Together
from tui.demo.wire import FAILURE, MODEL, Pen, alternately, estimated_tokens, framed, texts

_STOP_REASONS: Final[Mapping[End, str]] = {
    "done": "end_turn",
    "calls": "tool_use",
    "limit": "max_tokens",
    "refused": "refusal",
}


def write(plan: Plan, pen: Pen, request: Mapping[str, Any]) -> Iterator[Sent]:
    """The events of one message."""
    usage = {
        "input_tokens": pen.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message: dict[str, Any] = {
        "id": pen.id("msg_01", 22),
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield Sent(_event("message_start", message=message), 15)
    numbers = count()
    blocks = chain.from_iterable(_piece(piece, plan.end, numbers, pen) for piece in plan.pieces)
    yield from islice(blocks, 1)
    yield Sent(_event("ping"))
    yield from blocks
    if plan.end in ("cut", "broken"):
        return
    if plan.end == "error":
        error = {"type": "overloaded_error", "message": FAILURE}
        yield Sent(_event("error", error=error, request_id=pen.id("req_01", 22)), 3)
        return
    delta = {"stop_reason": _STOP_REASONS[plan.end], "stop_sequence": None}
    spent = {**usage, "output_tokens": estimated_tokens(*texts(plan.pieces))}
    yield Sent(_event("message_delta", delta=delta, usage=spent), 1)
    yield Sent(_event("message_stop"))


def _piece(piece: Piece, end: End, numbers: Iterator[int], pen: Pen) -> Iterator[Sent]:
    match piece:
        case Thinking(text):
            index = next(numbers)
            yield _start(index, type="thinking", thinking="", signature="")
            for part in pen.prose(text):
                yield _delta(index, type="thinking_delta", thinking=part)
            signature = _event(
                "content_block_delta",
                index=index,
                delta={"type": "signature_delta", "signature": pen.id("demo", 84)},
            )
            yield Sent(signature)
            yield _stop(index)
        case Prose(text) | Refusal(text):
            index = next(numbers)
            yield _start(index, type="text", text="")
            for part in pen.prose(text):
                yield _delta(index, type="text_delta", text=part)
            if isinstance(piece, Refusal) or piece.whole or end == "limit":
                yield _stop(index)
        case Call():
            yield from _call(piece, end, next(numbers), pen)
        case Together(calls):
            yield from alternately(*(_call(call, end, next(numbers), pen) for call in calls))
        case Silence(seconds, beats):
            yield from (Sent(_event("ping"), seconds * 25) for _ in range(beats))
        case _:
            assert_never(piece)


def _call(call: Call, end: End, index: int, pen: Pen) -> Iterator[Sent]:
    yield _start(index, type="tool_use", id=pen.id("toolu_01", 22), name=call.name, input={})
    # An empty fragment comes first, also for a call that then has no argument text at all.
    for part in ("", *pen.arguments(call.arguments)):
        yield _delta(index, type="input_json_delta", partial_json=part)
    if call.whole or end == "limit":
        # The block is closed even when the limit was reached inside it.
        yield _stop(index)


def _start(index: int, **block: object) -> Sent:
    return Sent(_event("content_block_start", index=index, content_block=block), 3)


def _delta(index: int, **delta: object) -> Sent:
    return Sent(_event("content_block_delta", index=index, delta=delta), 1)


def _stop(index: int) -> Sent:
    return Sent(_event("content_block_stop", index=index))


def _event(kind: str, **fields: object) -> bytes:
    return framed({"type": kind, **fields}, kind)


def error_body(status: int, message: str) -> dict[str, Any]:
    """The body of an HTTP error. Source: https://platform.claude.com/docs/en/api/errors"""
    kinds = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "overloaded_error" if status == 529 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}
