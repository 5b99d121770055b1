"""The item events of a Responses stream by their type: which item class each is for, and what it says.

The type decides the family: text events go to prose, whatever stands at the index they name.
The owner is found by `openai_responses_output`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_responses_call import CallItem
from tui.core.dialects.openai_responses_output import Items
from tui.core.events import DialectEvent, MalformedEvent

_PROSE: Final = {"response.output_text": "output_text", "response.refusal": "refusal"}
_THINKING: Final = {
    "response.reasoning_summary_text": "summary_text",
    "response.reasoning_text": "reasoning_text",
    "response.reasoning_summary": "summary_text",  # earlier names of the two
    "response.reasoning": "reasoning_text",
}
_CALLS: Final = {
    "response.function_call_arguments": ("function_call", "arguments"),
    "response.custom_tool_call_input": ("custom_tool_call", "input"),
}
_PROVIDER_KINDS: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "tool_search_call",
        "compaction",
        "program",
    }
)


class ItemEvents:
    """Takes the events of items by their type."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._items = Items(findings)

    @property
    def calls(self) -> list[CallItem]:
        return self._items.calls

    def settle(self, output: object, data: str) -> list[DialectEvent]:
        return self._items.settle(output, data)

    def take(self, kind: str, value: Mapping[str, Any], data: str) -> list[DialectEvent] | None:
        """What an event says; None when its type is not known."""
        base, _, verb = kind.rpartition(".")
        match base, verb:
            case "response.output_item", "added":
                return self._items.added(value, data)
            case "response.output_item", "done":
                return self._items.finished(value, data)
            case "response.content_part" | "response.reasoning_summary_part", "added":
                return []
            case "response.content_part" | "response.reasoning_summary_part", "done":
                return self._part_done(value)
            case "response.output_text.annotation", "added":
                raw = wirejson.member_text(data, "annotation")
                message, events = self._items.message(value)
                return events + (message.cite(raw) if raw is not None else [])
            case _:
                pass
        if verb in ("delta", "done"):
            if base in _PROSE:
                return self._prose(_PROSE[base], verb, value, data)
            if base in _THINKING:
                return self._thinking(_THINKING[base], verb, value, data)
            if base in _CALLS:
                return self._call(*_CALLS[base], verb, value, data)
        return self._provider(base, verb, value)

    def _prose(
        self, kind: str, verb: str, value: Mapping[str, Any], data: str
    ) -> list[DialectEvent]:
        text = value.get("delta" if verb == "delta" else kind.removeprefix("output_"))
        if not isinstance(text, str):
            return self._no_text(verb, text, data)
        item, events = self._items.message(value)
        place = _place(value, "content_index")
        return events + (item.delta if verb == "delta" else item.whole)(kind, place, text)

    def _thinking(
        self, kind: str, verb: str, value: Mapping[str, Any], data: str
    ) -> list[DialectEvent]:
        text = value.get("delta" if verb == "delta" else "text")
        if isinstance(text, dict):
            text = text.get("text")
        if not isinstance(text, str):
            return self._no_text(verb, text, data)
        item, events = self._items.reasoning(value)
        index = "summary_index" if kind == "summary_text" else "content_index"
        place = _place(value, index)
        return events + (item.delta if verb == "delta" else item.whole)(kind, place, text)

    def _call(
        self, kind: str, member: str, verb: str, value: Mapping[str, Any], data: str
    ) -> list[DialectEvent]:
        member = "delta" if verb == "delta" else member
        given = value.get(member)
        text = given if isinstance(given, str) else ""
        if given is not None and not isinstance(given, str):
            text = wirejson.member_text(data, member) or ""
        call, events = self._items.call(kind, value, text)
        if call is None:
            return events
        text, oddities = call.text_of(given, data, member)
        events += oddities
        if verb == "done":
            return events + call.whole(text)
        if given is None:
            said = "a delta of arguments carries none"
            return events + self._findings.once("delta-missing", said, scope=call.key)
        return events + call.delta(text)

    def _part_done(self, value: Mapping[str, Any]) -> list[DialectEvent]:
        match value.get("part"):
            case {"type": "output_text" | "refusal"} as part:
                message, events = self._items.message(value)
                return events + message.part(part, _place(value, "content_index"))
            case {"type": "summary_text" | "reasoning_text" as kind, "text": str(text)}:
                thinking, events = self._items.reasoning(value)
                index = "summary_index" if kind == "summary_text" else "content_index"
                return events + thinking.whole(kind, _place(value, index), text)
            case _:
                return []

    def _provider(
        self, base: str, verb: str, value: Mapping[str, Any]
    ) -> list[DialectEvent] | None:
        """Events named after an item kind: `response.KIND.in_progress`, `response.KIND_code.delta`.

        Text is shown with the item; progress says nothing that the item does not say when done.
        """
        name = base.removeprefix("response.")
        kinds = _PROVIDER_KINDS | self._items.provider_kinds
        known = [kind for kind in kinds if name == kind or name.startswith(f"{kind}_")]
        if name == base or not known:
            return None
        text = value.get("delta")
        if verb != "delta" or not isinstance(text, str):
            return []
        item, events = self._items.provider_item(max(known, key=len), value)
        return events + item.delta(text)

    def _no_text(self, verb: str, text: object, data: str) -> list[DialectEvent]:
        if text is None and verb == "done":
            return []
        if text is None:
            return self._findings.once("delta-missing", "a delta of text carries none")
        return [MalformedEvent("one whose text is no string", data, ())]


def _place(value: Mapping[str, Any], name: str) -> int:
    """The number of a content or summary part; servers with one part leave it out."""
    place = value.get(name)
    return place if isinstance(place, int) and not isinstance(place, bool) else 0
