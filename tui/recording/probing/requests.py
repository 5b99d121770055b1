"""What a probe asks: a small fixed set of requests, each to make the server show one thing.

The words are for any model with tools; the settings leave everything but the output limit at the
endpoint's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    Message,
    ResultsMessage,
    TextContent,
    TextPart,
    ToolSpec,
    TurnRequest,
    TurnSettings,
    UserMessage,
)
from tui.core.history import sendable
from tui.core.states import CallState

AWKWARD: Final = (
    r'{"amount": 1.0, "rate": 1e2, "nothing": -0, "customer": 123456789012345678901234567890, '
    r'"path": "a\/b", "name": "caf\u00e9 \ud83d\ude80"}'
)
"""Arguments that no parser writes back as they were; every request must carry them unchanged."""


def _tool(name: str, description: str, /, **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name, description, schema)


_TEXT: Final = {"type": "string"}
LOOKUP: Final = _tool("lookup_order", "Look up one order by its number.", order_id=_TEXT)
TICKET: Final = _tool(
    "create_ticket",
    "File a ticket with the support team.",
    order_id=_TEXT,
    summary=_TEXT,
    description=_TEXT,
    priority={"type": "string", "enum": ["low", "high"]},
)
OPEN_TICKETS: Final = _tool("list_open_tickets", "List the open tickets. Takes no arguments.")
PAY: Final = ToolSpec("pay", "Pay an invoice.", {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True)
class Probe:
    code: str
    shows: str
    prompt: str
    tools: tuple[ToolSpec, ...] = ()
    most_tokens: int = 300
    """Output limit of the request."""
    history: tuple[Message, ...] = ()

    def request(self, settings: TurnSettings, dialect: str) -> TurnRequest:
        """The turn to ask for, under the endpoint's settings."""
        messages = (*self.history, UserMessage((TextPart(self.prompt),)))
        ready = sendable(messages, dialect)
        return TurnRequest(
            replace(settings, max_output_tokens=self.most_tokens),
            ready.messages,
            self.tools,
            ready.call_ids,
        )


def _awkward_history() -> tuple[Message, ...]:
    call = CallPart("t1.c1", "call_probe1", "pay", AWKWARD, state=CallState.RETURNED)
    return (
        UserMessage((TextPart("Please pay the invoice."),)),
        # No dialect's own: whichever is asked writes it in its way.
        AssistantMessage((TextPart("I pay it now."), call), "probe", outcome="complete"),
        ResultsMessage((CallResult("t1.c1", (TextContent("paid"),)),)),
    )


PROBES: Final = (
    Probe("prose", "how text streams", "Tell me about rainbows, in two short sentences."),
    Probe("one-call", "how a call streams", "Where is my order A-4471?", (LOOKUP,)),
    Probe(
        "parallel-calls",
        "how two calls of one turn are told apart",
        "Where are A-4471 and A-4463? Look both up at the same time.",
        (LOOKUP,),
    ),
    Probe(
        "long-arguments",
        "how long argument text is cut",
        "File a ticket for A-4471: the parcel is late, the customer has called three times and is "
        "angry. Write a description of at least 100 words, with line breaks and “quotes”.",
        (TICKET,),
        most_tokens=700,
    ),
    Probe(
        "no-arguments",
        "how a call without arguments looks",
        "Which tickets are open? Use the tool.",
        (OPEN_TICKETS,),
    ),
    Probe(
        "output-limit",
        "what the limit does in the middle of a call",
        "Limit yourself to one call of create_ticket: file a ticket for A-4471 with a description "
        "of at least 200 words.",
        (TICKET,),
        most_tokens=60,
    ),
    Probe(
        "awkward-history",
        "whether arguments go back as they were written",
        "Thank you. In one word: was it paid?",
        (PAY,),
        most_tokens=50,
        history=_awkward_history(),
    ),
    Probe(
        "unicode",
        "how characters outside ASCII come",
        "Unicode please: repeat exactly this and nothing else: Größe 北京 नमस्ते 🚀👩‍💻",
        most_tokens=120,
    ),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a set of requests may cost, in tokens: the input estimated, the output at its limit."""

    requests: int
    input_tokens: int
    output_tokens: int

    def price(self, per_million_in: float, per_million_out: float) -> float:
        """In the currency of the two prices."""
        return (
            self.input_tokens * per_million_in + self.output_tokens * per_million_out
        ) / 1_000_000


def cost_of(bodies: list[tuple[Probe, bytes]]) -> Cost:
    """For requests as they will be sent. Input: bytes / 3, more than any tokenizer makes of JSON."""
    return Cost(
        len(bodies),
        sum(-(-len(body) // 3) for _, body in bodies),
        sum(probe.most_tokens for probe, _ in bodies),
    )
