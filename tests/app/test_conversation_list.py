"""The list of conversations: rows in, wishes out, nothing deleted by one key."""

from __future__ import annotations

from typing import Any

from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.app.screens import HOSTILE, WidgetApp, until
from tui.app.widgets.conversation_list import ConversationList, ConversationRow
from tui.app.widgets.help_panel import HelpPanel, HelpSection

ROWS = (
    ConversationRow("a", "Weather in Lisbon", "claude", "today 14:02", 12_345, 1),
    ConversationRow("b", "[/x] Fix the parser " * 9, "gpt", "May 2", 900, 12),
    ConversationRow("c", "Pinned " + HOSTILE, "claude", "May 1", 2_000_000, 0, pinned=True),
)


class ListApp(WidgetApp):
    def __init__(self, rows: tuple[ConversationRow, ...] = ROWS, **options: Any) -> None:
        super().__init__(**options)
        self.rows = rows
        self.wishes: list[Message] = []

    async def on_mount(self) -> None:
        await self.push_screen(ConversationList(self.rows))

    def on_conversation_list_opened(self, event: ConversationList.Opened) -> None:
        self.wishes.append(event)

    def on_conversation_list_delete_asked(self, event: ConversationList.DeleteAsked) -> None:
        self.wishes.append(event)

    def on_conversation_list_renamed(self, event: ConversationList.Renamed) -> None:
        self.wishes.append(event)

    def on_conversation_list_pin_asked(self, event: ConversationList.PinAsked) -> None:
        self.wishes.append(event)


async def listed(pilot: Pilot[None], app: ListApp, count: int) -> OptionList:
    options = app.screen.query_one(OptionList)
    await until(pilot, lambda: options.option_count == count)
    return options


async def test_rows_show_title_model_time_calls_and_size_pinned_first() -> None:
    app = ListApp()
    async with app.run_test(size=(80, 24), tooltips=True) as pilot:
        await listed(pilot, app, 3)
        await until(pilot, lambda: "claude · 1 call · 12 kB" in app.text())
        text = app.text()
        assert text.index("★ Pinned ␛]0;owned␇") < text.index("Weather in Lisbon")
        assert "…  May 2" in text or "… May 2" in text
        assert "claude · 0 calls · 2.0 MB" in text
        assert "\x1b" not in text


async def test_enter_opens_the_one_that_is_highlighted() -> None:
    app = ListApp()
    async with app.run_test() as pilot:
        await listed(pilot, app, 3)
        await pilot.press("down", "enter")
        (wish,) = app.wishes
        assert isinstance(wish, ConversationList.Opened)
        assert wish.conversation_id == "a"


async def test_the_filter_narrows_by_every_word_of_title_and_model() -> None:
    app = ListApp()
    async with app.run_test() as pilot:
        await listed(pilot, app, 3)
        await pilot.press("slash", *"lisbon CLAUDE")
        await listed(pilot, app, 1)
        await pilot.press("down", "enter")
        (wish,) = app.wishes
        assert isinstance(wish, ConversationList.Opened)
        assert wish.conversation_id == "a"
        app.screen.query_one("#filter", Input).value = "nothing like it"
        await until(pilot, lambda: "No conversation matches." in app.text())


async def test_deleting_is_asked_twice_and_moving_on_forgets_the_question() -> None:
    app = ListApp()
    async with app.run_test(size=(100, 24)) as pilot:
        await listed(pilot, app, 3)
        await pilot.press("down", "d")
        await until(pilot, lambda: "d again deletes “Weather in Lisbon”" in app.text())
        await pilot.press("down", "d")
        assert app.wishes == []
        await pilot.press("escape", "d")
        assert app.wishes == []
        await pilot.press("d")
        (wish,) = app.wishes
        assert isinstance(wish, ConversationList.DeleteAsked)
        assert wish.conversation_id == "b"


async def test_renaming_and_pinning_are_wishes() -> None:
    app = ListApp()
    async with app.run_test() as pilot:
        await listed(pilot, app, 3)
        await pilot.press("down", "r", "end", "!", "enter", "p")
        renamed, pinned = app.wishes
        assert isinstance(renamed, ConversationList.Renamed)
        assert (renamed.conversation_id, renamed.title) == ("a", "Weather in Lisbon!")
        assert isinstance(pinned, ConversationList.PinAsked)
        assert (pinned.conversation_id, pinned.pinned) == ("a", True)


async def test_new_rows_keep_the_place() -> None:
    app = ListApp()
    async with app.run_test() as pilot:
        options = await listed(pilot, app, 3)
        await pilot.press("down", "down")
        screen = app.screen
        assert isinstance(screen, ConversationList)
        screen.rows = ROWS[1:]
        await listed(pilot, app, 2)
        assert options.highlighted == 1
        screen.rows = ()
        await until(pilot, lambda: "No conversation has been kept yet." in app.text())
        await pilot.press("d", "r", "p", "escape")
        assert app.wishes == []
        await until(pilot, lambda: not isinstance(app.screen, ConversationList))


async def test_help_lists_keys_and_every_mark() -> None:
    app = WidgetApp()
    async with app.run_test(size=(100, 50), tooltips=True) as pilot:
        await app.push_screen(HelpPanel([HelpSection("Keys [/x]", (("y", "copy [bold]it"),))]))
        await until(pilot, lambda: "copy [bold]it" in app.text())
        assert "Keys [/x]" in app.text()
        assert "~ forming" in app.text()
        assert "¿ unknown" in app.text()
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HelpPanel))
