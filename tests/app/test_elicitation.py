"""Questions of MCP servers on the screen: forms, addresses, and keys that were meant otherwise."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import App
from textual.events import Resize
from textual.geometry import Size
from textual.pilot import Pilot

from tests.app.screens import FORBIDDEN, HOSTILE, WidgetApp, burst, until
from tui.app.calls.guard import KeyGuard
from tui.app.screens.elicitation import Asking, Elicitation
from tui.session.questions import Questions
from tui.tools.mcp.questions import Question, QuestionAnswer

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "size": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "gift": {"type": "boolean", "description": "Wrap it?"},
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
    "required": ["name", "size"],
}


class Desk:
    """An app that is asked `question` and keeps the answer."""

    def __init__(self, pilot: Pilot[None], questions: Questions, task: asyncio.Task[Any]) -> None:
        self.pilot = pilot
        self.questions = questions
        self.task = task
        self.opened: list[str] = []

    @property
    def app(self) -> App[None]:
        return self.pilot.app

    @property
    def screen(self) -> Elicitation:
        screen = self.app.screen
        assert isinstance(screen, Elicitation)
        return screen

    @property
    def shown(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until_ready(self) -> None:
        await until(self.pilot, lambda: self.screen.ready and self.screen._was_ready)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def answer(self) -> QuestionAnswer:
        async with asyncio.timeout(5):
            answer: QuestionAnswer = await self.task
        await until(self.pilot, lambda: not isinstance(self.app.screen, Elicitation))
        return answer


@asynccontextmanager
async def asked(
    schema: dict[str, Any] | None = None,
    *,
    message: str = "What do you want?",
    url: str | None = None,
    origin: str = "MCP server shop",
    size: tuple[int, int] = (100, 40),
    patience: float = 100,
) -> AsyncIterator[Desk]:
    questions = Questions(patience)
    app = WidgetApp()
    async with app.run_test(size=size, tooltips=True) as pilot:
        Asking(app, questions)
        question = Question(origin, message, schema if url is None else None, url)
        task = asyncio.create_task(questions.ask(question))
        desk = Desk(pilot, questions, task)
        app.open_url = lambda url, **_: desk.opened.append(url)  # type: ignore[method-assign]
        await until(pilot, lambda: isinstance(app.screen, Elicitation))
        yield desk
        task.cancel()


async def test_keys_before_a_moment_has_passed_are_ignored_and_begin_it_anew() -> None:
    async with asked(SCHEMA) as desk:
        # A moment that no slow machine outlives; then the usual one.
        desk.screen._guard = KeyGuard(delay=1000.0)
        await desk.press("ctrl+d", "escape", "ctrl+s", "x")
        assert desk.questions.open[0].open
        assert not desk.screen.ready
        desk.screen._guard = KeyGuard()
        desk.screen._guard.shown(desk.screen._now)
        await desk.until_ready()
        await desk.press("ctrl+d")
        assert await desk.answer() == QuestionAnswer("decline")


async def test_every_kind_of_field_is_answered_with_its_kind_of_value() -> None:
    async with asked(SCHEMA) as desk:
        await desk.until_ready()
        await desk.press(*"Ada", "enter", *"42", "enter", *"1.5", "enter")
        await desk.press("down", "space", "tab", "space", "tab", "space", "down", "space")
        await desk.press("ctrl+s")
        assert await desk.answer() == QuestionAnswer(
            "accept",
            {
                "name": "Ada",
                "size": 42,
                "ratio": 1.5,
                "gift": False,
                "colour": "red",
                "extras": ["a", "b"],
            },
        )


async def test_what_need_not_be_answered_is_not_sent() -> None:
    async with asked(SCHEMA) as desk:
        await desk.until_ready()
        await desk.press(*"Ada", "enter", "7", "ctrl+s")
        assert await desk.answer() == QuestionAnswer("accept", {"name": "Ada", "size": 7})


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("ctrl+s",), "Still to be answered: Your name, size"),
        ((*"Ada", "enter", *"no", "ctrl+s"), "'no' is no whole number"),
        ((*"Ada", "enter", "0", "ctrl+s"), "0 is less than the minimum of 1"),
        ((*"A", "enter", "7", "ctrl+s"), "'A' is too short"),
    ],
)
async def test_an_answer_that_does_not_fit_is_explained_and_not_sent(
    keys: tuple[str, ...], words: str
) -> None:
    async with asked(SCHEMA) as desk:
        await desk.until_ready()
        await desk.press(*keys)
        await until(desk.pilot, lambda: words in desk.shown)
        assert desk.questions.open[0].open


@pytest.mark.parametrize("next_field", ["enter", "tab"])
async def test_keys_in_a_burst_all_arrive_in_their_own_field(next_field: str) -> None:
    async with asked(SCHEMA) as desk:
        await desk.until_ready()
        typed = (*"Adaxx", "backspace", "backspace", next_field, *"12", "backspace", *"3456")
        more = (next_field, *"1.5", next_field, " ", "tab", "shift+tab", "tab", "enter")
        await burst(desk.pilot, *typed, *more, "ctrl+s")
        assert await desk.answer() == QuestionAnswer(
            "accept", {"name": "Ada", "size": 13456, "ratio": 1.5, "gift": True, "colour": "red"}
        )


async def test_keys_typed_while_the_terminal_changes_its_size_all_arrive() -> None:
    async with asked(SCHEMA) as desk:
        await desk.until_ready()
        for step, keys in enumerate(["Ad", "a", "enter", "4", "2"]):
            width = 100 - 5 * step
            desk.app.post_message(Resize(Size(width, 30), Size(width, 30)))
            await burst(desk.pilot, *([keys] if keys == "enter" else keys))
        await burst(desk.pilot, "7", "ctrl+s")
        assert await desk.answer() == QuestionAnswer("accept", {"name": "Ada", "size": 427})


@pytest.mark.parametrize("size", [(140, 42), (100, 30), (80, 24)])
async def test_the_keys_and_what_is_wrong_stay_in_sight_below_a_long_form(
    size: tuple[int, int],
) -> None:
    fields = {f"field {number}": {"type": "string"} for number in range(20)}
    schema = {"type": "object", "properties": fields, "required": ["field 19"]}
    async with asked(schema, size=size) as desk:
        await desk.until_ready()
        await until(desk.pilot, lambda: "Ctrl+S sends the answer" in desk.shown)
        assert re.search(r"in \d+ s\b", desk.shown), "the last of the words below the form"
        await desk.press("ctrl+s")
        await until(desk.pilot, lambda: "Still to be answered: field 19" in desk.shown)
        await until(desk.pilot, lambda: "Ctrl+S sends the answer" in desk.shown)
        await desk.press("shift+tab", "x", "ctrl+s")
        assert await desk.answer() == QuestionAnswer("accept", {"field 19": "x"})


async def test_what_no_form_can_ask_can_only_be_declined() -> None:
    nested = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {}}},
        "required": ["a"],
    }
    async with asked(nested) as desk:
        await desk.until_ready()
        await desk.press("ctrl+s")
        await until(desk.pilot, lambda: "can only be declined" in desk.shown)
        await desk.press("escape")
        assert await desk.answer() == QuestionAnswer("cancel")


async def test_an_address_is_shown_whole_and_opened_only_when_accepted() -> None:
    url = "https://bank.example@evil.example/" + "path/" * 30 + "end?x=1"
    async with asked(url=url) as desk:
        await desk.until_ready()
        flat = "".join(line.strip(" │") for line in desk.shown.splitlines())
        assert url in flat
        assert "It leads to evil.example" in desk.shown
        assert desk.opened == []
        await desk.press("ctrl+s")
        assert await desk.answer() == QuestionAnswer("accept")
        assert desk.opened == [url]


async def test_a_look_alike_host_is_spelled_in_ascii() -> None:
    async with asked(url="https://аpple.example/") as desk:
        assert "xn--pple-43d.example" in desk.shown


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "https://"])
async def test_what_is_no_web_address_is_never_opened(url: str) -> None:
    async with asked(url=url) as desk:
        await desk.until_ready()
        await desk.press("ctrl+s")
        assert desk.opened == []
        assert desk.questions.open[0].open


async def test_a_question_that_is_withdrawn_leaves_the_screen() -> None:
    async with asked(SCHEMA) as desk:
        desk.task.cancel()
        await until(desk.pilot, lambda: not isinstance(desk.app.screen, Elicitation))
        assert desk.questions.open == ()


async def test_questions_come_one_after_another() -> None:
    async with asked(SCHEMA, message="first") as desk:
        second = asyncio.create_task(desk.questions.ask(Question("MCP server b", "second", {})))
        await desk.until_ready()
        guard = desk.screen._guard
        await desk.press("escape")
        assert (await desk.task).action == "cancel"
        await until(desk.pilot, lambda: "second" in desk.shown)
        assert desk.screen._guard is not guard, "it has a moment of its own"
        await desk.until_ready()
        await desk.press("ctrl+s")
        async with asyncio.timeout(5):
            assert await second == QuestionAnswer("accept", {})


async def test_nobody_there_and_nobody_in_time_are_both_a_refusal() -> None:
    questions = Questions(0.01)
    question = Question("MCP server a", "?", {})
    assert await questions.ask(question) == QuestionAnswer("decline")
    questions.listen(lambda: None)
    assert await questions.ask(question) == QuestionAnswer("decline")
    slow = Questions()
    slow.listen(lambda: None)
    waiting = asyncio.create_task(slow.ask(question))
    await asyncio.sleep(0)
    slow.leave()
    assert await waiting == QuestionAnswer("decline")


@pytest.mark.parametrize("size", [(100, 60), (80, 24)])
async def test_words_of_a_server_cannot_move_restyle_or_be_invisible(
    size: tuple[int, int],
) -> None:
    schema = {
        "type": "object",
        "properties": {
            HOSTILE: {"type": "string", "title": HOSTILE, "description": HOSTILE},
            "b": {"type": "string", "enum": [HOSTILE]},
        },
    }
    async with asked(schema, message=HOSTILE, origin=HOSTILE, size=size) as desk:
        await desk.until_ready()
        assert not set(desk.shown) & set(FORBIDDEN)
        assert "\x1b" not in desk.shown
