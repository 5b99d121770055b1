"""`verbatim`: open the chat."""

from __future__ import annotations

import argparse

from tui.cli import compose
from tui.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--resume",
        metavar="ID",
        nargs="?",
        const="",
        help="open a stored conversation (the latest without ID)",
    )
    parser.add_argument("--approve", choices=["all", "read-only", "none"], help="what may run")
    parser.add_argument("--theme", metavar="NAME")
    parser.add_argument(
        "--no-record", action="store_true", help="leave nothing of this on the disk"
    )
    compose.add_endpoint_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Open the chat and return when it is left."""
    compose.check_max_turns(arguments)
    setting = compose.read_setting()
    from tui.cli.conversing import make_workspace
    from tui.cli.screen import run_screen

    endpoint = compose.endpoint_of(arguments, setting)
    suggestions: tuple[str, ...] = ()
    welcome = ""
    if endpoint.demo:
        from tui.demo import SUGGESTIONS

        suggestions = SUGGESTIONS
        welcome = (
            "The embedded demo answers. It is scripted: no model, no network, no key; everything "
            f"behind its bytes is real. Type help to see what to try, or begin with: {SUGGESTIONS[0]}"
        )
    workspace = make_workspace(setting, arguments, interactive=True)
    conversation = arguments.resume
    if conversation == "":
        latest = workspace.store.list_conversations(limit=1)
        if not latest:
            raise UsageError("there is no stored conversation to resume")
        conversation = latest[0].id
    return run_screen(
        workspace,
        setting,
        theme=arguments.theme,
        conversation=conversation,
        suggestions=suggestions,
        welcome=welcome,
        note="demo" if endpoint.demo else "",
    )
