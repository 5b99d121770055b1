"""The demo's events against recorded ones: no field or event that no provider was seen to send."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.demo.talking import asked
from tests.shared import DIALECTS, Dialect, needs_shared, streams
from tui.core.sse import SSEDecoder, SSEEvent
from tui.demo import render

pytestmark = needs_shared

TEXTS = (
    "Where is my order A-4471?",
    "Where are A-4471 and A-4463?",
    "Which tickets are open?",
    "File a ticket for A-4471",
    "two at once",
    "limit",
)
ENDINGS = ("response.completed", "response.incomplete", "response.failed")
"""These three carry one and the same response object, and few of them are recorded."""
OPAQUE = frozenset({"tools", "tool_choice", "metadata", "input"})
"""Fields whose inside repeats the request."""


def paths(value: Any, path: str) -> Iterator[str]:
    """Every field of a JSON value by its path; lists do not count."""
    match value:
        case dict():
            for key, item in value.items():
                yield f"{path}.{key}"
                if key not in OPAQUE:
                    yield from paths(item, f"{path}.{key}")
        case list():
            for item in value:
                yield from paths(item, path)
        case _:
            pass


def fields(body: bytes) -> dict[str, set[str]]:
    """The paths of all events in `body`, by the event's kind (`""` in Chat Completions)."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in SSEDecoder().feed(body):
        if isinstance(item, SSEEvent) and item.data.startswith("{"):
            try:
                value = json.loads(item.data)
            except ValueError:
                continue
            kind = value.get("type", "") if isinstance(value, dict) else ""
            kind = "the end" if kind in ENDINGS else str(kind)
            found[kind].update(paths(value, kind))
    return found


@cache
def recorded(dialect: Dialect) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for stream in streams(dialect):
        for kind, seen in fields(stream.read()).items():
            found[kind] |= seen
    return found


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_event_and_field_was_seen_from_a_provider(dialect: Dialect, text: str) -> None:
    ours = fields(b"".join(render(dialect, asked(dialect, text))))
    assert ours
    strange = {
        path for kind, seen in ours.items() for path in seen - recorded(dialect).get(kind, set())
    }
    assert strange == set()
