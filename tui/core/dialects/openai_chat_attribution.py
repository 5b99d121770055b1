"""Attribution: entries of `delta.tool_calls` of one choice in, dialect events out.

Carries out the rules of `openai_chat_calls` and says by finding what was odd. It keeps of each
call only what ownership needs. Knows nothing of SSE, of the rest of a chunk, or of whether
argument text is JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_chat_calls import (
    RULES,
    Entry,
    IdGiven,
    IndexGiven,
    NameGiven,
    Rule,
)
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallNamed,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    Key,
    UnattributedFragment,
)


class _Call:
    """One call of the choice, as far as ownership needs it."""

    __slots__ = ("closed", "doubt", "event", "has_text", "id", "ids", "indexes", "key", "name")

    def __init__(self, key: Key, entry: Entry, event: int) -> None:
        self.key = key
        self.event = event
        self.id = entry.id
        self.ids = {entry.id} if entry.id is not None else set()
        self.name = entry.name
        self.indexes = {entry.index} if entry.index is not None else set()
        self.has_text = False
        self.doubt = ""
        self.closed = False

    def could_begin(self, name: str | None) -> bool:
        """Whether an entry called `name` could be a piece or a repetition of this call's opening."""
        return not self.has_text or name is None or name == self.name


class CallTable:
    """The calls of one choice. Keys are numbered in the order of opening: `choice:0/call:0`.

    `legacy` is the table of the old `function_call`, whose one call has neither index nor id.
    """

    def __init__(self, choice: int, findings: Findings, *, legacy: bool = False) -> None:
        self._choice = choice
        self._legacy = legacy
        self._findings = findings
        self._calls: list[_Call] = []
        self._overlap = False
        self._carriers: dict[Key, None] = {}

    @property
    def keys(self) -> tuple[Key, ...]:
        return _keys(self._calls)

    @property
    def open_keys(self) -> tuple[Key, ...]:
        return _keys(call for call in self._calls if not call.closed)

    @property
    def blank_keys(self) -> tuple[Key, ...]:
        """Calls without argument text: they alone could seem whole although a piece was lost."""
        return _keys(call for call in self._calls if not call.has_text)

    def take(self, entry: Entry, event: int) -> list[DialectEvent]:
        """Give one entry to its call. `event` numbers the SSE event that carried it."""
        row = (self._index_given(entry), self._id_given(entry), self._name_given(entry))
        owner = self._owner(RULES[row], entry, event)
        match owner:
            case None:
                return self._open(entry, event)
            case _Call():
                return self._continue(owner, entry)
            case str():
                return self._orphan(entry, owner)
            case _:
                assert_never(owner)

    def close(self) -> list[DialectEvent]:
        """The marker of the choice came: it is the marker of every call that is open."""
        events: list[DialectEvent] = []
        for call in self._calls:
            if not call.closed:
                call.closed = True
                events.append(CallClosed(call.key))
        return events

    def carriers(self) -> tuple[Key, ...]:
        """Calls that got argument text since this was asked last."""
        keys = tuple(self._carriers)
        self._carriers.clear()
        return keys

    def doubts(self) -> list[DialectEvent]:
        """At the end: calls that must not run because their text may stand elsewhere.

        A call without text counts as one without arguments. That is not sure when a later call of
        the same tool, with the same index or id or without an index, holds text, or a call that
        never got a name does.
        """
        events: list[DialectEvent] = []
        nameless = [call for call in self._calls if call.name is None]
        for call in self._calls:
            if call.name is None:
                call.doubt = "its name never came"
            elif call.has_text:
                continue
            elif any(other.has_text for other in nameless):
                call.doubt = (
                    "it has no arguments, but those of a call without a name may be its own"
                )
            elif any(_may_continue(later, call) for later in self._calls):
                call.doubt = (
                    "it has no arguments, but those of a later call to the same tool may be its own"
                )
            if call.doubt:
                events.append(CallSpoiled(call.key, call.doubt))
        return events

    # What is given ------------------------------------------------------------------------

    def _index_given(self, entry: Entry) -> IndexGiven:
        if entry.index is None:
            return "absent"
        return "used" if self._at(entry.index) else "new"

    def _id_given(self, entry: Entry) -> IdGiven:
        if entry.id is None:
            return "absent"
        return "known" if self._with_id(entry.id) else "new"

    @staticmethod
    def _name_given(entry: Entry) -> NameGiven:
        return "absent" if entry.name is None else "given"

    def _at(self, index: int | None) -> list[_Call]:
        return [call for call in self._calls if index in call.indexes]

    def _with_id(self, id: str | None) -> list[_Call]:
        return [call for call in self._calls if id in call.ids]

    # Whose it is --------------------------------------------------------------------------

    def _owner(self, rule: Rule, entry: Entry, event: int) -> _Call | str | None:
        """The call, None for a new one, or in words why it is nobody's."""
        match rule:
            case Rule.OPEN:
                return None
            case Rule.AT_INDEX:
                return self._at(entry.index)[-1]
            case Rule.AT_INDEX_OR_NEW:
                call = self._at(entry.index)[-1]
                return call if call.could_begin(entry.name) else None
            case Rule.LATE_ID_OR_NEW:
                return self._awaiting_id(entry, event)
            case Rule.BY_ID:
                found = self._with_id(entry.id)
                return found[0] if len(found) == 1 else "the id of this fragment is shared by calls"
            case Rule.BY_ID_OR_NEW:
                return self._by_id_and_name(entry)
            case Rule.SHARED_ID:
                call = self._with_id(entry.id)[-1]
                return call if call.name == entry.name and not call.indexes else None
            case Rule.AGREED | Rule.AGREED_OR_NEW:
                agreed = [call for call in self._at(entry.index) if entry.id in call.ids]
                if not agreed:
                    return "the index of this fragment names one call and its id another"
                return agreed[-1] if agreed[-1].could_begin(entry.name) else None
            case Rule.LONE:
                if len(self._calls) == 1 and not self._calls[0].indexes:
                    return self._calls[0]
                return "no call was opened at the index of this fragment"
            case Rule.LAST:
                return self._last_in_sequence()
            case Rule.LAST_OR_NEW:
                last = self._calls[-1] if self._calls else None
                if last is None or last.event == event:
                    return None
                return last if last.name in (entry.name, None) else None
            case Rule.LATE_ID:
                if not self._calls:
                    return None
                last = self._calls[-1]
                if last.id is None and isinstance(self._last_in_sequence(), _Call):
                    return last
                return "the id of this fragment was never opened"
            case _:
                assert_never(rule)

    def _awaiting_id(self, entry: Entry, event: int) -> _Call | None:
        before = self._at(entry.index) if entry.index is not None else self._calls
        if not before:
            return None
        call = before[-1]
        waits = call.id is None and not call.has_text and call.event != event
        return call if waits and call.name in (entry.name, None) else None

    def _by_id_and_name(self, entry: Entry) -> _Call | str | None:
        found = self._with_id(entry.id)
        named = [call for call in found if call.could_begin(entry.name)]
        if not named:
            return None
        return named[0] if len(named) == 1 else "the id of this fragment is shared by calls"

    def _last_in_sequence(self) -> _Call | str:
        if not self._calls:
            return "no call was opened before this fragment"
        last = self._calls[-1]
        together = sum(call.event == last.event for call in self._calls) > 1
        if together or self._overlap:
            return "several calls are open and nothing says whose this fragment is"
        return last

    # What follows -------------------------------------------------------------------------

    def _open(self, entry: Entry, event: int) -> list[DialectEvent]:
        word = "function-call" if self._legacy else "call"
        call = _Call(Key(f"choice:{self._choice}/{word}:{len(self._calls)}"), entry, event)
        events: list[DialectEvent] = []
        if entry.index is None:
            events += self._index_missing(call)
        elif self._at(entry.index):
            events += self._findings.once(
                "index-reused",
                f"index {entry.index} is used for more than one call; calls are told apart by id "
                "and name",
                scope=call.key,
            )
        elif entry.index != len(self._calls):
            events += self._findings.once(
                "index-gap",
                f"the index {entry.index} of call number {len(self._calls)} is out of order; calls "
                "are kept in the order in which they begin",
                scope=str(self._choice),
            )
        if self._legacy:
            events += self._findings.once(
                "function-call",
                "the call comes as the old `function_call`, which has no id",
                scope=call.key,
            )
        elif entry.id is None:
            events += self._findings.once(
                "id-missing",
                "a call begins without an id; one is made up if none follows",
                scope=call.key,
            )
        elif self._with_id(entry.id):
            events += self._findings.once(
                "id-shared",
                f"the id {entry.id!r} is given to two calls; they are kept apart",
                scope=call.key,
                severity="warning",
            )
        self._calls.append(call)
        events.append(CallOpened(call.key, entry.id, entry.name, entry.kind, self._choice))
        return events + self._fragment(call, entry)

    def _continue(self, call: _Call, entry: Entry) -> list[DialectEvent]:
        events: list[DialectEvent] = []
        if call is not self._calls[-1]:
            self._overlap = True
        if entry.index is None:
            events += self._index_missing(call)
        elif entry.index not in call.indexes:
            events += self._findings.once(
                "index-drifts",
                f"the index of a call became {entry.index}; its id, or that it is the only call, "
                "says whose it is",
                scope=call.key,
            )
            call.indexes.add(entry.index)
        if entry.id is not None:
            events += self._id(call, entry.id)
        if entry.name is not None:
            events += self._name(call, entry.name)
        return events + self._fragment(call, entry)

    def _index_missing(self, call: _Call) -> list[DialectEvent]:
        return self._findings.once(
            "index-missing",
            "a call comes without an index; it is told apart by its id, its name, or its order",
            scope=call.key,
        )

    def _id(self, call: _Call, id: str) -> list[DialectEvent]:
        if call.id is None:
            call.id = id
            call.ids.add(id)
            late = self._findings.once(
                "id-late", f"the id {id!r} of a call came after its first entry", scope=call.key
            )
            return [*late, CallNamed(call.key, id=id)]
        if id not in call.ids:
            call.ids.add(id)
            return self._findings.once(
                "id-changed",
                f"the id of a call changed from {call.id!r} to {id!r}; the first one is kept",
                scope=call.key,
                severity="warning",
            )
        return self._findings.once(
            "id-repeated", "the id of a call is sent again with later entries", scope=call.key
        )

    def _name(self, call: _Call, name: str) -> list[DialectEvent]:
        if call.name is None:
            call.name = name
            late = self._findings.once(
                "name-late",
                f"the name {name!r} of a call came after its first entry",
                scope=call.key,
            )
            return [*late, CallNamed(call.key, name=name)]
        if name == call.name:
            return self._findings.once(
                "name-repeated",
                f"the name {name!r} is sent again with later entries; it is taken once",
                scope=call.key,
            )
        if name.startswith(call.name):
            code, words, call.name = "name-grows", "repeats what came before it", name
        else:
            code, words, call.name = "name-split", "comes in pieces", call.name + name
        found = self._findings.once(
            code, f"the name of a call {words}; it is {call.name!r} so far", scope=call.key
        )
        return [*found, CallNamed(call.key, name=call.name)]

    def _fragment(self, call: _Call, entry: Entry) -> list[DialectEvent]:
        if not entry.text:
            return [] if entry.bare else [ArgumentFragment(call.key, "")]
        events: list[DialectEvent] = []
        if not call.has_text and entry.text.lstrip().startswith('"'):
            events += self._findings.once(
                "arguments-double-encoded",
                "the arguments are a JSON string, not an object; they are kept as they came",
                culprit="model",
                scope=call.key,
                severity="warning",
            )
        call.has_text = call.has_text or not entry.text.isspace()
        self._carriers[call.key] = None
        events.append(ArgumentFragment(call.key, entry.text))
        return events

    def _orphan(self, entry: Entry, problem: str) -> list[DialectEvent]:
        if not entry.text:
            return self._findings.once(
                "entry-unattributed", f"an entry without arguments is ignored: {problem}"
            )
        return [UnattributedFragment(entry.text, problem, _keys(self._suspects(entry)))]

    def _suspects(self, entry: Entry) -> Iterable[_Call]:
        """Every call that the fragment may belong to and that could seem whole without it.

        No strict JSON object is the beginning of another: a call that has text and an index of
        its own is either complete, or invalid without the fragment.
        """
        if entry.index is None:
            return self._calls
        named = [*self._at(entry.index), *(self._with_id(entry.id) if entry.id else ())]
        return [
            call for call in self._calls if call in named or not call.indexes or not call.has_text
        ]


def _keys(calls: Iterable[_Call]) -> tuple[Key, ...]:
    return tuple(call.key for call in calls)


def _may_continue(later: _Call, call: _Call) -> bool:
    """Whether the text of `later` may be that of `call`, which began before it and has none."""
    if later.event <= call.event or later.name != call.name or not later.has_text:
        return False
    placed_apart = later.indexes and call.indexes and not later.indexes & call.indexes
    return not placed_apart or bool(later.ids & call.ids)
