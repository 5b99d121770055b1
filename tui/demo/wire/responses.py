"""A plan as OpenAI Responses events.

Source: https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

_STATUSES: Final[Mapping[End, str]] = {
    "done": "completed",
    "calls": "completed",
    "refused": "completed",
    "limit": "incomplete",
    "error": "failed",
}
_ENCRYPTED: Final = "reasoning.encrypted_content"


def write(plan: Plan, pen: Pen, request: Mapping[str, Any]) -> Iterator[Sent]:
    """The events of one response, numbered in the order in which they leave."""
    for number, (kind, fields, beats) in enumerate(_Response(plan, pen, request).events()):
        yield Sent(framed({"type": kind, "sequence_number": number, **fields}, kind), beats)


_Event = tuple[str, dict[str, Any], float]
"""Type, fields, and beats to wait before it."""


class _Response:
    def __init__(self, plan: Plan, pen: Pen, request: Mapping[str, Any]) -> None:
        self._plan = plan
        self._pen = pen
        included = request.get("include")
        self._encrypted = isinstance(included, list) and _ENCRYPTED in included
        self._request = request
        self._id = pen.id("resp_", 48)
        self._items: list[dict[str, Any]] = []
        """By output index, each as it is so far."""

    def events(self) -> Iterator[_Event]:
        yield "response.created", {"response": self._state("in_progress")}, 15
        yield "response.in_progress", {"response": self._state("in_progress")}, 0
        for piece in self._plan.pieces:
            yield from self._piece(piece)
        if self._plan.end in ("cut", "broken"):
            return
        if self._plan.end == "error":
            yield "error", {"code": "server_error", "message": FAILURE, "param": None}, 3
        status = _STATUSES[self._plan.end]
        yield f"response.{status}", {"response": self._state(status)}, 1

    def _piece(self, piece: Piece) -> Iterator[_Event]:
        match piece:
            case Thinking(text):
                yield from self._reasoning(text)
            case Prose():
                part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
                yield from self._message(piece.text, part, "text", piece.whole)
            case Refusal(text):
                yield from self._message(text, {"type": "refusal", "refusal": ""}, "refusal", True)
            case Call():
                yield from self._call(piece)
            case Together(calls):
                yield from alternately(*map(self._call, calls))
            case Silence(seconds, beats):
                yield from (("keepalive", {}, seconds * 25) for _ in range(beats))
            case _:
                assert_never(piece)

    def _reasoning(self, text: str) -> Iterator[_Event]:
        secret = {"encrypted_content": self._pen.id("demo", 160)} if self._encrypted else {}
        item = {"id": self._pen.id("rs_", 48), "type": "reasoning", "summary": [], **secret}
        place = self._place(item)
        yield self._added(place)
        where = {**place, "summary_index": 0}
        part = {"type": "summary_text", "text": text}
        empty = {"type": "summary_text", "text": ""}
        yield "response.reasoning_summary_part.added", {**where, "part": empty}, 0
        for words in self._pen.prose(text):
            yield "response.reasoning_summary_text.delta", {**where, "delta": words}, 1
        yield "response.reasoning_summary_text.done", {**where, "text": text}, 0
        yield "response.reasoning_summary_part.done", {**where, "part": part}, 0
        yield self._done(place, summary=[part])

    def _message(
        self, text: str, empty: dict[str, Any], field: str, whole: bool
    ) -> Iterator[_Event]:
        item = {
            "id": self._pen.id("msg_", 48),
            "type": "message",
            "status": "in_progress",
            "role": "assistant",
            "content": [],
        }
        place = self._place(item)
        yield self._added(place)
        where = {**place, "content_index": 0}
        name = empty["type"]
        logs: dict[str, Any] = {"logprobs": []} if name == "output_text" else {}
        part = {**empty, field: text}
        yield "response.content_part.added", {**where, "part": empty}, 0
        for words in self._pen.prose(text):
            yield f"response.{name}.delta", {**where, "delta": words, **logs}, 1
        self._items[place["output_index"]] |= {"content": [part]}
        if not whole and self._plan.end != "limit":
            return
        yield f"response.{name}.done", {**where, field: text, **logs}, 0
        yield "response.content_part.done", {**where, "part": part}, 0
        yield self._done(place, status="completed" if whole else "incomplete")

    def _call(self, call: Call) -> Iterator[_Event]:
        item = {
            "id": self._pen.id("fc_", 48),
            "type": "function_call",
            "status": "in_progress",
            "arguments": "",
            "call_id": self._pen.id("call_"),
            "name": call.name,
        }
        place = self._place(item)
        yield self._added(place)
        for part in self._pen.arguments(call.arguments):
            yield "response.function_call_arguments.delta", {**place, "delta": part}, 1
        self._items[place["output_index"]] |= {"arguments": call.arguments}
        if not call.whole and self._plan.end != "limit":
            return
        # The done events come even when the limit was reached inside: only the status tells.
        yield "response.function_call_arguments.done", {**place, "arguments": call.arguments}, 0
        yield self._done(place, status="completed" if call.whole else "incomplete")

    def _place(self, item: dict[str, Any]) -> dict[str, Any]:
        """Give `item` the next output index; returns how its events name it."""
        self._items.append(item)
        return {"item_id": item["id"], "output_index": len(self._items) - 1}

    def _added(self, place: dict[str, Any]) -> _Event:
        index = place["output_index"]
        fields = {"output_index": index, "item": dict(self._items[index])}
        return "response.output_item.added", fields, 3

    def _done(self, place: dict[str, Any], **final: object) -> _Event:
        index = place["output_index"]
        self._items[index] |= final
        fields = {"output_index": index, "item": dict(self._items[index])}
        return "response.output_item.done", fields, 0

    def _state(self, status: str) -> dict[str, Any]:
        """The response object, in the fields that clients read."""
        over = status != "in_progress"
        failed = {"code": "server_error", "message": FAILURE}
        return {
            "id": self._id,
            "object": "response",
            "created_at": CREATED,
            "status": status,
            "error": failed if status == "failed" else None,
            "incomplete_details": {"reason": "max_output_tokens"}
            if status == "incomplete"
            else None,
            "instructions": None,
            "max_output_tokens": self._request.get("max_output_tokens"),
            "model": MODEL,
            "output": list(self._items) if over else [],
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "store": False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": self._request.get("tool_choice", "auto"),
            "tools": self._request.get("tools") or [],
            "top_p": None,
            "truncation": "disabled",
            "usage": self._usage() if over else None,
            "user": None,
            "metadata": {},
        }

    def _usage(self) -> dict[str, Any]:
        spent = estimated_tokens(*texts(self._plan.pieces))
        thought = estimated_tokens(*thinking_texts(self._plan.pieces))
        return {
            "input_tokens": self._pen.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": spent,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": self._pen.input_tokens + spent,
        }
