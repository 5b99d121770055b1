"""Sizes and times in few cells."""

from __future__ import annotations


def size_words(size: int) -> str:
    """Bytes: `812 B`, `12.4 KB`, `3.1 MB` (powers of 1,024)."""
    if size < 1024:
        return f"{size} B"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KB"
    return f"{size / 1024 / 1024:.1f} MB"


def time_words(seconds: float) -> str:
    """`0.4 s`, `12 s`, `2 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def counted(number: int, thing: str) -> str:
    """`1 fragment`, `1,204 fragments`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
