"""Recordings: a response body as plain `.sse` bytes, with a sidecar that says when they came.

`NAME.sse` holds exactly what `curl -N` would have kept; any tool can read it and it is a
recording on its own. `NAME.json` beside it (version first) adds arrival times, both heads with
secrets masked, the request's body, how the response ended, and the results of its calls.
docs/recordings.md describes the fields.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from tui.core.codec import CodecError, decode_result, encode_result
from tui.core.conversation import CallResult
from tui.core.errors import UsageError
from tui.core.source import ResponseHead

VERSION: Final = 1
_MARK: Final = "verbatim_recording"

Ending = Literal["complete", "broken", "cancelled"]


class RecordingError(UsageError):
    """A file is not a recording we can read, or one cannot be written."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One response, and what is known of the exchange around it."""

    body: bytes = field(repr=False)
    chunks: tuple[tuple[int, float], ...] = ()
    """(end offset, seconds after the request was sent) of each chunk; empty: times not known."""
    dialect: str | None = None
    endpoint: str = ""
    model: str = ""
    recorded_at: str = ""
    """ISO 8601, UTC."""
    request_url: str = ""
    request_headers: tuple[tuple[str, str], ...] = ()
    request_body: bytes = field(default=b"", repr=False)
    head: ResponseHead | None = None
    ending: Ending = "complete"
    problem: str = ""
    results: tuple[CallResult, ...] = ()
    """What the calls of this turn returned, for a replay to give again. `call` is `tN.cM`."""
    made_by: tuple[str, ...] = ()
    """For a fixture that was made, not recorded: the command of each step, first to last."""
    path: Path | None = field(default=None, compare=False)

    def timed_chunks(self) -> list[tuple[float, bytes]]:
        """(seconds, bytes) as they arrived; the whole body at 0 when times are not known."""
        if not self.chunks:
            return [(0.0, self.body)] if self.body else []
        starts = [0, *(end for end, _ in self.chunks)]
        return [
            (at, self.body[start:end])
            for start, (end, at) in zip(starts, self.chunks, strict=False)
            if end > start
        ]


def paths_of(path: Path) -> tuple[Path, Path]:
    """The body's and the sidecar's path of the recording named by either (or by neither's ending)."""
    # Names hold dots: only our own two endings are taken off, and appended rather than replaced.
    stem = path.name.removesuffix(path.suffix) if path.suffix in (".sse", ".json") else path.name
    side = path.with_name(f"{stem}.json")
    if path.suffix in (".sse", ".json") or not path.exists():
        return path.with_name(f"{stem}.sse"), side
    return path, side


def save(recording: Recording, path: Path, *, overwrite: bool = False) -> Path:
    """Write `recording` as `PATH.sse` and `PATH.json`, readable by their owner only.

    Returns the body's path.

    Raises:
        RecordingError: it exists already, or the folder cannot be written.
    """
    body_path, side_path = paths_of(path)
    try:
        body_path.parent.mkdir(parents=True, exist_ok=True)
        _write(body_path, recording.body, overwrite)
        side = json.dumps(_sidecar(recording, body_path.name), indent=1)
        _write(side_path, side.encode(), overwrite)
    except FileExistsError as error:
        raise RecordingError(
            f"{str(error.filename)!r} exists already", hint="choose another name"
        ) from error
    except OSError as error:
        raise RecordingError(
            f"cannot write the recording {str(body_path)!r}: {error.strerror}",
            hint="choose a folder that can be written",
        ) from error
    return body_path


def load(path: Path) -> Recording:
    """Read the recording at `path`: its body, its sidecar, or a bare body that curl kept.

    Raises:
        RecordingError: it cannot be read, or the sidecar is not one of ours.
    """
    body_path, side_path = paths_of(path)
    if path.suffix == ".json" and not side_path.exists():
        raise RecordingError(f"cannot read {str(path)!r}: there is no such file")
    try:
        body = body_path.read_bytes()
        side = side_path.read_text("utf-8") if side_path != body_path and side_path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise RecordingError(f"cannot read {str(body_path)!r}: {words}") from error
    plain = _parsed(side, side_path) if side else None
    if plain is None:
        return Recording(body, path=body_path)
    try:
        return _recording(body, plain, body_path)
    except (KeyError, TypeError, ValueError, CodecError) as error:
        raise RecordingError(
            f"the sidecar {str(side_path)!r} cannot be read: {error}",
            hint="remove it to use the body alone",
        ) from error


def _parsed(text: str, path: Path) -> dict[str, Any] | None:
    """The sidecar as a value; None when the `.json` beside the body is something else."""
    try:
        plain = json.loads(text)
    except ValueError:
        plain = None
    if not isinstance(plain, dict) or _MARK not in plain:
        return None
    if plain[_MARK] != VERSION:
        raise RecordingError(
            f"the recording {str(path)!r} has version {plain[_MARK]!r}; this Verbatim reads {VERSION}",
            hint="use a newer Verbatim",
        )
    return plain


def _recording(body: bytes, plain: dict[str, Any], path: Path) -> Recording:
    stated = plain["body"]
    if stated["sha256"] != hashlib.sha256(body).hexdigest():
        raise ValueError("the body beside it was changed since it was recorded")
    response = plain["response"]
    request = plain["request"]
    ending = plain["ending"]
    if ending not in ("complete", "broken", "cancelled"):
        raise ValueError(f"the ending {ending!r} is unheard of")
    return Recording(
        body,
        chunks=tuple((int(end), float(at)) for end, at in plain["chunks"]),
        dialect=plain["dialect"],
        endpoint=plain["endpoint"],
        model=plain["model"],
        recorded_at=plain["recorded_at"],
        request_url=request["url"],
        request_headers=_pairs(request["headers"]),
        request_body=base64.b64decode(request["body"]),
        head=ResponseHead(response["status"], _pairs(response["headers"])) if response else None,
        ending=cast(Ending, ending),
        problem=plain["problem"],
        results=tuple(decode_result(json.dumps(each)) for each in plain["results"]),
        made_by=tuple(str(words) for words in plain.get("made_by", ())),
        path=path,
    )


def _pairs(plain: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(value)) for name, value in plain)


def _sidecar(recording: Recording, body_name: str) -> dict[str, Any]:
    head = recording.head
    # Only what was made says so: a recording has nothing to say here.
    made = {"made_by": list(recording.made_by)} if recording.made_by else {}
    return {
        _MARK: VERSION,
        "body": {
            "file": body_name,
            "bytes": len(recording.body),
            "sha256": hashlib.sha256(recording.body).hexdigest(),
        },
        "dialect": recording.dialect,
        "endpoint": recording.endpoint,
        "model": recording.model,
        "recorded_at": recording.recorded_at,
        "ending": recording.ending,
        "problem": recording.problem,
        "chunks": [[end, round(at, 6)] for end, at in recording.chunks],
        "request": {
            "url": recording.request_url,
            "headers": [list(pair) for pair in recording.request_headers],
            "body": base64.b64encode(recording.request_body).decode("ascii"),
        },
        "response": {"status": head.status, "headers": [list(pair) for pair in head.headers]}
        if head is not None
        else None,
        "results": [json.loads(encode_result(result)) for result in recording.results],
    } | made


def _write(path: Path, data: bytes, overwrite: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
