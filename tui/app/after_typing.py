"""A key that sends must not overtake what was typed before it.

The app acts on a priority key as soon as it arrives, while keys typed before it may still wait in
the queue of the widget they were typed into: on a slow line or a busy screen they would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.widget import Widget


def after_typing(widgets: Iterable[Widget], act: Callable[[], object]) -> None:
    """Call `act` when each of `widgets` has taken in every key that it was sent before."""
    waiting = list(widgets)

    def go_on() -> None:
        while waiting:
            if waiting.pop().call_later(go_on):
                return
        act()

    go_on()
