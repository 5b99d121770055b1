"""A conversation with the demo in which tools of every kind are called, run and answered."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tui.core.conversation import CallResult, TextContent, TurnSettings
from tui.core.dialects import NAMES
from tui.demo import DemoSource
from tui.session.questions import Questions
from tui.session.session import Target
from tui.session.updates import (
    ApprovalAsked,
    CallAnswered,
    Decision,
    Idle,
    Notice,
    SessionUpdate,
)
from tui.session.workspace import OpenConversation, Workspace, at_work
from tui.store import Store
from tui.tools.declared import DeclaredFile
from tui.tools.functions import PythonFile
from tui.tools.mcp.config import ServerConfig
from tui.tools.mcp.questions import QuestionAnswer
from tui.tools.mcp.source import McpServer
from tui.tools.policy import Policy
from tui.tools.registry import Registry, ToolSource

pytest.importorskip("mcp")

SERVER = str(Path(__file__).parents[1] / "tools" / "faulty_mcp_server.py")
FUNCTIONS = '''
def area(width: float, height: float) -> float:
    """The area of a rectangle."""
    return width * height
'''
DECLARED = """
[[tool]]
name = "ask_boss"
description = "Ask the boss."
answer = "by hand"
schema = { type = "object", properties = { question = { type = "string" } } }
"""


@asynccontextmanager
async def working(folder: Path, dialect: str, start: str = "ok") -> AsyncIterator[Workspace]:
    """A Python file, a declared tool and a server; nothing runs unasked."""
    (folder / "mine.py").write_text(FUNCTIONS)
    (folder / "planned.toml").write_text(DECLARED)
    questions = Questions()
    config = ServerConfig("small", command=sys.executable, args=("-I", "-S", SERVER, start))
    sources: list[ToolSource] = [
        PythonFile(folder / "mine.py"),
        DeclaredFile(folder / "planned.toml"),
        McpServer(config, questions.ask),
    ]
    work = Workspace(
        store=Store.memory(),
        registry=Registry(sources),
        policy=Policy("none"),
        target_of=lambda _: Target(
            "demo", dialect, DemoSource(dialect, speed=math.inf), TurnSettings("verbatim-demo")
        ),
        questions=questions,
    )
    async with at_work(work):
        yield work


async def said(
    opened: OpenConversation, prompt: str, decision: Decision | None = None
) -> list[SessionUpdate]:
    """Everything from `prompt` to idle; each question is answered with `decision`."""
    opened.session.send(prompt)
    updates: list[SessionUpdate] = []
    async for update in opened.session.updates():
        updates.append(update)
        if isinstance(update, ApprovalAsked):
            assert decision is not None, update.approval
            assert update.approval.decide(decision)
        if isinstance(update, Idle):
            await opened.session.wait_idle()
            return updates
    raise AssertionError("updates ended")


def result(updates: list[SessionUpdate]) -> CallResult:
    (answered,) = (update for update in updates if isinstance(update, CallAnswered))
    return answered.result


@pytest.mark.parametrize("dialect", NAMES)
async def test_a_function_a_server_and_a_person_each_answer_a_call(
    tmp_path: Path, dialect: str
) -> None:
    async with working(tmp_path, dialect) as work:
        opened = work.new()
        allow = Decision("allow")
        ran = await said(opened, 'call area {"width": 2, "height": 1.5}', allow)
        assert result(ran).text == "3.0"
        served = await said(opened, 'call echo {"text": "grüß dich"}', allow)
        assert result(served).text == "grüß dich"
        by_hand = Decision("answer", answer=CallResult("", (TextContent("He says no."),)))
        answered = await said(opened, 'call ask_boss {"question": "May I?"}', by_hand)
        assert result(answered).text == "He says no."
        assert [type(each).__name__ for each in opened.session.messages] == [
            "UserMessage", "AssistantMessage", "ResultsMessage", "AssistantMessage",
        ] * 3  # fmt: skip


async def test_a_question_of_a_server_in_the_middle_of_a_call_is_answered_by_a_person(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, "anthropic") as work:

        def answer() -> None:
            for asked in work.questions.open:
                assert asked.question.origin == "MCP server small"
                assert asked.question.message == "Which size?"
                asked.answer(QuestionAnswer("accept", {"size": 42}))

        work.questions.listen(answer)
        updates = await said(work.new(), 'call ask {"text": ""}', Decision("allow"))
        assert '"size": 42' in result(updates).text
        work.questions.leave()
        updates = await said(work.new(), 'call ask {"text": ""}', Decision("allow"))
        assert '"action": "decline"' in result(updates).text


async def test_a_server_that_dies_in_a_call_is_a_result_and_a_notice_and_the_chat_goes_on(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, "anthropic") as work:
        opened = work.new()
        updates = await said(opened, 'call die {"text": ""}', Decision("allow"))
        assert result(updates).is_error
        assert "has ended" in result(updates).text
        # The server's end is noticed beside the call: before or after the prompt is done.
        async with asyncio.timeout(10):
            while not any(
                isinstance(each, Notice) and "has ended" in each.text for each in updates
            ):
                updates.append(await anext(opened.session.updates()))
        updates = await said(opened, 'call area {"width": 2, "height": 3}', Decision("allow"))
        assert result(updates).text == "6.0"


async def test_a_server_that_never_starts_leaves_the_others_and_is_told(tmp_path: Path) -> None:
    async with working(tmp_path, "anthropic", start="dies") as work:
        assert list(work.registry.specs_by_name) == ["area", "ask_boss"]
        opened = work.new()
        updates = await said(opened, 'call area {"width": 1, "height": 1}', Decision("allow"))
        (notice,) = (each for each in updates if isinstance(each, Notice))
        assert "no configuration found" in notice.text
        assert "Run its command by hand" in notice.text


async def test_a_rule_made_in_one_conversation_holds_in_all_and_for_that_server_only(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, "anthropic") as work:
        kept: list[tuple[str, str, str]] = []
        work.keep_rule = lambda *rule: kept.append(rule)
        opened, other = work.new(), work.new()
        await said(opened, 'call echo {"text": "a"}', Decision("allow", "always"))
        assert kept == [("tools", "small__echo", "allow")]
        # Nobody is asked now: `said` would fail.
        assert result(await said(other, 'call echo {"text": "b"}')).text == "b"
        work.set_rule("origins", "mine.py", "deny")
        updates = await said(opened, 'call area {"width": 1, "height": 1}')
        assert "the policy for mine.py says deny" in result(updates).text
