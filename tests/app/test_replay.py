"""A replay in the chat: held, stepped and let go while the stream is read in another thread."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.app.chatting import Chat, chatting, workspace
from tui.app.app import VerbatimApp
from tui.app.screens.chat import ChatScreen
from tui.app.themes import load_themes, theme_folders
from tui.app.widgets.status_line import StatusLine
from tui.recording.format import load
from tui.recording.replay import Pace, ReplaySource

TICKET = Path(__file__).parents[2] / "screenshots" / "turns" / "ticket.sse"


def has_come(chat: Chat, end: int) -> bool:
    return chat.screen.arrived == (1, end)


async def test_a_held_replay_goes_on_by_a_chunk_at_a_time_and_says_that_it_is_held(
    tmp_path: Path,
) -> None:
    pace = Pace(factor=0)
    pace.pause()
    recording = load(TICKET)
    work = workspace(tmp_path, source=ReplaySource([recording], pace=pace), mode="none")
    app = VerbatimApp(
        work, themes=load_themes(theme_folders()).themes, pace=pace, first_prompt="file a ticket"
    )
    async with app.run_test(size=(140, 40)) as pilot:
        chat = Chat(app, pilot)
        await chat.until(lambda: isinstance(app.screen, ChatScreen), "the chat")
        state = chat.screen.query_one(StatusLine)
        await chat.until(lambda: state.state != "ready", "the request")
        assert state.state.startswith("held")  # Before the first chunk, too.
        ends = [end for end, _ in recording.chunks]
        for end in ends[:3]:
            await pilot.press("ctrl+s")
            await chat.until(partial(has_come, chat, end), f"the chunk up to {end}")
        await pilot.pause()
        assert state.state.startswith("held")
        await pilot.press("ctrl+y")
        await chat.until(lambda: chat.panel.wants_attention, "the question after the whole turn")
        assert chat.screen.arrived == (1, len(recording.body))


async def test_the_keys_of_a_replay_are_the_prompt_s_in_a_chat_that_is_none(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.pilot.press("a", "b", "ctrl+z")
        undone = chat.prompt.text
        await chat.pilot.press("ctrl+y")
        assert (undone, chat.prompt.text) == ("", "ab")
