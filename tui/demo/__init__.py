"""The embedded demo model: a byte source that speaks every dialect without a network.

It is scripted, and its name says so: it looks for words and order numbers (`script`), and streams
what a model would (`wire`), cut and paced like a real stream (`pace`). Token counts it reports are
estimates. `server` puts the same behind a loopback port; only that part needs an extra.
"""

from __future__ import annotations

from tui.demo.answer import answer
from tui.demo.pages import SUGGESTIONS
from tui.demo.source import NAME, DemoSource
from tui.demo.wire import MODEL

__all__ = ["MODEL", "NAME", "SUGGESTIONS", "DemoSource", "render"]


def render(dialect: str, body: bytes, seed: int = 0) -> list[bytes]:
    """The chunks of the demo's answer to `body`, without waiting: for fixtures and tests.

    Joined they are the whole body; with a break asked for, what arrived before it.

    Raises:
        UsageError: the demo does not speak `dialect`.
    """
    return [chunk.data for chunk in answer(dialect, body, seed).chunks]
