"""`verbatim fixture from-json` and `translate`: whole turns, written in a dialect of choice."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tui.core.errors import UsageError
from tui.core.strictjson import NotStrict, parse_object
from tui.recording.making.fragments import Cutting

_ENDS: Final = ("done", "calls", "limit", "refused", "error", "cut")


def add_cutting(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The flags that say how argument text is cut; `cutting_of` reads them."""
    parser.add_argument(
        "--average",
        type=int,
        default=None if optional else 13,
        metavar="N",
        help="characters a fragment, on average" + (" (default 13)" if not optional else ""),
    )
    parser.add_argument("--size", type=int, metavar="N", help="exactly so many in every fragment")
    parser.add_argument("--whole", action="store_true", help="one fragment for each call")
    parser.add_argument("--in-escapes", action="store_true", help="also cut inside every escape")
    parser.add_argument(
        "--in-pairs", action="store_true", help="also cut between the halves of surrogate pairs"
    )
    parser.add_argument("--seed", type=int, default=0)


def cutting_of(given: argparse.Namespace) -> Cutting:
    """Raises: UsageError when a size is not above 0."""
    size = given.size if given.size is not None else given.average
    size = 13 if size is None else size
    if size < 1:
        raise UsageError(f"fragments of {size} characters cannot be cut", hint="give 1 or more")
    return Cutting(
        average=0 if given.whole else size,
        exact=given.size is not None,
        in_escapes=given.in_escapes,
        in_pairs=given.in_pairs,
        seed=given.seed,
    )


def add_translate(kinds: Any, names: Sequence[str]) -> None:
    summary = "the same turn in another dialect"
    sub = kinds.add_parser("translate", help=summary, description=summary)
    sub.add_argument("file", metavar="FILE")
    sub.add_argument("-o", "--out", required=True, metavar="OUT")
    sub.add_argument("--overwrite", action="store_true")
    sub.add_argument("--from", dest="dialect", choices=names, help="where the body does not tell")
    sub.add_argument("--dialect", dest="to", choices=names, required=True)
    add_cutting(sub, optional=True)
    sub.set_defaults(perform=lambda given: _translate(sub, given))


def _translate(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    from tui.cli.fixture import keep, opened
    from tui.cli.fixture_turns import translated

    recording = opened(given.file, given.dialect)
    wanted = given.average is not None or given.size is not None or given.whole
    cutting = cutting_of(given) if wanted or given.in_escapes or given.in_pairs else None
    made = translated(recording, given.to, cutting=cutting)
    for note in made.left_out:
        print(f"verbatim: {note}", file=sys.stderr)
    return keep(parser, given, replace(made.recording, made_by=recording.made_by))


def add_from_json(kinds: Any, names: Sequence[str]) -> None:
    summary = "a turn whose calls have the given documents as arguments, character for character"
    sub = kinds.add_parser(
        "from-json", help="a turn written around JSON documents", description=summary
    )
    sub.add_argument(
        "documents",
        nargs="*",
        metavar="DOC",
        help="a file; an empty one is a call without arguments",
    )
    sub.add_argument("-o", "--out", required=True, metavar="OUT")
    sub.add_argument("--overwrite", action="store_true")
    sub.add_argument("--dialect", choices=names, required=True)
    sub.add_argument(
        "--name", action="append", default=[], metavar="TOOL", help="for each DOC; the last repeats"
    )
    sub.add_argument(
        "--call", action="append", default=[], metavar="TOOL=TEXT", help="a call after the DOCs'"
    )
    sub.add_argument("--thinking", metavar="TEXT")
    sub.add_argument("--before", metavar="TEXT", help="prose before the calls")
    sub.add_argument("--after", metavar="TEXT", help="prose after the calls")
    sub.add_argument("--refusal", metavar="TEXT")
    sub.add_argument("--keep-alives", type=int, default=0, metavar="N", help="before the calls")
    sub.add_argument("--together", action="store_true", help="the calls form at the same time")
    sub.add_argument("--end", choices=_ENDS, help="default: calls when there are any, else done")
    sub.add_argument(
        "--upto", type=int, metavar="N", help="the last call stops after N characters, unfinished"
    )
    sub.add_argument("--invalid", action="store_true", help="allow what is not one JSON object")
    add_cutting(sub)
    sub.set_defaults(perform=lambda given: _from_json(sub, given))


def _from_json(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    from tui.cli.fixture import keep
    from tui.cli.fixture_turns import written
    from tui.demo.plan import Call, End, Piece, Plan, Prose, Refusal, Silence, Thinking, Together

    calls = [Call(name, text) for name, text in _calls(given)]
    if given.upto is not None:
        if not calls:
            raise UsageError("--upto needs a call to stop in", hint="name a document or --call")
        last = calls[-1]
        calls[-1] = Call(last.name, last.arguments[: given.upto], whole=False)
    pieces: list[Piece] = []
    if given.thinking:
        pieces.append(Thinking(given.thinking))
    if given.before:
        pieces.append(Prose(given.before))
    if given.keep_alives:
        pieces.append(Silence(1.0, given.keep_alives))
    pieces += [Together(tuple(calls))] if given.together and len(calls) > 1 else calls
    if given.after:
        pieces.append(Prose(given.after))
    if given.refusal:
        pieces.append(Refusal(given.refusal))
    if not pieces:
        raise UsageError("there is nothing to write", hint="give documents, --call or --before")
    default: End = "cut" if given.upto is not None else "calls" if calls else "done"
    plan = Plan(tuple(pieces), given.end or default)
    return keep(parser, given, written(plan, given.dialect, cutting=cutting_of(given)))


def _calls(given: argparse.Namespace) -> list[tuple[str, str]]:
    if given.documents and not given.name:
        raise UsageError("--name is missing", hint="say which tool the documents are arguments of")
    calls: list[tuple[str, str]] = []
    for place, document in enumerate(given.documents):
        name = given.name[min(place, len(given.name) - 1)]
        calls.append((name, _checked(_text(document), document, given.invalid)))
    for words in given.call:
        name, _, text = words.partition("=")
        calls.append((name, _checked(text, words, given.invalid)))
    return calls


def _text(document: str) -> str:
    try:
        data = sys.stdin.buffer.read() if document == "-" else Path(document).read_bytes()
        return data.decode().removesuffix("\n")
    except OSError as error:
        raise UsageError(f"cannot read {document!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{document!r} is not UTF-8: {error.reason} at byte {error.start}"
        ) from error


def _checked(text: str, where: str, invalid: bool) -> str:
    if invalid or not text:
        return text
    try:
        parse_object(text)
    except NotStrict as problem:
        raise UsageError(
            f"{where!r} is not what arguments are: {problem}",
            hint="arguments are one JSON object; --invalid writes it all the same",
        ) from problem
    return text
