"""`verbatim import`: conversations and exchanges that files hold, into the store."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui.cli import compose
from tui.cli.storing import add_store_argument, make_store, store_path
from tui.core import dialects
from tui.core.errors import UsageError
from tui.core.sse import SSEDecoder
from tui.recording.format import Recording, load
from tui.session.portable import as_json, foreign
from tui.session.portable.importing import store_recordings, store_whole
from tui.session.portable.whole import Whole

_CAN_BE_IMPORTED = "what can be imported: our JSON, a recording, a HAR file or a VCR cassette"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="our JSON, recordings (.sse), HAR files, VCR cassettes; .sse files become one "
        "conversation, a turn each",
    )
    parser.add_argument("--title", default="", help="what the conversation is called")
    parser.add_argument("--dialect", choices=dialects.NAMES, help="where a stream does not tell")
    add_store_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import; prints the id of each conversation. Everything is read before anything is stored."""
    recordings: list[Recording] = []
    found: list[tuple[str, Whole | list[Recording]]] = []
    for name in arguments.files:
        path = Path(name)
        if path.suffix.lower() in (".json", ".har", ".yaml", ".yml"):
            found.append((path.stem, _read(path)))
        else:
            recording = load(path)
            if not (recording.dialect or arguments.dialect or _has_events(recording.body)):
                raise UsageError(f"{name!r} is no event stream", hint=_CAN_BE_IMPORTED)
            recordings.append(recording)
    if recordings:
        found.append((Path(arguments.files[0]).stem, recordings))
    setting = compose.read_setting()
    with make_store(store_path(arguments, setting)) as store:
        for stem, each in found:
            if isinstance(each, Whole):
                id = store_whole(store, each)
                if arguments.title:
                    store.rename(id, arguments.title)
            else:
                settled = [replace(one, dialect=arguments.dialect or one.dialect) for one in each]
                id = store_recordings(store, settled, arguments.title or stem)
            print(id)
    return 0


def _has_events(body: bytes) -> bool:
    decoder = SSEDecoder()
    return bool(decoder.feed(body)) or decoder.close() is not None


def _read(path: Path) -> Whole | list[Recording]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"cannot read {str(path)!r}: {reason}") from error
    plain: Any
    if path.suffix.lower() in (".yaml", ".yml"):
        plain = foreign.parse_yaml(text)
    else:
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{str(path)!r} is no JSON: {error}") from error
    if as_json.is_ours(plain):
        return as_json.read(plain)
    streams: Sequence[Recording]
    if foreign.is_har(plain):
        streams = foreign.from_har(plain)
    elif foreign.is_cassette(plain):
        streams = foreign.from_cassette(plain)
    elif path.with_suffix(".sse").exists():
        streams = [load(path)]
    else:
        raise UsageError(
            f"{str(path)!r} is nothing that can be imported",
            hint=_CAN_BE_IMPORTED,
        )
    if not streams:
        raise UsageError(f"{str(path)!r} holds no event stream of a model")
    return list(streams)
