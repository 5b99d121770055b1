"""An exchange into a file, as what the file's name ends in; nothing is written over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tui.app.safe import clean_line
from tui.app.wire.exchange import WireExchange
from tui.app.wire.exports import curl_of, har_of, recording_of
from tui.core.errors import UsageError
from tui.recording.format import save

KINDS: Final = ".sse (a recording), .har (an HTTP archive) or .sh (a cURL command)"


def save_as(exchange: WireExchange, path: Path) -> str:
    """Write the file, readable by its owner only; returns what was done, in words.

    Raises:
        UsageError: the name has another ending, or cannot be written, or exists.
        RecordingError: the same of a recording.
    """
    shown = clean_line(str(path))
    match path.suffix.lower():
        case ".sse":
            written = save(recording_of(exchange), path)
            return f"Saved the recording to {clean_line(str(written))}, times beside it."
        case ".har":
            _write(path, har_of(exchange))
            return f"Saved the HTTP archive to {shown}"
        case ".sh":
            _write(path, curl_of(exchange))
            return f"Saved the cURL command to {shown}, the key as a variable."
        case _:
            raise UsageError(f"cannot save {shown!r}", hint=f"let the name end in {KINDS}")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            f"cannot save {clean_line(str(path))!r}: {error.strerror}", hint="choose another name"
        ) from error
