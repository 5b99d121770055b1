"""`verbatim serve-recording`: recordings over HTTP on loopback, for other clients to read."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tui.core.errors import UsageError
from tui.recording.format import load
from tui.recording.replay import Pace
from tui.recording.serving import RecordingServer, Served, dialects_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="recordings, in order")
    parser.add_argument("--port", type=int, default=8643, help="0 takes a free one (default 8643)")
    parser.add_argument(
        "--pace",
        default="recorded",
        metavar="HOW",
        help="recorded (default), now, or a factor: 2 is twice as fast",
    )
    parser.add_argument(
        "--match",
        choices=("order", "request"),
        default="order",
        help="each request gets the next one (default), or the one of an equal request",
    )
    parser.add_argument("--repeat", action="store_true", help="in order: begin again at the end")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    recordings = [load(Path(name)) for name in arguments.files]
    server = RecordingServer(
        recordings,
        match=arguments.match,
        pace=Pace(factor_of(arguments.pace)),
        repeat=arguments.repeat,
        port=arguments.port,
        served=_say_what,
    )
    asyncio.run(_serve(server, dialects_of(recordings)))
    return 0


def factor_of(words: str) -> float:
    """The speed that `--pace` names; 0 waits for nothing.

    Raises:
        UsageError: it names none.
    """
    if words == "recorded":
        return 1.0
    if words == "now":
        return 0.0
    try:
        factor = float(words)
    except ValueError:
        factor = -1.0
    if not 0 < factor < float("inf"):
        raise UsageError(
            f"--pace {words!r} is no pace", hint="give recorded, now, or a number above 0"
        )
    return factor


async def _serve(server: RecordingServer, dialects: list[str]) -> None:
    async with server:
        bases = {
            f"{server.url}" if name == "anthropic" else f"{server.url}/v1" for name in dialects
        }
        print(
            f"Recordings are served at {' and '.join(sorted(bases)) or server.url} "
            f"(base URL; {', '.join(dialects) or 'dialect unknown'})\n"
            "No key is needed. Ctrl+C ends it.",
            file=sys.stderr,
            flush=True,
        )
        await asyncio.Event().wait()


def _say_what(served: Served) -> None:
    # The path is what a client sent: it never reaches the terminal as it is.
    print(f"{ascii(served.path)[1:-1]}: {ascii(served.answer)[1:-1]}", file=sys.stderr, flush=True)
