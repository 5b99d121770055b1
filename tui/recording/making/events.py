"""Changes of whole events: left out, sent twice, swapped, spliced, edited, an error put in.

Which events are meant is said by number or by what they mean in their dialect. Events that stay
keep their bytes; sequence numbers of Responses are written anew only where `renumbered` is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from tui.core import events as ev
from tui.core.errors import UsageError
from tui.recording.format import Recording
from tui.recording.making import jsontext
from tui.recording.making.blocks import (
    Block,
    Stream,
    check_number,
    dialect_in,
    meanings,
    put_together,
    stream_of,
)

Role = Literal["marker", "stop", "end", "done"]
ERROR_MESSAGE: Final = "The server failed here, as this fixture was made to."
_NUMBER: Final = ("sequence_number",)


def dropped(recording: Recording, numbers: Collection[int]) -> Recording:
    """Without the events of these numbers."""
    stream = stream_of(recording)
    for number in numbers:
        check_number(stream, number)
    kept = [block for place, block in enumerate(stream.blocks, 1) if place not in numbers]
    return put_together(recording, replace(stream, blocks=tuple(kept)))


def without_role(recording: Recording, role: Role) -> Recording:
    """Without the events that play a role in the dialect.

    `marker`: every event that says a call's arguments are complete. `stop`: the one with the stop
    reason. `end`: the end marker of the turn. `done`: `[DONE]`.

    Raises:
        UsageError: no event plays it.
    """
    stream, dialect = stream_of(recording), dialect_in(recording)
    blocks = list(stream.blocks)
    if role == "done":
        kept = [block for block in blocks if block.data.strip() != "[DONE]"]
    else:
        kinds = {"marker": ev.CallClosed, "stop": ev.StopReasonGiven, "end": ev.TurnEnded}
        kept = _without(dialect, blocks, kinds[role])
    if len(kept) == len(blocks):
        raise UsageError(
            f"no event of this body is its {role}", hint="`verbatim fixture list FILE` shows them"
        )
    return put_together(recording, replace(stream, blocks=tuple(kept)))


def _without(dialect: str, blocks: list[Block], kind: type[ev.DialectEvent]) -> list[Block]:
    # Several events may say the same; the next one says it when the first is gone.
    while True:
        found = [
            any(isinstance(event, kind) for event in events) for events in meanings(dialect, blocks)
        ]
        if not any(found):
            return blocks
        blocks = [block for block, bad in zip(blocks, found, strict=True) if not bad]


def duplicated(recording: Recording, numbers: Collection[int]) -> Recording:
    """With these events sent twice in a row."""
    stream = stream_of(recording)
    for number in numbers:
        check_number(stream, number)
    blocks: list[Block] = []
    for place, block in enumerate(stream.blocks, 1):
        blocks += [block, block] if place in numbers else [block]
    return put_together(recording, replace(stream, blocks=tuple(blocks)))


def swapped(recording: Recording, first: int, second: int) -> Recording:
    """With two events in each other's place."""
    stream = stream_of(recording)
    blocks = list(stream.blocks)
    one, two = stream.block(first), stream.block(second)
    blocks[first - 1] = replace(two, at=one.at)
    blocks[second - 1] = replace(one, at=two.at)
    return put_together(recording, replace(stream, blocks=tuple(blocks)))


