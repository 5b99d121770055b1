"""`verbatim replay`: recordings through the chat screen, or without it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli import compose
from tui.core.errors import UsageError

if TYPE_CHECKING:
    from tui.session.workspace import Workspace

_UNTIMED_GAP = 0.02
"""Seconds between chunks of a recording that does not say when they came."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="one turn each, in order")
    parser.add_argument(
        "--speed",
        default="1",
        metavar="FACTOR",
        help="1 as recorded, 2 twice as fast, now all at once",
    )
    parser.add_argument("--paused", action="store_true", help="begin held; Ctrl+S steps")
    parser.add_argument(
        "--split", metavar="HOW", help="cut the bytes anew: whole, bytes, N, random:SEED, at:B1,..."
    )
    parser.add_argument("--prompt", metavar="TEXT", help="shown as what was asked")
    parser.add_argument("--headless", action="store_true", help="print what `ask` would")
    parser.add_argument("--json", action="store_true", help="with --headless: JSON lines")
    parser.add_argument("--theme", metavar="NAME")


def run(arguments: argparse.Namespace) -> int:
    """Replay; the exit status of --headless is that of `ask`."""
    import asyncio

    from tui.recording.format import load
    from tui.recording.replay import Pace, ReplaySource
    from tui.recording.split import parse_split
    from tui.session.replaying import prompt_of, target_of, tools_of
    from tui.session.workspace import Workspace
    from tui.store import Store
    from tui.tools.policy import Policy

    recordings = [load(Path(name)) for name in arguments.files]
    split = parse_split(arguments.split) if arguments.split else None
    pace = Pace(_factor(arguments.speed, arguments.headless), gap=_UNTIMED_GAP)
    if arguments.paused:
        pace.pause()
    if split is None and not any(recording.chunks for recording in recordings) and pace.factor:
        # Kept by curl alone: show it grow all the same.
        split = parse_split("random:replay")
    source = ReplaySource(recordings, pace=pace, split=split)
    target = target_of(recordings, source)
    workspace = Workspace(
        store=Store.memory(),
        registry=tools_of(recordings),
        policy=Policy(mode="all"),
        target_of=lambda _: target,
        max_turns=len(recordings),
        interactive=not arguments.headless,
    )
    prompt = arguments.prompt or prompt_of(recordings[0])
    if arguments.headless:
        return asyncio.run(_headless(workspace, prompt, arguments.json))
    from tui.cli.screen import run_screen, want_terminal

    want_terminal("--headless needs none")
    return run_screen(
        workspace,
        compose.read_setting(),
        theme=arguments.theme,
        first_prompt=prompt,
        pace=pace,
        note=f"replay of {', '.join(Path(name).name for name in arguments.files)}",
    )


async def _headless(workspace: Workspace, prompt: str, as_json: bool) -> int:
    from tui.cli.reporting import Trouble, reporter
    from tui.session.updates import Idle, TurnLimitReached
    from tui.session.workspace import at_work

    report, trouble = reporter(as_json=as_json), Trouble()
    async with at_work(workspace):
        session = workspace.new().session
        session.send(prompt)
        async for update in session.updates():
            # The recordings are over; no option allows more turns than they hold.
            if as_json or not isinstance(update, TurnLimitReached):
                report(update)
            trouble.note(update)
            if isinstance(update, Idle):
                break
        await session.wait_idle()
    sys.stdout.flush()
    return trouble.status


def _factor(words: str, headless: bool) -> float:
    if words == "now" or (headless and words == "1"):
        return 0.0
    try:
        factor = float(words)
    except ValueError:
        factor = -1.0
    if not 0 < factor < float("inf"):
        raise UsageError(f"--speed {words!r} is no speed", hint="give a number above 0, or now")
    return factor
