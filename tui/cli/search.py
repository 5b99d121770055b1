"""`verbatim search`: text in titles, prose, argument texts and results, with where it stands."""

from __future__ import annotations

import argparse
import json

from tui.cli import compose
from tui.cli.storing import add_store_argument, explained, open_store, store_path
from tui.core.errors import UsageError
from tui.core.plaintext import clean_line
from tui.store import Hit, StoreUnusable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help='every word; "quoted" is one word')
    parser.add_argument(
        "--in",
        dest="kinds",
        action="append",
        choices=["title", "prose", "arguments", "result"],
        help="only there; repeatable",
    )
    parser.add_argument("--conversation", metavar="ID")
    parser.add_argument("--limit", type=int, default=50, metavar="N")
    parser.add_argument("--json", action="store_true", help="one JSON object for each hit")
    add_store_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search; 0 something was found, 1 nothing, 2 it could not be looked."""
    text = " ".join(arguments.text)
    if not text.replace('"', "").strip():
        raise UsageError("there is nothing to search for", hint="give a word of it")
    if arguments.limit < 1:
        raise UsageError(f"--limit {arguments.limit} shows nothing", hint="give 1 or more")
    with open_store(store_path(arguments, compose.read_setting())) as store:
        try:
            hits = store.search(
                text,
                kinds=arguments.kinds or (),
                conversation=arguments.conversation,
                limit=arguments.limit,
            )
        except StoreUnusable as error:
            raise explained(error) from error
    for hit in hits:
        print(json.dumps(_plain(hit)) if arguments.json else _shown(hit))
    return 0 if hits else 1


def _plain(hit: Hit) -> dict[str, str | None]:
    return {
        "conversation": hit.conversation,
        "title": hit.title,
        "in": hit.kind,
        "message": hit.message,
        "call": hit.call_ref,
        "before": hit.before,
        "match": hit.match,
        "after": hit.after,
    }


def _shown(hit: Hit) -> str:
    place = f"{hit.kind} of {hit.call_ref}" if hit.call_ref else hit.kind
    snippet = f"{hit.before}{hit.match}{hit.after}".replace("\n", " ")
    return (
        f"{hit.conversation}  {clean_line(hit.title or 'untitled', 60)}\n"
        f"  {place}: {clean_line(snippet, 200)}"
    )
