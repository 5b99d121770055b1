"""The message pane: prose streams in, marks stay in their places, the reader is left in peace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.app.screens import HOSTILE, WidgetApp, until
from tests.app.test_blocks import LINES
from tui.app.selection_guard import SelectionGuard
from tui.app.widgets.link_confirm import LinkConfirm
from tui.app.widgets.message_list import EARLIER, MOUNTED
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.message_view import MessageView
from tui.app.widgets.prose import Prose
from tui.app.widgets.prose_stream import ProseStream

ANSWER = """# Title

A paragraph with **bold** and `code`.

- one
- two

```python
def f(x):
    return x
```

| a | b |
|---|---|
| 1 | 2 |

The end.
"""


class PaneApp(WidgetApp):
    def __init__(self, **options: Any) -> None:
        super().__init__(MessagePane(copies_folder=options.pop("copies_folder", None)), **options)
        self.chosen_links: list[str] = []
        self.chosen_marks: list[str] = []
        self.told: list[str] = []

    @property
    def pane(self) -> MessagePane:
        return self.query_one(MessagePane)

    def notify(self, message: str, **options: Any) -> None:
        assert options["markup"] is False
        self.told.append(message)

    def on_message_pane_link_chosen(self, event: MessagePane.LinkChosen) -> None:
        self.chosen_links.append(event.url)

    def on_message_view_call_mark_chosen(self, event: MessageView.CallMarkChosen) -> None:
        self.chosen_marks.append(event.ref)


async def drawn(pilot: Pilot[None], app: PaneApp, words: str) -> None:
    await until(pilot, lambda: words in app.text())


async def test_a_streamed_answer_looks_like_the_whole_one() -> None:
    screens = []
    for size in (3, len(ANSWER)):
        app = PaneApp()
        async with app.run_test(size=(60, 40), tooltips=True) as pilot:
            turn = app.pane.begin_turn("t1", "model")
            for start in range(0, len(ANSWER), size):
                turn.append_text("0", ANSWER[start : start + size])
                app.pane.flush()
            turn.close_turn()
            await drawn(pilot, app, "The end.")
            assert app.pane.source_of("t1") == ANSWER
            screens.append(app.text())
    assert screens[0] == screens[1]
    assert "a │ b" in screens[0]
    assert "**" not in screens[0]


@settings(max_examples=25)
@given(st.lists(st.sampled_from([*LINES, HOSTILE]), max_size=10), st.integers(1, 9))
def test_the_source_of_a_run_is_its_text_however_it_is_cut(lines: list[str], size: int) -> None:
    text = "\n".join(lines)
    streamed, whole = ProseStream(), ProseStream()
    for start in range(0, len(text), size):
        streamed.feed(text[start : start + size])
        streamed.flush()
    whole.feed(text)
    for stream in (streamed, whole):
        stream.close()
    assert shown_by(streamed) == shown_by(whole)


def shown_by(stream: ProseStream) -> list[tuple[str, str]]:
    prose = [child for child in stream.compose() if isinstance(child, Prose)]
    return [(child.source, child._laid_out(40).plain) for child in prose]


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("text **bo", "text **bo"),
        ("```python\nx = 1\nfor", "for"),
        ("| a | b |\n|---|---|\n| 1 ", "|---|---|"),
        ("```pyth", "```pyth"),
        ("intro\n\n- one\n- tw", "• tw"),
    ],
)
async def test_an_open_block_shows_what_has_come(before: str, shown: str) -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", before)
        await drawn(pilot, app, shown)


async def test_a_long_open_fence_is_sliced_and_laid_out_once_when_it_closes() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", "```python\n")
        for number in range(300):
            turn.append_text("0", f"line_{number} = {number}\n")
            if number % 50 == 0:
                app.pane.flush()
        await drawn(pilot, app, "line_299 = 299")
        assert len(app.query(Prose)) > 3
        assert app.query(Prose).last().source_size < 4_000
        turn.append_text("0", "```\n")
        await until(pilot, lambda: len(app.query(Prose)) == 1)
        await drawn(pilot, app, "line_299 = 299")
        assert "`" not in app.text()


async def test_a_fence_too_long_to_highlight_stays_in_slices() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text(
            "0", "```python\n" + "value = 1234567890123456789\n" * 900 + "last = 1\n```\n\nafter"
        )
        turn.close_turn()
        await drawn(pilot, app, "after")
        assert "last = 1" in app.text()
        assert "`" not in app.text()
        assert len(app.query(Prose)) > 4


async def test_marks_stand_between_the_prose_before_and_after_without_argument_text() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", "before")
        turn.add_call_marker("t1.c1", "get_[/x]_weather")
        turn.add_provider_item("s", "server_tool_use", "web_search")
        for key in "xyz":
            turn.add_provider_item(key, "message_start", "unknown event")
        turn.append_text("2", "after")
        turn.update_call_marker("t1.c1", "✓", "returned", "call-done")
        turn.update_call_marker("no such call", "✓", "returned")
        await drawn(pilot, app, "after")
        lines = [line.strip("▌ ") for line in app.text().split("\n") if line.strip("▌ ")]
        assert lines == [
            "assistant",
            "before",
            "✓ get_[/x]_weather  returned",
            "◇ web_search  server_tool_use, run by the provider",
            "◇ unknown event  message_start, kept as it came",
            "after",
        ]
        assert app.pane.source_of("t1") == "beforeafter"
        await pilot.click("CallMarkLine")
        assert app.chosen_marks == ["t1.c1"]


async def test_thinking_is_folded_until_it_is_asked_for() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_thinking("0", "secret plan ")
        await drawn(pilot, app, "▸ thinking… · 12 characters")
        turn.append_text("1", "answer")
        turn.append_thinking("0", "b")
        await drawn(pilot, app, "▸ thinking · 13 characters")
        assert "secret" not in app.text()
        app.pane.focus()
        await pilot.press("t")
        await drawn(pilot, app, "secret plan b")
        await pilot.press("t")
        await until(pilot, lambda: "secret" not in app.text())
        assert app.pane.source_of("t1") == "answer"


async def test_a_refusal_and_an_outcome_are_named() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_refusal("0", "I will not.")
        turn.close_turn("incomplete: the model refused")
        app.pane.add_notice("the endpoint\nbroke [/off]", "error")
        await drawn(pilot, app, "[/off]")
        assert "refusal" in app.text()
        assert "! incomplete: the model refused" in app.text()
        assert "✗ the endpoint\n▌   broke [/off]" in app.text()


async def test_what_a_person_typed_is_shown_as_it_stands() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20), tooltips=True) as pilot:
        app.pane.add_user("u1", "**not bold**  \n   [/x] " + HOSTILE)
        await drawn(pilot, app, "**not bold**")
        assert "   [/x] ␛]0;owned␇" in app.text()


def fill(pane: MessagePane, count: int) -> None:
    with pane.filling():
        for number in range(count):
            pane.add_user(f"u{number}", f"question {number}")


async def test_the_pane_follows_the_end_until_the_reader_scrolls_up() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 12)) as pilot:
        pane = app.pane
        turn = pane.begin_turn("t1")
        turn.append_text("0", "line\n\n" * 30)
        await until(pilot, lambda: pane.max_scroll_y > 20 and pane.scroll_y == pane.max_scroll_y)
        pane.scroll_relative(y=-2, animate=False)
        place = pane.max_scroll_y - 2
        await until(pilot, lambda: not pane.following and pane.scroll_y == place)
        assert "new below" not in app.text()
        turn.append_text("0", "more\n\n" * 10)
        await until(pilot, lambda: "↓ new below" in app.text())
        assert pane.scroll_y == place
        pane.focus()
        await pilot.press("end")
        await until(pilot, lambda: pane.following and pane.scroll_y == pane.max_scroll_y)
        assert "new below" not in app.text()


async def test_a_short_conversation_stands_at_the_top() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.pane.add_user("u1", "question")
        await drawn(pilot, app, "question")
        assert "question" in app.text().split("\n")[2]
        app.pane.focus()
        await pilot.press("pageup", "down", "end")
        app.pane.begin_turn("t1").append_text("0", "line\n\n" * 30 + "last")
        await drawn(pilot, app, "last")


async def test_scrolling_back_to_the_end_follows_again() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 12)) as pilot:
        pane = app.pane
        turn = pane.begin_turn("t1")
        turn.append_text("0", "line\n\n" * 30)
        await until(pilot, lambda: pane.max_scroll_y > 20 and pane.scroll_y == pane.max_scroll_y)
        pane.scroll_relative(y=-5, animate=False)
        await until(pilot, lambda: not pane.following)
        pane.scroll_relative(y=4, animate=False)
        await until(pilot, lambda: pane.following)


async def test_a_long_conversation_mounts_its_tail_and_more_when_asked() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        fill(app.pane, 200)
        await drawn(pilot, app, "question 199")
        assert len(app.query(MessageView)) == MOUNTED
        app.pane.scroll_home(animate=False)
        await drawn(pilot, app, "140 earlier")
        top = app.text().split("\n")
        first = next(line for line in top if "question" in line)
        await app.pane.action_show_earlier()
        await until(pilot, lambda: len(app.query(MessageView)) == MOUNTED + EARLIER)
        await until(pilot, lambda: first in app.text())
        assert app.text().split("\n").index(first) == top.index(first)


async def test_old_messages_leave_the_screen_as_new_ones_come() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        fill(app.pane, MOUNTED)
        for number in range(15):
            app.pane.begin_turn(f"t{number}").append_text("0", "answer")
        await until(pilot, lambda: len(app.query(MessageView)) <= MOUNTED + EARLIER // 5)
        assert app.pane.source_of("u0") == "question 0"


async def test_keys_go_from_message_to_message_and_copy_the_source() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        app.pane.add_user("u1", "first \x1b[31m")
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", ANSWER)
        turn.close_turn()
        await drawn(pilot, app, "The end.")
        app.pane.focus()
        await pilot.press("y")
        assert app.clipboard == ANSWER
        await pilot.press("up", "up", "y")
        assert app.pane.chosen == "u1"
        assert app.clipboard == "first \x1b[31m"
        assert "clipboard" in app.told[-1]
        await pilot.press("down", "c")
        assert app.clipboard == "def f(x):\n    return x\n"
        assert "python block 1 of 1" in app.told[-1]


async def test_a_copy_too_long_for_a_clipboard_goes_to_a_file(tmp_path: Path) -> None:
    app = PaneApp(copies_folder=tmp_path / "copies")
    async with app.run_test(size=(60, 30)) as pilot:
        app.pane.add_user("u1", "long \ud800" * 20_000)
        app.pane.focus()
        await pilot.press("y")
        (saved,) = (tmp_path / "copies").iterdir()
        assert saved.read_bytes() == ("long \ud800" * 20_000).encode("utf-8", "surrogatepass")
        assert saved.stat().st_mode & 0o077 == 0
        assert str(saved) in app.told[-1]
        assert app.clipboard == ""


async def test_half_a_surrogate_pair_can_be_copied() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        app.pane.add_user("u1", "half \ud800")
        app.pane.focus()
        await pilot.press("y")
        assert app.clipboard.startswith("half ")
        assert "could not be copied" in app.told[-1]


async def test_a_link_is_opened_only_after_its_whole_address_was_shown() -> None:
    app = PaneApp()
    async with app.run_test(size=(80, 30)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", "see [my bank](https://evil.example/login?a=1) or ssh://host")
        turn.close_turn()
        await drawn(pilot, app, "my bank")
        row = next(i for i, line in enumerate(app.text().split("\n")) if "my bank" in line)
        column = app.text().split("\n")[row].index("my bank")
        await pilot.click(offset=(column + 2, row))
        await until(pilot, lambda: isinstance(app.screen, LinkConfirm))
        await drawn(pilot, app, "https://evil.example/login?a=1")
        await pilot.press("escape")
        assert app.chosen_links == []
        app.pane.focus()
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, LinkConfirm))
        await until(pilot, lambda: app.screen.query_one(OptionList).highlighted == 0)
        await pilot.press("enter")
        await until(pilot, lambda: app.chosen_links == ["https://evil.example/login?a=1"])


async def test_a_selection_is_copied_as_source_text() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 30)) as pilot:
        turn = app.pane.begin_turn("t1")
        turn.append_text("0", "Plain words here.\n\nThen **bold** words\x1b.\n")
        turn.close_turn()
        await drawn(pilot, app, "bold words")
        lines = app.text().split("\n")
        row = next(i for i, line in enumerate(lines) if "Plain" in line)
        column = lines[row].index("words")
        await pilot.mouse_down(offset=(column, row))
        await pilot.hover(offset=(column + 5, row))
        await pilot.mouse_up(offset=(column + 5, row))
        assert (app.screen.get_selected_text() or "").strip() in ("words", "words ")
        app.screen.text_select_all()
        assert "Then **bold** words\x1b." in (app.screen.get_selected_text() or "")


async def test_pressing_the_mouse_on_a_widget_that_left_is_harmless() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.pane.add_user("u1", "text")
        await drawn(pilot, app, "text")
        screen = app.screen
        assert isinstance(screen, SelectionGuard)
        row = next(i for i, line in enumerate(app.text().split("\n")) if "text" in line)
        prose = app.query_one(Prose)
        parent, prose._parent = prose._parent, None
        try:
            assert screen.get_widget_and_offset_at(4, row) == (None, None)
            screen._forward_event(
                events.MouseDown(
                    None, 4, row, 0, 0, 1, False, False, False, screen_x=4, screen_y=row
                )
            )
        finally:
            prose._parent = parent


async def test_a_message_is_added_once() -> None:
    app = PaneApp()
    async with app.run_test():
        app.pane.add_user("u1", "a")
        with pytest.raises(ValueError, match="u1"):
            app.pane.add_user("u1", "b")


async def test_another_conversation_takes_the_place_of_the_first() -> None:
    app = PaneApp()
    async with app.run_test(size=(60, 20)) as pilot:
        fill(app.pane, 100)
        await drawn(pilot, app, "question 99")
        await app.pane.clear()
        assert len(app.query(MessageView)) == 0
        fill(app.pane, 70)
        await drawn(pilot, app, "question 69")
        await until(pilot, lambda: len(app.query(MessageView)) == MOUNTED)