def torn(recording: Recording, number: int) -> Recording:
    """With the data of one event stopped in the middle, and everything behind it as it was."""
    stream = stream_of(recording)
    block = stream.block(number)
    blocks = list(stream.blocks)
    blocks[number - 1] = block.with_data(block.data[: len(block.data) // 2])
    return put_together(recording, replace(stream, blocks=tuple(blocks)))


def spliced(first: Recording, upto: int, second: Recording, begin: int = 1) -> Recording:
    """Events 1 to `upto` of one stream, then those of another from `begin` on.

    Raises:
        UsageError: an event is not there, or the two are of different dialects.
    """
    if dialect_in(first) != dialect_in(second):
        raise UsageError(
            f"{dialect_in(first)} and {dialect_in(second)} cannot be spliced into one stream",
            hint="translate one of them first",
        )
    one, two = stream_of(first), stream_of(second)
    check_number(one, upto, first=0)
    check_number(two, begin)
    head = one.blocks[:upto]
    shift = head[-1].at if head else 0.0
    tail = tuple(replace(block, at=block.at + shift) for block in two.blocks[begin - 1 :])
    joined = put_together(first, Stream(head + tail, two.rest))
    return replace(joined, ending=second.ending, problem=second.problem)


def edited(
    recording: Recording,
    path: jsontext.Path,
    value: str | None,
    *,
    only: Collection[int] = (),
    add: bool = False,
) -> Recording:
    """With one member of the events' JSON set to the JSON text `value`, or removed when None.

    Args:
        only: numbers of the events meant; empty for all that have the member.
        add: also where the member is not there yet but what would hold it is.

    Raises:
        UsageError: no event has it.
    """
    stream = stream_of(recording)
    for number in only:
        check_number(stream, number)

    def change(place: int, block: Block) -> Block:
        if only and place not in only:
            return block
        there = jsontext.has(block.data, path)
        holder = add and value is not None and jsontext.has(block.data, path[:-1])
        if not there and not holder:
            return block
        if value is None:
            return block.with_data(jsontext.without(block.data, path))
        return block.with_data(jsontext.put(block.data, path, value))

    return _changed(recording, stream, change, f"the member {'.'.join(map(str, path))}")


def ended_with(recording: Recording, reason: str) -> Recording:
    """With another stop reason: the provider's own word, unchecked.

    Raises:
        UsageError: the body gives no stop reason.
    """
    dialect = dialect_in(recording)
    stream = stream_of(recording)
    word = json.dumps(reason)

    def change(_: int, block: Block) -> Block:
        if dialect == "anthropic":
            return _put_over(block, ("delta", "stop_reason"), word)
        if dialect == "openai-chat":
            return _put_over(block, ("choices", 0, "finish_reason"), word)
        kind = jsontext.value_at(block.data, ("type",))
        if kind not in ("response.completed", "response.incomplete", "response.failed"):
            return block
        data = jsontext.put(block.data, ("type",), json.dumps(f"response.{reason}"))
        data = jsontext.put(data, ("response", "status"), word)
        detail = '{"reason":"max_output_tokens"}' if reason == "incomplete" else "null"
        data = jsontext.put(data, ("response", "incomplete_details"), detail)
        block = block.with_data(data)
        return replace(
            block,
            raw=block.raw.replace(
                f"event: {kind}".encode(), f"event: response.{reason}".encode(), 1
            ),
        )

    return _changed(recording, stream, change, "a stop reason")


def _put_over(block: Block, path: jsontext.Path, value: str) -> Block:
    """Set a member that is there and not null."""
    if jsontext.value_at(block.data, path) is None:
        return block
    return block.with_data(jsontext.put(block.data, path, value))


def _changed(
    recording: Recording, stream: Stream, change: Callable[[int, Block], Block], what: str
) -> Recording:
    blocks = tuple(change(place, block) for place, block in enumerate(stream.blocks, 1))
    if blocks == stream.blocks:
        raise UsageError(
            f"nothing was changed: no event holds {what}, or it is the same already",
            hint="`verbatim fixture list FILE` shows what each event holds",
        )
    return put_together(recording, replace(stream, blocks=blocks))


def with_error(
    recording: Recording, after: int, message: str = ERROR_MESSAGE, *, go_on: bool = False
) -> Recording:
    """With the dialect's error event behind event `after`, and nothing behind it unless `go_on`."""
    stream, dialect = stream_of(recording), dialect_in(recording)
    check_number(stream, after, first=0)
    at = stream.blocks[after - 1].at if after else 0.0
    raw = _error(dialect, message, _next_number(stream.blocks[:after]))
    tail = stream.blocks[after:] if go_on else ()
    blocks = (*stream.blocks[:after], Block(raw, "", at), *tail)
    return put_together(recording, Stream(blocks, stream.rest if go_on else b""))


def _error(dialect: str, message: str, number: int) -> bytes:
    shapes: Mapping[str, tuple[str, object]] = {
        "anthropic": (
            "event: error\n",
            {"type": "error", "error": {"type": "overloaded_error", "message": message}},
        ),
        "openai-responses": (
            "event: error\n",
            {
                "type": "error",
                "sequence_number": number,
                "code": "server_error",
                "message": message,
                "param": None,
            },
        ),
        "openai-chat": (
            "",
            {"error": {"message": message, "type": "server_error", "param": None, "code": None}},
        ),
    }
    line, value = shapes[dialect]
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"{line}data: {text}\n\n".encode("utf-8", "backslashreplace")


def _next_number(blocks: Sequence[Block]) -> int:
    known = [jsontext.value_at(block.data, _NUMBER) for block in blocks]
    return max((number for number in known if isinstance(number, int)), default=-1) + 1


def renumbered(stream: Stream) -> Stream:
    """With `sequence_number` counted through, in the events that have one."""
    number: int | None = None
    blocks: list[Block] = []
    for block in stream.blocks:
        stated = jsontext.value_at(block.data, _NUMBER)
        if isinstance(stated, int):
            number = stated if number is None else number + 1
            if number != stated:
                block = block.with_data(jsontext.put(block.data, _NUMBER, str(number)))
        blocks.append(block)
    return replace(stream, blocks=tuple(blocks))
