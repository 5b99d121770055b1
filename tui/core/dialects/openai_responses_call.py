"""One call of a Responses stream: its names, its deltas and its three repetitions in, events out.

The marker is `output_item.done` with a status that does not say the call was cut. The event
`*_arguments.done` states the text but is no marker: it comes for calls that were cut too. It
stands in for the marker only when the response ends without an `output_item.done`.

Every statement of the whole text (the done event, the item, the response) is compared with what
streamed; an empty or missing one states nothing when there is a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui.core import wirejson
from tui.core.arguments import join_halves
from tui.core.dialects.findings import Findings
from tui.core.dialects.openai_responses_items import Item, is_cut
from tui.core.events import (
    ArgumentFragment,
    CallClosed,
    CallExtended,
    CallKind,
    CallNamed,
    CallOpened,
    CallSpoiled,
    DialectEvent,
    Key,
)
from tui.core.strictjson import NotStrict, parse_object

_FURTHER: Final = ("caller", "namespace")
"""Members of a call that go back with it: who made it, when code did; where its tool is from."""

_DIFFERS: Final = "the end of the call repeats its arguments, and they are not the same"


class CallItem(Item):
    """A call the client is to run: a function call or a custom tool call."""

    family = "function_call"

    def __init__(self, key: Key, findings: Findings, kind: CallKind) -> None:
        super().__init__(key, findings)
        self.kind: CallKind = kind
        self.call_id: str | None = None
        self.name: str | None = None
        self.closed = False
        """The marker came, or what stands in for it."""
        self.cut = False
        """The provider said that the call was cut."""
        self.doubt = ""
        """Why its fragments may be another's, unless the provider states the whole text too."""
        self._start = ""
        self._pieces: list[str] = []
        self._stated: str | None = None

    @property
    def text(self) -> str:
        """The argument text so far: what streamed, else what was stated."""
        return join_halves("".join(self._pieces)) or self._stated or ""

    @property
    def stated(self) -> bool:
        """Whether a done event has stated the whole text; what comes after it is late."""
        return self._stated is not None or self.done

    # Names --------------------------------------------------------------------------------

    def open(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        """Begin the call; `item` is its announcement, empty when there was none."""
        self.call_id, self.name = _word(item, "call_id"), _word(item, "name")
        if self.call_id is not None:
            self.ids.add(self.call_id)
        self._start, oddities = self._stated_text(item, raw)
        return [CallOpened(self.key, self.call_id, self.name, self.kind), *oddities]

    def learn(self, names: Mapping[str, Any]) -> list[DialectEvent]:
        """Take the call id and the name from a later event or item."""
        id, name = _word(names, "call_id"), _word(names, "name")
        events: list[DialectEvent] = []
        late_id = id if self.call_id is None else None
        late_name = name if self.name is None else None
        if late_id is not None or late_name is not None:
            self.call_id, self.name = late_id or self.call_id, late_name or self.name
            said = "the id or the name of a call came after its beginning"
            events += self.findings.once("call-named-late", said, scope=self.key)
            events.append(CallNamed(self.key, late_id, late_name))
        if id is not None:
            if id != self.call_id:
                said = f"the id of a call changed from {self.call_id!r:.80} to {id!r:.80}"
                events += self.findings.once(
                    "call-id-changed", said, scope=self.key, severity="warning"
                )
            self.ids.add(id)
        if name is not None and name != self.name:
            problem = f"its name was {self.name!r:.80} and became {name!r:.80}"
            events.append(CallSpoiled(self.key, problem))
        return events

    # Text ---------------------------------------------------------------------------------

    def delta(self, text: str) -> list[DialectEvent]:
        """One fragment of the arguments, possibly empty."""
        if self.stated:
            said = "a fragment came after the whole arguments were stated; it is ignored"
            return self.findings.once("delta-after-done", said, scope=self.key, severity="warning")
        events: list[DialectEvent] = []
        if not self._pieces and self._start and not _is_preview(self._start, text):
            said = "the first part of the arguments came with the announcement of the call"
            events += self.findings.once("arguments-in-added", said, scope=self.key)
            events += self._append(self._start)
        return events + self._append(text)

    def whole(self, text: str) -> list[DialectEvent]:
        """The whole argument text, as `*_arguments.done` states it."""
        if self._stated is None and not self.done:
            self._stated = text or self.text
        return self._compare(text)

    def finish(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        if self.done:
            said = "a call was said to be done a second time"
            again = self.findings.once("item-done-twice", said, scope=self.key)
            text, oddities = self._stated_text(item, raw)
            return [*again, *oddities, *self._compare(text)]
        events = self.learn(item)
        text, oddities = self._stated_text(item, raw)
        events += oddities
        self.done = True
        if is_cut(item):
            self.cut = True
            said = f"a call ended with the status {item['status']!r}: it was cut and is not run"
            events += self.findings.once(
                "call-cut", said, scope=self.key, culprit="model", severity="warning"
            )
            known = self.text or text or self._start
            return events + (self._append(known) if known and not self._pieces else [])
        further = {name: item[name] for name in _FURTHER if item.get(name) is not None}
        if further:
            events.append(CallExtended(self.key, wirejson.dumps(further)))
        return events + self._close(text)

    def confirm(self, item: Mapping[str, Any], raw: str) -> list[DialectEvent]:
        """The call as the `output` of the finished response has it."""
        events = self.learn(item)
        text, oddities = self._stated_text(item, raw)
        events += oddities
        if is_cut(item) or self.cut:
            self.cut = True
            said = "the finished response says that it was cut"
            return [*events, CallSpoiled(self.key, said)] if self.closed else events
        if not self.closed and (text or self.stated or not self.text):
            said = "only the finished response says that a call is done"
            events += self.findings.once(
                "item-done-missing", said, scope=self.key, severity="warning"
            )
            self.done = True
            return events + self._close(text)
        if text and text != self.text and _same_value(text, self.text):
            said = "the finished response has the arguments of a call in another spelling"
            return events + self.findings.once("arguments-respelled", said, scope=self.key)
        return events + self._compare(text, "the finished response has other arguments for it")

    def end(self) -> list[DialectEvent]:
        if self.closed or self.cut:
            self.done = True
            return []
        stated = self._stated is not None
        self.done = True
        if stated:
            said = "a call's arguments were done, but no output_item.done followed"
            events = self.findings.once(
                "item-done-missing", said, scope=self.key, severity="warning"
            )
            return events + self._close("")
        said = "the response ended, and nothing said that the arguments of a call are complete"
        return self.findings.once("marker-missing", said, scope=self.key, severity="warning")

    def fits(self, item: Mapping[str, Any], raw: str) -> bool:
        member = _member(item)
        text = _text(item.get(member), raw, member)
        return _word(item, "name") in (self.name, None) and text in (self.text, "")

    def _close(self, text: str) -> list[DialectEvent]:
        """The marker; `text` is what it states, "" when nothing."""
        self.closed = True
        if join_halves("".join(self._pieces)):
            events: list[DialectEvent] = [CallClosed(self.key, text or None)]
            if self.doubt and not (text or self._stated):
                events.append(CallSpoiled(self.key, self.doubt))
            return events
        full = self._stated or text or self._start
        odd: list[DialectEvent] = []
        if full:
            said = "the arguments of a call came whole, without deltas"
            odd = self.findings.once("arguments-without-deltas", said, scope=self.key)
        # Empty fragments came: the text is one more, since it stands in for none.
        events = self._append(full) if self._pieces and full else []
        self._stated = full
        return [*events, CallClosed(self.key, full), *self._compare(text), *odd]

    def _compare(self, text: str, problem: str = _DIFFERS) -> list[DialectEvent]:
        if not text or text == self.text:
            return []
        return [CallSpoiled(self.key, problem, text)]

    def _append(self, text: str) -> list[DialectEvent]:
        self._pieces.append(text)
        return [ArgumentFragment(self.key, text)]

    def _stated_text(self, item: Mapping[str, Any], raw: str) -> tuple[str, list[DialectEvent]]:
        """The argument text that an item holds, "" when none."""
        member = _member(item)
        return self.text_of(item.get(member), raw, member)

    def text_of(self, value: object, raw: str, member: str) -> tuple[str, list[DialectEvent]]:
        """`value` as argument text: a string as it is, any other JSON as it stands in `raw`."""
        odd: list[DialectEvent] = []
        if value is not None and not isinstance(value, str):
            said = "the arguments are JSON where a string of JSON belongs; taken as they came"
            odd = self.findings.once("arguments-not-string", said, scope=self.key)
        return _text(value, raw, member), odd


def _member(item: Mapping[str, Any]) -> str:
    return "input" if item.get("type") == "custom_tool_call" else "arguments"


def _text(value: object, raw: str, member: str) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else wirejson.member_text(raw, member) or ""


def _word(names: Mapping[str, Any], name: str) -> str | None:
    value = names.get(name)
    return value if isinstance(value, str) and value else None


def _is_preview(start: str, first_delta: str) -> bool:
    """Whether the text that came with the announcement is repeated or replaced by the deltas.

    Whichever is taken is held against the whole text at the end.
    """
    if first_delta.lstrip().startswith("{"):
        return True
    try:
        parse_object(start)
    except NotStrict:
        return False
    return True


def _same_value(one: str, other: str) -> bool:
    try:
        return bool(wirejson.loads(one) == wirejson.loads(other))
    except ValueError:
        return False
