"""Argument text cut into other fragments, and calls made to form at the same time.

The joined text of every call stays what it was, character for character; only which event
carries which piece of it changes. Cutting is seeded and never looks at meaning, unless cuts
inside escapes or inside surrogate pairs are asked for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from tui.core import events as ev
from tui.core.arguments import join_halves
from tui.core.errors import UsageError
from tui.recording.format import Recording
from tui.recording.making import jsontext
from tui.recording.making.blocks import Block, Stream, dialect_in, meanings, put_together, stream_of
from tui.recording.making.events import renumbered

_PATHS: Final[dict[str, jsontext.Path]] = {
    "anthropic": ("delta", "partial_json"),
    "openai-responses": ("delta",),
    "openai-chat": ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
}
_ENTRY: Final = ("choices", 0, "delta", "tool_calls", 0)
_FINISH: Final = ("choices", 0, "finish_reason")
_ESCAPE: Final = re.compile(r"\\u[0-9A-Fa-f]{4}|\\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cutting:
    """How argument text is cut.

    `average` 0 leaves it in one piece (but for `in_escapes` and `in_pairs`).
    """

    average: int = 13
    """Characters; pieces are 1 to about twice that long."""
    exact: bool = False
    """Every piece is `average` long."""
    in_escapes: bool = False
    """Also one cut inside every escape."""
    in_pairs: bool = False
    """Also one cut between the halves of every character that JSON escapes write as two."""
    seed: int = 0

    def pieces(self, text: str) -> list[str]:
        """The pieces, none empty; joined (halves too) they are `text`."""
        if self.in_pairs:
            units = text.encode("utf-16-le", "surrogatepass")
            text = "".join(
                chr(int.from_bytes(units[i : i + 2], "little")) for i in range(0, len(units), 2)
            )
        edges = {0, len(text), *self._edges(text)}
        return [text[start:end] for start, end in pairwise(sorted(edges))]

    def _edges(self, text: str) -> Iterator[int]:
        if self.average:
            generator = random.Random(f"{self.seed}:{len(text)}")
            position = 0
            while position < len(text):
                step = (
                    self.average
                    if self.exact
                    else round(generator.triangular(1, 2 * self.average - 1, self.average))
                )
                position += max(1, step)
                yield min(position, len(text))
        if self.in_escapes:
            yield from (_middle(match.start(), match.end()) for match in _ESCAPE.finditer(text))
        if self.in_pairs:
            yield from (
                place + 1 for place, char in enumerate(text[:-1]) if "\ud800" <= char <= "\udbff"
            )


def _middle(start: int, end: int) -> int:
    """The middle of an escape: inside it, and for `\\uXXXX` inside its digits."""
    return start + (end - start + 1) // 2


def refragmented(recording: Recording, cutting: Cutting) -> Recording:
    """The same calls in other fragments.

    Fragments that followed each other without anything between are joined and cut anew, so calls
    that formed at the same time still do. An event that also opened its call, or ended the turn,
    does so still, first or last.

    Raises:
        UsageError: the body holds no argument fragment that could be cut.
    """
    dialect, stream = dialect_in(recording), stream_of(recording)
    blocks: list[Block] = []
    found = False
    for run in _runs(dialect, stream.blocks):
        if run.key is None:
            blocks += run.blocks
            continue
        found = True
        blocks += _cut_anew(dialect, run.blocks, cutting)
    if not found:
        raise UsageError("the body holds no argument fragment to cut")
    return put_together(recording, renumbered(replace(stream, blocks=tuple(blocks))))


@dataclass(frozen=True, slots=True)
class _Run:
    key: ev.Key | None
    """The call whose arguments these blocks carry; None: they carry none that can be cut."""
    blocks: tuple[Block, ...]


def _runs(dialect: str, blocks: Sequence[Block]) -> list[_Run]:
    runs: list[_Run] = []
    for block, events in zip(blocks, meanings(dialect, blocks), strict=True):
        key = _carried(dialect, block, events)
        if runs and key is not None and runs[-1].key == key:
            runs[-1] = _Run(key, (*runs[-1].blocks, block))
        else:
            runs.append(_Run(key, (block,)))
    return runs


def _carried(dialect: str, block: Block, events: Sequence[ev.DialectEvent]) -> ev.Key | None:
    """The one call whose argument text the block carries, if it is one and in the usual place."""
    fragments = [event for event in events if isinstance(event, ev.ArgumentFragment) and event.text]
    text = jsontext.value_at(block.data, _PATHS[dialect])
    if len(fragments) != 1 or not isinstance(text, str) or not text:
        return None
    if jsontext.has(block.data, (*_ENTRY[:-1], 1)):
        return None
    return fragments[0].key


def _cut_anew(dialect: str, blocks: tuple[Block, ...], cutting: Cutting) -> Iterator[Block]:
    path = _PATHS[dialect]
    text = join_halves("".join(jsontext.value_at(block.data, path) for block in blocks))
    ascii_only = any(jsontext.is_ascii_spelling(block.data, path) for block in blocks)
    pieces = cutting.pieces(text)
    for place, piece in enumerate(pieces):
        last = place == len(pieces) - 1
        near = blocks[place * len(blocks) // len(pieces)]
        template = (
            blocks[0] if place == 0 else blocks[-1] if last else blocks[min(1, len(blocks) - 1)]
        )
        data = jsontext.put(template.data, path, jsontext.spelled(piece, ascii_only=ascii_only))
        if dialect == "openai-chat":
            data = _for_place(data, first=place == 0, last=last)
        yield replace(template.with_data(data), at=near.at)


def _for_place(data: str, *, first: bool, last: bool) -> str:
    """A Chat Completions event copied: only the first opens the call, only the last may finish."""
    if not first and jsontext.has(data, (*_ENTRY, "function", "name")):
        for path in ((*_ENTRY, "id"), (*_ENTRY, "type"), (*_ENTRY, "function", "name")):
            data = jsontext.without(data, path)
    if not last and jsontext.value_at(data, _FINISH) is not None:
        data = jsontext.put(data, _FINISH, "null")
    return data


def interleaved(recording: Recording) -> Recording:
    """The same calls, forming at the same time: their events alternate in the places they had.

    Raises:
        UsageError: the turn has fewer than two calls.
    """
    dialect, stream = dialect_in(recording), stream_of(recording)
    owners = _owners(dialect, stream)
    places = [place for place, owner in enumerate(owners) if owner is not None]
    queues: dict[object, list[Block]] = {}
    for place in places:
        queues.setdefault(owners[place], []).append(stream.blocks[place])
    if len(queues) < 2:
        raise UsageError("the turn has fewer than two calls, so nothing can be interleaved")
    order: list[Block] = []
    while any(queues.values()):
        order += [queue.pop(0) for queue in queues.values() if queue]
    blocks = list(stream.blocks)
    for place, block in zip(places, order, strict=True):
        blocks[place] = replace(block, at=blocks[place].at)
    return put_together(recording, renumbered(replace(stream, blocks=tuple(blocks))))


def _owners(dialect: str, stream: Stream) -> list[object]:
    """For each block what names its call on the wire; None for a block of no call."""
    events = meanings(dialect, stream.blocks)
    if dialect == "openai-chat":
        return [_chat_owner(each) for each in events]
    name = ("index",) if dialect == "anthropic" else ("output_index",)
    named = [jsontext.value_at(block.data, name) for block in stream.blocks]
    calls = {
        number
        for number, each in zip(named, events, strict=True)
        if any(isinstance(event, ev.CallOpened) for event in each)
    }
    return [number if number is not None and number in calls else None for number in named]


def _chat_owner(events: Sequence[ev.DialectEvent]) -> object:
    """By its fragments: Chat Completions closes calls in events of others."""
    for event in events:
        if isinstance(event, ev.CallOpened | ev.ArgumentFragment | ev.CallNamed):
            return event.key
    return None
