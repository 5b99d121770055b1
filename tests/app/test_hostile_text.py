"""Text from outside in every place that shows it, on a terminal that writes every byte down.

A headless app draws no bytes, and without tooltips the crash of a hovered one never shows; here
both are on. What the terminal gets may hold Textual's own sequences and nothing else.
"""

from __future__ import annotations

import re

from textual.pilot import Pilot

from tests.app.screens import FORBIDDEN, HOSTILE, RecordingDriver, WidgetApp, until
from tui.app.safe import notify
from tui.app.widgets.conversation_list import ConversationList, ConversationRow
from tui.app.widgets.help_panel import HelpPanel, HelpSection
from tui.app.widgets.link_confirm import LinkConfirm
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.prompt import Prompt, PromptInput, SlashCommand
from tui.app.widgets.status_line import StatusLine

_CSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_TEXTUALS_OWN = {"m", "H", "h", "l", "u", "t", "c", "p", "q"}
"""Colours, cursor position, modes, keyboard protocol, window size and queries."""

_POINTER_SHAPE = re.compile(r"\x1b\]22;[a-z-]+\x07")
_PAYLOADS = ("]0;owned", "]52;c;", "]8;;", "[31mred", "[2J", "P+q", "[?1049l \x9b")


def check(written: list[str]) -> str:
    """What was written without Textual's own sequences; fails on anything else."""
    output = _POINTER_SHAPE.sub("", "".join(written))
    for payload in _PAYLOADS:
        assert f"\x1b{payload}" not in output
    assert {sequence[0][-1] for sequence in _CSI.finditer(output)} <= _TEXTUALS_OWN
    rest = _CSI.sub("", output)
    controls = {character for character in rest if ord(character) < 0x20 or ord(character) == 0x7F}
    assert controls <= {"\n"}, controls
    assert not set(FORBIDDEN) & set(rest)
    return rest


async def shown(pilot: Pilot[None], app: WidgetApp, words: str) -> None:
    await until(pilot, lambda: words in app.text())


def driver(app: WidgetApp) -> RecordingDriver:
    assert isinstance(app._driver, RecordingDriver)
    return app._driver


async def test_hostile_text_in_every_place_of_the_message_pane() -> None:
    app = WidgetApp(MessagePane(), recording=True)
    async with app.run_test(headless=False, size=(100, 60), tooltips=True) as pilot:
        pane = app.query_one(MessagePane)
        turn = pane.begin_turn("t0", HOSTILE)
        turn.append_thinking("t", HOSTILE)
        turn.add_call_marker("t0.c1", HOSTILE)
        turn.update_call_marker("t0.c1", HOSTILE, HOSTILE)
        turn.add_provider_item("p", HOSTILE, HOSTILE)
        turn.append_refusal("r", HOSTILE)
        turn.close_turn(HOSTILE)
        pane.add_user("u1", HOSTILE, HOSTILE)
        pane.add_notice(HOSTILE, "error")
        await shown(pilot, app, "owned")
        markdown = pane.begin_turn("t1", HOSTILE)
        for text in (
            HOSTILE,
            f"# {HOSTILE}\n",
            f"- {HOSTILE}\n",
            f"> {HOSTILE}\n",
            f"| {HOSTILE} | b |\n|---|---|\n| {HOSTILE} | `{HOSTILE}` |\n",
            f"```{HOSTILE}\n{HOSTILE}\n```\n",
            f"```python\n{HOSTILE}\n```\n",
            f"[{HOSTILE}](https://a.example/{HOSTILE}) ![{HOSTILE}](x)\n",
            "&#x1b;]0;owned&#x07; &#x202e; &#x9b;31m",
        ):
            for start in range(0, len(text), 17):
                markdown.append_text("0", text[start : start + 17])
                pane.flush()
            markdown.append_text("0", "\n\n")
            await pilot.pause()
        markdown.append_text("0", "all of it")
        markdown.close_turn()
        await shown(pilot, app, "all of it")
        pane.focus()
        await pilot.press("t", "up", "up", "up", "t")
        for row in range(0, 60, 3):
            await pilot.hover(offset=(8, row))
        assert "owned" in check(driver(app).written)


async def test_hostile_text_in_prompt_status_and_toasts() -> None:
    prompt = Prompt(commands=[SlashCommand("x", HOSTILE, HOSTILE)], placeholder="ask")
    app = WidgetApp(prompt, StatusLine(), recording=True)
    async with app.run_test(
        headless=False, size=(120, 40), tooltips=True, notifications=True
    ) as pilot:
        line = app.query_one(StatusLine)
        line.endpoint = line.model = line.state = line.note = HOSTILE
        prompt.history = [HOSTILE]
        prompt.focus()
        await pilot.press("/")
        await shown(pilot, app, "/x ␛]0;owned␇")
        await pilot.press("escape", "backspace", "up")
        await until(pilot, lambda: "owned" in app.query_one(PromptInput).text)
        prompt.text = HOSTILE
        notify(app, HOSTILE, title=HOSTILE, severity="error")
        notify(line, HOSTILE)
        await pilot.pause()
        await shown(pilot, app, "owned")
        assert "owned" in check(driver(app).written)


async def test_hostile_text_in_every_dialog() -> None:
    app = WidgetApp(recording=True)
    async with app.run_test(headless=False, size=(120, 40), tooltips=True) as pilot:
        row = ConversationRow("a", HOSTILE, HOSTILE, HOSTILE, pinned=True)
        await app.push_screen(ConversationList([row]))
        await shown(pilot, app, "owned")
        await pilot.press("d")
        await shown(pilot, app, "d again deletes")
        await pilot.press("escape", "r")
        await pilot.pause()
        await pilot.press("escape", "escape")
        await app.push_screen(HelpPanel([HelpSection(HOSTILE, ((HOSTILE, HOSTILE),))]))
        await shown(pilot, app, "owned")
        await pilot.press("escape")
        await app.push_screen(LinkConfirm([HOSTILE]))
        await shown(pilot, app, "owned")
        assert "owned" in check(driver(app).written)
