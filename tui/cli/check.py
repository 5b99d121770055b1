"""`verbatim check`: recorded response bodies through the production pipeline.

Files in, one verdict each out, as text for people or as JSON lines for scripts. The same
reader as the chat's judges them; nothing here knows what a stream means.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui.core import dialects
from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.errors import EndpointError, UsageError
from tui.core.inflate import Inflater
from tui.core.parts import LiveCall
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.core.strictjson import parse_object
from tui.core.turn import Turn
from tui.recording.split import Split, parse_split

_UNREADABLE: Final = 2


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="response bodies or recordings")
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


def run(arguments: argparse.Namespace) -> int:
    """Check every file; 0 all good, 1 something is not, 2 a file could not be read."""
    options = Options(
        dialect=arguments.dialect,
        split=parse_split(arguments.split),
        cut=_cut(arguments.cut),
        head=_head(arguments.status, arguments.content_type),
        content_encoding=arguments.content_encoding,
        tools=_tools(arguments.tools),
        settings=DecoderSettings(done_ends_turn=arguments.done_ends_turn),
    )
    worst = 0
    for name in arguments.files:
        try:
            body = Path(name).read_bytes()
        except OSError as error:
            print(f"verbatim: cannot read {name!r}: {error.strerror}", file=sys.stderr)
            worst = _UNREADABLE
            continue
        dialect, turn = read(body, options)
        verdict = as_json(name, dialect, turn)
        print(json.dumps(verdict) if arguments.json else as_text(verdict))
        if worst != _UNREADABLE and not is_good(turn):
            worst = 1
    return worst


def read(body: bytes, options: Options) -> tuple[str, Turn]:
    """Read one body; returns the dialect it was read as and the closed turn."""
    try:
        inflater = Inflater(options.content_encoding)
    except EndpointError as error:
        return _refused(options, error)
    if options.cut is not None:
        body = body[: options.cut]
    chunks = [inflater.feed(chunk) for chunk in options.split.chunks(body)]
    damage = inflater.close()
    dialect = options.dialect
    if dialect == "auto":
        dialect = dialect_of(b"".join(chunks)) or "openai-chat"
    reader = TurnReader(dialect, head=options.head, settings=options.settings, tools=options.tools)
    for chunk in chunks:
        if chunk:
            reader.feed(chunk)
    reader.close(broken=damage)
    return dialect, reader.turn


def is_good(turn: Turn) -> bool:
    """Whether the stream was complete and every call final."""
    return turn.outcome == "complete" and all(call.state is CallState.FINAL for call in turn.calls)


def as_json(file: str, dialect: str, turn: Turn) -> dict[str, Any]:
    """The verdict in the shape that scripts rely on."""
    return {
        "file": file,
        "dialect": dialect,
        "outcome": turn.outcome,
        "stop_reason": turn.stop_reason,
        "text": turn.text,
        "thinking": turn.thinking,
        "refusal": turn.refusal,
        "calls": [_call(call) for call in turn.calls],
        "error": turn.error or turn.damage or None,
        "findings": [
            {"code": found.code, "message": found.message, "offset": found.offset}
            for found in turn.findings
        ],
    }


def as_text(verdict: dict[str, Any]) -> str:
    """The verdict for people. Text of models is escaped: it may hold terminal sequences."""
    lines = [
        f"{verdict['file']}: {verdict['outcome']} "
        f"({verdict['dialect']}, stop reason {verdict['stop_reason'] or 'none'})"
    ]
    if verdict["error"]:
        lines.append(f"  error: {_shown(verdict['error'])}")
    for kind in ("text", "thinking", "refusal"):
        if verdict[kind]:
            lines.append(f"  {kind}: {len(verdict[kind])} characters")
    for call in verdict["calls"]:
        lines.append(
            f"  call {_shown(call['name'] or '(no name)')}: {call['state']}, "
            f"{len(call['raw'])} characters in {call['fragments']} fragments"
            + (f": {_shown(call['problem'])}" if call["problem"] else "")
        )
    lines += [
        f"  {found['code']} at byte {found['offset']}: {_shown(found['message'])}"
        for found in verdict["findings"]
    ]
    return "\n".join(lines)


def _shown(text: str) -> str:
    return json.dumps(text)[1:-1].replace('\\"', '"')


def _call(call: LiveCall) -> dict[str, Any]:
    raw = call.buffer.text
    arguments: Any = None
    if call.state is CallState.FINAL:
        arguments = raw if call.kind == "custom" else parse_object(raw) if raw.strip() else {}
    return {
        "id": call.id,
        "name": call.name,
        "raw": raw,
        "fragments": call.buffer.count,
        "state": str(call.state),
        "arguments": arguments,
        "problem": call.problem or None,
    }


def _refused(options: Options, error: EndpointError) -> tuple[str, Turn]:
    dialect = "openai-chat" if options.dialect == "auto" else options.dialect
    reader = TurnReader(dialect)
    reader.turn.fail(str(error))
    reader.close()
    return dialect, reader.turn


def _cut(value: int | None) -> int | None:
    if value is not None and value < 0:
        raise UsageError(f"--cut {value} is negative", hint="give a number of bytes from the start")
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
