"""Comparing branches from the chat."""

from __future__ import annotations

from pathlib import Path

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.wire import Reply, ScriptedSource
from tui.app.screens.compare import CompareScreen
from tui.app.screens.conversations import Conversations


def source(*bodies: bytes) -> ScriptedSource:
    return ScriptedSource([Reply([body]) for body in bodies])


async def command(chat: Chat, text: str) -> None:
    chat.prompt.text = text
    chat.prompt.focus()
    await chat.pilot.press("enter")


async def test_branches_stand_in_two_columns_with_their_calls_and_results(tmp_path: Path) -> None:
    said = source(
        wire.call_turn(
            wire.call(1, "a", "lookup_order", '{"order_id": "A-4471"}'), words="[/x] \x1b[2JLook."
        ),
        wire.prose_turn("It is shipped."),
        wire.call_turn(
            wire.call(1, "a", "lookup_order", '{"order_id":"A-4471"}'), words="Looking again."
        ),
        wire.prose_turn("It is shipped."),
    )
    async with chatting(workspace(tmp_path, source=said, mode="all"), size=(80, 24)) as chat:
        await chat.say("where?")
        await chat.idle()
        await chat.pilot.press("f3", "up", "up", "r")
        await chat.until(lambda: "Looking again." in chat.prose, "the other branch")
        await chat.until(lambda: len(said.requests) == 4, "its answer")
        await chat.idle()
        await chat.pilot.press("f6")
        await chat.until(lambda: isinstance(chat.app.screen, CompareScreen), "the comparison")
        await chat.until(lambda: "≠ another call" in chat.shown(), "the calls")
        shown = chat.shown()
        assert "1 message is the same in both" in shown
        line = next(line for line in shown.splitlines() if "Looking again." in line)
        assert line.index("Looking again.") < line.index("[/x] ␛[2JLook.")
        assert shown.count("lookup_order") == 2
        assert shown.count("✓") == 2
        assert "\x1b" not in shown
        await chat.pilot.press("end")
        await chat.until(lambda: chat.shown().count("It is shipped.") == 2, "the answers")
        assert "= the same words" in chat.shown()
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.app.screen is chat.screen, "the chat again")


async def test_the_right_side_goes_through_the_other_branches(tmp_path: Path) -> None:
    said = source(*(wire.prose_turn(word) for word in ("aaa", "bbb", "ccc")))
    async with chatting(workspace(tmp_path, source=said)) as chat:
        await chat.say("hello")
        await chat.idle()
        for word in ("bbb", "ccc"):
            await command(chat, "/regenerate")
            await chat.until(lambda word=word: word in chat.prose, word)  # type: ignore[misc]
            await chat.idle()
        await command(chat, "/compare")
        await chat.until(lambda: "aaa" in chat.shown() and "ccc" in chat.shown(), "the first two")
        await chat.pilot.press("right_square_bracket")
        await chat.until(lambda: "bbb" in chat.shown() and "aaa" not in chat.shown(), "the next")
        assert "ccc" in chat.shown()


async def test_without_branches_another_conversation_is_chosen(tmp_path: Path) -> None:
    said = source(wire.prose_turn("in the first"), wire.prose_turn("in the second"))
    async with chatting(workspace(tmp_path, source=said)) as chat:
        await command(chat, "/compare")
        await chat.pilot.pause()
        assert chat.app.screen is chat.screen
        await chat.say("hello")
        await chat.idle()
        first = chat.screen.opened.id
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.opened.id != first, "another conversation")
        await chat.say("hello")
        await chat.idle()
        await command(chat, "/compare")
        await chat.until(lambda: isinstance(chat.app.screen, Conversations), "the list")
        await chat.pilot.press("down", "enter")
        await chat.until(lambda: isinstance(chat.app.screen, CompareScreen), "the comparison")
        await chat.until(lambda: "in the first" in chat.shown(), "the other conversation")
        assert "in the second" in chat.shown()
        assert "1 message is the same in both" in chat.shown()
