"""The turn: dialect events in, parts and calls with their states out.

Owns what one model response has become so far and what it is when it is over. It parses
nothing while the stream runs, knows no dialect but by name (for the table of endings) and no
clock. Calls end here as `final`, `invalid` or `incomplete`; what happens to them then is the
session's. Everything is readable at any time; only `feed` and `close` change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never, cast

from tui.core import events as ev
from tui.core.conversation import AssistantMessage, Outcome, ToolSpec
from tui.core.endings import ending_of
from tui.core.errors import ProtocolViolation
from tui.core.finalise import FinalCall, Invalid, finalise
from tui.core.parts import (
    UNKNOWN_EVENT,
    LiveCall,
    LivePart,
    LiveProviderItem,
    LiveRefusal,
    LiveText,
    LiveThinking,
    as_message_parts,
)
from tui.core.states import CallEvent, CallState

Span = tuple[int, int]
PartT = TypeVar("PartT", bound=LivePart)


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding and the offset, in bytes of the body, of the event that shows it."""

    code: str
    message: str
    culprit: ev.Culprit
    severity: ev.Severity
    offset: int


class Turn:
    """One model response. `ref_prefix` makes call refs unique in the conversation: `PREFIX.c1`."""

    def __init__(
        self,
        dialect: str,
        *,
        ref_prefix: str = "t1",
        tools: Mapping[str, ToolSpec] | None = None,
    ) -> None:
        self.dialect = dialect
        self.id: str | None = None
        self.model: str | None = None
        self.parts: list[LivePart] = []
        self.calls: list[LiveCall] = []
        self.findings: list[PlacedFinding] = []
        self.usage = ev.UsageReported()
        self.stop_reason: str | None = None
        self.stop_detail = ""
        self.outcome: Outcome | None = None
        """None while the stream runs."""
        self.problem = ""
        """Why the outcome is not complete, in words."""
        self.error = ""
        """What the provider or a gateway reported, or why the body is no event stream."""
        self.damage = ""
        """The first event that could not be read. Only the calls it may have touched are held back."""
        self.ended_at: int | None = None
        """Offset after the event that carried the dialect's end marker."""
        self.final_calls: tuple[FinalCall, ...] = ()
        """The calls that may run; filled by `close`. Those of choices other than 0 never do."""
        self.revision = 0
        """Grows with every change, so that a screen knows whether to draw."""
        self._tools = tools
        self._ref_prefix = ref_prefix
        self._by_key: dict[tuple[type[LivePart], ev.Key], LivePart] = {}
        self._reasons: dict[int, str] = {}
        self._unknown = 0
        self._noted: set[tuple[str, int]] = set()

    # Reading ------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """All prose of choice 0 so far, joined with nothing."""
        return "".join(
            part.text for part in self.parts if isinstance(part, LiveText) and part.choice == 0
        )

    @property
    def thinking(self) -> str:
        return "".join(
            part.text for part in self.parts if isinstance(part, LiveThinking) and part.choice == 0
        )

    @property
    def refusal(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, LiveRefusal))

    @property
    def closed(self) -> bool:
        return self.outcome is not None

    def message(self) -> AssistantMessage:
        """The turn as a conversation keeps it: the parts of choice 0 in stream order."""
        return AssistantMessage(
            parts=as_message_parts(self.parts, self.dialect),
            dialect=self.dialect,
            model=self.model or "",
            outcome=self.outcome or "incomplete",
            stop_reason=self.stop_reason,
            problem=self.problem,
        )

    # Changing -----------------------------------------------------------------------------

    def feed(self, event: ev.DialectEvent, start: int, end: int) -> None:
        """Take one dialect event, carried by the SSE event at bytes [start, end) of the body.

        Raises:
            ProtocolViolation: the turn is closed, or the decoder contradicts itself.
        """
        if self.closed:
            raise ProtocolViolation("the turn is closed; nothing more can be fed")
        if self.ended_at is not None and not isinstance(event, ev.Finding | ev.KeepAlive):
            self._note(
                "turn.after-end",
                "events came after the end marker of the turn; they are kept in the record only",
                start,
            )
            return
        self.revision += 1
        self._take(event, (start, end))

    def _take(self, event: ev.DialectEvent, span: Span) -> None:
        match event:
            case ev.TextFragment(key, text, choice):
                self._part(LiveText, key, span, choice).append(text, span)
            case ev.RefusalFragment(key, text, choice):
                self._part(LiveRefusal, key, span, choice).append(text, span)
            case ev.ThinkingFragment(key, text, choice):
                self._part(LiveThinking, key, span, choice).append(text, span)
            case ev.ThinkingSigned(key, signature):
                part = self._part(LiveThinking, key, span)
                part.signature = (part.signature or "") + signature
            case ev.CitationGiven(key, raw):
                self._part(LiveText, key, span).citations.append(raw)
            case ev.CallOpened():
                self._open_call(event, span)
            case ev.CallNamed(key, id, name):
                call = self._call(key)
                call.id = id if id is not None else call.id
                call.name = name if name is not None else call.name
            case ev.ArgumentFragment(key, text):
                call = self._call(key)
                call.advance(CallEvent.FRAGMENT_CAME)
                call.buffer.append(text, span)
            case ev.CallExtended(key, members):
                self._call(key).raw_item = members
            case ev.CallClosed(key, full):
                self._close_call(self._call(key), full, span)
            case ev.ProviderItemOpened(key, kind, title):
                item = self._part(LiveProviderItem, key, span)
                item.kind, item.title = kind, title
            case ev.ProviderItemFragment(key, text):
                self._part(LiveProviderItem, key, span).append(text, span)
            case ev.PartClosed(key, raw):
                self._close_part(key, raw)
            case ev.CallSpoiled(key, problem, other_text):
                self._spoil(self._call(key), problem, other_text)
            case ev.CallDoubted(key, problem):
                call = self._call(key)
                call.suspicion = call.suspicion or problem
            case ev.UnattributedFragment(text, problem, suspects):
                self._suspect(suspects, problem)
                self._note(
                    "turn.unattributed",
                    f"{problem}: {len(text)} characters of arguments belong to no call we can "
                    "name; the calls they may belong to are not run",
                    span[0],
                    severity="error",
                )
            case ev.MalformedEvent(problem, _, suspects):
                self._suspect(suspects, f"an event that may have been part of it was {problem}")
                self.damage = self.damage or f"an event of the stream was {problem}"
                self._note(
                    "turn.malformed-event",
                    f"this event was {problem}; calls that were open here are not run",
                    span[0],
                    severity="error",
                )
            case ev.ProviderErrorReported(message, kind, _):
                self.error = self.error or (f"{kind}: {message}" if kind else message)
            case ev.StopReasonGiven(reason, choice, detail):
                self._reasons[choice] = reason
                if choice == 0 or self.stop_reason is None:
                    self.stop_reason, self.stop_detail = reason, detail
            case ev.TurnStarted(id, model):
                self.id = id if id is not None else self.id
                self.model = model if model is not None else self.model
            case ev.UsageReported():
                self.usage = _merged(self.usage, event)
            case ev.TurnEnded():
                self.ended_at = span[1]
            case ev.UnknownEvent(kind, raw):
                self._unknown += 1
                item = self._part(LiveProviderItem, ev.Key(f"unknown:{self._unknown}"), span)
                item.kind, item.title = kind, UNKNOWN_EVENT
                item.append(raw, span)
            case ev.Finding(code, message, culprit, severity):
                self.findings.append(PlacedFinding(code, message, culprit, severity, span[0]))
            case ev.KeepAlive():
                pass
            case _:
                assert_never(event)

    def fail(self, error: str) -> None:
        """Note an error that no event carries: an HTTP status, a body that is no event stream."""
        self.error = self.error or error
        self.revision += 1

    def close(self, *, broken: str = "", unterminated: bool = False) -> None:
        """The body is over: decide the outcome and what each call is.

        Args:
            broken: why the stream broke, in words; empty when the transport ended it properly.
            unterminated: the event that closed a call or gave the stop reason was itself not
                closed by a blank line. Its prose is good, but nothing runs on its strength.
        """
        if self.closed:
            raise ProtocolViolation("the turn is closed already")
        endings = [
            ending_of(self.dialect, self._reasons.get(choice))
            for choice in sorted({0, *self._reasons, *(call.choice for call in self.calls)})
        ]
        worst = next((e for e in endings if e.outcome == "incomplete"), endings[0])
        outcome: Outcome
        if self.error or self.damage:
            outcome, self.problem = "error", self.error or self.damage
        elif broken:
            outcome, self.problem = "incomplete", broken
        else:
            outcome = worst.outcome
            if worst.outcome != "complete" or not worst.calls_may_run:
                self.problem = f"the turn ended because {worst.words}"
                if self.stop_detail:
                    self.problem += f": {self.stop_detail}"
        final = []
        for call in self.calls:
            found = self._judge(call, broken, unterminated)
            if isinstance(found, FinalCall) and call.choice == 0:
                final.append(found)
        self.final_calls = tuple(final)
        # Last: a screen that looks on from another thread takes it for the end of all changes.
        self.outcome = outcome
        self.revision += 1

    def _judge(self, call: LiveCall, broken: str, unterminated: bool) -> FinalCall | None:
        ending = ending_of(self.dialect, self._reasons.get(call.choice))
        if self.error:
            obstacle = f"the turn ended in an error: {self.error}"
        elif broken:
            obstacle = broken
        elif not ending.calls_may_run:
            obstacle = f"the turn ended because {ending.words}"
        elif unterminated:
            obstacle = "the stream ended inside the event that would have let it run"
        elif call.state is CallState.FORMING:
            obstacle = "the provider never said that its arguments were complete"
        else:
            obstacle = ""
        if call.suspicion and not obstacle:
            obstacle = call.suspicion
        if obstacle:
            call.end(CallEvent.FOUND_INCOMPLETE, obstacle)
            return None
        if call.contradiction:
            call.end(CallEvent.FOUND_INVALID, call.contradiction)
            return None
        found = finalise(
            ref=call.ref,
            id=call.id,
            name=call.name,
            raw=call.buffer.text,
            kind=call.kind,
            tools=self._tools,
        )
        if isinstance(found, Invalid):
            call.misfit = found
            call.end(CallEvent.FOUND_INVALID, found.problem)
            return None
        call.end(CallEvent.FOUND_FINAL, "")
        return found

    # Parts --------------------------------------------------------------------------------

    def _part(self, kind: type[PartT], key: ev.Key, span: Span, choice: int = 0) -> PartT:
        part = cast(PartT | None, self._by_key.get((kind, key)))
        if part is None:
            part = kind(key=key, opened_at=span[0], choice=choice)
            self._by_key[kind, key] = part
            self.parts.append(part)
        return part

    def _close_part(self, key: ev.Key, raw: str | None) -> None:
        for kind in (LiveText, LiveThinking, LiveRefusal, LiveProviderItem):
            part = self._by_key.get((kind, key))
            if part is not None:
                part.closed = True
                part.raw_item = raw if raw is not None else part.raw_item

    def _open_call(self, event: ev.CallOpened, span: Span) -> None:
        if (LiveCall, event.key) in self._by_key:
            raise ProtocolViolation(f"the call {event.key!r} was opened twice by its decoder")
        call = LiveCall(
            key=event.key,
            opened_at=span[0],
            choice=event.choice,
            ref=f"{self._ref_prefix}.c{len(self.calls) + 1}",
            id=event.id,
            name=event.name or "",
            kind=event.kind,
        )
        self._by_key[LiveCall, event.key] = call
        self.calls.append(call)
        self.parts.append(call)

    def _call(self, key: ev.Key) -> LiveCall:
        call = self._by_key.get((LiveCall, key))
        if not isinstance(call, LiveCall):
            raise ProtocolViolation(f"no call was opened under the key {key!r}")
        return call

    def _close_call(self, call: LiveCall, full: str | None, span: Span) -> None:
        if full is not None and not call.buffer.length:
            call.buffer.append(full, span)
        elif full is not None and full != call.buffer.text:
            self._spoil(
                call, "the end of the call repeats its arguments, and they are not the same", full
            )
        call.advance(CallEvent.MARKER_CAME)
        call.closed_at = span[1]

    def _spoil(self, call: LiveCall, problem: str, other_text: str | None) -> None:
        call.advance(CallEvent.SPOILED)
        call.contradiction = call.contradiction or problem
        call.other_text = other_text if other_text is not None else call.other_text

    def _suspect(self, suspects: tuple[ev.Key, ...] | None, problem: str) -> None:
        for call in self.calls:
            if call.key in suspects if suspects is not None else call.state is CallState.FORMING:
                call.suspicion = call.suspicion or problem

    def _note(
        self, code: str, message: str, offset: int, *, severity: ev.Severity = "warning"
    ) -> None:
        if (code, offset) not in self._noted:
            self._noted.add((code, offset))
            self.findings.append(PlacedFinding(code, message, "server", severity, offset))


def _merged(old: ev.UsageReported, new: ev.UsageReported) -> ev.UsageReported:
    given = {
        name: getattr(new, name)
        for name in ev.UsageReported.__dataclass_fields__
        if getattr(new, name) is not None
    }
    return replace(old, **given)
