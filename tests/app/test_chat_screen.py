"""The chat as a person uses it, over the real session, store, tools and demo model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.wire import Reply, ScriptedSource
from tui.core.conversation import TextPart, UserMessage
from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.states import CallState
from tui.session.session import Target
from tui.session.stored import StoredJournal
from tui.store import Store
from tui.store.trouble import describe

ORDER = "Where is my order A-4471?"
TICKET = "file a ticket for A-4471: late delivery"


def states(chat: Chat) -> list[CallState]:
    return [model.state for model in chat.panel.models]


async def test_a_prompt_a_call_its_result_and_the_answer(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(ORDER)
        await chat.idle()
        (model,) = chat.panel.models
        assert (model.name, model.state) == ("lookup_order", CallState.RETURNED)
        # Each pane draws at its own pace.
        await chat.until(lambda: "3 December 2026" in chat.shown(), "the answer")
        await chat.until(lambda: "returned" in chat.shown(), "the state of the call")


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_no_argument_character_reaches_the_message_pane(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with chatting(workspace(tmp_path), size=size) as chat:
        await chat.say(TICKET)
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        (model,) = chat.panel.models
        assert "Delivery moved" in model.raw
        assert "{" not in chat.prose
        assert "Delivery moved" not in chat.prose


async def test_a_question_is_answered_on_its_card_and_typing_never_answers_it(
    tmp_path: Path,
) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(TICKET)
        chat.prompt.text = "I am typing"
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        chat.prompt.focus()
        await chat.pilot.press("a", "d", "T")
        assert states(chat) == [CallState.AWAITING_APPROVAL]
        chat.prompt.text = ""
        await chat.pilot.press("f2")
        await chat.until(
            lambda: (
                chat.panel.chosen is not None
                and chat.panel.chosen.bar is not None
                and chat.panel.chosen.bar.ready
            ),
            "the keys to count",
        )
        await chat.pilot.press("d")
        await chat.idle()
        assert states(chat) == [CallState.DENIED]
        assert "denied" in chat.shown()


async def test_a_question_leaves_the_keys_with_a_prompt_that_is_empty(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(TICKET)
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        await chat.until(
            lambda: (
                chat.panel.chosen is not None
                and chat.panel.chosen.bar is not None
                and chat.panel.chosen.bar.ready
            ),
            "the keys to count",
        )
        await chat.pilot.press("a", "n", "d")
        assert states(chat) == [CallState.AWAITING_APPROVAL]
        assert chat.prompt.text == "and"


async def test_escape_goes_back_to_the_prompt_when_nothing_runs(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(ORDER)
        await chat.idle()
        for key in ("f2", "f3"):
            await chat.pilot.press(key, "escape", "o", "k")
        assert chat.prompt.text == "okok"


async def test_a_question_on_a_small_screen_is_seen_whole_and_the_last_words_stay_in_sight(
    tmp_path: Path,
) -> None:
    async with chatting(workspace(tmp_path), size=(80, 24)) as chat:
        await chat.say(TICKET)
        await chat.until(lambda: chat.panel.wants_attention, "the question")

        def seen() -> bool:
            said, asked, rest = chat.shown().partition("May this call run?")
            return (
                bool(asked)
                and "awaiting approval" in said
                and "create_ticket" in "".join(said.splitlines()[:5])
                and "allow once" in rest
                and "deny" in rest
            )

        await chat.until(seen, "the question, and the last words above it")


async def test_a_stream_that_breaks_in_mid_arguments_is_shown_as_broken(tmp_path: Path) -> None:
    partial = (
        wire.start()
        + wire.text(0, "I write.")
        + wire.call(1, "toolu_1", "create_ticket", '{"order_id": "A-44', closed=False)
    )
    source = ScriptedSource([Reply([partial], breaks=StreamBroken("the connection was reset"))])
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say(TICKET)
        await chat.idle()
        (model,) = chat.panel.models
        assert model.state is CallState.INCOMPLETE
        assert "the connection was reset" in chat.shown()
        assert "order_id" not in chat.prose


async def test_an_endpoint_that_refuses_is_told_with_advice_and_the_chat_goes_on(
    tmp_path: Path,
) -> None:
    source = ScriptedSource(
        [
            Reply([], refused=EndpointError("nobody answers", hint="is the server running?")),
            Reply([wire.prose_turn("Here I am.")]),
        ]
    )
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("hello")
        await chat.idle()
        assert "nobody answers" in chat.shown()
        assert "is the server running?" in chat.shown()
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: "Here I am." in chat.prose, "the answer")


async def test_escape_stops_the_stream_and_what_came_stays(tmp_path: Path) -> None:
    partial = wire.start() + wire.text(0, "Half an answer")
    source = ScriptedSource([Reply([partial], then_wait=True)])
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("hello")
        await chat.until(lambda: "Half an answer" in chat.prose, "the first words")
        await chat.pilot.press("escape")
        await chat.idle()
        assert "cancelled" in chat.shown()
        assert "Half an answer" in chat.shown()


async def test_a_conversation_looks_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(ORDER)
        await chat.idle()
        before, conversation = chat.prose, chat.screen.opened.id
        before_states = states(chat)
    store = Store.open(tmp_path / "store.sqlite")
    async with chatting(workspace(tmp_path, store=store), conversation=conversation) as chat:
        await chat.until(lambda: chat.panel.models, "the calls")
        assert chat.prose == before
        assert states(chat) == before_states
        await chat.say("and open tickets?")
        await chat.idle()
        assert len(chat.panel.models) == 2


async def test_hostile_text_of_a_model_cannot_break_the_screen(tmp_path: Path) -> None:
    words = "x [/y] [@click=app.quit]z[/] \x1b]52;c;aGk=\x07 \u202e\x9b2J"
    body = wire.call_turn(
        wire.call(1, "id[/x]", "look[/y]\x1b[2J", '{"a": "\\u001b[2J[/z]"}'), words=words
    )
    source = ScriptedSource([Reply([body]), Reply([wire.prose_turn("ok")])])
    async with chatting(workspace(tmp_path, source=source, mode="all")) as chat:
        await chat.say("hello")
        await chat.idle()
        shown = chat.shown()
        assert "\x1b" not in shown
        assert "[/y]" in shown
        assert words in chat.prose


async def test_commands_are_not_sent_to_the_model(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        chat.prompt.text = "/tools"
        await chat.pilot.press("enter")
        await chat.until(lambda: "lookup_order" in chat.shown(), "the tools")
        assert not chat.screen.opened.session.messages


async def test_a_new_conversation_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say(ORDER)
        await chat.idle()
        first = chat.screen.opened.id
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.opened.id != first, "another conversation")
        await chat.until(lambda: not chat.panel.models, "an empty panel")
        assert chat.prose == ""


async def test_a_store_that_cannot_be_written_is_told_with_a_way_out_and_the_turn_goes_on(
    tmp_path: Path,
) -> None:
    work = workspace(tmp_path)
    async with chatting(work) as chat:
        work.hear(describe("full", work.store.file))
        await chat.until(lambda: "/keep memory" in chat.shown(), "the way out")
        chat.prompt.text = "/keep memory"
        await chat.pilot.press("enter")
        await chat.until(lambda: work.store.file is None, "the store in memory")
        await chat.say(ORDER)
        await chat.idle()
        assert "3 December 2026" in chat.shown()


async def test_a_call_that_may_change_things_is_run_again_only_when_asked_twice(
    tmp_path: Path,
) -> None:
    async with chatting(workspace(tmp_path, mode="all")) as chat:
        await chat.say(TICKET)
        await chat.idle()
        await chat.pilot.press("f2")
        await chat.pilot.press("r")
        await chat.pilot.pause()
        assert not any("run again by hand" in message.outcome for message in chat.pane.shown)
        await chat.pilot.press("r")
        await chat.until(
            lambda: any("run again by hand" in message.outcome for message in chat.pane.shown),
            "the second run",
        )


async def test_a_conversation_whose_endpoint_is_gone_is_opened_at_another(tmp_path: Path) -> None:
    work = workspace(tmp_path)
    made = work.target_of
    conversation = work.store.create_conversation(endpoint="gone")
    journal = StoredJournal(work.store, conversation)
    journal.add_message(UserMessage((TextPart("hello"),)))

    def target_of(name: str) -> Target:
        if name == "gone":
            raise UsageError("there is no endpoint 'gone'")
        return made(name)

    work.target_of = target_of
    async with chatting(work, conversation=conversation) as chat:
        await chat.until(lambda: "there is no endpoint" in chat.shown(), "the reason")
        assert "hello" in chat.prose
        await chat.say(ORDER)
        await chat.idle()
        assert "3 December 2026" in chat.shown()


async def test_an_error_that_ended_a_turn_is_said_once(tmp_path: Path) -> None:
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded!!"}}
    body = wire.start() + wire.text(0, "Let me") + wire.event(fault)
    again = EndpointError("Overloaded!! at once", hint="wait a little")
    source = ScriptedSource([Reply([body]), Reply([], refused=again)])
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("go")
        await chat.idle()
        assert chat.shown().count("Overloaded!!") == 1
        await chat.say("again")
        await chat.idle()
        assert "Overloaded!! at once" in chat.shown()
        assert "wait a little" in chat.shown()
