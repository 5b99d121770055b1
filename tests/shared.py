"""The optional folder of recorded streams and wire cases: where it is, and what is in it.

The folder is the one that the environment names by VERBATIM_SHARED, else `shared` beside the
checkout. It is not part of the repository: where it is absent the lists are empty and what
needs it is skipped. Nothing else in the tests knows its layout (its README files describe it).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

__all__ = [
    "DIALECTS",
    "ROOT",
    "Dialect",
    "RecordedStream",
    "WireCase",
    "by_id",
    "cases",
    "manifest",
    "needs_shared",
    "streams",
]

# Read once, at import: while a test runs, conftest keeps such variables out of its environment.
ROOT = Path(os.environ.get("VERBATIM_SHARED") or Path(__file__).parents[2] / "shared")

Dialect = Literal["anthropic", "openai-responses", "openai-chat"]
DIALECTS: tuple[Dialect, ...] = ("anthropic", "openai-responses", "openai-chat")

_DIALECT_OF: dict[str, Dialect] = {
    "anthropic": "anthropic",
    "responses": "openai-responses",
    "chat": "openai-chat",
}


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """One response body that a provider sent, with what its manifest line says of it."""

    path: Path
    dialect: Dialect
    manifest: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.dialect}/{self.path.stem}"

    def read(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True, slots=True)
class WireCase:
    """One body that some client got wrong, with what a correct client ends with."""

    path: Path
    spec: dict[str, Any]

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def dialect(self) -> Dialect:
        dialect: Dialect = self.spec["dialect"]
        return dialect

    def read(self) -> bytes:
        """The body as it stood on the wire, content encoding included."""
        return self.path.read_bytes()


def manifest() -> tuple[dict[str, Any], ...]:
    """The lines of the streams' manifest, in its order; empty where the folder is absent."""
    return _manifest(ROOT)


@cache
def _manifest(root: Path) -> tuple[dict[str, Any], ...]:
    path = root / "streams" / "manifest.jsonl"
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def streams(dialect: Dialect | None = None) -> list[RecordedStream]:
    """The recorded streams of one dialect, or of all."""
    folder = ROOT / "streams"
    found = [
        RecordedStream(folder / line["file"], _DIALECT_OF[line["dialect"]], line)
        for line in manifest()
    ]
    return [stream for stream in found if dialect in (None, stream.dialect)]


def cases(dialect: Dialect | None = None) -> list[WireCase]:
    """The wire cases of one dialect, or of all, by name."""
    return [case for case in _cases(ROOT) if dialect in (None, case.dialect)]


@cache
def _cases(root: Path) -> tuple[WireCase, ...]:
    return tuple(
        WireCase(path.with_suffix(".sse"), json.loads(path.read_text(encoding="utf-8")))
        for path in sorted((root / "cases").glob("*.json"))
    )


needs_shared = pytest.mark.skipif(
    not (streams() and cases()),
    reason="recorded streams are not here: set VERBATIM_SHARED",
)
"""Put it on every test that reads the folder: parametrized over an empty list, a test is skipped
by pytest without a word on what to do."""


def by_id(item: RecordedStream | WireCase) -> str:
    """For `pytest.mark.parametrize(..., ids=by_id)`."""
    return item.id
