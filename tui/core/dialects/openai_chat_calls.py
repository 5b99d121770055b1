"""Which call an entry of `delta.tool_calls` belongs to, within one choice: the rules, as a table.

Servers that imitate OpenAI leave out, repeat, reuse or change the three things that name a call
(its index, its id, its name), so ownership is decided by `TABLE` and by nothing else: a row for
each way in which the three can be given. What no row gives to a call is reported, never guessed.
`openai_chat_attribution` carries the rules out; documentation is rendered from the table.

An index is *new* or *used* in its choice, an id is *new* or *known*; missing, null and empty mean
*absent*. "Has text" means that argument text other than blanks has come.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from tui.core.events import CallKind

IndexGiven = Literal["absent", "new", "used"]
IdGiven = Literal["absent", "new", "known"]
NameGiven = Literal["absent", "given"]


class Rule(StrEnum):
    """Whose an entry is. The value says it in words."""

    OPEN = "a new call"
    AT_INDEX = "the call opened last at this index"
    AT_INDEX_OR_NEW = (
        "the call opened last at this index; a new one when it has text and another name"
    )
    LATE_ID_OR_NEW = (
        "a new call; but when the call before it (at this index) still has no id, no text and no "
        "other name, that call, whose id came late"
    )
    BY_ID = "the call with this id"
    BY_ID_OR_NEW = "the call with this id; a new one when it has text and another name"
    SHARED_ID = (
        "a new call that shares the id; but the call with this id when that has the same name and no "
        "index yet"
    )
    AGREED = "the call with this id, if it was opened at this index; else nobody's"
    AGREED_OR_NEW = (
        "the call with this id, if it was opened at this index (a new one when it has text and "
        "another name); else nobody's"
    )
    LONE = "the only call, when that has no index yet; else nobody's"
    LAST = "the call opened last, when calls came one after the other; else nobody's"
    LAST_OR_NEW = (
        "a new call; but the call opened last when that has the same name (or none yet) and began "
        "in an earlier event"
    )
    LATE_ID = "the call opened last, when that has no id yet; a new call when there is none; else nobody's"


@dataclass(frozen=True, slots=True)
class Row:
    index: IndexGiven
    id: IdGiven
    name: NameGiven
    rule: Rule
    reason: str


TABLE: Final[tuple[Row, ...]] = (
    Row("new", "absent", "given", Rule.OPEN, "The normal way to begin, but for the id."),
    Row("new", "new", "given", Rule.OPEN, "How OpenAI begins a call."),
    Row("new", "new", "absent", Rule.OPEN, "The name may come late. It never runs without one."),
    Row(
        "new",
        "known",
        "given",
        Rule.SHARED_ID,
        "Two calls may share an id (LiteLLM, bridges). A drifting index with the name repeated looks "
        "the same, but then no piece is an object, and the call without text is doubted at the end.",
    ),
    Row("new", "known", "absent", Rule.BY_ID, "The index drifts; the id says whose it is."),
    Row(
        "new",
        "absent",
        "absent",
        Rule.LONE,
        "Nothing was opened at this index. Only a call that never had one can be meant.",
    ),
    Row("used", "absent", "absent", Rule.AT_INDEX, "How OpenAI continues a call."),
    Row(
        "used",
        "absent",
        "given",
        Rule.AT_INDEX_OR_NEW,
        "The name is repeated or comes in pieces. After text has come, another name cannot be a "
        "piece: the server reuses the index.",
    ),
    Row(
        "used",
        "known",
        "absent",
        Rule.AGREED,
        "The id is repeated. If it contradicts the index, neither wins.",
    ),
    Row(
        "used",
        "known",
        "given",
        Rule.AGREED_OR_NEW,
        "Id and name are repeated on every chunk (NIM).",
    ),
    Row(
        "used",
        "new",
        "absent",
        Rule.AT_INDEX,
        "The id comes late, or changes midway: the first one is kept.",
    ),
    Row(
        "used",
        "new",
        "given",
        Rule.LATE_ID_OR_NEW,
        "The index is always 0 (Ollama): id and name begin a call.",
    ),
    Row("absent", "known", "absent", Rule.BY_ID, "The id is all there is, and it is enough."),
    Row("absent", "known", "given", Rule.BY_ID_OR_NEW, "Id and name are repeated on every chunk."),
    Row("absent", "new", "given", Rule.LATE_ID_OR_NEW, "Whole calls without an index."),
    Row("absent", "new", "absent", Rule.LATE_ID, "An id alone names a call only if one lacks it."),
    Row(
        "absent",
        "absent",
        "given",
        Rule.LAST_OR_NEW,
        "Whole calls without index and id. The same name again may be a repetition or a second "
        "call: joined, two objects are invalid and neither runs.",
    ),
    Row(
        "absent",
        "absent",
        "absent",
        Rule.LAST,
        "Pieces in sequence. Once calls overlap, nobody can tell.",
    ),
)

RULES: Final = {(row.index, row.id, row.name): row.rule for row in TABLE}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of `tool_calls`; absent values are None, and `text` is "" when none came."""

    index: int | None
    id: str | None
    name: str | None
    text: str
    kind: CallKind = "function"
    bare: bool = False
    """It carried no argument text at all, not even an empty one."""
