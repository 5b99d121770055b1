"""Where conversations are kept, chosen in the chat while the store fails, and leaving then."""

from __future__ import annotations

from pathlib import Path

from tests.app.chatting import Chat, chatting, workspace
from tests.store.making import FullDisk
from tui.app.widgets.status_line import StatusLine
from tui.session.workspace import Workspace
from tui.store import Store, Trouble


def on_a_full_disk(folder: Path) -> tuple[Workspace, FullDisk]:
    disk = FullDisk()
    made: list[Workspace] = []

    def on_trouble(trouble: Trouble) -> None:
        for each in made:
            each.hear(trouble)

    store = Store.open(folder / "store.sqlite", connect=disk, on_trouble=on_trouble)
    made.append(workspace(folder, store=store))
    return made[0], disk


def told(chat: Chat) -> str:
    return "\n".join(notification.message for notification in chat.app._notifications)


async def fill(chat: Chat, disk: FullDisk) -> None:
    await chat.say("hello")
    await chat.idle()
    disk.leave(0)
    await chat.say("Tell me about tool calls")
    await chat.idle()
    await chat.until(lambda: "The disk below" in chat.shown(), "the full disk to be told")


async def test_leaving_asks_first_while_something_waits_for_a_full_disk(tmp_path: Path) -> None:
    work, disk = on_a_full_disk(tmp_path)
    async with chatting(work) as chat:
        await fill(chat, disk)
        assert "That could still become" in chat.prose  # The turn went on.
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: "would be lost. /keep DIR" in told(chat), "the question")
        assert chat.app.is_running
        await chat.screen._keep(str(tmp_path / "elsewhere"))
        await chat.until(lambda: work.unkept == "", "the writes to be made")
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: chat.app._exit, "the end")
    with Store.open(tmp_path / "elsewhere" / "verbatim.sqlite") as store:
        (id,) = store.conversation_ids()
        assert len(store.path(id)) == 4


async def test_leaving_twice_leaves_all_the_same(tmp_path: Path) -> None:
    work, disk = on_a_full_disk(tmp_path)
    async with chatting(work) as chat:
        await fill(chat, disk)
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: "Quit again" in told(chat), "the question")
        assert not chat.app._exit
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: chat.app._exit, "the end")
        disk.leave(1000)  # So that closing has nothing to complain of.


async def test_what_went_to_memory_for_want_of_a_disk_is_asked_for_too(tmp_path: Path) -> None:
    work, disk = on_a_full_disk(tmp_path)
    async with chatting(work) as chat:
        await fill(chat, disk)
        await chat.screen._keep("memory")
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: "in memory only" in told(chat), "the question")
        assert not chat.app._exit
        await chat.screen._keep(str(tmp_path / "elsewhere"))
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: chat.app._exit, "the end")


async def test_of_a_damaged_store_what_is_readable_comes_along(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.open(path) as store:
        earlier = store.create_conversation(title="earlier")
        for number in range(50):
            store.add_message(
                earlier, parent=None, role="user", body=f'"{number}' + "x" * 3000 + '"'
            )
    page = path.read_bytes().index(b"x" * 1000) // 4096
    with path.open("r+b") as file:
        file.seek(4096 * page)
        file.write(b"\xff" * 4096)
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say("hello")
        await chat.idle()
        await chat.screen._keep(str(tmp_path / "elsewhere"))
        await chat.until(lambda: "could be read" in told(chat), "what is missing")
        await chat.say("hello again")
        await chat.idle()
    with Store.open(tmp_path / "elsewhere" / "verbatim.sqlite") as store:
        assert store.check() == []
        assert {each.title for each in store.list_conversations()} == {"earlier", "hello"}
        (new,) = store.list_conversations("hello")
        assert len(store.path(new.id)) == 4
        assert 40 < len(store.messages(earlier)) < 50


async def test_a_turn_goes_on_when_the_file_is_ruined_under_it(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    async with chatting(workspace(tmp_path)) as chat:
        await chat.say("hello")
        await chat.idle()
        conversation = chat.screen.opened.id
    heard: list[str] = []
    store = Store.open(path, on_trouble=lambda trouble: heard.append(trouble.kind))
    work = workspace(tmp_path, store=store)
    async with chatting(work, conversation=conversation) as chat:
        with path.open("r+b") as file:
            file.truncate(4096 * 2)
        await chat.say("Tell me about tool calls")
        await chat.idle()
        assert "That could still become" in chat.prose
        await chat.until(lambda: "corrupt" in heard, "the damage to be told")
        await chat.screen._keep(str(tmp_path / "elsewhere"))
        assert work.store.file == tmp_path / "elsewhere" / "verbatim.sqlite"
        await chat.say("hello again")
        await chat.idle()
        assert store.trouble() is None
    with Store.open(tmp_path / "elsewhere" / "verbatim.sqlite") as store:
        assert store.check() == []
        (kept,) = store.list_conversations()
        prompts = [each.body for each in store.messages(kept.id) if each.role == "user"]
        assert any("hello again" in prompt for prompt in prompts)


async def test_screen_says_while_nothing_is_written_to_the_disk(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path, store=Store.memory()), size=(80, 24)) as chat:
        status = chat.screen.query_one(StatusLine)
        assert "in memory only" in str(status.render())
        await chat.screen._keep(str(tmp_path / "kept"))
        assert "in memory only" not in str(status.render())
        await chat.screen._keep("memory")
        assert "in memory only" in str(status.render())
