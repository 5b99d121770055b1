"""What a set of fixtures cannot catch: folders of recordings in, a list of kinds out.

A test that reads a stream can only fail on what the stream holds. `seen` reads each fixture with
the production reader, `calls`, `streams`,
`transport` and `dialects` hold the kinds, `audit` asks them all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui.core.errors import UsageError
from tui.recording.auditing import calls, dialects, streams, transport
from tui.recording.auditing.kind import Kind
from tui.recording.auditing.seen import Seen, see
from tui.recording.format import load

KINDS: Final[tuple[Kind, ...]] = (
    *dialects.PRESENT,
    *calls.KINDS,
    *streams.KINDS,
    *transport.KINDS,
    *dialects.KINDS,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One kind, and where it was found."""

    kind: Kind
    files: tuple[str, ...]

    @property
    def present(self) -> bool:
        return bool(self.files)


def audit(fixtures: Iterable[Seen], kinds: Collection[Kind] = KINDS) -> list[Item]:
    """Which of `kinds` the fixtures hold, in the order of the kinds."""
    seen = list(fixtures)
    return [Item(kind, tuple(one.name for one in seen if kind.found(one))) for kind in kinds]


def fixtures_in(folder: Path) -> list[Seen]:
    """Every `.sse` below `folder`, read; names are relative to it.

    Raises:
        UsageError: there is no such folder, or no fixture in it.
        RecordingError: a sidecar does not fit its body.
    """
    if not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is no folder", hint="name the folder of your fixtures")
    paths = sorted(folder.rglob("*.sse"))
    if not paths:
        raise UsageError(
            f"there is no .sse file below {str(folder)!r}",
            hint="keep one with `verbatim record`, or make one with `verbatim fixture`",
        )
    return [see(path.relative_to(folder).as_posix(), load(path)) for path in paths]


def chosen(only: Collection[str], ignore: Collection[str]) -> list[Kind]:
    """The kinds that are asked for: by code, or by the word before the dot for all of a group.

    Raises:
        UsageError: a word names none.
    """
    for word in (*only, *ignore):
        if not any(_names(word, kind) for kind in KINDS):
            groups = sorted({kind.code.partition(".")[0] for kind in KINDS})
            raise UsageError(
                f"there is no kind {word!r}",
                hint=f"groups are {', '.join(groups)}; `verbatim fixture audit` lists all codes",
            )
    return [
        kind
        for kind in KINDS
        if (not only or any(_names(word, kind) for word in only))
        and not any(_names(word, kind) for word in ignore)
    ]


def _names(word: str, kind: Kind) -> bool:
    return word in (kind.code, kind.code.partition(".")[0])
