"""Tags as people write them: words with or without `#`, apart by spaces or commas."""

from __future__ import annotations

from collections.abc import Sequence


def tags_of(text: str) -> tuple[str, ...]:
    """The tags in `text`, each once, in their order."""
    words = (word.strip("#") for word in text.replace(",", " ").split())
    return tuple(dict.fromkeys(word for word in words if word))


def written(tags: Sequence[str]) -> str:
    """`tags` for people to read: `#bug #shop`."""
    return " ".join(f"#{tag}" for tag in tags)
