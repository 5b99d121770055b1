"""`verbatim check`: recorded response bodies through the production pipeline, and what is odd in them.

Files in, one verdict each out: as text for people (`check_text`), as JSON lines for scripts
(`check_json`), as JUnit XML for CI (`check_junit`). The same reader as the chat's judges them,
`tui.lint` names what is odd; this module reads flags and files, and decides the exit status.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tui.cli.check_json import as_json as _verdict
from tui.cli.check_junit import write_junit
from tui.cli.check_text import Printer
from tui.cli.checked import Checked
from tui.core import dialects
from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.errors import EndpointError, UsageError
from tui.core.inflate import Inflater
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.core.turn import Turn
from tui.lint import proof
from tui.lint.contrast import CarelessClients, in_chunks
from tui.lint.linter import all_findings
from tui.lint.reading import Reading
from tui.lint.reading import read as read_chunks
from tui.recording.format import Recording, RecordingError, load
from tui.recording.split import Split, parse_split

_UNREADABLE: Final = 2
_FALLBACK: Final = "openai-chat"

as_json = _verdict


@dataclass(frozen=True, slots=True)
class Options:
    """How every file of one run is read."""

    dialect: str
    split: Split
    cut: int | None
    head: ResponseHead | None
    content_encoding: str
    tools: dict[str, ToolSpec] | None
    settings: DecoderSettings
    contrast: bool = False
    every_split: bool = False
    every_cut: bool = False
    sample: int | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="response bodies or recordings; - is standard input, a folder means the .sse below it",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per file and line")
    parser.add_argument("--dialect", choices=["auto", *dialects.NAMES], default="auto")
    parser.add_argument(
        "--split",
        default="whole",
        metavar="HOW",
        help="whole, bytes, a number of bytes, random:SEED, or at:B1,B2,...",
    )
    parser.add_argument("--cut", type=int, metavar="N", help="read only the first N bytes")
    parser.add_argument("--status", type=int, help="the HTTP status the body came with")
    parser.add_argument("--content-type", metavar="TYPE")
    parser.add_argument("--content-encoding", metavar="ENC", default="")
    parser.add_argument(
        "--tools", action="append", default=[], metavar="SPEC", help="check against these schemas"
    )
    parser.add_argument(
        "--done-ends-turn",
        action="store_true",
        help="the server never sends a finish reason; [DONE] ends its turns",
    )
    parser.add_argument(
        "--contrast", action="store_true", help="say what careless clients make of these bytes"
    )
    parser.add_argument(
        "--every-split", action="store_true", help="prove that chunk boundaries mean nothing"
    )
    parser.add_argument(
        "--every-cut", action="store_true", help="prove that no prefix lets a call run early"
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help=f"try N places instead of all (default: all up to {proof.ALL_UP_TO} bytes, "
        f"then {proof.SAMPLE} and those around the ends of events)",
    )
    parser.add_argument("--quiet", action="store_true", help="show only files that are not good")
    parser.add_argument("--notes", action="store_true", help="show notes in full, not only counted")
    parser.add_argument("--junit", metavar="FILE", help="also write JUnit XML, for CI")


def run(arguments: argparse.Namespace) -> int:
    """Check every file; 0 all good, 1 something is not, 2 a file could not be read."""
    options = Options(
        dialect=arguments.dialect,
        split=parse_split(arguments.split),
        cut=_natural(arguments.cut, "--cut"),
        head=_head(arguments.status, arguments.content_type),
        content_encoding=arguments.content_encoding,
        tools=_tools(arguments.tools),
        settings=DecoderSettings(done_ends_turn=arguments.done_ends_turn),
        contrast=arguments.contrast,
        every_split=arguments.every_split,
        every_cut=arguments.every_cut,
        sample=_natural(arguments.sample, "--sample"),
    )
    names, worst = _expanded(arguments.files)
    checked: list[Checked] = []
    keep = bool(arguments.junit)
    with Printer(len(names), quiet=arguments.quiet, notes=arguments.notes) as printer:
        for name in names:
            printer.at(name)
            try:
                one = check(name, options)
            except RecordingError as error:
                print(f"verbatim: {error}", file=sys.stderr)
                worst = _UNREADABLE
                continue
            if arguments.json:
                if not (arguments.quiet and one.good):
                    print(json.dumps(one.as_json()))
            else:
                printer.show(one)
            if keep:
                checked.append(one)
            if worst != _UNREADABLE and not one.good:
                worst = 1
        if not arguments.json:
            printer.summary()
    if arguments.junit:
        write_junit(checked, Path(arguments.junit))
    return worst


def check(name: str, options: Options) -> Checked:
    """Check one file (or `-`, standard input).

    Raises:
        RecordingError: it cannot be read.
    """
    recording = _load(name)
    options = _as_recorded(options, recording)
    broken = recording.problem if recording.ending == "broken" and options.cut is None else ""
    dialect, reading, chunks = _read(recording.body, options, recording.chunks, broken)
    findings = all_findings(reading)
    one = Checked(name, dialect, reading, findings, is_good(reading.turn))
    if options.contrast and not reading.refused:
        clients = CarelessClients(dialect)
        clients.take(reading.steps, chunks or in_chunks(reading.body))
        contrasts = clients.at(reading.turn, len(reading.body))
        one = replace(one, contrasts=contrasts)
    if options.every_split and not reading.refused:
        splits = proof.every_split(reading, options.sample, options.settings)
        one = replace(one, splits=splits, good=one.good and not splits.differences)
    if options.every_cut and not reading.refused:
        cuts = proof.every_cut(reading, options.sample, options.settings)
        one = replace(one, cuts=cuts, good=one.good and not cuts.early_acts)
    return one


def _load(name: str) -> Recording:
    if name == "-":
        return Recording(sys.stdin.buffer.read())
    path = Path(name)
    bare = path.suffix == "" or (path.suffix == ".json" and not path.with_suffix(".sse").exists())
    if not (bare and path.is_file()):
        return load(path)
    # A body that was saved under another name: an error's JSON, a file without an ending.
    try:
        return Recording(path.read_bytes())
    except OSError as error:
        raise RecordingError(f"cannot read {name!r}: {error.strerror}") from error


def read(body: bytes, options: Options) -> tuple[str, Reading]:
    """Read one body; returns the dialect it was read as and what became of it."""
    dialect, reading, _ = _read(body, options, ())
    return dialect, reading


def is_good(turn: Turn) -> bool:
    """Whether the stream was complete and every call final."""
    return turn.outcome == "complete" and all(call.state is CallState.FINAL for call in turn.calls)


def _read(
    body: bytes, options: Options, arrived: tuple[tuple[int, float], ...], broken: str = ""
) -> tuple[str, Reading, list[bytes]]:
    try:
        inflater = Inflater(options.content_encoding)
    except EndpointError as error:
        return _refused(options, error)
    if options.cut is not None:
        body = body[: options.cut]
    split = options.split
    if split.words == "whole" and arrived:
        # The reader does not mind; the careless clients are shown what really arrived together.
        split = Split("recorded", offsets=tuple(end for end, _ in arrived))
    chunks = [inflater.feed(chunk) for chunk in split.chunks(body)]
    damage = inflater.close()
    dialect = options.dialect
    if dialect == "auto":
        dialect = dialect_of(b"".join(chunks)) or _FALLBACK
    reading = read_chunks(
        dialect,
        [chunk for chunk in chunks if chunk],
        head=options.head,
        settings=options.settings,
        tools=options.tools,
        content_encoding=options.content_encoding,
        broken=damage or broken,
    )
    return dialect, reading, chunks if len(chunks) > 1 else []


def _refused(options: Options, error: EndpointError) -> tuple[str, Reading, list[bytes]]:
    dialect = _FALLBACK if options.dialect == "auto" else options.dialect
    reader = TurnReader(dialect)
    reader.turn.fail(str(error))
    reader.close()
    reading = Reading(reader.turn, (), b"", options.head, options.content_encoding, refused=True)
    return dialect, reading, []


def _as_recorded(options: Options, recording: Recording) -> Options:
    """The options with what the recording's sidecar knows; flags win."""
    if options.dialect == "auto" and recording.dialect in dialects.NAMES:
        options = replace(options, dialect=recording.dialect)
    if options.head is None and recording.head is not None:
        options = replace(options, head=recording.head)
    return options


def _expanded(names: list[str]) -> tuple[list[str], int]:
    """The files meant by the arguments, and the exit status so far."""
    files: list[str] = []
    worst = 0
    for name in names:
        found = list(_below(Path(name))) if name != "-" and Path(name).is_dir() else [name]
        if not found:
            print(f"verbatim: there is no .sse file below {name!r}", file=sys.stderr)
            worst = _UNREADABLE
        files += found
    return files, worst


def _below(folder: Path) -> Iterator[str]:
    yield from sorted(str(path) for path in folder.rglob("*.sse") if path.is_file())


def _natural(value: int | None, flag: str) -> int | None:
    if value is not None and value < 0:
        raise UsageError(f"{flag} {value} is negative", hint="give a number from 0 up")
    return value


def _head(status: int | None, content_type: str | None) -> ResponseHead | None:
    if status is None and content_type is None:
        return None
    headers = (("content-type", content_type),) if content_type else ()
    return ResponseHead(200 if status is None else status, headers)


def _tools(specs: list[str]) -> dict[str, ToolSpec] | None:
    if not specs:
        return None
    from tui.cli import compose

    return dict(compose.make_registry(specs, compose.read_setting()).specs_by_name)
