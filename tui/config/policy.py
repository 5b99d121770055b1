"""Writing one approval rule back into the configuration file, leaving every other byte alone.

The file is a person's, with comments and an order of their own: one line is added or changed,
and the result is kept only if reading it gives exactly the old values plus the rule.
"""

from __future__ import annotations

import copy
import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Literal

from tui.config.errors import ConfigError
from tui.config.settings import Rule
from tui.config.table import toml_name

__all__ = ["update_policy"]

Scope = Literal["tools", "origins"]


def update_policy(file: Path, name: str, rule: Rule, *, scope: Scope = "tools") -> None:
    """Set the rule for the tool (or origin) `name` in `file`, which is made if need be.

    The file is replaced at once, so that a crash leaves the old one or the new one.

    Raises:
        ConfigError: it cannot be read or written, or is written in a way (inline tables, say)
            that cannot be added to without disturbing it; the hint is the line to add by hand.
    """
    line = f'{toml_name(name)} = "{rule}"'
    by_hand = f"add it by hand: below [approval.{scope}] the line {line}"
    # A link to a file kept elsewhere stays a link.
    target = file.resolve()
    try:
        old = target.read_bytes().decode() if target.exists() else ""
        values = tomllib.loads(old)
        new = _with_rule(old, f"approval.{scope}", name, line)
        if not _differs_by(values, tomllib.loads(new), scope, name, rule):
            raise ConfigError(str(file), ["the rule could not be written into it"], hint=by_hand)
        _replace(target, new)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, OSError) as problem:
        raise ConfigError(
            str(file), [f"the rule could not be written into it: {problem}"], hint=by_hand
        ) from problem


def _with_rule(text: str, header: str, name: str, line: str) -> str:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    start = next((i for i, each in enumerate(lines) if _is_header(each, header)), None)
    if start is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}[{header}]{newline}{line}{newline}"
    last = start
    for i in range(start + 1, len(lines)):
        content = lines[i].strip()
        if content.startswith("["):
            break
        if (comment := _comment_of(lines[i], name)) is not None:
            lines[i] = line + comment + newline
            return "".join(lines)
        # Comments at the end may speak of what comes after: the new line goes before them.
        if content and not content.startswith("#"):
            last = i
    if not lines[last].endswith("\n"):
        lines[last] += newline
    lines.insert(last + 1, line + newline)
    return "".join(lines)


def _is_header(line: str, header: str) -> bool:
    found = re.match(r"""\s*\[([^\[\]#"']+)\]\s*(#.*)?$""", line)
    return found is not None and re.sub(r"\s", "", found[1]) == header


def _comment_of(line: str, name: str) -> str | None:
    """What follows the value, blanks and comment, if `line` sets `name`; else None."""
    found = re.match(
        r"""\s*(?P<key>[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')\s*=\s*(?:"[^"]*"|'[^']*')(?P<rest>\s*(?:#.*)?)$""",
        line.rstrip("\r\n"),
    )
    if found is None or next(iter(tomllib.loads(f"{found['key']} = 1"))) != name:
        return None
    return found["rest"]


def _differs_by(
    old: dict[str, Any], new: dict[str, Any], scope: Scope, name: str, rule: Rule
) -> bool:
    expected = copy.deepcopy(old)
    expected.setdefault("approval", {}).setdefault(scope, {})[name] = rule
    return expected == new


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
