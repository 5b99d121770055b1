"""Which events a person wants to see: words typed into one line, and the events that fit them.

`call:t1.c1` keeps what concerns one call, `kind:ping` what calls itself so, `bad` what is in
trouble, `gap:0.5` what came after at least half a second of silence; any other words must stand
in the event's own data. Several must all hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.app.wire.characters import TurnTexts
from tui.app.wire.events import EventLog, kind_of
from tui.app.wire.meaning import is_trouble
from tui.core import events as ev
from tui.core.reader import Step
from tui.core.sse import Comment

HINT = "words of the data, kind:ping, call:t1.c1, gap:0.5, bad"

_ABOUT_CALL = (
    ev.CallOpened,
    ev.CallNamed,
    ev.ArgumentFragment,
    ev.CallExtended,
    ev.CallClosed,
    ev.CallSpoiled,
    ev.CallDoubted,
)


@dataclass(frozen=True, slots=True)
class Filter:
    """What a person typed, taken apart. An empty one keeps everything."""

    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    call: str = ""
    gap: float = 0.0
    bad: bool = False
    problem: str = ""
    """Why a part of it was left out."""
    typed: str = field(default="", compare=False)

    @property
    def empty(self) -> bool:
        return not (self.words or self.kinds or self.call or self.gap or self.bad)


def parse_filter(typed: str) -> Filter:
    """Take apart what was typed; what cannot be used is named in `problem`."""
    words, kinds, call, gap, bad, problem = [], [], "", 0.0, False, ""
    for word in typed.split():
        name, colon, value = word.partition(":")
        if colon and name == "kind":
            kinds.append(value.lower())
        elif colon and name == "call":
            call = value
        elif colon and name == "gap":
            try:
                gap = float(value)
            except ValueError:
                problem = f"gap:{value} is no number of seconds"
        elif word == "bad":
            bad = True
        else:
            words.append(word.lower())
    return Filter(tuple(words), tuple(kinds), call, gap, bad, problem, typed)


def kept(wanted: Filter, log: EventLog, texts: TurnTexts, start: int = 1) -> list[int]:
    """The numbers of the events from `start` on that fit, in order."""
    keys = _keys_of(wanted.call, texts)
    return [
        number
        for number in range(start, len(log) + 1)
        if _fits(wanted, log.step(number), log.gap(number), keys)
    ]


def _keys_of(ref: str, texts: TurnTexts) -> frozenset[ev.Key]:
    """The call called `ref`, or every call whose name has it in it."""
    return frozenset(
        call.key
        for call in texts.turn.calls
        if ref and (ref == call.ref or ref.lower() in call.name.lower())
    )


def _fits(wanted: Filter, step: Step, gap: float, keys: frozenset[ev.Key]) -> bool:
    if wanted.bad and not is_trouble(step):
        return False
    if wanted.gap and gap < wanted.gap:
        return False
    if wanted.call and not any(
        isinstance(event, _ABOUT_CALL) and event.key in keys for event in step.events
    ):
        return False
    if wanted.kinds and not any(kind in kind_of(step).lower() for kind in wanted.kinds):
        return False
    item = step.item
    data = item.text if isinstance(item, Comment) else f"{item.type}\n{item.data}"
    return not wanted.words or all(word in data.lower() for word in wanted.words)
