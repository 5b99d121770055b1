"""`verbatim fixture audit`: what the fixtures in a folder cannot catch, for people and scripts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

from tui.recording.auditing import Item, audit, chosen, fixtures_in

_NAMED: Final = 3
"""Files named for a kind that is there; `--json` has them all."""


def add_audit(kinds: Any) -> None:
    summary = "say what a folder of fixtures cannot catch"
    sub = kinds.add_parser("audit", help=summary, description=summary)
    sub.add_argument("folder", metavar="DIR")
    sub.add_argument("--json", action="store_true", help="one JSON object")
    for flag, words in (("--only", "look at these alone"), ("--ignore", "leave these out")):
        sub.add_argument(
            flag, action="append", default=[], metavar="CODE", help=f"{words}: a code or a group"
        )
    sub.set_defaults(perform=_audit)


def _audit(given: argparse.Namespace) -> int:
    """0 when nothing is missing, 1 when something is."""
    kinds = chosen(_codes(given.only), _codes(given.ignore))
    fixtures = fixtures_in(Path(given.folder))
    items = audit(fixtures, kinds)
    missing = [item for item in items if not item.present]
    if given.json:
        print(json.dumps(_report(given.folder, len(fixtures), items)))
    else:
        for item in items:
            print(_line(item))
        print(
            f"{len(fixtures)} fixtures: {len(items) - len(missing)} of {len(items)} kinds present"
        )
        if missing:
            print(f"missing: {', '.join(item.kind.code for item in missing)}")
    return 1 if missing else 0


def _codes(words: list[str]) -> list[str]:
    return [code for word in words for code in word.split(",") if code]


def _report(folder: str, count: int, items: list[Item]) -> dict[str, Any]:
    return {
        "folder": folder,
        "fixtures": count,
        "items": [
            {
                "code": item.kind.code,
                "catches": item.kind.catches,
                "present": item.present,
                "files": list(item.files),
                "make": item.kind.make,
            }
            for item in items
        ],
        "missing": [item.kind.code for item in items if not item.present],
    }


def _line(item: Item) -> str:
    if not item.present:
        return (
            f"missing  {item.kind.code}: {item.kind.catches}\n"
            f"         verbatim fixture {item.kind.make}"
        )
    more = f" and {len(item.files) - _NAMED} more" if len(item.files) > _NAMED else ""
    return f"present  {item.kind.code}: {', '.join(item.files[:_NAMED])}{more}"
