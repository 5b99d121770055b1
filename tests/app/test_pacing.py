"""When the call panel draws: often while something moves, seldom else, and at once when woken."""

from __future__ import annotations

from textual.app import App
from textual.widget import Widget

from tui.app.pacing import DOZE_SECONDS, FRAME_SECONDS, LONGEST_PAUSE, Pacer


class Paced(Widget):
    """Draws when its pacer says so, and keeps the pauses it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.moving = False
        self.drawn = 0
        self.pauses: list[float] = []
        self.pacer = Pacer(self, self.draw, lambda: self.moving)

    def draw(self) -> None:
        self.drawn += 1

    def set_timer(self, delay, callback=None, **rest):  # type: ignore[no-untyped-def]
        self.pauses.append(delay)
        # Never by itself: a test draws as often as it wants to.
        return super().set_timer(3600.0, callback, **rest)


async def test_a_frame_is_followed_by_another_soon_while_something_moves() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        paced = Paced()
        await app.mount(paced)
        paced.moving = True
        paced.pacer.begin()
        await pilot.pause()
        (pause,) = paced.pauses
        assert 0 < pause <= LONGEST_PAUSE
        # While nothing moves, seldom.
        paced.moving = False
        paced.pacer.begin()
        await pilot.pause()
        assert paced.pauses[1] == DOZE_SECONDS > FRAME_SECONDS
        assert paced.drawn == 2


async def test_what_was_not_expected_is_drawn_at_once_and_once() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        paced = Paced()
        await app.mount(paced)
        paced.pacer.begin()
        await pilot.pause()
        paced.pacer.wake()
        paced.pacer.wake()
        await pilot.pause()
        assert paced.drawn == 2


async def test_a_wake_as_a_pause_ends_does_not_make_two_of_one() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        paced = Paced()
        await app.mount(paced)
        paced.pacer.begin()
        await pilot.pause()
        for _ in range(3):
            drawn = paced.drawn
            # What a timer of Textual does when its time has come.
            paced.call_next(paced.pacer.begin)
            paced.pacer.wake()
            await pilot.pause()
            assert paced.drawn == drawn + 1
            assert len(paced.pauses) == paced.drawn


async def test_a_pause_that_ends_after_another_frame_was_drawn_is_not_counted_twice() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        paced = Paced()
        await app.mount(paced)
        paced.pacer.begin()
        await pilot.pause()
        paced.pacer.begin()
        await pilot.pause()
        running = [timer for timer in paced._timers if timer._task is not None]
        assert len(running) == 1
