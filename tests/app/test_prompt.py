"""The prompt: what is seen is what is sent, once, and long pastes are sent whole."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.widgets import OptionList

from tests.app.screens import FORBIDDEN, HOSTILE, WidgetApp, burst, until
from tui.app.widgets.prompt import CHIP_CHARACTERS, Prompt, PromptInput, SlashCommand

COMMANDS = (
    SlashCommand("help", "show the keys"),
    SlashCommand("model", "choose [/x] the model", "NAME"),
    SlashCommand("move", "elsewhere"),
)


class PromptApp(WidgetApp):
    def __init__(self, **options: Any) -> None:
        super().__init__(Prompt(commands=COMMANDS), **options)
        self.sent: list[str] = []
        self.cancels = 0

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def input(self) -> PromptInput:
        return self.query_one(PromptInput)

    def on_mount(self) -> None:
        self.prompt.focus()

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        self.sent.append(event.text)

    def on_prompt_cancel_asked(self) -> None:
        self.cancels += 1


async def paste(app: PromptApp, text: str) -> None:
    await app.input._on_paste(events.Paste(text))


async def test_enter_sends_and_other_keys_begin_a_new_line() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c", "alt+enter", "d", "enter")
        assert app.sent == ["a\nb\nc\nd"]
        assert app.prompt.text == ""
        await pilot.press("space", "enter")
        assert app.sent == ["a\nb\nc\nd"]


async def test_keys_in_a_burst_act_in_the_order_in_which_they_were_pressed() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.pause()
        typed = (*"abx", "backspace", "c", "ctrl+j", "d", "left", "left", "e", "enter", *"next")
        await burst(pilot, *typed)
        await until(pilot, lambda: app.prompt.text == "next")
        assert app.sent == ["abce\nd"]


async def test_a_key_of_the_users_own_choice_acts_in_its_order_too() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.set_keymap({"prompt.newline": "f9"})
        await burst(pilot, "a", "f9", "b", "enter")
        await until(pilot, lambda: app.sent == ["a\nb"])


async def test_up_and_down_recall_what_was_sent_only_from_the_first_and_last_row() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.history = ["one", "two\nrows"]
        await pilot.press("d", "r", "up")
        assert app.prompt.text == "two\nrows"
        await pilot.press("up")
        assert app.prompt.text == "two\nrows"
        await pilot.press("up")
        assert app.prompt.text == "one"
        await pilot.press("up")
        assert app.prompt.text == "one"
        await pilot.press("down")
        assert app.prompt.text == "two\nrows"
        await pilot.press("down")
        assert app.prompt.text == "dr"


async def test_escape_asks_to_cancel() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("escape")
        assert app.cancels == 1


async def test_a_paste_is_cleaned_and_keeps_its_tabs() -> None:
    app = PromptApp()
    async with app.run_test(tooltips=True) as pilot:
        await paste(app, "a\tb\r\nc\rd " + HOSTILE)
        await pilot.pause()
        assert app.input.text.startswith("a\tb\nc\nd ␛]0;owned␇ ")
        assert not set(FORBIDDEN) & set(app.input.text)
        await pilot.press("enter")
        assert not set(FORBIDDEN) & set(app.sent[0])


async def test_a_paste_arrives_once_through_the_terminal_event() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.input.post_message(events.Paste("once\x1b"))
        await until(pilot, lambda: app.input.text != "")
        await pilot.pause()
        assert app.input.text == "once␛"


async def test_a_long_paste_becomes_a_chip_and_is_sent_whole() -> None:
    app = PromptApp()
    long = "\n".join(f"row {number} [pasted 2,345 lines #2]" for number in range(2_345))
    wide = "x" * (CHIP_CHARACTERS + 1)
    async with app.run_test() as pilot:
        await pilot.press("a")
        await paste(app, long)
        await paste(app, long + "!"[:0])
        await paste(app, wide)
        assert app.input.text == (
            f"a[pasted 2,345 lines][pasted 2,345 lines #2][pasted {len(wide):,} characters]"
        )
        await pilot.press("backspace")
        assert app.input.text == "a[pasted 2,345 lines][pasted 2,345 lines #2]"
        await pilot.press("enter")
        assert app.sent == ["a" + long + long]
        await pilot.press("up")
        assert app.prompt.text == app.sent[0]


async def test_the_input_grows_with_its_rows_up_to_eight() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        heights = [app.input.size.height]
        for _ in range(12):
            await pilot.press("ctrl+j")
            await pilot.pause()
            heights.append(app.input.size.height)
        assert heights[:3] == [1, 2, 3]
        assert heights[-1] == 8


async def test_a_slash_offers_commands_and_enter_completes_before_it_sends() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24), tooltips=True) as pilot:
        offers = app.query_one(OptionList)
        await pilot.press("/")
        await until(pilot, lambda: offers.display and offers.option_count == 3)
        await until(pilot, lambda: "/model NAME  choose [/x] the model" in app.text())
        await pilot.press("m", "o", "tab")
        await until(pilot, lambda: app.input.text == "/model ")
        assert app.sent == []
        await pilot.press("x", "enter")
        assert app.sent == ["/model x"]
        await pilot.press("/", "m")
        await until(pilot, lambda: offers.option_count == 2)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.input.text == "/move")
        assert app.sent == ["/model x"]
        await pilot.press("enter")
        await until(pilot, lambda: app.sent == ["/model x", "/move"])
        await pilot.press("/")
        await until(pilot, lambda: offers.display)
        await pilot.press("escape")
        assert not offers.display
        assert app.cancels == 0


async def test_a_whole_command_is_sent_at_once() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press(*"/help")
        await pilot.press("enter")
        assert app.sent == ["/help"]


async def test_a_text_that_could_not_be_sent_is_given_back() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.restore("again\x1b")
        assert app.prompt.text == "again␛"
        app.prompt.restore("other")
        assert app.prompt.text == "again␛"
        await pilot.press("!")
        assert app.prompt.text == "again␛!"
