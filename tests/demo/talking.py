"""Conversations with the demo through the production path, without a session: encode, render, read.

A dialect and the user's words go in, the readers of every turn come out. Results are whatever the
test says a call returns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tui.core import dialects
from tui.core.conversation import (
    CallResult,
    JsonContent,
    Message,
    ResultsMessage,
    TextContent,
    TextPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.events import ArgumentFragment
from tui.core.finalise import FinalCall
from tui.core.history import explain, sendable
from tui.core.reader import Step, TurnReader
from tui.core.states import CallState
from tui.demo import MODEL, render

ALL = dialects.NAMES

Tool = Callable[[FinalCall], CallResult]


def _spec(name: str, **properties: str) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
    }
    return ToolSpec(name, f"{name} of the shop", schema)


_TICKET_FIELDS = ("order_id", "summary", "description", "priority")
SHOP: tuple[ToolSpec, ...] = (
    _spec("lookup_order", order_id="string"),
    _spec("search_orders", query="string"),
    _spec("create_ticket", **dict.fromkeys(_TICKET_FIELDS, "string")),
    _spec("list_open_tickets"),
)


def available(dialect: str) -> str:
    """`dialect` itself; skips the test while the dialect's module does not exist."""
    try:
        dialects.load(dialect)
    except ModuleNotFoundError as missing:
        pytest.skip(f"the dialect {dialect} is not there: {missing}")
    return dialect


def returns(value: object) -> Tool:
    """A tool that returns `value`: text as it is, anything else as JSON."""
    content = TextContent(value) if isinstance(value, str) else JsonContent(json.dumps(value))
    return lambda call: CallResult(call.ref, (content,))


def fails(words: str) -> Tool:
    return lambda call: CallResult(call.ref, (TextContent(words),), is_error=True)


ORDER = {
    "order_id": "A-4471",
    "status": "shipped",
    "ordered": "27 November 2026",
    "carrier": "DHL",
    "tracking": "JD014600004471",
    "arrives": "3 December 2026",
    "lines": [{"product": "Moka pot, 6 cups", "quantity": 1, "price": "34.90 EUR"}],
    "total": "34.90 EUR",
}


def encode(dialect: str, messages: list[Message], tools: tuple[ToolSpec, ...] = SHOP) -> bytes:
    """The body that Verbatim sends for `messages`."""
    sent = sendable(messages, dialect)
    request = TurnRequest(TurnSettings(MODEL), sent.messages, tools, sent.call_ids)
    return dialects.load(available(dialect)).encode(request).request.body


def asked(dialect: str, text: str, tools: tuple[ToolSpec, ...] = SHOP) -> bytes:
    """The body of a first request that says `text`."""
    return encode(dialect, [UserMessage((TextPart(text),))], tools)


def turns(
    dialect: str,
    text: str,
    tool: Tool = returns(ORDER),  # noqa: B008 - a function without state
    *,
    tools: tuple[ToolSpec, ...] = SHOP,
    seed: int = 0,
    at_most: int = 5,
) -> Iterator[TurnReader]:
    """Ask `text`, run what may run, and go on until a turn calls nothing."""
    messages: list[Message] = [UserMessage((TextPart(text),))]
    for number in range(1, at_most + 1):
        reader = TurnReader(
            available(dialect), ref_prefix=f"t{number}", tools={spec.name: spec for spec in tools}
        )
        for chunk in render(dialect, encode(dialect, messages, tools), seed):
            reader.feed(chunk)
        reader.close()
        yield reader
        message = reader.turn.message()
        results = {call.ref: tool(call) for call in reader.final_calls}
        invalid = [call for call in message.calls if call.state is CallState.INVALID]
        results |= {call.ref: explain(call) for call in invalid}
        if not results:
            return
        messages += [message, ResultsMessage(tuple(results.values()))]


def read(dialect: str, text: str, **options: object) -> TurnReader:
    """The first turn only."""
    return next(turns(dialect, text, **options))  # type: ignore[arg-type]


def steps(dialect: str, body: bytes, seed: int = 0) -> list[Step]:
    """Everything that the answer to `body` consists of, in order."""
    reader = TurnReader(available(dialect))
    taken = [step for chunk in render(dialect, body, seed) for step in reader.feed(chunk)]
    return taken + reader.close()


def argument_fragments(dialect: str, body: bytes, seed: int = 0) -> list[str]:
    """The non-empty argument fragments, call after call or alternating, as they arrive."""
    events = [event for step in steps(dialect, body, seed) for event in step.events]
    return [e.text for e in events if isinstance(e, ArgumentFragment) and e.text]
