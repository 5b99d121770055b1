"""Tools that list, read and search the files below one folder, and nothing outside it.

A path is resolved, with every symbolic link in it, before anything is opened; what lies outside
the folder does not exist for these tools. They never write.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import TextContent, ToolSpec
from tui.core.errors import ToolError
from tui.tools.contract import Handler, HandlerTool, RunContext, ToolOutcome
from tui.tools.registry import FixedSource
from tui.tools.results import image_type, to_content
from tui.tools.threads import in_daemon_thread

MAX_ENTRIES: Final = 500
MAX_LINES: Final = 2_000
MAX_TEXT: Final = 90_000
"""Characters of one answer; stays below what the dispatcher would cut."""
MAX_FILE: Final = 20_000_000
"""Bytes of a file that is read or searched."""
MAX_HITS: Final = 200
_MAX_LINE: Final = 500
_SKIPPED: Final = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})


class Refused(Exception):
    """What was asked cannot be done; `str()` is for the model."""


def files(root: Path) -> FixedSource:
    """The tools below `root`.

    Raises:
        ToolError: it is not a folder.
    """
    if not root.is_dir():
        raise ToolError(f"{root} is not a folder", hint="Name a folder: files:DIR.")
    folder = root.resolve()
    origin = f"files in {folder.name or folder}"
    acts: tuple[tuple[ToolSpec, Callable[[Path, Mapping[str, Any], RunContext], Any]], ...] = (
        (_LIST, list_files),
        (_READ, read_file),
        (_SEARCH, search_files),
    )
    return FixedSource(
        "files", origin, [HandlerTool(spec, origin, _handler(folder, act)) for spec, act in acts]
    )


def _handler(root: Path, act: Callable[[Path, Mapping[str, Any], RunContext], Any]) -> Handler:
    async def handler(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        try:
            value = await in_daemon_thread(lambda: act(root, arguments, context), context)
        except Refused as refused:
            return ToolOutcome.error(str(refused))
        except OSError as error:
            return ToolOutcome.error(f"That cannot be read: {error.strerror or error}.")
        return value if isinstance(value, ToolOutcome) else ToolOutcome(to_content(value))

    return handler


def inside(root: Path, path: str) -> Path:
    """The real path of `path` below `root`, which is resolved already.

    Raises:
        Refused: it lies outside, also through a link or `..`, or it does not exist.
    """
    if "\0" in path:
        raise Refused(f"{path!r} is not a path.")
    try:
        real = (root / path).resolve()
    except (OSError, RuntimeError):
        raise Refused(f"{path!r} is a link that leads nowhere.") from None
    if not real.is_relative_to(root):
        raise Refused(f"{path!r} is outside the folder that these tools may read.")
    if not real.exists():
        raise Refused(f"There is no {path!r}. list_files shows what there is.")
    return real


def list_files(root: Path, arguments: Mapping[str, Any], _: RunContext) -> str:
    folder = inside(root, arguments.get("path", "."))
    if not folder.is_dir():
        raise Refused(f"{arguments['path']!r} is a file; read_file shows it.")
    entries = sorted(os.scandir(folder), key=lambda entry: (not entry.is_dir(), entry.name))
    lines = [_entry(entry, root) for entry in entries[:MAX_ENTRIES]]
    if len(entries) > MAX_ENTRIES:
        lines.append(f"[{len(entries) - MAX_ENTRIES} more entries not shown]")
    return "\n".join(lines) or "[the folder is empty]"


def _entry(entry: os.DirEntry[str], root: Path) -> str:
    if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root):
        return f"{entry.name} (link to outside the folder)"
    if entry.is_dir():
        return f"{entry.name}/"
    try:
        return f"{entry.name} ({entry.stat().st_size:,} bytes)"
    except OSError:
        return f"{entry.name} (cannot be read)"


def read_file(root: Path, arguments: Mapping[str, Any], _: RunContext) -> ToolOutcome:
    name = arguments["path"]
    path = inside(root, name)
    data = _regular(path, name)
    if image_type(data[:16]) is not None:
        return ToolOutcome(to_content(data))
    if _is_binary(data):
        raise Refused(f"{name!r} is not text ({len(data):,} bytes).")
    lines = data.decode("utf-8", "replace").splitlines()
    first = max(1, int(arguments.get("first_line", 1)))
    last = min(len(lines), int(arguments.get("last_line", first + MAX_LINES - 1)))
    last = min(last, first + MAX_LINES - 1)
    if first > max(1, len(lines)):
        raise Refused(f"{name!r} has only {len(lines)} lines.")
    shown = "\n".join(lines[first - 1 : last])
    if len(shown) > MAX_TEXT:
        shown = shown[:MAX_TEXT]
        last = first + shown.count("\n")
    text = shown
    if first > 1 or last < len(lines):
        text += f"\n[lines {first} to {last} of {len(lines)}]"
    return ToolOutcome((TextContent(text or "[the file is empty]"),))


def search_files(root: Path, arguments: Mapping[str, Any], context: RunContext) -> str:
    wanted = arguments["text"].casefold()
    start = inside(root, arguments.get("path", "."))
    pattern = arguments.get("name_pattern", "*")
    hits: list[str] = []
    size = 0
    for path in _walk(root, start):
        if context.cancelled:
            break
        if not fnmatch.fnmatch(path.name, pattern):
            continue
        try:
            data = _regular(path, path.name)
        except (Refused, OSError):
            continue
        if _is_binary(data):
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
            if wanted in line.casefold():
                hit = f"{path.relative_to(root)}:{number}: {line.strip()[:_MAX_LINE]}"
                size += len(hit)
                if len(hits) >= MAX_HITS or size > MAX_TEXT:
                    return "\n".join([*hits, "[more hits not shown; search for something rarer]"])
                hits.append(hit)
    return "\n".join(hits) or f"[no line contains {arguments['text']!r}]"


def _walk(root: Path, start: Path) -> Iterator[Path]:
    if start.is_file():
        yield start
        return
    # Links are not followed: a folder linked twice would be searched twice, a loop for ever.
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink() or path.resolve().is_relative_to(root):
                yield path


def _regular(path: Path, name: str) -> bytes:
    about = path.stat()
    if stat.S_ISDIR(about.st_mode):
        raise Refused(f"{name!r} is a folder; list_files shows it.")
    # Opening a pipe or a device may wait for ever.
    if not stat.S_ISREG(about.st_mode):
        raise Refused(f"{name!r} is not a plain file.")
    if about.st_size > MAX_FILE:
        raise Refused(f"{name!r} has {about.st_size:,} bytes; the limit is {MAX_FILE:,}.")
    return path.read_bytes()


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:8192]


_PATH: Final = {
    "type": "string",
    "description": "Relative to the folder, like notes/today.md",
    "maxLength": 4096,
}
_LIST: Final = ToolSpec(
    name="list_files",
    description="List one folder: folders first, files with their size.",
    schema={
        "type": "object",
        "properties": {"path": {**_PATH, "description": "The folder; without it the top one"}},
        "required": [],
        "additionalProperties": False,
    },
    read_only=True,
)
_READ: Final = ToolSpec(
    name="read_file",
    description=f"Read a text file or an image. At most {MAX_LINES} lines at a time.",
    schema={
        "type": "object",
        "properties": {
            "path": _PATH,
            "first_line": {"type": "integer", "minimum": 1, "description": "From 1"},
            "last_line": {"type": "integer", "minimum": 1, "description": "Included"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    read_only=True,
)
_SEARCH: Final = ToolSpec(
    name="search_files",
    description="Find the lines that contain a text, in all files below a folder. Case is ignored.",
    schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 500},
            "path": {**_PATH, "description": "The folder to search; without it the top one"},
            "name_pattern": {
                "type": "string",
                "description": "Only files whose name fits, like *.py",
                "maxLength": 200,
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    read_only=True,
)
