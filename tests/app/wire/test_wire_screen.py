"""The wire pane as a person uses it, with the keyboard alone, over the real session and store."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.app.screens import FORBIDDEN, HOSTILE
from tests.app.wire.making import MARCH, made_up
from tests.wire import Reply, ScriptedSource
from tui.app.screens.chat import ChatScreen
from tui.app.screens.time_travel import TimeTravel
from tui.app.screens.wire import WireScreen
from tui.app.widgets.marked_text import MarkedText
from tui.app.widgets.wire_sides import Side
from tui.app.wire import frame
from tui.app.wire.exchange import WireExchange
from tui.app.wire.source import WireSource
from tui.core.errors import StreamBroken
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.recording.format import load
from tui.session.updates import TurnHandle
from tui.store import Store

TICKET = "file a ticket for A-4471: late delivery"
ANSWER = wire.prose_turn("It is done.")


@asynccontextmanager
async def asked(
    folder: Path, *replies: Reply, size: tuple[int, int] = (140, 40), said: str = "hello"
) -> AsyncIterator[Chat]:
    """A chat that has had these replies."""
    source = ScriptedSource(list(replies))
    async with chatting(workspace(folder, source=source, mode="all"), size=size) as chat:
        await chat.say(said)
        await chat.idle()
        yield chat


async def open_wire(chat: Chat) -> WireScreen:
    await chat.pilot.press("f4")
    await chat.until(lambda: isinstance(chat.app.screen, WireScreen), "the wire pane")
    screen = chat.app.screen
    assert isinstance(screen, WireScreen)
    await chat.until(lambda: screen.exchange is not None, "what is on record")
    await chat.pilot.pause()
    return screen


async def type_in(chat: Chat, text: str) -> None:
    await chat.pilot.press(*("space" if char == " " else char for char in text), "enter")
    await chat.pilot.pause()


async def test_which_three_events_made_the_word_march_in_the_summary(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([MARCH]), Reply([ANSWER])) as chat:
        await chat.pilot.press("f4")
        await chat.until(lambda: isinstance(chat.app.screen, WireScreen), "the wire pane")
        await chat.pilot.press("left_square_bracket", "slash")
        await type_in(chat, "March")
        shown = chat.shown()
        assert "“March” came in 3 events: #7, #8, #9" in shown
        for number, piece in (
            ("#7", '"summary": "from 3'),
            ("#8", "“r”"),
            ("#9", "ch to 5 May"),
        ):
            (row,) = [
                line
                for line in shown.splitlines()
                if line.startswith("▶") and f" {number} " in line
            ]
            assert piece in row
        assert shown.count("⟦") == shown.count("⟧") == 1
        assert "╎r╎" in shown[shown.index("⟦") : shown.index("⟧")]
        await chat.pilot.press("escape")
        assert isinstance(chat.app.screen, ChatScreen)


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_the_demo_ticket_answers_the_same_question_on_any_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with chatting(workspace(tmp_path), size=size) as chat:
        await chat.say(TICKET)
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        screen = await open_wire(chat)
        await chat.pilot.press("slash")
        await type_in(chat, "March")
        assert screen.told.startswith("“March” came in ")
        marked = [line for line in chat.shown().splitlines() if line.startswith("▶ ")]
        numbers = sorted(screen.view.table.marked)
        assert all(any(f"#{number} " in line for line in marked) for number in numbers)
        assert "⟦" in chat.shown()
        assert "⟧" in chat.shown()
        # The question below was neither answered nor lost by what was typed.
        assert chat.panel.models[0].state is CallState.AWAITING_APPROVAL
        await chat.pilot.press("escape")
        chat.screen.opened.session.cancel()
        await chat.idle()


async def test_a_word_that_came_in_another_exchange_is_found_there(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([MARCH]), Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        await chat.pilot.press("slash")
        await type_in(chat, "Küche")
        assert "stands nowhere" in chat.shown()
        assert "[ and ] show the other exchanges, n finds it there" in chat.shown()
        await chat.pilot.press("left_square_bracket", "n")
        await chat.pilot.pause()
        assert screen.told.startswith("“K\\u00fcche” came in 1 event")


@pytest.mark.parametrize("width", [80, 110, 140, 150])
def test_no_key_and_no_sentence_is_cut_in_the_foot(width: int) -> None:
    told = "“March” came in 3 events: #38, #39, #40 · arguments of t1.c1 create_ticket (1 of 5)"
    for words in ("#1 carried no character of any text", told):
        rows = ["".join(text for text, _ in line) for line in frame.foot(words, width)]
        assert len(rows) == 3
        assert words in " ".join(row.strip() for row in rows)
        keys = " ".join(rows)
        shown = [key for key in frame.KEYS if key in keys]
        assert shown == list(frame.KEYS)[: len(shown)]
        assert "/ find" in shown


async def test_walking_down_the_table_marks_the_characters_of_each_event(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        await chat.pilot.press("down", "down")
        await chat.pilot.pause()
        assert screen.table.chosen == 3
        assert "⟦It is done.⟧" in chat.shown()
        assert "#3 carried 11 characters of the prose" in chat.shown()


async def test_the_cursor_in_the_text_marks_the_event_in_the_table(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([MARCH]), Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        await chat.pilot.press("left_square_bracket")
        await chat.pilot.pause()
        screen.query_one(MarkedText).focus()
        await chat.pilot.press("right", "down")
        await chat.until(lambda: "arguments of t1.c1" in screen.told, "the cursor in the arguments")
        await chat.pilot.press("shift+right", "shift+right")
        await chat.pilot.pause()
        assert "characters" in screen.told
        (number, *_) = sorted(screen.view.table.marked)
        assert screen.table.chosen == number


async def test_the_bytes_the_request_and_the_response_are_shown_as_they_came(
    tmp_path: Path,
) -> None:
    async with asked(tmp_path, Reply([ANSWER[:60], ANSWER[60:]])) as chat:
        await open_wire(chat)
        await chat.pilot.press("down", "enter")
        await chat.pilot.pause()
        assert "event: content_block_start␤" in chat.shown()
        assert "in chunk 2 of 2" in chat.shown()
        await chat.pilot.press("3")
        await chat.pilot.pause()
        assert "/v1/messages" in chat.shown()
        assert "laid out by us" in chat.shown()
        await chat.pilot.press("p")
        await chat.pilot.pause()
        assert '{"model":"verbatim-demo"' in chat.shown().replace("\n", "")
        await chat.pilot.press("4")
        await chat.pilot.pause()
        assert "status 200" in chat.shown()
        assert "text/event-stream" in chat.shown()


async def test_an_exchange_without_any_event_still_shows_its_heads_and_body(tmp_path: Path) -> None:
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}'
    head = ResponseHead(529, (("content-type", "application/json"), ("retry-after", "7")))
    async with asked(tmp_path, Reply([body], head=head)) as chat:
        await open_wire(chat)
        assert "no event has come" in chat.shown()
        assert "529" in chat.shown()
        await chat.pilot.press("4")
        await chat.pilot.pause()
        assert "retry-after: 7" in chat.shown()
        assert "overloaded_error" in chat.shown()


async def test_a_filter_leaves_the_events_of_one_call(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([MARCH]), Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        await chat.pilot.press("left_square_bracket", "f")
        await type_in(chat, "call:t1.c1")
        assert screen.view.table.events == 7
        assert "7 of 13 fit" in chat.shown()
        await chat.pilot.press("f", "ctrl+u", "enter")
        await chat.pilot.pause()
        assert screen.view.table.events == 13


async def test_saved_files_read_back_and_nothing_is_written_over(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        for key, name in (
            ("w", "one.sse"),
            ("a", "one.har"),
            ("a", "one.har"),
            ("w", "one.sh"),
            ("w", "one"),
        ):
            await chat.pilot.press(key, "ctrl+u")
            await chat.pilot.pause()
            assert "Save as .sse (a recording), .har (an HTTP archive) or .sh" in chat.shown()
            box = screen.query_one("#wire-input")
            box.value = str(tmp_path / name)  # type: ignore[attr-defined]
            await chat.pilot.press("enter")
            await chat.pilot.pause()
        assert load(tmp_path / "one.sse").body == ANSWER
        har = json.loads((tmp_path / "one.har").read_text())
        assert har["log"]["entries"][0]["response"]["content"]["text"].encode() == ANSWER
        assert (tmp_path / "one.har").stat().st_mode & 0o777 == 0o600
        toasts = [notification.message for notification in chat.app._notifications]
        assert any("one.har': File exists" in toast for toast in toasts)
        assert any("let the name end in .sse" in toast for toast in toasts)
        assert "curl -N" in (tmp_path / "one.sh").read_text()
        await chat.pilot.press("u")
        await chat.pilot.pause()
        assert "curl -N" in chat.app.clipboard
        assert "$ANTHROPIC_API_KEY" in chat.app.clipboard


async def test_a_turn_that_still_comes_fills_the_table_while_it_does(tmp_path: Path) -> None:
    half = wire.start() + wire.text(0, "Half an answer")
    source = ScriptedSource([Reply([half], then_wait=True)])
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("hello")
        await chat.until(lambda: "Half an answer" in chat.prose, "the first words")
        screen = await open_wire(chat)
        assert len(screen.view.log) == 4
        assert "open" in chat.shown()
        await chat.pilot.press("w")
        assert not screen.query_one("#wire-input").display
        chat.screen.opened.session.cancel()
        await chat.until(
            lambda: screen.exchange is not None and screen.exchange.over, "the end on record"
        )
        await chat.pilot.pause()
        assert "cancelled" in chat.shown()


class Late(WireSource):
    """A record that learns of the end of an exchange only after it was read once."""

    def read(self, exchange: str, handle: TurnHandle | None = None) -> WireExchange:
        found = super().read(exchange, handle)
        first = exchange not in READ
        READ.add(exchange)
        return replace(found, stored=replace(found.stored, ending="open")) if first else found


READ: set[str] = set()
"""Exchanges that `Late` has been asked for."""


async def test_an_end_that_is_written_down_after_the_screen_knows_it_is_shown(
    tmp_path: Path,
) -> None:
    async with asked(tmp_path, Reply([ANSWER])) as chat:
        source = Late(chat.screen.workspace.store, chat.screen.opened.id, {}, {}, clients=made_up)
        screen = WireScreen(source, source.exchanges()[0])
        await chat.app.push_screen(screen)
        await chat.until(
            lambda: screen.exchange is not None and screen.exchange.over, "the end on record"
        )


async def test_a_resumed_conversation_has_its_wire_too(tmp_path: Path) -> None:
    broken = Reply([MARCH[:900]], breaks=StreamBroken("the connection was reset"))
    async with asked(tmp_path, broken) as chat:
        conversation = chat.screen.opened.id
    store = Store.open(tmp_path / "store.sqlite")
    work = workspace(tmp_path, store=store)
    async with chatting(work, conversation=conversation) as chat:
        screen = await open_wire(chat)
        assert len(screen.view.log) > 3
        assert "the connection was reset" in chat.shown()
        await chat.pilot.press("slash")
        await type_in(chat, "A-4471")
        assert screen.told.startswith("“A-4471” came in 1 event")


async def test_without_a_turn_there_is_nothing_to_show(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.pilot.press("f4", "f5")
        await chat.pilot.pause()
        assert isinstance(chat.app.screen, ChatScreen)


async def test_the_commands_lead_there_too(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([ANSWER])) as chat:
        kinds: dict[str, type[WireScreen | TimeTravel]] = {
            "/wire": WireScreen,
            "/travel": TimeTravel,
        }
        for command, kind in kinds.items():
            chat.prompt.text = command
            chat.prompt.focus()
            await chat.pilot.press("enter")
            await chat.until(partial(shows, chat, kind), command)
            await chat.pilot.press("escape")
            await chat.until(partial(shows, chat, ChatScreen), "the chat")


def shows(chat: Chat, kind: type[Screen[Any]]) -> bool:
    return isinstance(chat.app.screen, kind)


async def test_the_contrast_is_set_apart_and_names_the_event(tmp_path: Path) -> None:
    async with asked(tmp_path, Reply([MARCH]), Reply([ANSWER])) as chat:
        store, conversation = chat.screen.workspace.store, chat.screen.opened.id
        source = WireSource(store, conversation, {}, {}, clients=made_up)
        screen = WireScreen(source, source.exchanges()[0])
        await chat.app.push_screen(screen)
        await chat.until(lambda: screen.exchange is not None, "what is on record")
        await chat.pilot.press("x")
        await chat.until(lambda: "went wrong" in chat.shown(), "the careless clients")
        shown = chat.shown()
        assert "≠ │ NOT VERBATIM" in shown
        assert "went wrong at byte" in shown
        assert "half a ticket is filed" in shown
        await chat.pilot.press("x")
        assert screen._side is Side.TEXTS


async def test_hostile_bytes_cannot_break_the_screen(tmp_path: Path) -> None:
    body = (
        wire.start()
        + b": " + HOSTILE.encode("utf-8", "surrogatepass").replace(b"\r", b"").replace(b"\n", b"")
        + b"\n\n"
        + wire.text(0, HOSTILE)
        + wire.call(1, HOSTILE, HOSTILE, json.dumps({HOSTILE: HOSTILE}))
        + wire.ended("tool_use")
    )  # fmt: skip
    async with asked(tmp_path, Reply([body]), Reply([ANSWER])) as chat:
        screen = await open_wire(chat)
        await chat.pilot.press("left_square_bracket")
        await chat.until(lambda: screen.exchange is not None, "what is on record")
        for key in ("down", "down", "2", "3", "4", "1", "down", "down", "down", "x"):
            await chat.pilot.press(key)
            await chat.pilot.pause()
            shown = chat.shown()
            assert not [char for char in FORBIDDEN if char in shown], key
