"""Writing a conversation for OpenAI Responses: messages in, the request's `input` items out.

Owns how each kind of part becomes an item. Items that came from this dialect (messages with
their id and phase, reasoning with its encrypted content, what the provider ran) go back as the
JSON text they came as; calls are written anew around their stored argument text. What has no
counterpart is left out and said so.
https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
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
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    TurnRequest,
    UserMessage,
    UserPart,
    members_of,
)
from tui.core.dialects.openai_responses_items import needs_client

NAME: Final = "openai-responses"

_IMAGE_TYPES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_NAME_LENGTH: Final = 128
_ID_LENGTH: Final = 64
"""Characters: the API refuses a longer `call_id`."""


class InputWriter:
    """Writes one conversation; `left_out` then says what could not be sent."""

    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self.left_out: list[str] = []
        self._calls: dict[str, CallPart] = {
            call.ref: call
            for message in request.messages
            if isinstance(message, AssistantMessage)
            for call in message.calls
        }

    def items(self) -> list[str]:
        """The items, each as JSON text."""
        written: list[str] = []
        for message in self._request.messages:
            match message:
                case UserMessage(parts):
                    written += self._user(parts)
                case AssistantMessage():
                    written += self._assistant(message)
                case ResultsMessage(results):
                    written += [self._result(result) for result in self._sorted(results)]
                case _:
                    assert_never(message)
        return written

    def _user(self, parts: Sequence[UserPart]) -> list[str]:
        content: list[dict[str, Any]] = []
        for part in parts:
            match part:
                case TextPart(text):
                    content.append(_input_text(text))
                case ImagePart(media_type, data):
                    content.append(self._image(media_type, data))
                case _:
                    assert_never(part)
        return [dumps({"type": "message", "role": "user", "content": content})] if content else []

    # A turn -------------------------------------------------------------------------------

    def _assistant(self, message: AssistantMessage) -> list[str]:
        sent_texts = _texts_of_items(message.parts)
        items: list[tuple[bool, str]] = []
        for part in message.parts:
            thinking = isinstance(part, ThinkingPart)
            items += [(thinking, text) for text in self._part(part, sent_texts)]
        while items and items[-1][0]:
            # The API refuses a reasoning item without the item that it led to.
            items.pop()
            self.left_out.append(
                "Reasoning at the end of a turn was left out: what it led to is not sent."
            )
        return [text for _, text in items]

    def _part(self, part: AssistantPart, sent_texts: set[str]) -> list[str]:
        match part:
            case TextPart(text, _, item):
                raw = _own(item, "message")
                return [raw] if raw is not None else _said("output_text", "text", text)
            case RefusalPart(text):
                # The message that it came in has gone back with it, if it had prose too.
                return [] if text in sent_texts else _said("refusal", "refusal", text)
            case ThinkingPart(text, _, item):
                raw = _own(item, "reasoning")
                if raw is None and text and text not in sent_texts:
                    self.left_out.append(
                        "Thinking that did not come as a whole reasoning item of this dialect was "
                        "left out."
                    )
                return [raw] if raw is not None else []
            case ProviderPart():
                return self._provider_item(part)
            case CallPart():
                return [self._call(part)]
            case _:
                assert_never(part)

    def _provider_item(self, part: ProviderPart) -> list[str]:
        name = f"{part.kind} {part.title}".strip()
        raw = _own(part.item)
        if raw is None:
            foreign = part.item is not None and part.item.dialect != NAME
            why = "it belongs to another dialect" if foreign else "it did not come whole"
            self.left_out.append(f"The item {name!r} was left out: {why}.")
            return []
        if needs_client(wirejson.loads(raw)):
            self.left_out.append(
                f"The item {name!r} was left out: it asks the client for an answer that it cannot "
                "give."
            )
            return []
        return [raw]

    def _call(self, call: CallPart) -> str:
        # Where a name breaks the API's rule for names the whole request would be refused.
        name = _NOT_A_NAME.sub("_", call.name)[:_NAME_LENGTH] or "unnamed"
        if name != call.name:
            self.left_out.append(
                f"The call of {call.name!r} is sent as {name!r}: a tool's name must fit."
            )
        further = members_of(call, "openai-responses")
        item = {"call_id": self._id(call.ref), "name": name, **further}
        if call.kind == "custom":
            return dumps({"type": "custom_tool_call", **item, "input": call.raw})
        # A call without arguments may come as "", but the API wants JSON when it goes back.
        return dumps({"type": "function_call", **item, "arguments": call.raw or "{}"})

    # Results ------------------------------------------------------------------------------

    def _sorted(self, results: Iterable[CallResult]) -> list[CallResult]:
        """In the order in which the calls were made."""
        order = {ref: place for place, ref in enumerate(self._calls)}
        return sorted(results, key=lambda result: order.get(result.call, len(order)))

    def _result(self, result: CallResult) -> str:
        call = self._calls.get(result.call)
        custom = call is not None and call.kind == "custom"
        kind = "custom_tool_call_output" if custom else "function_call_output"
        # A result has no error flag in this dialect.
        text = f"Error: {result.text}" if result.is_error else result.text
        output: str | list[dict[str, Any]] = text
        if any(isinstance(item, ImageContent) for item in result.content):
            output = self._output_parts(result)
        return dumps({"type": kind, "call_id": self._id(result.call), "output": output})

    def _output_parts(self, result: CallResult) -> list[dict[str, Any]]:
        parts = [_input_text("Error:")] if result.is_error else []
        for item in result.content:
            match item:
                case TextContent(text) | JsonContent(text):
                    parts.append(_input_text(text))
                case ImageContent(media_type, data):
                    parts.append(self._image(media_type, data))
                case ResourceContent(uri, _, text):
                    parts.append(_input_text(text if text is not None else f"[resource {uri}]"))
                case _:
                    assert_never(item)
        return parts

    def _image(self, media_type: str, data: bytes) -> dict[str, Any]:
        if media_type not in _IMAGE_TYPES:
            self.left_out.append(
                f"An image of type {media_type!r} was left out: JPEG, PNG, GIF and WebP can be sent."
            )
            return _input_text(f"[image {media_type}, {len(data)} bytes, not sent]")
        url = f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"
        return {"type": "input_image", "image_url": url, "detail": "auto"}

    def _id(self, ref: str) -> str:
        id = self._request.call_ids.get(ref) or _NOT_A_NAME.sub("_", ref)
        if len(id) <= _ID_LENGTH:
            return id
        digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{id[:31]}_{digest[:32]}"


def dumps(value: object) -> str:
    """Compact JSON text; lone surrogates stay, for the encoder to write as escapes.

    Raises:
        TypeError, ValueError: a value that JSON has no form for.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _input_text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _said(kind: str, member: str, text: str) -> list[str]:
    """A message of the assistant, in the form for what did not come from this dialect as an item."""
    if not text:
        return []
    content = [{"type": kind, member: text}]
    return [dumps({"type": "message", "role": "assistant", "content": content})]


def _own(item: ProviderItem | None, kind: str | None = None) -> str | None:
    """The item's JSON text where it is one of this dialect (of the type `kind`)."""
    if item is None or item.dialect != NAME:
        return None
    try:
        value = wirejson.loads(item.raw)
    except ValueError:
        return None
    if not isinstance(value, dict) or kind not in (None, value.get("type")):
        return None
    return item.raw


def _texts_of_items(parts: Iterable[AssistantPart]) -> set[str]:
    """Texts that go back inside whole items, though the turn shows them as parts of their own."""
    texts: set[str] = set()
    for part in parts:
        if not isinstance(part, TextPart | ThinkingPart):
            continue
        raw = _own(part.item)
        value = wirejson.loads(raw) if raw is not None else {}
        for member in ("content", "summary"):
            inner = value.get(member)
            for piece in inner if isinstance(inner, list) else []:
                if isinstance(piece, dict):
                    found = (piece.get("refusal"), piece.get("text"))
                    texts.update(text for text in found if isinstance(text, str))
    return texts
