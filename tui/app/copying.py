"""Taking text out of the screen: to the terminal's clipboard, or to a file when it is long.

Gets source text, never what was drawn. Says what was copied and how, because a terminal gives
no answer to a clipboard request and many cut it short.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CLIPBOARD_LIMIT = 64 * 1024
"""Bytes of UTF-8 above which terminals begin to drop an OSC 52 request."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of it. `told` is a sentence for the person; `path` is set for a file."""

    told: str
    path: Path | None = None
    failed: bool = False


def copy_out(
    text: str, what: str, to_clipboard: Callable[[str], None], folder: Path | None = None
) -> Copied:
    """Copy `text`, called `what` in the answer, with `to_clipboard` (Textual's OSC 52).

    Above `CLIPBOARD_LIMIT` it goes to a new file in `folder` (None: the system's temporary
    folder), readable by its owner only.
    """
    data = text.encode("utf-8", "surrogatepass")
    size = f"{len(text):,} characters"
    if len(data) <= CLIPBOARD_LIMIT:
        whole = data.decode("utf-8", "replace")
        to_clipboard(whole)
        note = "" if whole == text else "; halves of surrogate pairs could not be copied"
        return Copied(f"Sent {what} ({size}) to the terminal's clipboard{note}.")
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "wb", prefix="verbatim-", suffix=".md", dir=folder, delete=False
        ) as file:
            file.write(data)
    except OSError as problem:
        return Copied(f"Could not save {what}: {problem.strerror}.", failed=True)
    path = Path(file.name)
    return Copied(
        f"{what.capitalize()} ({size}) is too long for a clipboard; saved to {path}", path
    )
