"""The stored conversations in the real chat: tags, deleting and taking back, other windows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.widgets import Input, OptionList

from tests.app.chatting import Chat, chatting, workspace
from tui.app.screens.conversations import Conversations
from tui.core.codec import encode_message
from tui.core.conversation import TextPart, UserMessage
from tui.store import Store, StoredConversation


def kept(store: Store, title: str, *, recorded: bool = True) -> str:
    conversation = store.create_conversation(title=title, model="m", recorded=recorded)
    body = encode_message(UserMessage((TextPart(title),)))
    store.add_message(conversation, parent=None, role="user", body=body, plain=title)
    return conversation


async def listed(chat: Chat, count: int) -> OptionList:
    if not isinstance(chat.app.screen, Conversations):
        await chat.pilot.press("ctrl+o")
    await chat.until(lambda: isinstance(chat.app.screen, Conversations), "the list")
    options = chat.app.screen.query_one(OptionList)
    await chat.until(lambda: options.option_count == count, f"{count} rows")
    return options


async def test_what_was_deleted_is_listed_taken_back_or_removed_for_ever(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    first, second = kept(store, "first [/x]"), kept(store, "second")
    async with chatting(workspace(tmp_path, store=store), size=(80, 24)) as chat:
        await listed(chat, 2)
        await chat.pilot.press("d", "d")
        await listed(chat, 1)
        assert [each.id for each in store.list_conversations(deleted=True)] == [second]
        await chat.pilot.press("u")
        await listed(chat, 2)
        await chat.pilot.press("d", "d", "down", "d", "d")
        await listed(chat, 0)
        await chat.pilot.press("v")
        await listed(chat, 2)
        await chat.until(lambda: "Deleted conversations" in chat.shown(), "the deleted ones")
        await chat.pilot.press("d", "d", "enter", "r", "p")
        assert len(store.list_conversations(deleted=True)) == 2
        await chat.pilot.press("X")
        await chat.until(lambda: "X again removes" in chat.shown(), "the question")
        gone = second if "“second”" in chat.shown() else first
        await chat.pilot.press("X")
        await listed(chat, 1)
        assert gone not in store.conversation_ids()
        await chat.pilot.press("u")
        await listed(chat, 0)
        await chat.pilot.press("escape")
        await listed(chat, 1)
        (left,) = (each.id for each in store.list_conversations() if each.head is not None)
        assert left == ({first, second} - {gone}).pop()


async def test_removing_for_ever_is_no_key_of_the_usual_list(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    conversation = kept(store, "first")
    async with chatting(workspace(tmp_path, store=store)) as chat:
        await listed(chat, 1)
        await chat.pilot.press("X", "X")
        await chat.pilot.pause()
        assert conversation in store.conversation_ids()
        assert not store.list_conversations(deleted=True)


async def test_tags_are_shown_edited_and_filtered_by(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    kept(store, "one")
    two = kept(store, "two", recorded=False)
    store.tag(two, ["old[/x]"])
    async with chatting(workspace(tmp_path, store=store), size=(80, 24)) as chat:
        await listed(chat, 2)
        await chat.until(lambda: "#old[/x]" in chat.shown(), "the tag")
        assert "no record" in chat.shown()
        await chat.pilot.press("t")
        box = chat.app.screen.query_one("#tags", Input)
        assert box.value == "old[/x]"
        box.value = "#bug, shop bug"
        await chat.pilot.press("enter")
        await chat.until(lambda: "#bug #shop" in chat.shown(), "the new tags")
        assert store.conversation(two).tags == ("bug", "shop")
        await chat.pilot.press("slash", *"#shop")
        await listed(chat, 1)


async def test_what_another_window_writes_appears_while_the_list_is_open(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    kept(store, "mine")
    async with chatting(workspace(tmp_path, store=store)) as chat:
        options = await listed(chat, 1)
        with Store.open(tmp_path / "store.sqlite") as other:
            kept(other, "from the other window")
            other.flush()
            await chat.until(lambda: options.option_count == 2, "the row of the other window")
        await chat.until(lambda: "from the other window" in chat.shown(), "its title")


async def test_the_open_conversation_is_not_deleted_under_its_own_screen(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.sqlite")
    conversation = kept(store, "open here")
    work = workspace(tmp_path, store=store)
    async with chatting(work, conversation=conversation) as chat:
        await listed(chat, 1)
        await chat.pilot.press("d")
        await chat.until(lambda: "d again deletes" in chat.shown(), "the question")
        await chat.pilot.press("d")
        await chat.until(lambda: "d again deletes" not in chat.shown(), "the question to be over")
        assert not store.list_conversations(deleted=True)


async def test_commands_give_a_title_tags_and_a_pin(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        store, conversation = chat.screen.workspace.store, chat.screen.opened.id

        async def command(text: str, done: Callable[[StoredConversation], bool]) -> None:
            chat.prompt.text = text
            chat.prompt.focus()
            await chat.pilot.press("enter")
            await chat.until(lambda: done(store.conversation(conversation)), text)

        await command("/title My [/x] order", lambda stored: stored.title == "My [/x] order")
        await command("/tag #bug shop", lambda stored: stored.tags == ("bug", "shop"))
        await command("/pin", lambda stored: stored.pinned)
        await command("/tag -", lambda stored: stored.tags == ())
        await chat.say("Where is my order A-4471?")
        await chat.idle()
        assert store.conversation(conversation).title == "My [/x] order"
