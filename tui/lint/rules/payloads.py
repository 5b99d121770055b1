"""Payloads: the JSON objects of the events of a reading, read once for the rules of a dialect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tui.core import wirejson
from tui.core.reader import Step
from tui.core.sse import Comment
from tui.lint.reading import Reading


def payloads(reading: Reading) -> Iterator[tuple[dict[str, Any], int]]:
    """Each event's JSON object with the byte at which the event begins; what is none is skipped."""
    yield from payloads_of(reading.steps)


def payloads_of(steps: Iterable[Step]) -> Iterator[tuple[dict[str, Any], int]]:
    """As `payloads`, of some of the events."""
    for step in steps:
        if isinstance(step.item, Comment) or step.item.data[:1] != "{":
            continue
        try:
            value = wirejson.loads(step.item.data)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value, step.item.start
