"""`verbatim export`: stored conversations as files, in a form for every use."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui.cli import compose
from tui.cli.storing import add_store_argument, open_store, store_path
from tui.core.errors import UsageError
from tui.session.portable import as_html, as_json, as_markdown, as_test, redact
from tui.session.portable.whole import Whole, gather, recording_of
from tui.store import Store, StoredConversation

FORMS: Final[dict[str, tuple[str, Callable[[Whole], str]]]] = {
    "markdown": (".md", as_markdown.write),
    "json": (".json", as_json.write),
    "html": (".html", as_html.write),
}
"""Form → (file ending, what writes it)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("id", nargs="?", metavar="ID", help="a conversation; `search` tells ids")
    chosen.add_argument("--all", action="store_true", help="every conversation, a file each")
    parser.add_argument("--as", dest="form", choices=[*FORMS, "sse", "pytest"], default="markdown")
    parser.add_argument("--turn", type=int, metavar="N", help="sse, pytest: only turn N (from 1)")
    parser.add_argument(
        "-o", "--out", metavar="PATH", help="a file, or a folder for several; - or none: print"
    )
    parser.add_argument(
        "--redact", action="store_true", help="replace emails, keys, users in URLs, home folders"
    )
    add_store_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export; what was redacted is listed on standard error."""
    setting = compose.read_setting()
    with open_store(store_path(arguments, setting)) as store:
        ids = [one.id for one in _all(store)] if arguments.all else [arguments.id]
        if arguments.form in FORMS:
            _texts(store, ids, arguments)
        else:
            _recordings(store, ids, arguments)
    return 0


def _all(store: Store) -> Sequence[StoredConversation]:
    return store.list_conversations(limit=1_000_000)


def _texts(store: Store, ids: Sequence[str], arguments: argparse.Namespace) -> None:
    ending, write = FORMS[arguments.form]
    out = arguments.out
    if arguments.all and out in (None, "-"):
        raise UsageError("--all needs a folder", hint="name one with -o")
    for id in ids:
        whole = gather(store, id)
        if arguments.redact:
            whole = redact.redacted(whole)
            _tell(whole.redacted)
        text = write(whole)
        if out in (None, "-"):
            print(text, end="")
        else:
            several = arguments.all or Path(out).is_dir()
            _write(Path(out) / f"{id}{ending}" if several else Path(out), text.encode())


def _recordings(store: Store, ids: Sequence[str], arguments: argparse.Namespace) -> None:
    from tui.recording.format import save

    if arguments.out in (None, "-"):
        raise UsageError(f"--as {arguments.form} needs a folder", hint="name one with -o")
    folder = Path(arguments.out)
    for id in ids:
        whole = gather(store, id)
        count = len(whole.exchanges)
        wanted = [arguments.turn] if arguments.turn is not None else list(range(1, count + 1))
        for number in wanted:
            try:
                recording = recording_of(whole, number)
            except IndexError:
                raise UsageError(
                    f"the conversation has no turn {number}", hint=f"it has {count}"
                ) from None
            if arguments.redact:
                recording, notes = redact.redacted_recording(recording)
                _tell(notes)
            title = "" if arguments.redact else whole.conversation.title
            name = as_test.name_of(title, number)
            if arguments.all:
                name = f"{name}_{id[-6:]}"
            if arguments.form == "pytest":
                # Requests hold the whole conversation; a fixture is the answer alone.
                recording = replace(recording, request_body=b"", request_headers=())
            print(save(recording, folder / name))
            if arguments.form == "pytest":
                path = folder / f"test_{name}.py"
                _write(path, as_test.write(recording, name).encode())
                print(path)


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            path.chmod(0o600)
            file.write(data)
    except FileExistsError as error:
        raise UsageError(f"{str(path)!r} exists already", hint="choose another name") from error
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from error


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        print(f"verbatim: {note}", file=sys.stderr)
