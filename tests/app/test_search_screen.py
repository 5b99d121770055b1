"""Searching from the chat: hits by conversation, and going to where a hit stands."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input, OptionList

from tests import wire
from tests.app.chatting import Chat, chatting, workspace
from tests.wire import Reply, ScriptedSource
from tui.app.calls.views import View
from tui.app.screens.search import SearchScreen
from tui.core.codec import encode_message
from tui.core.conversation import TextPart, UserMessage
from tui.store import Store

LOOKUP = wire.call(1, "a", "lookup_order", '{"order_id": "A-4471"}')


async def opened(chat: Chat, words: str) -> OptionList:
    """Search for `words` and wait for hits."""
    await chat.pilot.press("ctrl+f")
    await chat.until(lambda: isinstance(chat.app.screen, SearchScreen), "the search")
    chat.app.screen.query_one(Input).value = words
    hits = chat.app.screen.query_one(OptionList)
    await chat.until(lambda: hits.option_count, "hits")
    await chat.until(lambda: " hit" in chat.shown(), "the hits on the screen")
    return hits


def marks(chat: Chat) -> list[str]:
    """What is drawn in reverse."""
    return [
        segment.text
        for strip in chat.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style is not None and segment.style.reverse and segment.text.strip()
    ]


async def to_call(chat: Chat, words: str, kind: str, view: View) -> None:
    """Search, go down to a hit of a kind, and go there."""
    hits = await opened(chat, words)

    def on_kind() -> bool:
        place = hits.highlighted or 0
        return str(hits.get_option_at_index(place).prompt).split()[0] == kind

    for _ in range(hits.option_count):
        if not on_kind():
            await chat.pilot.press("down")
    assert on_kind()
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.app.screen is chat.screen, "the chat")
    await chat.until(
        lambda: chat.panel.chosen is not None and chat.panel.chosen.view is view, "the view"
    )
    await chat.until(lambda: words in marks(chat), "the words, marked")
    assert chat.panel.has_focus_within


def said(*bodies: bytes) -> ScriptedSource:
    return ScriptedSource([Reply([body]) for body in bodies])


async def test_hits_stand_below_their_conversation_with_the_match_marked(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    for title, text in (("Older", "the zebra [/x] crossing"), ("Newer", "a \x1b[2Jzebra, too")):
        conversation = store.create_conversation(title=title)
        body = encode_message(UserMessage((TextPart(text),)))
        store.add_message(conversation, parent=None, role="user", body=body, plain=text)
    async with chatting(workspace(tmp_path, store=store), size=(80, 24)) as chat:
        hits = await opened(chat, "zebra")
        assert hits.option_count == 4
        await chat.until(lambda: "Newer" in chat.shown() and "Older" in chat.shown(), "both")
        shown = chat.shown()
        assert shown.index("Newer") < shown.index("Older")
        assert "Search in all conversations: 2 hits" in shown
        assert "the zebra [/x] crossing" in shown
        assert "\x1b" not in shown
        assert marks(chat).count("zebra") == 2


async def test_a_hit_in_prose_opens_its_conversation_with_the_words_in_sight(
    tmp_path: Path,
) -> None:
    filler = "\n\n".join(f"paragraph {number}" for number in range(120))
    long = f"{filler}\n\nA *quagga* stands here.\n\n{filler}"
    source = said(wire.prose_turn(long), wire.prose_turn("later"), wire.prose_turn("other"))
    async with chatting(workspace(tmp_path, source=source), size=(80, 24)) as chat:
        await chat.say("tell me")
        await chat.idle()
        await chat.say("more")
        await chat.idle()
        first = chat.screen.opened.id
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.opened.id != first, "another conversation")
        await opened(chat, "quagga stands")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.screen.opened.id == first, "the conversation of the hit")
        await chat.until(lambda: "A quagga stands here." in chat.shown(), "the hit in sight")
        await chat.until(lambda: {"quagga", "stands"} <= set(marks(chat)), "the words, marked")
        assert not chat.pane.following


async def test_a_hit_on_another_branch_opens_that_branch(tmp_path: Path) -> None:
    source = said(wire.prose_turn("an okapi"), wire.prose_turn("a gnu"))
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("which animal?")
        await chat.idle()
        chat.prompt.text = "/regenerate"
        await chat.pilot.press("enter")
        await chat.until(lambda: "a gnu" in chat.prose, "the other answer")
        await chat.idle()
        await opened(chat, "okapi")
        await chat.pilot.press("enter")
        await chat.until(lambda: "an okapi" in chat.prose, "the branch of the hit")
        assert "a gnu" not in chat.prose


async def test_a_hit_in_arguments_and_in_a_result_shows_the_call_at_that_view(
    tmp_path: Path,
) -> None:
    source = said(wire.call_turn(LOOKUP), wire.prose_turn("done"))
    async with chatting(workspace(tmp_path, source=source, mode="all")) as chat:
        await chat.say("where?")
        await chat.idle()
        await to_call(chat, "A-4471", "arguments", View.RAW)
        assert "A-4471" in marks(chat)
        await to_call(chat, "December", "result", View.RESULT)
        assert "December" in marks(chat)


async def test_the_search_is_kept_to_this_conversation_and_opened_up_again(tmp_path: Path) -> None:
    source = said(wire.prose_turn("a tapir"), wire.prose_turn("another tapir"))
    async with chatting(workspace(tmp_path, source=source)) as chat:
        await chat.say("one")
        await chat.idle()
        first = chat.screen.opened.id
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.opened.id != first, "another conversation")
        await chat.say("two")
        await chat.idle()
        hits = await opened(chat, "tapir")
        await chat.until(lambda: hits.option_count == 4, "hits of both")
        await chat.pilot.press("ctrl+g")
        await chat.until(lambda: hits.option_count == 2, "hits of this one")
        assert "another tapir" in chat.shown()
        assert "Search in this conversation: 1 hit" in chat.shown()
        await chat.pilot.press("ctrl+g")
        await chat.until(lambda: hits.option_count == 4, "hits of both again")


async def test_nothing_found_is_said_and_a_command_brings_its_words(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path, source=said(wire.prose_turn("hello")))) as chat:
        chat.prompt.text = "/search xylophone"
        await chat.pilot.press("enter")
        await chat.until(lambda: isinstance(chat.app.screen, SearchScreen), "the search")
        await chat.until(lambda: "Nothing holds these words." in chat.shown(), "the answer")
        assert chat.app.screen.query_one(Input).value == "xylophone"
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.app.screen is chat.screen, "the chat again")
