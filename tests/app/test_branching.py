"""Going on from another place of a conversation, as a person does it."""

from __future__ import annotations

from pathlib import Path

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.wire import Reply, ScriptedSource
from tui.core.states import CallState


def source(*words: str) -> ScriptedSource:
    return ScriptedSource([Reply([wire.prose_turn(each)]) for each in words])


async def command(chat: Chat, text: str) -> None:
    chat.prompt.text = text
    chat.prompt.focus()
    await chat.pilot.press("enter")


async def test_a_turn_is_asked_for_again_as_a_branch_and_the_old_one_stays(tmp_path: Path) -> None:
    said = source("first answer", "second answer")
    work = workspace(tmp_path, source=said)
    async with chatting(work) as chat:
        await chat.say("hello")
        await chat.idle()
        await command(chat, "/regenerate")
        await chat.until(lambda: "second answer" in chat.prose, "the other answer")
        assert "first answer" not in chat.prose
        assert said.sent(1)["messages"] == said.sent(0)["messages"]
        first = work.store.path(chat.screen.opened.id)[0]
        assert len(work.store.children(chat.screen.opened.id, first.id)) == 2


async def test_a_prompt_is_edited_and_sent_beside_the_old_one(tmp_path: Path) -> None:
    said = source("one", "two")
    work = workspace(tmp_path, source=said)
    async with chatting(work) as chat:
        await chat.say("helo")
        await chat.idle()
        await command(chat, "/edit")
        await chat.until(lambda: chat.prompt.text == "helo", "the prompt to edit")
        await command(chat, "hello")
        await chat.until(lambda: "two" in chat.prose, "the answer")
        assert len(said.sent(1)["messages"]) == 1
        assert "helo" not in chat.prose
        assert len(work.store.children(chat.screen.opened.id, None)) == 2


async def test_a_finished_call_is_given_another_result_and_the_model_goes_on(
    tmp_path: Path,
) -> None:
    call = wire.call(1, "a", "lookup_order", '{"order_id": "A-4471"}')
    said = ScriptedSource(
        [
            Reply([wire.call_turn(call)]),
            Reply([wire.prose_turn("It is shipped.")]),
            Reply([wire.prose_turn("It is lost, then.")]),
        ]
    )
    async with chatting(workspace(tmp_path, source=said, mode="all")) as chat:
        await chat.say("where?")
        await chat.idle()
        await command(chat, "/answer t1.c1 It is lost.")
        await chat.until(lambda: "It is lost, then." in chat.prose, "the other answer")
        blocks = said.sent(2)["messages"][2]["content"]
        assert blocks[0]["content"] == [{"type": "text", "text": "It is lost."}]
        assert "It is shipped." not in chat.prose
        assert [model.state for model in chat.panel.models] == [CallState.RETURNED]


async def test_what_cannot_be_branched_is_said(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        for text in ("/regenerate", "/edit", "/branch", "/answer", "/answer t9.c9 x"):
            await command(chat, text)
            await chat.pilot.pause()
        assert not chat.screen.opened.session.messages
