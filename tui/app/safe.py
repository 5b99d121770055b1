"""The one way by which text from models, tools, servers and pastes reaches the screen.

`core.plaintext` spells what a terminal would obey or a reader could not see; here it becomes a
value that no widget reads as markup. Only the screen's copy is changed, never the record.
"""

from __future__ import annotations

from typing import Literal, Protocol

from textual.content import Content
from textual.style import Style

from tui.core.plaintext import clean, clean_line

__all__ = ["clean", "clean_line", "content", "notify"]


def content(text: str, style: str | Style = "") -> Content:
    """Text that arrived from outside as a value that a widget will not read as markup."""
    return Content.styled(clean(text), style)


class _Notifier(Protocol):
    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None: ...


def notify(
    node: _Notifier,
    text: str,
    *,
    title: str = "",
    severity: Literal["information", "warning", "error"] = "information",
    timeout: float | None = None,
) -> None:
    """Show a toast for `node` (an app, screen or widget) without reading markup in it."""
    node.notify(
        clean(text), title=clean_line(title), severity=severity, timeout=timeout, markup=False
    )
