"""Time travel as a person uses it: all panes show the turn as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.app.wire.making import MARCH, made_up
from tests.wire import Reply, ScriptedSource
from tui.app.screens.time_travel import TimeTravel
from tui.app.screens.wire import WireScreen
from tui.app.wire.source import WireSource
from tui.core.states import CallState

ANSWER = wire.prose_turn("It is done.")


class Hand:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def travelling(
    folder: Path, *replies: Reply, size: tuple[int, int] = (140, 40), clock: Hand | None = None
) -> AsyncIterator[tuple[Chat, TimeTravel]]:
    """Time travel over the first exchange of a chat that had these replies."""
    source = ScriptedSource(list(replies))
    async with chatting(workspace(folder, source=source, mode="all"), size=size) as chat:
        await chat.say("hello")
        await chat.until(lambda: len(source.requests) == len(replies), "every reply")
        await chat.pilot.pause()
        opened = chat.screen.opened
        past = WireSource(
            chat.screen.workspace.store,
            opened.id,
            {},
            chat.screen.workspace.registry.specs_by_name,
            clients=made_up,
        )
        screen = TimeTravel(past, past.exchanges()[0], clock=clock or Hand())
        await chat.app.push_screen(screen)
        await chat.until(lambda: screen.shown is not None, "the turn read again")
        yield chat, screen


async def press(chat: Chat, screen: TimeTravel, *keys: str) -> None:
    for key in keys:
        await chat.pilot.press(key)
        await chat.until(lambda: screen.shown == screen._wanted, f"the place after {key}")
    await chat.pilot.pause()
    screen.panel.flush()
    await chat.pilot.pause()


def prose(screen: TimeTravel) -> str:
    return "".join(message.source for message in screen.pane.shown)


def assert_panes_show_the_position(screen: TimeTravel) -> None:
    """Both panes, against a reader that was fed the prefix and nothing else."""
    timeline = screen.timeline
    assert timeline is not None
    assert screen.shown is not None
    reader = timeline.reading.reader()
    reader.feed(timeline.body[: timeline.offset(screen.shown)])
    if screen.shown > timeline.events:
        reader.close(broken=timeline.reading.broken)
    assert prose(screen) == reader.turn.text
    shown = [(model.name, model.raw, model.state) for model in screen.panel.models]
    assert shown == [(c.name or "unnamed", c.buffer.text, c.state) for c in reader.turn.calls]


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_every_step_back_and_forth_shows_what_was_so_then(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with travelling(tmp_path, Reply([MARCH]), Reply([ANSWER]), size=size) as (chat, screen):
        assert_panes_show_the_position(screen)
        assert screen.panel.models[0].state is CallState.INVALID
        for key in (
            "left",
            "left",
            "left",
            "left",
            "left",
            "left",
            "right",
            "right",
            "home",
            "right",
            "end",
        ):
            await press(chat, screen, key)
            assert_panes_show_the_position(screen)


async def test_a_call_that_forms_is_shown_as_forming_again(tmp_path: Path) -> None:
    async with travelling(tmp_path, Reply([MARCH]), Reply([ANSWER])) as (chat, screen):
        await press(chat, screen, "home", "o", "right_square_bracket", "right_square_bracket")
        (model,) = screen.panel.models
        assert model.state is CallState.FORMING
        assert model.raw == '{"order_id": "A-4471", "summary": "from 3 Ma'
        shown = chat.shown()
        assert "forming" in shown
        assert "the past: nothing runs from here" in shown
        assert "event 7 of 13" in shown
        assert "input_json_delta" in shown
        await press(chat, screen, "left_square_bracket")
        assert screen.panel.models[0].raw == '{"order_id": "A-4471", '


async def test_jumps_go_to_opening_closing_and_ending(tmp_path: Path) -> None:
    async with travelling(tmp_path, Reply([MARCH]), Reply([ANSWER])) as (chat, screen):
        timeline = screen.timeline
        assert timeline is not None
        await press(chat, screen, "o")
        assert screen.shown == 5
        await press(chat, screen, "c")
        assert screen.panel.models[0].state is CallState.CLOSED
        await press(chat, screen, "e")
        assert screen.shown == timeline.ending() < timeline.last
        await press(chat, screen, "e")
        assert screen.shown == timeline.last
        await press(chat, screen, "home")
        assert screen.shown == 0
        assert prose(screen) == ""
        assert "before the first byte" in chat.shown()


async def test_playing_follows_the_recorded_times_at_any_speed(tmp_path: Path) -> None:
    clock = Hand()
    pieces = [MARCH[start : start + 200] for start in range(0, len(MARCH), 200)]
    async with travelling(tmp_path, Reply(pieces), Reply([ANSWER]), clock=clock) as (chat, screen):
        timeline = screen.timeline
        assert timeline is not None
        await press(chat, screen, "home", "plus", "space")
        assert screen.scrubber.speed == 2.0
        assert screen.scrubber.playing
        middle = timeline.time(6)
        clock.now += middle / 2
        screen.tick()
        await chat.until(lambda: screen.shown == screen._wanted, "the middle")
        assert screen.shown == timeline.at_time(middle)
        assert_panes_show_the_position(screen)
        await press(chat, screen, "space")
        clock.now += 1000.0
        screen.tick()
        assert screen._wanted == timeline.at_time(middle)
        await press(chat, screen, "space")
        clock.now += 1000.0
        screen.tick()
        await chat.until(lambda: screen.shown == timeline.last, "the end")
        assert not screen.scrubber.playing


async def test_the_contrast_shows_only_what_had_happened_by_then(tmp_path: Path) -> None:
    async with travelling(tmp_path, Reply([MARCH]), Reply([ANSWER])) as (chat, screen):
        await press(chat, screen, "x")
        await chat.until(lambda: "true: closed" in chat.shown(), "the careless clients")
        assert "NOT VERBATIM" in chat.shown()
        assert "eager  went wrong" in chat.shown()
        assert "late  went wrong" in chat.shown()
        await press(chat, screen, "left", "left")
        assert screen.timeline is not None
        offset = screen.timeline.offset(screen.timeline.last - 2)
        await chat.until(lambda: f"true so far: {offset} bytes" in chat.shown(), "what was then")
        assert "eager  went wrong" in chat.shown()
        assert "late  went wrong" not in chat.shown()
        await press(chat, screen, "home")
        await chat.until(lambda: "went wrong" not in chat.shown(), "nothing wrong at the start")
        await press(chat, screen, "x")
        assert "NOT VERBATIM" not in chat.shown()


async def test_a_turn_that_still_comes_can_be_gone_back_in_while_it_does(tmp_path: Path) -> None:
    half = wire.start() + wire.text(0, "Half an answer")
    source = ScriptedSource([Reply([half], then_wait=True)])
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("hello")
        await chat.until(lambda: "Half an answer" in chat.prose, "the first words")
        await chat.pilot.press("f5")
        await chat.until(
            lambda: isinstance(chat.app.screen, TimeTravel) and chat.app.screen.shown is not None,
            "time travel",
        )
        screen = chat.app.screen
        assert isinstance(screen, TimeTravel)
        await press(chat, screen, "left", "left")
        assert prose(screen) == ""
        assert "still coming" in chat.shown()
        await press(chat, screen, "end", "x")
        await chat.until(lambda: "Nothing wrong in the first" in chat.shown(), "the contrast")
        await press(chat, screen, "x")
        assert prose(screen) == "Half an answer"
        chat.screen.opened.session.cancel()
        await chat.until(lambda: screen.timeline is not None and screen.timeline.over, "the end")
        await chat.until(lambda: "cancelled" in chat.shown(), "how it ended")


async def test_the_wire_pane_and_time_travel_lead_to_each_other_at_the_same_event(
    tmp_path: Path,
) -> None:
    async with travelling(tmp_path, Reply([MARCH]), Reply([ANSWER])) as (chat, screen):
        await press(chat, screen, "home", "o")
        await chat.pilot.press("f4")
        await chat.until(lambda: isinstance(chat.app.screen, WireScreen), "the wire pane")
        wire_screen = chat.app.screen
        assert isinstance(wire_screen, WireScreen)
        await chat.until(lambda: wire_screen.table.chosen == 5, "the same event")
        await chat.pilot.press("down", "f5")
        await chat.until(lambda: isinstance(chat.app.screen, TimeTravel), "time travel")
        back = chat.app.screen
        assert isinstance(back, TimeTravel)
        await chat.until(lambda: back.shown == 6, "the event below")
