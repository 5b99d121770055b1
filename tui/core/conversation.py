"""Conversation: messages, parts, calls and results — what a request is built from.

Values only. Text is exactly what was received or typed: `CallPart.raw` is the argument text
byte for byte, and a lone surrogate half survives in any string here. How these values are
stored is `store`'s business (`core.codec` gives the JSON form), how they are written for a
provider is the dialect's, which of them may be sent at all is `core.history`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tui.core import wirejson
from tui.core.events import CallKind
from tui.core.states import CallState


@dataclass(frozen=True, slots=True)
class ProviderItem:
    """A piece of a turn in the provider's own shape, kept as JSON text and sent back as it came."""

    dialect: str
    kind: str
    raw: str


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str
    citations: tuple[str, ...] = ()
    """Citation objects as JSON text, for dialects that want them back with their text."""
    item: ProviderItem | None = None


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    text: str
    signature: str | None = None
    item: ProviderItem | None = None
    """The reasoning item as it came, where the dialect has one (Responses; redacted thinking)."""


@dataclass(frozen=True, slots=True)
class RefusalPart:
    text: str


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """Something the provider ran or keeps itself (web search, MCP connector, compaction, ...)."""

    kind: str
    title: str
    text: str
    """What can be shown of it while it streams: its argument text, else empty."""
    item: ProviderItem | None = None
    """None when the stream ended before the item was complete: it cannot be sent back."""


@dataclass(frozen=True, slots=True)
class CallPart:
    """A call in its place in the turn. `ref` names it inside our conversation, for ever."""

    ref: str
    id: str | None
    """The provider's id; None when it never came. `core.history` gives what is sent."""
    name: str
    raw: str
    kind: CallKind = "function"
    state: CallState = CallState.FORMING
    problem: str = ""
    """Why it is invalid or incomplete, in words for a person and a model."""
    other_text: str | None = None
    """A text that contradicts `raw` (a done event that differs), kept to be shown."""
    choice: int = 0
    item: ProviderItem | None = None
    """Further members of the call that go back with it in its own dialect (`raw` is an object)."""


@dataclass(frozen=True, slots=True)
class ImagePart:
    media_type: str
    data: bytes = field(repr=False)


def members_of(call: CallPart, dialect: str) -> Mapping[str, Any]:
    """The further members to send back with `call`; none in another dialect than its own."""
    if call.item is None or call.item.dialect != dialect:
        return {}
    value = wirejson.loads(call.item.raw)
    return value if isinstance(value, dict) else {}


AssistantPart = TextPart | ThinkingPart | RefusalPart | ProviderPart | CallPart
UserPart = TextPart | ImagePart

Outcome = Literal["complete", "incomplete", "error"]


@dataclass(frozen=True, slots=True)
class UserMessage:
    parts: tuple[UserPart, ...]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One turn as received. `parts` are in the order in which the stream began them."""

    parts: tuple[AssistantPart, ...]
    dialect: str
    model: str = ""
    outcome: Outcome = "complete"
    stop_reason: str | None = None
    problem: str = ""
    """For outcome incomplete or error: what happened, in words."""

    @property
    def calls(self) -> tuple[CallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, CallPart))

    @property
    def text(self) -> str:
        """All prose, joined with nothing."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True)
class TextContent:
    text: str


@dataclass(frozen=True, slots=True)
class JsonContent:
    """Structured content as JSON text."""

    raw: str


@dataclass(frozen=True, slots=True)
class ImageContent:
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """A resource or a link a tool returned; `text` is None for a bare link or binary content."""

    uri: str
    media_type: str = ""
    text: str | None = None


ResultContent = TextContent | JsonContent | ImageContent | ResourceContent

ResultOrigin = Literal["tool", "person", "client"]
"""`tool`: it ran. `person`: answered by hand or denied. `client`: we say why it did not run."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call returned, or why it was not run. `call` is `CallPart.ref`."""

    call: str
    content: tuple[ResultContent, ...]
    is_error: bool = False
    origin: ResultOrigin = "tool"

    @property
    def text(self) -> str:
        """The result as one plain text (images and links named in brackets)."""
        return "\n".join(_as_text(item) for item in self.content)


def _as_text(item: ResultContent) -> str:
    match item:
        case TextContent(text):
            return text
        case JsonContent(raw):
            return raw
        case ImageContent(media_type, data):
            return f"[image {media_type}, {len(data)} bytes]"
        case ResourceContent(uri, _, text):
            return text if text is not None else f"[resource {uri}]"


@dataclass(frozen=True, slots=True)
class ResultsMessage:
    """The results of one assistant message, in the order of its calls."""

    results: tuple[CallResult, ...]


Message = UserMessage | AssistantMessage | ResultsMessage


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it. `schema` is a JSON Schema of type object.

    For `kind="custom"` (OpenAI free-text tools) the schema is empty.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    kind: CallKind = "function"
    read_only: bool = False
    """Declared by its author; lets the approval policy run it unasked."""


ToolChoice = Literal["auto", "none", "required"]


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What shapes a request besides the conversation. None: leave the provider's default."""

    model: str
    system: str = ""
    max_output_tokens: int | None = None
    temperature: float | None = None
    tool_choice: ToolChoice | str = "auto"
    """One of the three words, or the name of the one tool that must be used."""
    parallel_calls: bool | None = None
    effort: str | None = None
    """Thinking effort in the dialect's own word (`low`, `high`), where it has one."""
    thinking_tokens: int | None = None
    """Token budget for thinking (Anthropic `budget_tokens`)."""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    """Further body fields from the endpoint's configuration, merged last."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    settings: TurnSettings
    messages: tuple[Message, ...]
    """As `core.history.sendable` returned them: every call has exactly one result."""
    tools: tuple[ToolSpec, ...] = ()
    call_ids: Mapping[str, str] = field(default_factory=dict)
    """`CallPart.ref` → the id to send, unique in this request (from `core.history`)."""
