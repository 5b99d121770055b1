"""The output of a Responses stream: item events in, dialect events out.

Keeps the items, finds the one that each event means by the rules of `openai_responses_names`,
and says by finding what was odd about its name. What an item makes of its events is its own
business (`openai_responses_items`, `openai_responses_call`); the response around is
`openai_responses`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from tui.core import wirejson
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_responses_call import CallItem
from tui.core.dialects.openai_responses_items import (
    Item,
    MessageItem,
    ProviderRunItem,
    ReasoningItem,
)
from tui.core.dialects.openai_responses_names import RULES, IdGiven, IndexGiven, Rule
from tui.core.dialects.openai_responses_owner import (
    announced_before,
    embedded_owner,
    family_of,
    finished_owner,
    id_of,
    index_of,
    word,
)
from tui.core.dialects.openai_responses_owner import owner as find_owner
from tui.core.events import (
    CallSpoiled,
    DialectEvent,
    Key,
    MalformedEvent,
    UnattributedFragment,
)

ItemT = TypeVar("ItemT", bound=Item)


class Items:
    """The items of one response in the order in which they began."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._items: list[Item] = []

    @property
    def provider_kinds(self) -> set[str]:
        """Types of the items so far that the provider runs or keeps itself."""
        return {item.family for item in self._items if isinstance(item, ProviderRunItem)}

    @property
    def calls(self) -> list[CallItem]:
        return [item for item in self._items if isinstance(item, CallItem)]

    def of(self, family: str) -> list[Item]:
        return [item for item in self._items if item.family == family]

    # Items announced and done -------------------------------------------------------------

    def added(self, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        """`response.output_item.added`."""
        item = value.get("item")
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            return [MalformedEvent("the announcement of an item without a typed item", data, ())]
        raw = wirejson.member_text(data, "item") or ""
        index, events = self._index(value)
        before = announced_before(item, index, self.of(family_of(item)))
        if before is None:
            return events + self._create(item, raw, index)
        if before.announced:
            said = "an item was announced a second time"
            events += self.findings.once(
                "item-added-twice", said, scope=before.key, severity="warning"
            )
        before.announced = True
        self._note_names(before, item, index)
        return events + (before.learn(item) if isinstance(before, CallItem) else [])

    def finished(self, value: Mapping[str, Any], data: str) -> list[DialectEvent]:
        """`response.output_item.done`."""
        item = value.get("item")
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            return [MalformedEvent("the end of an item without a typed item", data, ())]
        raw = wirejson.member_text(data, "item") or ""
        index, events = self._index(value)
        owner = finished_owner(item, raw, index, self.of(family_of(item)))
        if owner is None:
            said = "an item came whole, without an announcement"
            events += self.findings.once("item-added-missing", said)
            events += self._create(item, raw, index)
            return events + self._items[-1].finish(item, raw)
        id = word(item, "id")
        if id is not None and owner.ids and id not in owner.ids:
            events += self._rotates()
        self._note_names(owner, item, index)
        return events + owner.finish(item, raw)

    def settle(self, output: object, data: str) -> list[DialectEvent]:
        """The response is over: hold its own list of items against what streamed."""
        items = output if isinstance(output, list) else []
        typed = [
            (place, item)
            for place, item in enumerate(items)
            if isinstance(item, dict) and isinstance(item.get("type"), str)
        ]
        events: list[DialectEvent] = []
        matched: set[Key] = set()
        streamed = list(self._items)
        for place, item in typed:
            raw = wirejson.member_text(data, "response", "output", place) or ""
            family = family_of(item)
            together = sum(family_of(other) == family for _, other in typed)
            known = [each for each in streamed if each.family == family]
            owner = embedded_owner(item, raw, known, matched, in_order=together == len(known))
            if owner is not None:
                matched.add(owner.key)
                events += self._confirm(owner, item, raw)
                continue
            said = "an item stands only in the finished response; no event announced it"
            events += self.findings.once("item-only-in-response", said, severity="warning")
            events += self._create(item, raw, None)
            events += self._items[-1].finish(item, raw)
        for each in self._items:
            if not each.done or (isinstance(each, CallItem) and not each.closed):
                events += each.end()
        if any(call.name is None and call.text for call in self.calls):
            problem = "it has no arguments, but those of a call without a name may be its own"
            blank = [call for call in self.calls if call.closed and not call.text]
            events += [CallSpoiled(call.key, problem) for call in blank]
        if any(call.call_id is None for call in self.calls):
            said = "a call never got a call id; one is made up"
            events += self.findings.once("call-id-missing", said)
        return events

    def _confirm(self, owner: Item, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        if isinstance(owner, CallItem):
            return owner.confirm(item, raw)
        if owner.done:
            return []
        said = "only the finished response says that one of its items is done"
        return [*self.findings.once("item-done-missing", said), *owner.finish(item, raw)]

    def _create(self, item: Mapping[str, Any], raw: str, index: int | None) -> list[DialectEvent]:
        """A new item, as it announces itself."""
        events: list[DialectEvent] = []
        if index is not None and any(index in each.indexes for each in self._items):
            said = f"the output index {index} is used for more than one item"
            events += self.findings.once("index-reused", said, scope=str(index))
        new: Item
        key = self._new_key()
        match item.get("type"):
            case "message":
                new = MessageItem(key, self.findings)
            case "reasoning":
                new = ReasoningItem(key, self.findings)
                events += new.open()
            case "function_call" | "custom_tool_call" as kind:
                call_id = word(item, "call_id")
                if call_id is not None and any(call_id in call.ids for call in self.calls):
                    said = f"the call id {call_id!r:.80} is given to two calls; they are kept apart"
                    events += self.findings.once("call-id-shared", said, severity="warning")
                new = CallItem(key, self.findings, "function" if kind[0] == "f" else "custom")
                events += new.open(item, raw)
            case kind:
                new = ProviderRunItem(key, self.findings, str(kind))
                events += new.open(item)
        self._items.append(new)
        self._note_names(new, item, index)
        return events

    def _note_names(self, item: Item, value: Mapping[str, Any], index: int | None) -> None:
        if index is not None:
            item.indexes.add(index)
        id = word(value, "id")
        if id is not None:
            item.ids.add(id)

    # Events of an item --------------------------------------------------------------------

    def message(self, value: Mapping[str, Any]) -> tuple[MessageItem, list[DialectEvent]]:
        """The message an event belongs to; prose is never nobody's."""
        return self._part("message", MessageItem, value)

    def reasoning(self, value: Mapping[str, Any]) -> tuple[ReasoningItem, list[DialectEvent]]:
        return self._part("reasoning", ReasoningItem, value)

    def provider_item(
        self, kind: str, value: Mapping[str, Any]
    ) -> tuple[ProviderRunItem, list[DialectEvent]]:
        return self._part(kind, ProviderRunItem, value, whole_names=False)

    def call(
        self, kind: str, value: Mapping[str, Any], text: str
    ) -> tuple[CallItem | None, list[DialectEvent]]:
        """The call that `text` belongs to, or None and what to say instead.

        `kind`: `function_call` or `custom_tool_call`, for a call that nobody announced.
        """
        owner, events = self._owner("function_call", value)
        if owner is None:
            events += self._unannounced(kind, value)
            owner = self._items[-1]
        if isinstance(owner, CallItem):
            return owner, events + owner.learn(value)
        if not text or not isinstance(owner, str):
            said = f"an event without arguments is ignored: {owner}"
            return None, events + self.findings.once("event-unattributed", said)
        index, id = index_of(value), id_of("function_call", value)
        suspects = {call.key for call in self.calls if index in call.indexes or id in call.ids}
        suspects |= {call.key for call in self.calls if not call.done}
        return None, [*events, UnattributedFragment(text, owner, tuple(sorted(suspects)))]

    def _part(
        self,
        family: str,
        kind: type[ItemT],
        value: Mapping[str, Any],
        *,
        whole_names: bool = True,
    ) -> tuple[ItemT, list[DialectEvent]]:
        owner, events = self._owner(family, value, whole_names=whole_names)
        if isinstance(owner, str):
            said = f"{owner}; text goes to the newest item of its kind"
            events += self.findings.once("text-unattributed", said, severity="warning")
            known = self.of(family)
            owner = next((each for each in reversed(known) if not each.done), known[-1])
        if owner is None:
            events += self._unannounced(family, value)
            owner = self._items[-1]
        if not isinstance(owner, kind):
            raise TypeError(f"{owner.family!r} items are not kept as {kind.__name__}")
        return owner, events

    def _unannounced(self, kind: str, value: Mapping[str, Any]) -> list[DialectEvent]:
        said = "events came for an item that was not announced"
        events = self.findings.once("item-added-missing", said)
        index, id = index_of(value), id_of(kind, value)
        events += self._create({"type": kind, "id": id}, "{}", index)
        self._items[-1].announced = False
        return events

    def _owner(
        self, family: str, value: Mapping[str, Any], *, whole_names: bool = True
    ) -> tuple[Item | str | None, list[DialectEvent]]:
        """The item, None for a new one, or in words why it is nobody's; and what was odd.

        `whole_names`: whether OpenAI gives both an index and an id in such an event.
        """
        known = self.of(family)
        id = id_of(family, value)
        index, events = self._index(value, may_lack=not whole_names)
        at: IndexGiven = "absent"
        if index is not None:
            at = "used" if any(index in each.indexes for each in known) else "new"
        named: IdGiven = "absent"
        if id is not None:
            named = "known" if any(id in each.ids for each in known) else "new"
        elif whole_names:
            said = "events do not say the id of their item"
            events += self.findings.once("item-id-missing", said)
        owner = find_owner(RULES[at, named], known, index, id)
        if not isinstance(owner, Item):
            return owner, events
        if named == "known":
            owner.confirmed = True
        elif id is not None:
            events += self._rotates() if owner.ids else []
            owner.ids.add(id)
        if index is not None and index not in owner.indexes:
            if owner.indexes:
                said = "the output index of an item changes; its id says whose an event is"
                events += self.findings.once("index-drifts", said, scope=owner.key)
            if at != "used":
                owner.indexes.add(index)
            elif isinstance(owner, CallItem):
                for call in self.calls:
                    if call is owner or (index in call.indexes and not call.done):
                        call.doubt = "the index and the id of a fragment name different calls"
        if isinstance(owner, CallItem) and RULES[at, named] is Rule.LONE_UNCONFIRMED_OR_NEW:
            owner.doubt = "its fragments came under an id that was never announced"
        return owner, events

    def _rotates(self) -> list[DialectEvent]:
        said = "events name an item by ids it was not announced with; its index says which it is"
        return self.findings.once("item-id-changes", said)

    def _index(
        self, value: Mapping[str, Any], *, may_lack: bool = False
    ) -> tuple[int | None, list[DialectEvent]]:
        index = index_of(value)
        if isinstance(value.get("output_index"), str) and index is not None:
            return index, self.findings.once("index-string", "an output index is a string")
        if index is not None or may_lack:
            return index, []
        said = "events do not say the output index of their item"
        return None, self.findings.once("index-missing", said)

    def _new_key(self) -> Key:
        return Key(f"item:{len(self._items)}")
