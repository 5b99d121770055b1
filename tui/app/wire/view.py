"""The wire pane's own state: what is chosen, what it marks on the other side, and a sentence on it.

Choosing an event marks the characters that it contributed; choosing characters, or finding a
word, marks the events that they came in. No widget is known here, and nothing is decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tui.app.calls.words import counted
from tui.app.wire.characters import BODY_END, Stretch, TurnTexts
from tui.app.wire.events import EventLog
from tui.app.wire.filters import Filter, kept
from tui.app.wire.marked import MarkedLines, Marks
from tui.app.wire.table import TableLines
from tui.core.parts import LiveCall
from tui.session.updates import TurnHandle

_MOST_NUMBERS = 12
"""Event numbers that a sentence lists."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen, as text received: the sentence, the events, and where to look."""

    told: str
    events: tuple[int, ...] = ()
    stretch: Stretch | None = None


class WireView:
    """Both sides of the wire pane over one turn."""

    def __init__(self, handle: TurnHandle) -> None:
        self.handle = handle
        self.log = EventLog(handle)
        self.texts = TurnTexts(handle.turn)
        self.table = TableLines(self.log, self.texts)
        self.marked = MarkedLines(self.texts)
        self.word = ""
        """What was looked for last."""
        self._anchor: tuple[int, int] | None = None
        self.pull()

    def pull(self) -> bool:
        """Take in what came since the last time; whether anything did."""
        came = self.log.pull()
        return self.texts.pull(self.log.number_of) or bool(came)

    # -- choosing ----------------------------------------------------------------------------

    def choose_event(self, number: int) -> Chosen:
        """Mark what event `number` contributed."""
        stretches = self.texts.carried_by(number)
        self._mark((number,), None, None)
        if not stretches:
            return Chosen(f"#{number} carried no character of any text", (number,))
        told = ", ".join(
            f"{counted(each.end - each.start, 'character')} of the {self.texts.title(each.part)}"
            + (f", from {each.start:,} on" if each.end > each.start else "")
            for each in stretches
        )
        return Chosen(f"#{number} carried {told}", (number,), stretches[0])

    def choose_characters(self, part: int, char: int, *, extend: bool = False) -> Chosen:
        """Put the cursor on a character; `extend` chooses all from where the cursor was set."""
        text = self.texts.parts[part]
        char = min(max(char, 0), max(text.length - 1, 0))
        if not extend or self._anchor is None or self._anchor[0] != part:
            self._anchor = (part, char)
        start, end = sorted((self._anchor[1], char))
        found = Stretch(part, start, min(end + 1, text.length))
        events = text.events_of(found.start, found.end)
        self._mark(events, found if extend else None, (part, char))
        shown = text.text[found.start : found.end]
        where = f"character {char:,}" if not extend else f"characters {start:,}–{end:,}"
        told = f"“{shown}”, {where} of the {self.texts.title(part)}, {_came_in(events)}"
        return Chosen(told, events, found)

    def move(self, by: int, *, extend: bool = False) -> Chosen | None:
        """Move the cursor by characters, on into the next part that has any."""
        if self.cursor is None:
            place = self._first_with_text()
            return None if place is None else self.choose_characters(place, 0)
        part, char = self.cursor
        char += by
        while not extend and not 0 <= char < self.texts.parts[part].length:
            step = 1 if by > 0 else -1
            if not 0 <= part + step < len(self.texts.parts):
                break
            part += step
            char = 0 if by > 0 else self.texts.parts[part].length - 1
        if not self.texts.parts[part].length:
            return None
        return self.choose_characters(part, char, extend=extend)

    def move_lines(self, by: int, width: int, *, extend: bool = False) -> Chosen | None:
        """Move the cursor by lines of a view that is `width` cells wide."""
        if self.cursor is None:
            return self.move(1)
        found = self.marked.below(*self.cursor, by, width)
        if found is None or (extend and found[0] != self.cursor[0]):
            return None
        return self.choose_characters(*found, extend=extend)

    @property
    def cursor(self) -> tuple[int, int] | None:
        """The character at the cursor: part and character."""
        return self.marked.marks.here

    def unmark(self) -> None:
        self._anchor = None
        self._mark((), None, None)

    # -- looking for something ---------------------------------------------------------------

    def find(self, word: str, *, back: bool = False, again: bool = False) -> Chosen:
        """Mark the next place in the texts where `word` stands, and the events it came in.

        Calls are looked through first, then the rest; a word without capitals fits any case. In
        the arguments of a call its JSON spelling fits too.
        """
        self.word = word
        places = list(self._places(word))
        if not places:
            return self._find_in_data(word, back=back, again=again)
        now = self.marked.marks.found if again else None
        place = places.index(now) + (-1 if back else 1) if now in places else 0
        found = places[place % len(places)]
        text = self.texts.parts[found.part]
        events = text.events_of(found.start, found.end)
        self._anchor = (found.part, found.start)
        self._mark(events, found, (found.part, found.start))
        more = f" ({place % len(places) + 1} of {len(places)}; n is the next)"
        told = (
            f"“{text.text[found.start : found.end]}” {_came_in(events)}"
            f" · {self.texts.title(found.part)}{more if len(places) > 1 else ''}"
        )
        return Chosen(told, events, found)

    def _places(self, word: str) -> Iterator[Stretch]:
        flags = re.IGNORECASE if word == word.lower() else 0
        plain = re.escape(word)
        forms = {re.escape(json.dumps(word, ensure_ascii=ascii)[1:-1]) for ascii in (True, False)}
        in_json = "|".join([plain, *sorted(forms - {plain})])
        order = sorted(
            range(len(self.texts.parts)),
            key=lambda place: not isinstance(self.texts.parts[place].part, LiveCall),
        )
        for place in order if word else ():
            text = self.texts.parts[place]
            pattern = in_json if isinstance(text.part, LiveCall) else plain
            for match in re.finditer(pattern, text.text, flags):
                yield Stretch(place, match.start(), match.end())

    def _find_in_data(self, word: str, *, back: bool, again: bool) -> Chosen:
        events = kept(Filter(words=(word.lower(),)), self.log, self.texts) if word else []
        if not events:
            return Chosen(f"“{word}” stands nowhere, neither in a text nor in the data of an event")
        now = next(iter(self.table.marked), 0) if again else 0
        if back:
            ahead = [number for number in reversed(events) if number < now] or events[-1:]
        else:
            ahead = [number for number in events if number > now] or events
        number = ahead[0]
        self._mark((number,), None, None)
        told = f"“{word}” stands in no text; it stands in the data of {_numbers(tuple(events))}"
        return Chosen(told, (number,))

    # -- the two sides -----------------------------------------------------------------------

    def _mark(
        self, events: tuple[int, ...], found: Stretch | None, here: tuple[int, int] | None
    ) -> None:
        self.table.mark(frozenset(events))
        self.marked.mark(Marks(frozenset(events), found, here))

    def _first_with_text(self) -> int | None:
        return next((n for n, text in enumerate(self.texts.parts) if text.length), None)


def _came_in(events: tuple[int, ...]) -> str:
    if events == (BODY_END,):
        return "was made known only by the end of the body"
    return f"came in {counted(len(events), 'event')}: {_numbers(events)}"


def _numbers(events: tuple[int, ...]) -> str:
    shown = [f"#{number}" if number != BODY_END else "the end" for number in events[:_MOST_NUMBERS]]
    if len(events) > _MOST_NUMBERS:
        return f"{', '.join(shown)} … #{events[-1]}"
    return ", ".join(shown)
