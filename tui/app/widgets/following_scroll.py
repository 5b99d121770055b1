"""A scrolling container that stays at its end while it grows, until the reader scrolls up.

Built on Textual's anchor, with what that lacks: it is taken up again near the end, survives a
resize, and leaves content that is shorter than its room at the top.
"""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.content import Content


class FollowingScroll(VerticalScroll):
    """See the module. `-new-below` is set while something came that is out of sight."""

    @property
    def following(self) -> bool:
        """Whether it stays at the end while text arrives."""
        return not (self.is_anchored and self._anchor_released)

    def watch_virtual_size(self) -> None:
        # Textual moves content that is shorter than its anchored place down to the end of it.
        tall = self.virtual_size.height > self.scrollable_content_region.height
        if tall and not self.is_anchored:
            self.anchor()
        elif not tall and self.is_anchored:
            self.anchor(False)
            self._anchor_released = False
            self.scroll_home(animate=False, force=True, immediate=True)

    def on_resize(self) -> None:
        following = self.following
        self.watch_virtual_size()
        if following and self.is_anchored:
            # The region shrank (a question took the room): the end stays in sight.
            self.anchor()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self.following and new_value > old_value and new_value >= self.max_scroll_y - 1:
            # Textual takes up following only at the very last row, which moves away meanwhile.
            self.anchor()
        if self.following:
            self.show_new_below(shown=False)

    def release_anchor(self) -> None:
        """A person scrolls: no more following, unless they are at the end all the same."""
        if self.max_scroll_y > 0:
            super().release_anchor()
            self.call_after_refresh(self._follow_if_at_end)

    def forget_place(self) -> None:
        """As when nothing was in it yet."""
        self.anchor(False)
        self._anchor_released = False
        self.show_new_below(shown=False)

    def _follow_if_at_end(self) -> None:
        if not self.following and self.scroll_y >= self.max_scroll_y:
            self.action_follow()

    def action_follow(self) -> None:
        """Go to the end, and stay there."""
        if self.is_anchored:
            self.anchor()
        self.show_new_below(shown=False)

    def show_new_below(self, *, shown: bool = True) -> None:
        """Say that something came below what is read, or that this is seen now."""
        self.set_class(shown, "-new-below")
        self.border_subtitle = Content("↓ new below · End") if shown else Content()
