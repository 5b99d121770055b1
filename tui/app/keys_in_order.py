"""Keys act in the order in which they were pressed.

Textual writes a character into a widget as soon as the widget gets it, but acts on the widget's
own key bindings (backspace, arrows, a new line) only after the key has bubbled up to the app.
Characters typed meanwhile overtake it, and when the focus has moved the key acts elsewhere: on a
slow line or a busy screen `ab`, backspace, `c` becomes `ab`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.events import Key
from textual.widget import Widget

if TYPE_CHECKING:
    _Widget = Widget
else:
    # A second widget among the bases would come between the other and its style rules.
    _Widget = object


class KeysInOrder(_Widget):
    """To be named before the widget it is mixed into."""

    async def _on_key(self, event: Key) -> None:
        if self.check_consume_key(event.key, event.character):
            return
        bindings = self._bindings.copy()
        if self.app._keymap:
            bindings.apply_keymap(self.app._keymap)
        for binding in bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and await self._acts(binding.action):
                event.stop()
                # The handler of the base class is called by Textual, unless that is prevented.
                event.prevent_default()
                return

    async def _acts(self, action: str) -> bool:
        # As the app, as Textual does it: a message of a child does not bubble past its sender.
        with self.app._context():
            return await self.app.run_action(action, self)
