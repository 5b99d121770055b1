"""Output items of a Responses stream: what one item's own events say, as dialect events.

One class for each family: prose, thinking, and what the provider runs or keeps itself (calls
are `openai_responses_call`'s). An item takes its deltas, the done events that repeat them, and
itself as the provider sends it when it is done. Whose an event is, it does not know.
Item types: https://platform.openai.com/docs/api-reference/responses/object
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.arguments import join_halves
from tui.core.dialects.findings import Findings
from tui.core.events import (
    CitationGiven,
    DialectEvent,
    Key,
    PartClosed,
    ProviderItemFragment,
    ProviderItemOpened,
    RefusalFragment,
    TextFragment,
    ThinkingFragment,
    ThinkingSigned,
)

_CUT: Final = frozenset({"incomplete", "failed", "cancelled"})
"""Status words of an item that is over but was not completed. Others occur on whole items."""


class Item(ABC):
    """One output item: the names it was called by, and whether it is done."""

    family: str
    """Which events belong to it: `message`, `reasoning`, `function_call`, or the provider's own kind."""

    def __init__(self, key: Key, findings: Findings) -> None:
        self.key = key
        self.findings = findings
        self.indexes: set[int] = set()
        self.ids: set[str] = set()
        """Item ids it was announced with or is known by; for a call the call id too."""
        self.announced = True
        """False while only events have named it."""
        self.confirmed = False
        """An event has named it by an id that was known."""
        self.done = False

    def fits(self, item: Mapping[str, Any], raw: str) -> bool:
        """Whether `item` says what this one says, whatever ids it has."""
        return False

    @abstractmethod
    def finish(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        """The item as it is when it is done: an object and the same as JSON text."""

    def end(self) -> list[DialectEvent]:
        """The response is over and nothing said that this item is done."""
        self.done = True
        said = "the response ended, and nothing said that one of its items is done"
        return [PartClosed(self.key), *self.findings.once("item-done-missing", said)]


class MessageItem(Item):
    """Prose and refusals. All content parts of a message are one part of the turn."""

    family = "message"

    def __init__(self, key: Key, findings: Findings) -> None:
        super().__init__(key, findings)
        self._pieces: dict[tuple[str, int], list[str]] = {}
        self._citations = 0

    @property
    def text(self) -> str:
        pieces = [
            p for (kind, _), part in self._pieces.items() if kind == "output_text" for p in part
        ]
        return join_halves("".join(pieces))

    def delta(self, kind: str, place: int, text: str) -> list[DialectEvent]:
        """A piece of the content part number `place`; `kind`: `output_text` or `refusal`."""
        if self.done:
            said = "text came for a message that is done; it is shown, but not in the item"
            late = self.findings.once("text-after-done", said, scope=self.key, severity="warning")
            return [*late, self._fragment(kind, place, text)]
        return [self._fragment(kind, place, text)]

    def whole(self, kind: str, place: int, text: str) -> list[DialectEvent]:
        """The whole text of a content part, as done events repeat it."""
        before = join_halves("".join(self._pieces.get((kind, place), ())))
        if text == before or not text:
            return []
        if before:
            said = "the end of a text repeats it, and it is not the same; what streamed is kept"
            return self.findings.once("text-done-differs", said, scope=self.key, severity="warning")
        said = "a text came whole, without deltas"
        return [
            *self.findings.once("text-without-deltas", said, scope=self.key),
            self._fragment(kind, place, text),
        ]

    def cite(self, raw: str) -> list[DialectEvent]:
        self._citations += 1
        return [CitationGiven(self.key, raw)]

    def finish(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        content = item.get("content")
        cited: list[str] = []
        for place, part in enumerate(content if isinstance(content, list) else []):
            events += self.part(part, place)
            annotations = part.get("annotations") if isinstance(part, dict) else None
            if isinstance(annotations, list):
                cited += [
                    wirejson.member_text(raw, "content", place, "annotations", number) or "null"
                    for number in range(len(annotations))
                ]
        # Some servers announce no annotation and have them only here.
        for text in cited[self._citations :]:
            events += self.cite(text)
        self.done = True
        return [*events, PartClosed(self.key, raw)]

    def part(self, part: object, place: int) -> list[DialectEvent]:
        """A whole content part: `{"type": "output_text", "text"}` or `{"type": "refusal", "refusal"}`."""
        match part:
            case {"type": "output_text", "text": str(text)}:
                return self.whole("output_text", place, text)
            case {"type": "refusal", "refusal": str(text)}:
                return self.whole("refusal", place, text)
            case _:
                return []

    def fits(self, item: Mapping[str, Any], raw: str) -> bool:
        content = item.get("content")
        parts = content if isinstance(content, list) else []
        texts = [part.get("text") for part in parts if isinstance(part, dict)]
        return join_halves("".join(text for text in texts if isinstance(text, str))) == self.text

    def _fragment(self, kind: str, place: int, text: str) -> DialectEvent:
        self._pieces.setdefault((kind, place), []).append(text)
        fragment = TextFragment if kind == "output_text" else RefusalFragment
        return fragment(self.key, text)


class ReasoningItem(Item):
    """Thinking. It is a part from its start, since the item must go back even when it shows nothing.

    Each part of the summary is a part of the turn of its own; the first one carries the item.
    """

    family = "reasoning"

    def __init__(self, key: Key, findings: Findings) -> None:
        super().__init__(key, findings)
        self._keys: dict[tuple[str, int], Key] = {}
        self._pieces: dict[Key, list[str]] = {}

    def open(self) -> list[DialectEvent]:
        return [ThinkingFragment(self.key, "")]

    def delta(self, kind: str, place: int, text: str) -> list[DialectEvent]:
        """A piece of part number `place`; `kind`: `summary_text` or `reasoning_text`."""
        key = self._part(kind, place)
        self._pieces[key].append(text)
        return [ThinkingFragment(key, text)]

    def whole(self, kind: str, place: int, text: str) -> list[DialectEvent]:
        """The whole text of a part, as done events repeat it."""
        if not text:
            return []
        before = join_halves("".join(self._pieces[self._part(kind, place)]))
        if not before:
            return self.delta(kind, place, text)
        if text == before:
            return []
        said = (
            "the end of a thinking text repeats it, and it is not the same; what streamed is kept"
        )
        return self.findings.once("thinking-done-differs", said, scope=self.key)

    def finish(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        for member, kind in (("summary", "summary_text"), ("content", "reasoning_text")):
            parts = item.get(member)
            for place, part in enumerate(parts if isinstance(parts, list) else []):
                text = part.get("text") if isinstance(part, dict) else None
                events += self.whole(kind, place, text) if isinstance(text, str) else []
        sealed = item.get("encrypted_content")
        if isinstance(sealed, str) and sealed:
            events.append(ThinkingSigned(self.key, sealed))
        events += [PartClosed(key) for key in self._keys.values() if key != self.key]
        self.done = True
        return [*events, PartClosed(self.key, raw)]

    def _part(self, kind: str, place: int) -> Key:
        if (kind, place) not in self._keys:
            key = Key(f"{self.key}/{kind}:{place}") if self._keys else self.key
            self._keys[kind, place] = key
            self._pieces[key] = []
        return self._keys[kind, place]


_CLIENT_KINDS: Final = frozenset(
    {
        "local_shell_call",
        "shell_call",
        "computer_call",
        "apply_patch_call",
        "mcp_approval_request",
        "tool_search_call",
    }
)
_SHOWN: Final = ("arguments", "code", "input", "action", "queries", "operation", "prompt")
"""Members of an item that say what was asked for, in the order of preference."""


class ProviderRunItem(Item):
    """Something the provider runs or keeps itself; never dispatched, even where we should answer."""

    def __init__(self, key: Key, findings: Findings, kind: str) -> None:
        super().__init__(key, findings)
        self.family = kind
        self._shown = False

    def open(self, item: Mapping[str, Any]) -> list[DialectEvent]:
        words = (item.get(name) for name in ("name", "server_label"))
        title = next((word for word in words if isinstance(word, str) and word), "")
        return [ProviderItemOpened(self.key, self.family, title)]

    def delta(self, text: str) -> list[DialectEvent]:
        self._shown = self._shown or bool(text)
        return [ProviderItemFragment(self.key, text)]

    def finish(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        name = next((name for name in _SHOWN if item.get(name)), None)
        if not self._shown and name is not None:
            value = item[name]
            text = value if isinstance(value, str) else wirejson.member_text(raw, name) or ""
            events += self.delta(text)
        if needs_client(item):
            said = (
                f"the model wants the client to answer a {self.family!r:.80}, which Verbatim does "
                "not do; it is shown, and neither run nor sent back"
            )
            events += self.findings.once(
                "client-item", said, scope=self.key, culprit="client", severity="warning"
            )
        self.done = True
        return [*events, PartClosed(self.key, raw)]


def is_cut(item: Mapping[str, Any]) -> bool:
    """Whether an item's status says that it is over but was not completed."""
    status = item.get("status")
    return isinstance(status, str) and status in _CUT


def needs_client(item: Mapping[str, Any]) -> bool:
    """Whether the client is to run or answer this item of a kind that is no call of a tool of ours.

    A shell call runs at the provider when it names a container, a tool search when it says so.
    """
    kind = item.get("type")
    if kind == "shell_call":
        place = item.get("environment")
        where = place.get("type") if isinstance(place, dict) else None
        return not (isinstance(where, str) and where.startswith("container"))
    if kind == "tool_search_call":
        return item.get("execution") == "client"
    return kind in _CLIENT_KINDS
