"""`verbatim doctor`: whether the store is sound and says what the bytes say; repair and tidying."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tui.cli import compose
from tui.cli.storing import add_store_argument, explained, open_store, store_path
from tui.config.settings import Retention
from tui.core.errors import StoreError, UsageError
from tui.core.plaintext import clean_line
from tui.session.doctor import Difference, examine, examine_file
from tui.store import Store, StoreUnusable, recover

_DAY = 86_400.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exit status: 0 all is as it should be (or all of it was recovered); 1 there are"
        " differences (or something could not be recovered); 2 nothing could be done, and why."
        " docs/store.md tells more."
    )
    parser.add_argument("id", nargs="*", metavar="ID", help="only these conversations")
    parser.add_argument("--json", action="store_true", help="one JSON object for each difference")
    parser.add_argument(
        "--rederive",
        action="store_true",
        help="write what this version reads from the bytes; the old values are printed (--json)",
    )
    parser.add_argument(
        "--recover",
        metavar="NEW",
        help="copy what is readable of a damaged store, which stays as it is, into the new file NEW",
    )
    parser.add_argument(
        "--purge", action="store_true", help="first remove what [retention] says is too old"
    )
    add_store_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Examine or recover; the exit status is in the epilog."""
    setting = compose.read_setting()
    path = store_path(arguments, setting)
    try:
        if arguments.recover:
            return _recover(path, Path(arguments.recover))
        with open_store(path) as store:
            if arguments.purge:
                gone, dropped = tidy(store, setting.settings.retention, time.time())
                _say(f"{gone} conversations removed, the bytes of {dropped} responses let go")
            return _examine(store, arguments)
    except StoreUnusable as error:
        raise explained(error) from error
    except StoreError as error:
        # An id that names nothing, or a file that is nothing that could be recovered.
        raise UsageError(str(error), hint=error.hint) from error


def tidy(store: Store, retention: Retention, now: float) -> tuple[int, int]:
    """Remove what is older than the configuration keeps.

    Returns (conversations removed, exchanges whose bytes were let go).

    Raises:
        StoreUnusable: it could not be written.
    """
    gone = dropped = 0
    if retention.days is not None:
        before = now - retention.days * _DAY
        gone = store.purge_older(before, keep_pinned=retention.keep_pinned)
    if retention.raw_days is not None:
        before = now - retention.raw_days * _DAY
        dropped = store.drop_bytes(before, keep_pinned=retention.keep_pinned)
    return gone, dropped


def _examine(store: Store, arguments: argparse.Namespace) -> int:
    ids = arguments.id or store.conversation_ids()
    count = 0
    damaged = False
    for difference in examine_file(store):
        _show(difference, arguments.json)
        damaged = damaged or difference.code == "file"
        count += 1
    for id in ids:
        if arguments.id:
            store.conversation(id)  # An id that names nothing is an error, not a difference.
        for difference in examine(store, id, rederive=arguments.rederive):
            _show(difference, arguments.json)
            count += 1
    _say(f"{len(ids)} conversations, {count} differences")
    if damaged:
        _say("the file is damaged: --recover NEW copies what is readable into the new file NEW")
    return 1 if count else 0


def _show(difference: Difference, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(difference)))
        return
    place = " ".join(filter(None, (difference.conversation, difference.subject)))
    mended = " (written anew)" if difference.mended else ""
    print(f"{clean_line(place) or 'the store'}: {clean_line(difference.words, 500)}{mended}")


def _recover(path: Path, new: Path) -> int:
    if not path.exists():
        raise UsageError(f"there is no store at {str(path)!r}")
    found = recover(path, new)
    for problem in found.problems:
        _say(problem)
    rows = ", ".join(f"{count} {table}" for table, count in found.rows.items() if count)
    print(f"{found.path}: {rows}")
    _say(f"what was readable is in the new file; verbatim --store {str(new)!r} goes on with it")
    return 1 if found.problems else 0


def _say(words: str) -> None:
    print(f"verbatim: {clean_line(words, 500)}", file=sys.stderr)
