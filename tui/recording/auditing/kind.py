"""What a kind of fixture is: a code, the bug it would catch, how to see it and how to make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.recording.auditing.seen import Seen


@dataclass(frozen=True, slots=True)
class Kind:
    code: str
    """Stable: `GROUP.name`."""
    catches: str
    """The bug that no test can find without such a fixture."""
    found: Callable[[Seen], bool]
    make: str
    """Words of `verbatim fixture` that make one; FILE, OUT and capitals are for the reader."""
