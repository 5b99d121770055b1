"""`verbatim`: open the chat."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli import compose
from tui.cli.storing import add_store_argument
from tui.core.errors import UsageError

if TYPE_CHECKING:
    from tui.store import Store, StoredConversation


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
    add_store_argument(parser)
    compose.add_endpoint_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Open the chat and return when it is left."""
    compose.check_max_turns(arguments)
    setting = compose.read_setting()
    from tui.cli.conversing import make_workspace
    from tui.cli.screen import run_screen, want_terminal

    want_terminal("`verbatim ask` needs none")
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
        conversation = _latest(workspace.store)
    elif conversation is not None:
        workspace.store.conversation(conversation)
    return run_screen(
        workspace,
        setting,
        theme=arguments.theme,
        conversation=conversation,
        suggestions=suggestions,
        welcome=welcome,
        note="demo" if endpoint.demo else "",
    )


def _latest(store: Store) -> str:
    """The conversation that was written to last; lists show pinned ones before it."""
    found: list[StoredConversation] = []
    while page := store.list_conversations(offset=len(found)):
        found += page
        if not page[-1].pinned:
            break
    if not found:
        raise UsageError("there is no stored conversation to resume")
    return max(found, key=lambda conversation: (conversation.updated, conversation.id)).id
