"""Going on from another place of a conversation, as a person does it."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import TextArea

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.wire import Reply, ScriptedSource
from tui.app.screens.branching import AnswerDialog
from tui.core.errors import EndpointError
from tui.core.states import CallState
from tui.store import Store


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


async def focus_messages(chat: Chat) -> None:
    await chat.pilot.press("f3")
    await chat.until(lambda: chat.pane.has_focus, "the messages to have the focus")


async def test_keys_ask_again_and_go_from_branch_to_branch(tmp_path: Path) -> None:
    said = source("first answer", "second answer")
    work = workspace(tmp_path, source=said)
    async with chatting(work) as chat:
        await chat.say("hello")
        await chat.idle()
        await focus_messages(chat)
        await chat.pilot.press("r")
        await chat.until(lambda: "second answer" in chat.prose, "the other answer")
        await chat.idle()
        await chat.until(lambda: "branch 2 of 2" in chat.shown(), "the mark of the branch")
        await focus_messages(chat)
        await chat.pilot.press("left_square_bracket")
        await chat.until(lambda: "first answer" in chat.prose, "the first branch")
        await chat.until(lambda: "branch 1 of 2" in chat.shown(), "its mark")
        assert "second answer" not in chat.prose
        conversation = chat.screen.opened.id
    store = Store.open(tmp_path / "store.sqlite")
    async with chatting(
        workspace(tmp_path, source=source(), store=store), conversation=conversation
    ) as chat:
        await chat.until(lambda: "branch 1 of 2" in chat.shown(), "the branch that was left")
        assert "first answer" in chat.prose


async def test_an_edit_that_is_given_up_changes_nothing(tmp_path: Path) -> None:
    work = workspace(tmp_path, source=source("one", "two"))
    async with chatting(work) as chat:
        await chat.say("helo")
        await chat.idle()
        await focus_messages(chat)
        await chat.pilot.press("up", "up", "E")
        await chat.until(lambda: chat.prompt.text == "helo", "the prompt to edit")
        assert "editing" in chat.shown()
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.prompt.text == "", "an empty prompt")
        await chat.say("go on")
        await chat.idle()
        assert len(work.store.path(chat.screen.opened.id)) == 4


async def test_an_edited_first_prompt_keeps_its_images_and_the_title(tmp_path: Path) -> None:
    picture = tmp_path / "dot.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 16)
    said = source("a dot", "a point")
    work = workspace(tmp_path, source=said)
    async with chatting(work) as chat:
        await command(chat, f"/image {picture}")
        await chat.until(lambda: chat.screen._images, "the image")
        await chat.say("what is it?")
        await chat.idle()
        await command(chat, "/title my dot")
        await command(chat, "/edit")
        await chat.until(lambda: chat.prompt.text == "what is it?", "the prompt to edit")
        await command(chat, "what is that?")
        await chat.until(lambda: "a point" in chat.prose, "the answer")
        (sent,) = said.sent(1)["messages"]
        assert [block["type"] for block in sent["content"]] == ["text", "image"]
        assert work.store.conversation(chat.screen.opened.id).title == "my dot"


async def test_an_earlier_message_is_stood_at_and_left_again(tmp_path: Path) -> None:
    said = source("one", "two", "three")
    work = workspace(tmp_path, source=said)
    async with chatting(work) as chat:
        for text in ("first", "second"):
            await chat.say(text)
            await chat.idle()
        await focus_messages(chat)
        await chat.pilot.press("up", "up", "up", "b")
        await chat.until(lambda: "two" not in chat.prose, "the earlier message")
        assert "begins a branch here" in chat.shown()
        await chat.pilot.press("escape")
        await chat.until(lambda: "two" in chat.prose, "the end again")
        await focus_messages(chat)
        await chat.pilot.press("up", "up", "up", "b")
        await chat.until(lambda: "two" not in chat.prose, "the earlier message")
        await chat.say("another second")
        await chat.idle()
        texts = [message["content"][0]["text"] for message in said.sent(2)["messages"]]
        assert texts == ["first", "one", "another second"]
        await chat.until(lambda: "branch 2 of 2" in chat.shown(), "the mark of the branch")


async def test_nothing_is_branched_while_the_model_answers(tmp_path: Path) -> None:
    partial = wire.start() + wire.text(0, "Half an answer")
    said = ScriptedSource([Reply([wire.prose_turn("one")]), Reply([partial], then_wait=True)])
    async with chatting(workspace(tmp_path, source=said)) as chat:
        await chat.say("hello")
        await chat.idle()
        await chat.say("more")
        await chat.until(lambda: "Half an answer" in chat.prose, "the first words")
        for text in ("/regenerate", "/edit", "/branch", "/answer t1.c1 x"):
            await command(chat, text)
            await chat.pilot.pause()
        assert chat.screen.opened.session.busy
        assert chat.screen.editing is None
        await chat.pilot.press("escape")
        await chat.idle()


async def test_a_finished_call_is_answered_in_a_form_and_its_results_are_branches(
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
    async with chatting(workspace(tmp_path, source=said, mode="all"), size=(80, 24)) as chat:
        await chat.say("where?")
        await chat.idle()
        chat.panel.focus_call("t1.c1")
        await chat.until(lambda: chat.panel.has_focus_within, "the card to have the focus")
        await chat.pilot.press("h")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerDialog), "the form")
        await chat.until(
            lambda: isinstance(chat.app.screen.focused, TextArea), "the form to have the focus"
        )
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.app.screen is chat.screen, "the form to close")
        assert len(said.requests) == 2
        chat.panel.focus_call("t1.c1")
        await chat.pilot.press("h")
        await chat.until(lambda: isinstance(chat.app.screen, AnswerDialog), "the form")
        await chat.until(
            lambda: isinstance(chat.app.screen.focused, TextArea), "the form to have the focus"
        )
        await chat.pilot.press(*"{", "ctrl+t", "ctrl+s")
        await chat.until(lambda: "is not JSON" in chat.shown(), "the problem")
        await chat.pilot.press("ctrl+t", "backspace", *"lost", "ctrl+s")
        await chat.until(lambda: "It is lost, then." in chat.prose, "the other answer")
        await chat.idle()
        blocks = said.sent(2)["messages"][2]["content"]
        assert blocks[0]["content"] == [{"type": "text", "text": "lost"}]
        (model,) = chat.panel.models
        assert model.result is not None
        assert model.result.text == "lost"
        await chat.until(lambda: "branch 2 of 2" in chat.shown(), "the mark of the branch")
        await focus_messages(chat)
        await chat.pilot.press("right_square_bracket")
        await chat.until(lambda: "It is shipped." in chat.prose, "the first result's branch")
        await chat.until(
            lambda: chat.panel.models and chat.panel.models[0].result is not None, "its result"
        )
        result = chat.panel.models[0].result
        assert result is not None
        assert "lost" not in result.text


async def test_a_prompt_whose_answer_failed_still_leads_to_the_old_answer(tmp_path: Path) -> None:
    said = ScriptedSource(
        [Reply([wire.prose_turn("one")]), Reply([], refused=EndpointError("nobody answers"))]
    )
    async with chatting(workspace(tmp_path, source=said)) as chat:
        await chat.say("hello")
        await chat.idle()
        await command(chat, "/regenerate")
        await chat.until(lambda: "nobody answers" in chat.shown(), "the refusal")
        await chat.idle()
        assert "one" not in chat.prose
        await focus_messages(chat)
        await chat.pilot.press("right_square_bracket")
        await chat.until(lambda: "one" in chat.prose, "the old answer")


async def test_what_was_allowed_for_the_conversation_is_so_on_its_branches(tmp_path: Path) -> None:
    work = workspace(tmp_path, source=source("one", "two"))
    async with chatting(work) as chat:
        await chat.say("hello")
        await chat.idle()
        runner = chat.screen.opened.runner
        runner.policy = runner.policy.with_tool("create_ticket", "allow")
        await command(chat, "/regenerate")
        await chat.until(lambda: "two" in chat.prose, "the other answer")
        assert chat.screen.opened.runner is not runner
        assert chat.screen.opened.runner.policy == runner.policy
