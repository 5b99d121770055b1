"""`verbatim fixture`: recordings made into fixtures, one stated change at a time.

Each subcommand reads a recording (or a bare body), changes one thing and writes another recording,
whose sidecar keeps the commands that made it. `audit` says what a set of fixtures cannot catch.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tui.cli import fixture_audit, fixture_write
from tui.core import dialects
from tui.core.errors import UsageError
from tui.recording.format import Ending, Recording, load, save
from tui.recording.making import events, fragments, transport
from tui.recording.making.blocks import dialect_in, meanings, stream_of
from tui.recording.split import parse_split

Operation = Callable[[Recording, argparse.Namespace], Recording]

_NOT_IN_WORDS: Final = frozenset({"out", "overwrite", "help"})
_FILES: Final = frozenset({"file", "second", "documents"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="operation", metavar="OPERATION", required=True)

    def add(name: str, summary: str, change: Operation) -> argparse.ArgumentParser:
        sub = kinds.add_parser(name, help=summary, description=summary)
        sub.add_argument("file", metavar="FILE", help="a recording, or a body that curl kept")
        add_output(sub)
        sub.add_argument("--dialect", choices=dialects.NAMES, help="where the body does not tell")
        sub.set_defaults(perform=lambda given: _changed(sub, change, given))
        return sub

    sub = add("rechunk", "the same bytes in other chunks", _rechunk)
    how = sub.add_mutually_exclusive_group(required=True)
    how.add_argument("--split", metavar="HOW", help="whole, bytes, N, random:SEED, at:B1,B2,...")
    _add_inside(how, "one cut inside every")

    sub = add("cut", "stop the body early", _cut)
    where = sub.add_mutually_exclusive_group(required=True)
    where.add_argument("--at", type=int, metavar="BYTE", help="-1 leaves out the last one")
    where.add_argument("--event", type=int, metavar="K", help="after event K")
    _add_inside(where, "inside one")
    sub.add_argument("--which", type=int, default=-1, metavar="N", help="the Nth; -1 is the last")
    sub.add_argument(
        "--ending",
        choices=("broken", "complete", "cancelled"),
        default="broken",
        help="whether the transport fails there (default) or ends properly",
    )

    sub = add("delay", "other arrival times", _delay)
    sub.add_argument("--gap", type=float, metavar="S", help="seconds between two chunks")
    sub.add_argument("--factor", type=float, default=1.0, help="2 takes twice as long")
    sub.add_argument(
        "--before", action="append", default=[], metavar="K:S", help="S seconds before event K"
    )

    sub = add("frame", "the same events in another framing", _frame)
    sub.add_argument("--line-ends", choices=("lf", "crlf", "cr"))
    sub.add_argument("--comment-every", type=int, default=0, metavar="N", help="keep-alives")
    sub.add_argument("--bom", action="store_true", help="begin with a byte order mark")
    sub.add_argument("--no-event-lines", action="store_true")

    sub = add("head", "another HTTP status and other headers", _head)
    sub.add_argument("--status", type=int, default=200)
    sub.add_argument("--header", action="append", default=[], metavar="NAME:VALUE")

    sub = add("refragment", "the same argument text in other fragments", _refragment)
    fixture_write.add_cutting(sub)

    add("interleave", "let the calls of the turn form at the same time", _interleave)

    sub = add("drop", "leave events out", _drop)
    what = sub.add_mutually_exclusive_group(required=True)
    what.add_argument("--event", type=int, action="append", metavar="K")
    what.add_argument(
        "--role",
        choices=("marker", "stop", "end", "done"),
        help="the end of each call; the stop reason; the turn's end marker; [DONE]",
    )

    sub = add("duplicate", "send events twice", _duplicate)
    sub.add_argument("--event", type=int, action="append", metavar="K", required=True)

    sub = add("swap", "put two events in each other's place", _swap)
    sub.add_argument("--events", type=int, nargs=2, metavar="K", required=True)

    sub = add("tear", "stop the data of one event in the middle, and go on behind it", _tear)
    sub.add_argument("--event", type=int, required=True, metavar="K")

    sub = add("splice", "go over into another stream", _splice)
    sub.add_argument("second", metavar="SECOND")
    sub.add_argument("--upto", type=int, metavar="K", required=True, help="last event of FILE")
    sub.add_argument("--begin", type=int, metavar="K", default=1, help="first event of SECOND")

    sub = add("edit", "set or remove one member of the events' JSON", _edit)
    sub.add_argument("--path", required=True, help="keys and indexes: choices.0.delta.content")
    value = sub.add_mutually_exclusive_group(required=True)
    value.add_argument("--json", dest="value", metavar="VALUE", help="JSON, written as given")
    value.add_argument("--remove", action="store_true")
    sub.add_argument("--event", type=int, action="append", default=[], metavar="K")
    sub.add_argument("--add", action="store_true", help="also where it is not there yet")

    sub = add("stop", "end with another stop reason", _stop)
    sub.add_argument("--reason", required=True, metavar="WORD")

    sub = add("error", "let the server report an error", _error)
    sub.add_argument("--after", type=int, required=True, metavar="K", help="after event K")
    sub.add_argument("--message", default=events.ERROR_MESSAGE)
    sub.add_argument("--go-on", action="store_true", help="and send the rest all the same")

    fixture_write.add_translate(kinds, dialects.NAMES)
    fixture_write.add_from_json(kinds, dialects.NAMES)
    fixture_audit.add_audit(kinds)

    sub = kinds.add_parser("list", help="the events of a body, numbered")
    sub.add_argument("file", metavar="FILE")
    sub.add_argument("--dialect", choices=dialects.NAMES)
    sub.set_defaults(perform=_list)


def run(arguments: argparse.Namespace) -> int:
    """Perform the operation; 0 done, and for `audit` 1 when something is missing."""
    status: int = arguments.perform(arguments)
    return status


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--out", required=True, metavar="OUT", help="writes OUT.sse, OUT.json"
    )
    parser.add_argument("--overwrite", action="store_true")


def keep(parser: argparse.ArgumentParser, arguments: argparse.Namespace, made: Recording) -> int:
    """Save what was made, with the command that made it."""
    made = replace(made, made_by=(*made.made_by, words_of(parser, arguments)))
    path = save(made, Path(arguments.out), overwrite=arguments.overwrite)
    print(f"{path}: {len(made.body)} bytes, {len(stream_of(made).blocks)} events", file=sys.stderr)
    return 0


def words_of(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> str:
    """The command, as it would be typed beside its files; what was left at its default is left out."""
    words = ["verbatim", "fixture", str(arguments.operation)]
    positional: list[str] = []
    for action in parser._actions:
        value: Any = getattr(arguments, action.dest, None)
        if action.dest in _NOT_IN_WORDS or value is None or value == action.default:
            continue
        values = value if isinstance(value, list) else [value]
        texts = [Path(each).name if action.dest in _FILES else str(each) for each in values]
        if not action.option_strings:
            positional += texts
        elif action.nargs == 0:
            words.append(action.option_strings[-1])
        elif action.nargs is not None:
            words += [action.option_strings[-1], *texts]
        else:
            words += [f"{action.option_strings[-1]}={text}" for text in texts]
    return shlex.join([*words[:3], *positional, *words[3:]])


def opened(name: str, dialect: str | None) -> Recording:
    """The recording in the file `name`, with its dialect settled."""
    recording = load(Path(name))
    recording = replace(recording, dialect=dialect or recording.dialect)
    return replace(recording, dialect=dialect_in(recording))


def _changed(
    parser: argparse.ArgumentParser, change: Operation, arguments: argparse.Namespace
) -> int:
    recording = opened(arguments.file, arguments.dialect)
    return keep(parser, arguments, change(recording, arguments))


def _add_inside(group: Any, words: str) -> None:
    group.add_argument(
        "--inside",
        choices=("escapes", "characters"),
        help=f"{words} escape, or UTF-8 sequence of several bytes",
    )


def _rechunk(recording: Recording, given: argparse.Namespace) -> Recording:
    if given.inside:
        return transport.rechunked_inside(recording, [given.inside])
    return transport.rechunked(recording, parse_split(given.split))


def _cut(recording: Recording, given: argparse.Namespace) -> Recording:
    ending: Ending = given.ending
    if given.at is not None:
        return transport.cut_at(recording, given.at, ending=ending)
    if given.event is not None:
        return transport.cut_after(recording, given.event, ending=ending)
    return transport.cut_inside(recording, given.inside, given.which, ending=ending)


def _delay(recording: Recording, given: argparse.Namespace) -> Recording:
    before: dict[int, float] = {}
    for words in given.before:
        number, colon, seconds = words.partition(":")
        try:
            before[int(number)] = float(seconds)
        except ValueError:
            colon = ""
        if not colon:
            raise UsageError(
                f"--before {words!r} is no delay", hint="write EVENT:SECONDS, as 3:1.5"
            )
    return transport.delayed(recording, gap=given.gap, factor=given.factor, before=before)


def _frame(recording: Recording, given: argparse.Namespace) -> Recording:
    return transport.reframed(
        recording,
        line_end=given.line_ends,
        comment_every=given.comment_every,
        mark=given.bom,
        event_lines=not given.no_event_lines,
    )


def _head(recording: Recording, given: argparse.Namespace) -> Recording:
    headers: list[tuple[str, str]] = []
    for words in given.header:
        name, colon, value = words.partition(":")
        if not colon or not name.strip():
            raise UsageError(f"--header {words!r} is no header", hint="write NAME:VALUE")
        headers.append((name.strip(), value.strip()))
    return transport.with_head(recording, given.status, headers)


def _refragment(recording: Recording, given: argparse.Namespace) -> Recording:
    return fragments.refragmented(recording, fixture_write.cutting_of(given))


def _interleave(recording: Recording, given: argparse.Namespace) -> Recording:
    return fragments.interleaved(recording)


def _drop(recording: Recording, given: argparse.Namespace) -> Recording:
    if given.role:
        return events.without_role(recording, given.role)
    return events.dropped(recording, given.event)


def _duplicate(recording: Recording, given: argparse.Namespace) -> Recording:
    return events.duplicated(recording, given.event)


def _swap(recording: Recording, given: argparse.Namespace) -> Recording:
    return events.swapped(recording, *given.events)


def _tear(recording: Recording, given: argparse.Namespace) -> Recording:
    return events.torn(recording, given.event)


def _splice(recording: Recording, given: argparse.Namespace) -> Recording:
    second = opened(given.second, given.dialect)
    return events.spliced(recording, given.upto, second, given.begin)


def _edit(recording: Recording, given: argparse.Namespace) -> Recording:
    path = [
        int(step) if step.isascii() and step.isdigit() else step for step in given.path.split(".")
    ]
    return events.edited(recording, path, given.value, only=given.event, add=given.add)


def _stop(recording: Recording, given: argparse.Namespace) -> Recording:
    return events.ended_with(recording, given.reason)


def _error(recording: Recording, given: argparse.Namespace) -> Recording:
    return events.with_error(recording, given.after, given.message, go_on=given.go_on)


def _list(given: argparse.Namespace) -> int:
    recording = opened(given.file, given.dialect)
    stream = stream_of(recording)
    offset = 0
    for number, (block, meant) in enumerate(
        zip(stream.blocks, meanings(dialect_in(recording), stream.blocks), strict=True), 1
    ):
        names = ", ".join(dict.fromkeys(type(event).__name__ for event in meant)) or "-"
        # ascii(): what a model or a server sent never reaches a terminal as it is.
        print(f"{number:5} {offset:8} {names:40} {ascii(block.data)[1:-1][:100]}")
        offset += len(block.raw)
    if stream.rest:
        print(f"      {offset:8} {len(stream.rest)} bytes behind the last whole event")
    return 0
