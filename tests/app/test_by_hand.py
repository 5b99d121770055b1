"""A call that a person answers in place of a tool, from the question to the model's next turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.chatting import chatting, workspace
from tests.app.screens import burst
from tui.core.states import CallState
from tui.tools.declared import DeclaredFile
from tui.tools.registry import Registry

PLANNED = """
[[tool]]
name = "book_room"
description = "Book a room."
answer = "by hand"
schema = { type = "object", properties = { room = { type = "string" } }, required = ["room"] }
"""


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_a_call_waits_for_a_persons_answer_and_goes_on_with_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "planned.toml"
    file.write_text(PLANNED)
    work = replace(workspace(tmp_path), registry=Registry([DeclaredFile(file)]))
    async with chatting(work, size=size) as chat:
        await chat.say('call book_room {"room": "A1"}')
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        await chat.until(lambda: chat.shown().count("awaiting answer") == 2, "both of its places")
        assert "awaiting approval" not in chat.shown()
        await chat.pilot.press("f2")
        await chat.until(
            lambda: chat.panel.chosen is not None and chat.panel.chosen.bar is not None, "the bar"
        )
        await chat.until(lambda: chat.panel.chosen.bar.ready, "the keys to count")  # type: ignore[union-attr]
        await chat.pilot.press("h")
        await chat.until(lambda: "ctrl+s submit" in chat.shown(), "the form")
        # All at once: the key that sends must not overtake the text.
        await burst(chat.pilot, *"booked", "ctrl+s")
        await chat.idle()
        assert chat.panel.models[0].state is CallState.RETURNED
        assert "booked" in chat.shown()
