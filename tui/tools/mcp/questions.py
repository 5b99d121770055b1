"""What an MCP server asks a person in the middle of a call (elicitation), and the answer.

The server's words are foreign: they are shown as such, and an address is never opened by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Question:
    """Either a form (`schema`: a flat JSON Schema of what is wanted) or a page to visit (`url`)."""

    origin: str
    """The server that asks, for people."""
    message: str
    schema: Mapping[str, Any] | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """`decline`: no. `cancel`: no answer. `accept`: with `content` for a form."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, str | int | float | bool | list[str] | None] | None = None


AskPerson = Callable[[Question], Awaitable[QuestionAnswer]]
"""Ask, and wait. Cancelled when the call is."""
