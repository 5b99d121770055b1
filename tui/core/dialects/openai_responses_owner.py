"""Finding the item that is meant, among those of its family: names in, the item out.

Carries out the rules of `openai_responses_names` for events, and the likes of them for items:
announced again, done, or repeated in the finished response. It changes nothing and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, assert_never

from tui.core.dialects.openai_responses_call import CallItem
from tui.core.dialects.openai_responses_items import Item
from tui.core.dialects.openai_responses_names import Rule
from tui.core.events import Key

_FAMILIES: Final = {"custom_tool_call": "function_call"}
"""Item types that are kept as another family; any other type is its own."""


def family_of(item: Mapping[str, Any]) -> str:
    kind = str(item.get("type"))
    return _FAMILIES.get(kind, kind)


def word(names: Mapping[str, Any], name: str) -> str | None:
    value = names.get(name)
    return value if isinstance(value, str) and value else None


def id_of(family: str, value: Mapping[str, Any]) -> str | None:
    call_id = word(value, "call_id") if family == "function_call" else None
    return call_id or word(value, "item_id")


def index_of(value: Mapping[str, Any]) -> int | None:
    match value.get("output_index"):
        case bool():
            return None
        case int() as index:
            return index
        case str() as text if text.isdecimal() and len(text) < 10:
            return int(text)
        case _:
            return None


def owner(rule: Rule, known: list[Item], index: int | None, id: str | None) -> Item | str | None:
    """The item, None for one that nobody announced, or in words why it is nobody's."""
    named = [each for each in known if id in each.ids]
    here = [each for each in known if index in each.indexes]
    is_open = [each for each in known if not each.done]
    open_here = [each for each in here if not each.done]
    match rule:
        case Rule.NEW:
            return None
        case Rule.BY_ID:
            return _one_of(named, "the id of this event is shared by items")
        case Rule.AGREED:
            agreed = [each for each in named if each in here] or named
            return _one_of(agreed, "several items share the id of this event")
        case Rule.AT_INDEX:
            if len(open_here) > 1:
                return "several open items share the output index of this event"
            return open_here[0] if open_here else here[-1]
        case Rule.ROTATED:
            if not open_here:
                return None
            if len(open_here) > 1 or open_here[0].confirmed:
                return "the output index of this event names an item, but not by its id"
            return open_here[0]
        case Rule.LONE_UNPLACED_OR_NEW:
            return is_open[0] if len(is_open) == 1 and not is_open[0].indexes else None
        case Rule.LONE_UNCONFIRMED_OR_NEW:
            if not is_open:
                return None
            if len(is_open) > 1 or is_open[0].confirmed:
                return "the id of this event was never announced"
            return is_open[0]
        case Rule.LONE:
            if len(is_open) == 1 or not known:
                return is_open[0] if is_open else None
            return "nothing says which item this event belongs to"
        case _:
            assert_never(rule)


def _one_of(items: list[Item], problem: str) -> Item | str:
    """The only one, or the only one that is open."""
    is_open = [each for each in items if not each.done]
    if len(items) == 1 or len(is_open) == 1:
        return is_open[0] if is_open else items[0]
    return problem


def _best(items: Iterable[Item], index: int | None, id: str | None) -> Item:
    """Of items that could be meant the one that most names fit, else an open one."""
    return max(items, key=lambda each: (index in each.indexes, id in each.ids, not each.done))


def embedded_owner(
    item: Mapping[str, Any], raw: str, known: list[Item], matched: set[Key], *, in_order: bool
) -> Item | None:
    """The item of the stream that an entry of the response's `output` repeats.

    Ids first; where they changed the order, if there are as many of the family. A call or message
    that says the same as one that is known is that one: it must neither run nor be read twice.
    """
    left = [each for each in known if each.key not in matched]
    for name in (word(item, "call_id"), word(item, "id")):
        named = [each for each in left if name is not None and name in each.ids]
        if named:
            return named[0]
    if left and (in_order or family_of(item) not in ("function_call", "message")):
        return left[0]
    return next((each for each in left if each.fits(item, raw)), None)


def announced_before(item: Mapping[str, Any], index: int | None, known: list[Item]) -> Item | None:
    """The item that an announcement repeats, or that events began before it."""
    id, call_id = word(item, "id"), word(item, "call_id")
    for each in known:
        here = index in each.indexes if index is not None else id is None or id in each.ids
        if isinstance(each, CallItem) and call_id is not None and each.call_id is not None:
            if call_id in each.ids and (here or id in each.ids):
                return each
        elif not each.announced:
            if not each.done and (here or id in each.ids):
                return each
        elif id in each.ids and here and not (index is None and each.done):
            return each
    return None


def finished_owner(
    item: Mapping[str, Any], raw: str, index: int | None, known: list[Item]
) -> Item | None:
    """The item that is done. A call's id decides; its text is compared in any case."""
    id, call_id = word(item, "id"), word(item, "call_id")
    calls = [each for each in known if isinstance(each, CallItem)]
    if calls and call_id is not None:
        same = [call for call in calls if call_id in call.ids]
        if same:
            best = _best(same, index, id)
            apart = index is not None and index not in best.indexes and id not in best.ids
            # A second call that shares the id; but one that says the same must not run twice.
            return None if apart and best.done and not best.fits(item, raw) else best
        unnamed: list[Item] = [c for c in calls if c.call_id is None and not c.done]
        meant = [c for c in unnamed if id in c.ids or index in c.indexes]
        if meant:
            return _best(meant, index, id)
        if len(unnamed) == 1 and (index is None or not unnamed[0].indexes):
            return unnamed[0]
        named = [call for call in calls if id in call.ids]
        # Another call id at the index of an open call: the same call only if all else fits.
        named += [c for c in calls if not c.done and index in c.indexes and c.fits(item, raw)]
        return named[0] if named else None
    meant = [each for each in known if id in each.ids]
    meant = meant or [
        each
        for each in known
        if index in each.indexes and (not each.done or id is None or each.fits(item, raw))
    ]
    if meant:
        return _best(meant, index, id)
    lone = [each for each in known if not each.done]
    if len(lone) == 1 and (index is None or not lone[0].indexes):
        return lone[0] if id is None or not lone[0].confirmed else None
    return None
