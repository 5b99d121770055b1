"""One fixture as the audit sees it: bytes, chunks, what each event means, and the turn it became."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from tui.core import events as ev
from tui.core import wirejson
from tui.core.endings import Ending, ending_of
from tui.core.parts import LiveCall
from tui.core.reader import Step, TurnReader
from tui.core.sniff import dialect_of
from tui.core.sse import Comment, UnfinishedEvent
from tui.core.turn import Turn
from tui.recording.format import Recording


@dataclass(frozen=True)
class Seen:
    """A fixture, read."""

    name: str
    recording: Recording
    dialect: str
    turn: Turn
    steps: tuple[Step, ...]

    @property
    def body(self) -> bytes:
        return self.recording.body

    @property
    def calls(self) -> list[LiveCall]:
        return self.turn.calls

    @property
    def ending(self) -> Ending:
        return ending_of(self.dialect, self.turn.stop_reason)

    @property
    def unfinished(self) -> UnfinishedEvent | None:
        """The event in which the body stops."""
        last = self.steps[-1].item if self.steps else None
        return last if isinstance(last, UnfinishedEvent) else None

    @cached_property
    def events(self) -> list[ev.DialectEvent]:
        return [event for step in self.steps for event in step.events]

    @cached_property
    def values(self) -> list[Any]:
        """The JSON value of each event that has one, in order."""
        return list(self._values())

    @property
    def chat_deltas(self) -> list[dict[str, Any]]:
        """For Chat Completions, `choices[0].delta` of each event that has one."""
        return [
            delta for choice in self.chat_choices if isinstance(delta := choice.get("delta"), dict)
        ]

    @property
    def chat_choices(self) -> list[dict[str, Any]]:
        if self.dialect != "openai-chat":
            return []
        return [
            choice
            for value in self.values
            if isinstance(value, dict) and isinstance(choices := value.get("choices"), list)
            for choice in choices[:1]
            if isinstance(choice, dict)
        ]

    @property
    def chat_entries(self) -> list[dict[str, Any]]:
        """Every entry of `tool_calls`, in order."""
        return [
            entry
            for delta in self.chat_deltas
            if isinstance(entries := delta.get("tool_calls"), list)
            for entry in entries
            if isinstance(entry, dict)
        ]

    def of_type(self, dialect: str, *kinds: str) -> list[dict[str, Any]]:
        """The events of `dialect` whose `type` is one of `kinds`."""
        if self.dialect != dialect:
            return []
        return [
            value for value in self.values if isinstance(value, dict) and value.get("type") in kinds
        ]

    def cuts(self, call: LiveCall) -> Iterator[tuple[str, str]]:
        """The argument text before and after each boundary between two fragments."""
        texts = [fragment.text for fragment in call.fragments if fragment.text]
        before = ""
        for this, following in pairwise(texts):
            before += this
            yield before, following

    def edges(self) -> list[int]:
        """Offsets at which one chunk ends and the next begins."""
        return [end for end, _ in self.recording.chunks if 0 < end < len(self.body)]

    def _values(self) -> Iterator[Any]:
        for step in self.steps:
            if isinstance(step.item, Comment):
                continue
            try:
                yield wirejson.loads(step.item.data)
            except ValueError:
                continue


def see(name: str, recording: Recording) -> Seen:
    """Read a fixture the way the chat would."""
    dialect = recording.dialect or dialect_of(recording.body) or "openai-chat"
    reader = TurnReader(dialect, head=recording.head)
    steps = reader.feed(recording.body)
    broken = (recording.problem or "it broke off") if recording.ending != "complete" else ""
    steps += reader.close(broken=broken)
    return Seen(name, recording, dialect, reader.turn, tuple(steps))
