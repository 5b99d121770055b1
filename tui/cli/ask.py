"""`verbatim ask`: one prompt without the screen.

Prose goes to standard output as it streams, calls and their states to standard error; with
`--json` every update is one JSON line on standard output. The loop is the chat's own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tui.cli import compose
from tui.cli.storing import add_store_argument


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="the prompt; - reads standard input")
    parser.add_argument("--json", action="store_true", help="every update as a JSON line")
    parser.add_argument(
        "--image", action="append", default=[], metavar="FILE", help="send it along; repeatable"
    )
    parser.add_argument("--approve", choices=["all", "read-only", "none"], help="what may run")
    parser.add_argument(
        "--no-record", action="store_true", help="leave nothing of this on the disk"
    )
    add_store_argument(parser)
    compose.add_endpoint_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask; 0 done, 1 a call was not answered by its tool, 3 the endpoint failed."""
    import asyncio

    compose.check_max_turns(arguments)
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    return asyncio.run(_ask(arguments, prompt))


async def _ask(arguments: argparse.Namespace, prompt: str) -> int:
    from tui.cli.conversing import make_workspace
    from tui.cli.reporting import Trouble, reporter
    from tui.session.images import load_image
    from tui.session.updates import Idle
    from tui.session.workspace import at_work

    images = [load_image(Path(name)) for name in arguments.image]
    setting = compose.read_setting()
    report = reporter(as_json=arguments.json)
    trouble = Trouble()
    made = make_workspace(setting, arguments, interactive=False)
    async with at_work(made, waiting=compose.tell_waiting) as workspace:
        session = workspace.new().session
        session.send(prompt, images)
        try:
            async for update in session.updates():
                report(update)
                trouble.note(update)
                if isinstance(update, Idle):
                    break
        finally:
            session.cancel()
            await session.wait_idle()
    return trouble.status
