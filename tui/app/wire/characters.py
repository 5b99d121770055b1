"""Which event brought which character: the fragments of a turn's parts against its SSE events.

A live turn and the numbers of its events come in; for any stretch of a text the events that
carried it, and for any event the stretches it carried, go out. The texts are the turn's own
(decoded once, by the dialect); nothing is decoded here. Offsets are characters of the joined
text of a part, in which the two halves of a surrogate pair are one character.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tui.core.arguments import is_high_half, is_low_half, join_halves
from tui.core.parts import (
    UNKNOWN_EVENT,
    LiveCall,
    LivePart,
    LiveProviderItem,
    LiveRefusal,
    LiveText,
    LiveThinking,
)
from tui.core.turn import Turn

BODY_END: Final = -1
"""In place of an event's number: what only the end of the body made known."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters `start` to `end` (exclusive) of the text of part number `part`."""

    part: int
    start: int
    end: int


class PartText:
    """The text of one part, and where each of its fragments lies in it."""

    def __init__(self, part: LivePart) -> None:
        self.part = part
        self.starts = array("q")
        """First character of each fragment."""
        self.ends = array("q")
        """One past its last. A pair cut in two makes the next fragment start one earlier."""
        self.events = array("q")
        """Number of the event that carried it."""
        self.fragments: list[str] = []
        """Each fragment with the pairs inside of it joined."""
        self._joined: tuple[int, str] = (-1, "")

    @property
    def length(self) -> int:
        """Characters of the joined text so far."""
        return self.ends[-1] if self.ends else 0

    @property
    def text(self) -> str:
        """The whole text; joined anew only when more has come."""
        if self._joined[0] != len(self.fragments):
            self._joined = (len(self.fragments), self.part.text)
        return self._joined[1]

    def pull(self, number_of: Mapping[int, int]) -> int:
        """Take what came; returns how many fragments. `number_of`: event start → event number."""
        new = self.part.buffer.since(len(self.fragments))
        for fragment in new:
            text = join_halves(fragment.text)
            start = self.length
            before = self._last_character()
            if text and before and is_high_half(before) and is_low_half(text[0]):
                start -= 1
            self.fragments.append(text)
            self.starts.append(start)
            self.ends.append(start + len(text))
            self.events.append(
                number_of.get(fragment.start, BODY_END)
                if fragment.end > fragment.start
                else BODY_END
            )
        return len(new)

    def _last_character(self) -> str:
        for text in reversed(self.fragments):
            if text:
                return text[-1]
        return ""

    def fragments_of(self, start: int, end: int) -> range:
        """The fragments that carried characters `start` to `end`; empty ones inside included."""
        if end <= start:
            return range(0)
        # An empty fragment between the halves of a pair begins one behind the fragment after it.
        stop = bisect_left(self.starts, end + 1)
        while stop and self.starts[stop - 1] >= end:
            stop -= 1
        return range(bisect_right(self.ends, start), stop)

    def events_of(self, start: int, end: int) -> tuple[int, ...]:
        """The events that carried characters `start` to `end`, in order of their arrival.

        Two for a character whose halves came in two events.
        """
        found = dict.fromkeys(
            self.events[number]
            for number in self.fragments_of(start, end)
            if self.ends[number] > self.starts[number]
        )
        return tuple(found)


class TurnTexts:
    """The texts of all parts of a turn, in the order in which the parts began."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.parts: list[PartText] = []
        self._carried: dict[int, list[tuple[int, int]]] = {}

    def pull(self, number_of: Mapping[int, int]) -> bool:
        """Take what came since the last time; whether anything did. Costs what came."""
        before = len(self.parts)
        self.parts += [PartText(part) for part in self.turn.parts[before:]]
        changed = len(self.parts) > before
        for place, text in enumerate(self.parts):
            known = len(text.fragments)
            if text.part.buffer.count == known:
                continue
            changed = True
            text.pull(number_of)
            for fragment in range(known, len(text.fragments)):
                carried = self._carried.setdefault(text.events[fragment], [])
                carried.append((place, fragment))
        return changed

    def carried_by(self, event: int) -> tuple[Stretch, ...]:
        """What event number `event` contributed, empty fragments too."""
        return tuple(
            Stretch(place, self.parts[place].starts[number], self.parts[place].ends[number])
            for place, number in self._carried.get(event, ())
        )

    def title(self, place: int) -> str:
        """What a part is, in words; a call's name is as received."""
        part = self.parts[place].part
        choice = f" of choice {part.choice}" if part.choice else ""
        match part:
            case LiveCall():
                return f"arguments of {part.ref} {part.name or 'unnamed'}{choice}"
            case LiveText():
                return f"prose{choice}"
            case LiveThinking():
                return f"thinking{choice}"
            case LiveRefusal():
                return f"refusal{choice}"
            case LiveProviderItem(title=title) if title == UNKNOWN_EVENT:
                return f"{title} {part.kind}{choice}"
            case LiveProviderItem():
                return f"{part.kind} {part.title}, run by the provider{choice}"
            case _:
                return f"part {part.key}{choice}"

    def place_of(self, ref: str) -> int | None:
        """The number of the part that is the call `ref`."""
        for place, text in enumerate(self.parts):
            if isinstance(text.part, LiveCall) and text.part.ref == ref:
                return place
        return None
