"""Processes that ask, are killed with SIGKILL, and what the next one finds; and two at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests import wire
from tests.net.loopback import End, Step, chunk, serving, stream_head
from tests.wire import Reply, ScriptedSource
from tui.config.paths import STORE_NAME
from tui.core.conversation import (
    AssistantMessage,
    CallResult,
    TextContent,
    TurnRequest,
    TurnSettings,
)
from tui.core.dialects import load
from tui.core.history import sendable
from tui.core.states import CallState
from tui.session.resume import resume
from tui.session.session import Target
from tui.session.updates import ApprovalAsked, Decision, Idle, TurnClosed
from tui.session.workspace import OpenConversation, Workspace
from tui.store import Store
from tui.tools.policy import Policy
from tui.tools.specs import Surroundings, open_tools

TOOL = '''
import os, time
from pathlib import Path

HERE = Path({folder!r})


def note(line: str) -> str:
    """Append a line; the first one never returns."""
    with (HERE / "notes").open("a") as file:
        file.write(line + "\\n")
    while not (HERE / "go").exists():
        time.sleep(0.005)
    return "noted"
'''
CALL = wire.call_turn(wire.call(1, "toolu_1", "note", '{"line": ', '"one"}'))
HALF = wire.start() + wire.text(0, "Half an answer")


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    path = tmp_path / "note_tool.py"
    path.write_text(TOOL.format(folder=str(tmp_path)))
    return path


@asynccontextmanager
async def asking(tool: Path, *steps: Step) -> AsyncIterator[asyncio.subprocess.Process]:
    """`verbatim ask` in a process, answered by `steps`; killed at the end if it still runs."""
    async with serving(steps) as server:
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "tui",
                "ask",
                "go",
                "--base-url",
                f"http://127.0.0.1:{server.port}",
            ),
            *("--dialect", "anthropic", "--model", "m", "--approve", "all", "--tools", str(tool)),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            await process.wait()


async def until(path: Path) -> None:
    """Wait until a file is there and something is in it: it is made a moment before."""
    for _ in range(4000):
        if await asyncio.to_thread(lambda: path.exists() and path.stat().st_size):
            return
        await asyncio.sleep(0.005)
    pytest.fail(f"{path} never came")


async def said(process: asyncio.subprocess.Process, words: str) -> None:
    """Wait until a process has printed `words`."""
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.readuntil(words.encode()), 30)


def workspace(store: Store, tool: Path, *replies: bytes) -> tuple[Workspace, ScriptedSource]:
    source = ScriptedSource([Reply([body]) for body in replies])
    registry = open_tools([str(tool)], Surroundings(tool.parent, tool.parent, {}))
    target = Target("scripted", "anthropic", source, TurnSettings("m"))
    return Workspace(store, registry, Policy(mode="all"), lambda _: target), source


async def go_on(opened: OpenConversation, decision: Decision) -> list[ApprovalAsked]:
    """Proceed and decide every question alike; what was asked."""
    asked: list[ApprovalAsked] = []
    opened.session.proceed()
    async for update in opened.session.updates():
        if isinstance(update, ApprovalAsked):
            asked.append(update)
            update.approval.decide(decision)
        if isinstance(update, Idle):
            break
    await opened.session.wait_idle()
    return asked


@pytest.mark.parametrize(
    ("decision", "state", "runs"),
    [
        (Decision("allow"), CallState.RETURNED, 2),
        (Decision("deny"), CallState.FAILED, 1),
        (
            Decision("answer", answer=CallResult("", (TextContent("by hand"),), origin="person")),
            CallState.RETURNED,
            1,
        ),
    ],
    ids=["run again", "mark failed", "answer by hand"],
)
async def test_a_call_whose_client_was_killed_is_unknown_and_a_person_decides(
    home: Path, tool: Path, decision: Decision, state: CallState, runs: int
) -> None:
    notes = tool.parent / "notes"
    async with asking(tool, stream_head(), chunk(CALL), chunk(b"")):
        await until(notes)
    (tool.parent / "go").touch()
    with Store.open(home / "data" / STORE_NAME) as store:
        (id,) = store.conversation_ids()
        desk, source = workspace(store, tool, wire.prose_turn("done"))
        async with desk.registry:
            opened = desk.open(id)
            assert opened.resumed is not None
            assert opened.resumed.states == {"t1.c1": CallState.UNKNOWN}
            asked = await go_on(opened, decision)
        assert [each.approval.was_started for each in asked] == [True]
        assert notes.read_text().split() == ["one"] * runs
        assert store.calls(id)[0].state is state
        (sent,) = [source.sent(0)["messages"]]
        assert [message["role"] for message in sent] == ["user", "assistant", "user"]
        assert [block["tool_use_id"] for block in sent[2]["content"]] == ["toolu_1"]


@pytest.mark.parametrize("dialect", ["anthropic", "openai-chat", "openai-responses"])
async def test_a_turn_that_was_cut_by_a_kill_is_broken_and_the_next_request_is_legal(
    home: Path, tool: Path, dialect: str
) -> None:
    half = HALF + wire.call(1, "toolu_1", "note", '{"line": "one"}')
    async with asking(tool, stream_head(), chunk(half), End.HOLD) as process:
        await said(process, "Half an answer")
        database = home / "data" / STORE_NAME
        with Store.open(database) as watching:
            for _ in range(4000):
                (exchange,) = watching.open_exchanges()
                if sum(len(data) for _, data in watching.chunks(exchange.id)) == len(half):
                    break
                await asyncio.sleep(0.005)
    with Store.open(database) as store:
        (id,) = store.conversation_ids()
        resumed = resume(store, id)
        message = resumed.messages[-1]
        assert isinstance(message, AssistantMessage)
        assert (message.text, message.outcome) == ("Half an answer", "incomplete")
        # Its marker had come and the turn's end had not.
        assert resumed.states == {"t1.c1": CallState.INCOMPLETE}
        assert resumed.pending is None
        assert not (tool.parent / "notes").exists()
        history = sendable(resumed.messages, dialect)
        request = TurnRequest(TurnSettings("m"), history.messages, (), history.call_ids)
        body = load(dialect).encode(request).request.body
        assert b"Half an answer" in body
        assert b"toolu_1" not in body


async def test_a_second_window_leaves_what_the_first_one_is_receiving_alone(
    home: Path, tool: Path
) -> None:
    more = asyncio.Event()
    rest = wire.text(1, " and the rest") + wire.ended("end_turn")
    async with asking(
        tool, stream_head(), chunk(HALF), more, chunk(rest), chunk(b""), End.CLOSE
    ) as process:
        await said(process, "Half an answer")
        with Store.open(home / "data" / STORE_NAME) as store:
            (id,) = store.conversation_ids()
            desk, source = workspace(store, tool, wire.prose_turn("from here"))
            async with desk.registry:
                opened = desk.open(id)
                assert opened.resumed is not None
                # The live turn is not ours to close: nothing is made of it here.
                assert len(opened.resumed.messages) == 1
                (exchange,) = store.open_exchanges()
                more.set()
                await asyncio.wait_for(process.wait(), 30)
                assert store.exchange(exchange.id).ending == "complete"
                assert store.message(store.exchange(exchange.id).message or "").role == "assistant"
                opened = desk.open(id)
                opened.session.send("and now")
                async for update in opened.session.updates():
                    if isinstance(update, TurnClosed):
                        assert update.message.text == "from here"
                    if isinstance(update, Idle):
                        break
                await opened.session.wait_idle()
                assert "and the rest" in str(source.sent(0)["messages"][1])
