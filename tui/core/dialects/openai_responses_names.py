"""Which output item an event of the Responses stream belongs to: the rules, as a table.

An event names its item by `output_index` and `item_id`; an item itself has an id, and a call a
`call_id` besides. Servers that imitate OpenAI leave these out, repeat them, or give every event
a new id, so ownership is decided by `TABLE` and by nothing else: a row for each way in which the
two can be given. Items are looked for among those of the event's own family (prose, thinking,
calls, ...), so that a text event never reaches a call with which it shares an index.
What no row gives to an item is reported, never guessed.

Given or not, an index is *new* or *used* and an id *new* or *known* in its family; missing and
null mean *absent*. An item is *confirmed* once an event has named it by its own id.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

IndexGiven = Literal["absent", "new", "used"]
IdGiven = Literal["absent", "new", "known"]


class Rule(StrEnum):
    """Whose an event is. The value says it in words."""

    NEW = "an item that nobody announced"
    BY_ID = "the item with this id"
    AGREED = (
        "the item with this id; if the index names another, its text must be stated when it is done"
    )
    AT_INDEX = "the only open item at this index, else the last one there"
    ROTATED = (
        "the only open item at this index, if nothing has confirmed its id; an item that nobody "
        "announced when none is open there; else nobody's"
    )
    LONE_UNPLACED_OR_NEW = (
        "the only open item, when it has no index; else an item that nobody announced"
    )
    LONE_UNCONFIRMED_OR_NEW = (
        "the only open item, if nothing has confirmed its id, and its text must be stated when it is "
        "done; an item that nobody announced when none is open; else nobody's"
    )
    LONE = (
        "the only open item; an item that nobody announced when there never was one; else nobody's"
    )


@dataclass(frozen=True, slots=True)
class Row:
    index: IndexGiven
    id: IdGiven
    rule: Rule
    reason: str


TABLE: Final[tuple[Row, ...]] = (
    Row(
        "used",
        "known",
        Rule.AGREED,
        "How OpenAI names an item. An id is harder to get wrong than an index, but in contradiction "
        "neither is believed until the whole text confirms it.",
    ),
    Row(
        "used",
        "new",
        Rule.ROTATED,
        "GitHub Copilot gives every event a new id; the index says whose it is. An item that "
        "events have named by its id before is not meant by another id.",
    ),
    Row(
        "used",
        "absent",
        Rule.AT_INDEX,
        "The id is left out. An index may be used again once its item is done.",
    ),
    Row("new", "known", Rule.BY_ID, "The index drifts; the id says whose it is."),
    Row("new", "new", Rule.NEW, "The announcement was left out or is still to come."),
    Row(
        "new",
        "absent",
        Rule.LONE_UNPLACED_OR_NEW,
        "An item announced without an index may be meant, if there is only one.",
    ),
    Row("absent", "known", Rule.BY_ID, "llama-server sends no index; the id is enough."),
    Row(
        "absent",
        "new",
        Rule.LONE_UNCONFIRMED_OR_NEW,
        "Neither an index nor an id that was announced: sure only when there is one candidate.",
    ),
    Row("absent", "absent", Rule.LONE, "Nothing names the item: sure only when one is open."),
)

RULES: Final = {(row.index, row.id): row.rule for row in TABLE}
