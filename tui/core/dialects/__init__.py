"""Dialects: one wire format each. This module states what a dialect is and lists them.

A dialect decodes SSE events into dialect events and writes requests. It is pure; it knows no
HTTP, no store and no screen. To add one: write `core/dialects/NAME.py`, add its line to
`_MODULES`, its rows to `core.endings`, and its streams to the shared dialect test suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final, Protocol

from tui.core.conversation import TurnRequest
from tui.core.errors import UsageError
from tui.core.events import DialectEvent
from tui.core.source import WireRequest
from tui.core.sse import SSEEvent, UnfinishedEvent


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """Endpoint settings that change how a stream is read."""

    done_ends_turn: bool = False
    """Chat Completions: `[DONE]` ends turns of a server that never sends a finish reason."""


class Decoder(Protocol):
    """Reads one response. Feeding returns events, `close` returns what the end of input means."""

    def feed(self, event: SSEEvent) -> list[DialectEvent]:
        """Decode one SSE event. Never raises on what a server sends."""
        ...

    def close(self, unfinished: UnfinishedEvent | None) -> list[DialectEvent]:
        """The body ended, perhaps inside an event that no blank line closed.

        An unfinished event whose data is whole is decoded like any other; `core.turn` still runs
        no call on the strength of it. One that is not whole gives a `MalformedEvent`.
        """
        ...


@dataclass(frozen=True, slots=True)
class EncodedRequest:
    request: WireRequest
    left_out: tuple[str, ...] = ()
    """What has no counterpart in this dialect and was left out, one sentence each, for the user."""


class Dialect(Protocol):
    @property
    def name(self) -> str: ...

    def decoder(self, settings: DecoderSettings | None = None) -> Decoder: ...

    def encode(self, request: TurnRequest) -> EncodedRequest:
        """Write the HTTP request for one turn, streaming on. Argument texts go in byte for byte."""
        ...


_MODULES: Final[dict[str, str]] = {
    "anthropic": "tui.core.dialects.anthropic",
    "openai-responses": "tui.core.dialects.openai_responses",
    "openai-chat": "tui.core.dialects.openai_chat",
}

NAMES: Final = tuple(_MODULES)


def load(name: str) -> Dialect:
    """The dialect called `name` (each module exposes it as `DIALECT`).

    Raises:
        UsageError: there is no such dialect.
    """
    try:
        module = _MODULES[name]
    except KeyError:
        raise UsageError(
            f"there is no dialect {name!r}", hint=f"choose one of: {', '.join(NAMES)}"
        ) from None
    dialect: Dialect = import_module(module).DIALECT
    return dialect
