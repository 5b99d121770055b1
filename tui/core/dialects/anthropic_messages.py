"""Writing a conversation for Anthropic Messages: messages in, the body's `messages` out.

Owns how each kind of part becomes a content block and the provider's rules about their order.
What has no counterpart is left out and said so. Argument texts go in byte for byte.
Blocks and rules: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from tui.core import wirejson
from tui.core.conversation import (
    AssistantMessage,
    AssistantPart,
    CallPart,
    CallResult,
    ImageContent,
    ImagePart,
    JsonContent,
    ProviderItem,
    ProviderPart,
    RefusalPart,
    ResourceContent,
    ResultContent,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    TurnRequest,
    UserMessage,
    UserPart,
    members_of,
)
from tui.core.dialects.anthropic_uses import is_object

NAME: Final = "anthropic"

_IMAGE_TYPES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_NAME_LENGTH: Final = 128
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_CONTINUES: Final = frozenset({"pause_turn", "tool_use"})
"""Endings after which the provider still owes the results of the tools it runs itself."""


@dataclass(frozen=True, slots=True)
class JsonText:
    """JSON text that goes into the body as it is."""

    json: str


Block = dict[str, Any] | JsonText


class MessagesWriter:
    """Writes one conversation; `left_out` then says what could not be sent."""

    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self.left_out: list[str] = []
        self._calls_by_id: dict[str, int] = {}
        self._answered = _answered_items(request)
        self._used_items: set[str] = set()

    def messages(self) -> list[tuple[str, list[Block]]]:
        """Roles and blocks. Neighbours of one role are one message, as the API has it."""
        merged: list[tuple[str, list[Block]]] = []
        heads = 0  # tool_result blocks that open the last message
        given = self._request.messages
        for message, following in zip(given, (*given[1:], None), strict=True):
            blocks: list[Block]
            match message:
                case AssistantMessage():
                    owed = message.stop_reason in _CONTINUES and not isinstance(
                        following, UserMessage
                    )
                    role, blocks = "assistant", self._assistant(message, owed)
                case UserMessage(parts):
                    role, blocks = "user", [b for part in parts for b in self._user(part)]
                case ResultsMessage(results):
                    role, blocks = "user", [self._result(r) for r in self._sorted(results)]
                case _:
                    assert_never(message)
            if not blocks:
                continue
            if not merged or merged[-1][0] != role:
                merged.append((role, []))
                heads = 0
            here = merged[-1][1]
            if isinstance(message, ResultsMessage):
                here[heads:heads] = blocks
                heads += len(blocks)
            else:
                here += blocks
        for role, blocks in merged:
            if role == "assistant":
                self._drop_last_thinking(blocks)
        return self._remerged(merged)

    def _remerged(self, messages: list[tuple[str, list[Block]]]) -> list[tuple[str, list[Block]]]:
        """Once more, where a message of nothing but thinking has gone."""
        merged: list[tuple[str, list[Block]]] = []
        for role, blocks in messages:
            if blocks and merged and merged[-1][0] == role:
                merged[-1][1].extend(blocks)
            elif blocks:
                merged.append((role, blocks))
        return merged

    def _drop_last_thinking(self, blocks: list[Block]) -> None:
        """The API refuses an assistant message whose final block is thinking."""
        while blocks and _type_of(blocks[-1]) in _THINKING:
            blocks.pop()
            self.left_out.append(
                "Thinking at the end of a turn was left out: something must follow it."
            )

    def _user(self, part: UserPart) -> Iterable[Block]:
        match part:
            case TextPart(text):
                return _text(text)
            case ImagePart(media_type, data):
                return self._image(media_type, data)
            case _:
                assert_never(part)

    def _image(self, media_type: str, data: bytes) -> list[Block]:
        if media_type not in _IMAGE_TYPES:
            self.left_out.append(
                f"An image of type {media_type!r} was left out: JPEG, PNG, GIF and WebP can be sent."
            )
            return _text(f"[image {media_type}, {len(data)} bytes, not sent]")
        encoded = base64.b64encode(data).decode("ascii")
        source = {"type": "base64", "media_type": media_type, "data": encoded}
        return [{"type": "image", "source": source}]

    def _assistant(self, message: AssistantMessage, owed: bool) -> list[Block]:
        """The blocks of a turn; `owed`: the provider has yet to give results of tools it runs."""
        mine = message.dialect == NAME
        return [block for part in message.parts for block in self._part(part, mine, owed)]

    def _part(self, part: AssistantPart, mine: bool, owed: bool) -> list[Block]:
        match part:
            case TextPart(text, citations):
                blocks = _text(text)
                cited = [JsonText(raw) for raw in citations if mine and is_object(raw)]
                if blocks and cited:
                    blocks = [{"type": "text", "text": text, "citations": cited}]
                return blocks
            case RefusalPart(text):
                return _text(text)
            case ThinkingPart():
                return self._thinking(part, mine)
            case ProviderPart():
                return self._item(part, owed)
            case CallPart():
                return [self._call(part)]
            case _:
                assert_never(part)

    def _thinking(self, part: ThinkingPart, mine: bool) -> list[Block]:
        if (raw := _own(part.item)) is not None:
            return [JsonText(raw)]
        if part.signature and mine:
            block = {"type": "thinking", "thinking": part.text, "signature": part.signature}
            return [block]
        if part.text or part.item is not None or part.signature:
            self.left_out.append("Thinking without a signature of this provider was left out.")
        return []

    def _item(self, part: ProviderPart, owed: bool) -> list[Block]:
        raw = _own(part.item)
        name = f"{part.kind} {part.title}".strip()
        if raw is None:
            foreign = part.item is not None and part.item.dialect != NAME
            why = "it belongs to another provider" if foreign else "it did not come whole"
            self.left_out.append(f"The item {name!r} was left out: {why}.")
            return []
        used, answers = _item_ids(raw)
        if used and used not in self._answered and not owed:
            self.left_out.append(f"The item {name!r} was left out: its result never came.")
            return []
        if answers and answers not in self._used_items:
            self.left_out.append(f"The item {name!r} was left out: what it answers is not sent.")
            return []
        if used:
            self._used_items.add(used)
        return [JsonText(raw)]

    def _call(self, call: CallPart) -> Block:
        id = self._id(call.ref)
        self._calls_by_id.setdefault(id, len(self._calls_by_id))
        # Where a name breaks the API's rule for names the whole request would be refused.
        name = _NOT_A_NAME.sub("_", call.name)[:_NAME_LENGTH] or "unnamed"
        if name != call.name:
            self.left_out.append(
                f"The call of {call.name!r} is sent as {name!r}: a tool's name must fit."
            )
        if call.kind == "custom":
            given: object = {"input": call.raw}
        else:
            given = JsonText(call.raw) if is_object(call.raw) else {}
        further = members_of(call, "anthropic")
        return {"type": "tool_use", "id": id, "name": name, "input": given, **further}

    def _sorted(self, results: Sequence[CallResult]) -> list[CallResult]:
        """In the order in which the calls were sent."""
        last = len(self._calls_by_id)
        return sorted(results, key=lambda r: self._calls_by_id.get(self._id(r.call), last))

    def _result(self, result: CallResult) -> Block:
        content = [block for item in result.content for block in self._content(item)]
        if not content and result.is_error:
            # An error result with nothing in it is refused.
            content = _text("It failed without a message.")
        return {
            "type": "tool_result",
            "tool_use_id": self._id(result.call),
            **({"content": content} if content else {}),
            **({"is_error": True} if result.is_error else {}),
        }

    def _content(self, item: ResultContent) -> list[Block]:
        match item:
            case TextContent(text) | JsonContent(text):
                return _text(text)
            case ImageContent(media_type, data):
                return self._image(media_type, data)
            case ResourceContent(uri, _, text):
                return _text(text if text is not None else f"[resource {uri}]")
            case _:
                assert_never(item)

    def _id(self, ref: str) -> str:
        return self._request.call_ids.get(ref) or _NOT_A_NAME.sub("_", ref)


def _text(text: str) -> list[Block]:
    """A text block; none for text of nothing but blanks, which the API refuses."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _type_of(block: Block) -> object:
    return (wirejson.loads(block.json) if isinstance(block, JsonText) else block).get("type")


def _own(item: ProviderItem | None) -> str | None:
    """The item's JSON text where it is one of this dialect's blocks."""
    if item is None or item.dialect != NAME or not is_object(item.raw):
        return None
    return item.raw


def _item_ids(raw: str) -> tuple[str, str]:
    """The id of a use by the provider, and the id of the use that a result answers ("" for none)."""
    value = wirejson.loads(raw)
    kind, id, answers = (value.get(field) for field in ("type", "id", "tool_use_id"))
    uses = isinstance(kind, str) and kind.endswith("_tool_use") and isinstance(id, str)
    return id if uses else "", answers if isinstance(answers, str) else ""


def _answered_items(request: TurnRequest) -> set[str]:
    """The ids of all uses by the provider whose results are in the conversation."""
    return {
        _item_ids(raw)[1]
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for part in message.parts
        if isinstance(part, ProviderPart) and (raw := _own(part.item)) is not None
    }
