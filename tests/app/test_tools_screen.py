"""The screen of tools and servers, over real sources, a real policy and a real configuration."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.chatting import Chat, chatting, workspace
from tests.app.screens import FORBIDDEN, HOSTILE
from tui.app.screens.tools import ServerLogScreen, ToolsScreen
from tui.config.policy import update_policy
from tui.config.settings import load_settings
from tui.core.errors import ToolError
from tui.core.states import CallState
from tui.session.updates import Decision
from tui.session.workspace import Workspace
from tui.tools.contract import Tool
from tui.tools.mcp.config import ServerConfig
from tui.tools.mcp.source import McpServer
from tui.tools.registry import Registry
from tui.tools.shop import shop

TICKET = "file a ticket for A-4471: late delivery"
FAULTY = str(Path(__file__).parents[1] / "tools" / "faulty_mcp_server.py")


class SlowSource:
    """Opens when it is told to; says hostile things when it is told so."""

    def __init__(self, origin: str = "slow.py") -> None:
        self.name = "slow"
        self.origin = origin
        self.tools: tuple[Tool, ...] = ()
        self.problem: ToolError | None = None
        self.go = asyncio.Event()
        self.fails = ""

    async def open(self, changed: Callable[[], None]) -> None:
        await self.go.wait()
        if self.fails:
            raise ToolError(self.fails, hint=f"mend {self.fails}")

    async def reload(self) -> None:
        await self.open(lambda: None)

    async def close(self) -> None:
        return None


def with_sources(folder: Path, *sources: object, config: Path | None = None) -> Workspace:
    work = workspace(folder)
    made = replace(work, registry=Registry([shop(folder), *sources]))  # type: ignore[list-item]
    if config is not None:
        made.keep_rule = lambda scope, name, rule: update_policy(config, name, rule, scope=scope)
    return made


async def opened(chat: Chat) -> ToolsScreen:
    await chat.pilot.press("f8")
    await chat.until(lambda: isinstance(chat.app.screen, ToolsScreen), "the tools")
    await chat.until(lambda: "Tools and servers" in chat.shown(), "the tools to be drawn")
    screen = chat.app.screen
    assert isinstance(screen, ToolsScreen)
    return screen


async def test_tools_stand_below_where_they_live_with_effect_and_policy(tmp_path: Path) -> None:
    async with chatting(workspace(tmp_path)) as chat:
        await opened(chat)
        shown = chat.shown()
        assert "demo shop  loaded" in shown
        rows = [line for line in shown.splitlines() if "  reads only" in line]
        assert any("lookup_order" in row and "✓ runs unasked" in row for row in rows)
        (ticket,) = (line for line in shown.splitlines() if "create_ticket" in line)
        assert "may change things" in ticket
        assert "? asks" in ticket


async def test_a_rule_is_kept_and_holds_at_once_in_the_open_conversation(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# mine\n")
    async with chatting(with_sources(tmp_path, config=config)) as chat:
        screen = await opened(chat)
        await chat.pilot.press("down", "down", "down", "d")
        assert screen._runner.policy.tools == {"create_ticket": "deny"}
        assert load_settings(config).approvals.tools == {"create_ticket": "deny"}
        await chat.until(lambda: "✗ denied" in chat.shown(), "the rule")
        await chat.pilot.press("escape")
        await chat.say(TICKET)
        await chat.idle()
        assert chat.panel.models[0].state is CallState.DENIED


async def test_a_rule_for_an_origin_holds_for_all_its_tools_without_one_of_their_own(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    async with chatting(with_sources(tmp_path, config=config)) as chat:
        await opened(chat)
        await chat.pilot.press("d")
        await chat.until(lambda: chat.shown().count("✗ denied") >= 5, "the rule")
        assert load_settings(config).approvals.origins == {"demo shop": "deny"}
        assert config.read_text().startswith("[approval.origins]")


async def test_always_on_the_approval_bar_reaches_the_configuration_and_this_screen(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    async with chatting(with_sources(tmp_path, config=config)) as chat:
        await chat.say(TICKET)
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        await chat.pilot.press("f2")
        await chat.until(
            lambda: (
                chat.panel.chosen is not None
                and chat.panel.chosen.bar is not None
                and chat.panel.chosen.bar.ready
            ),
            "the keys to count",
        )
        await chat.pilot.press("T")
        await chat.idle()
        assert load_settings(config).approvals.tools == {"create_ticket": "allow"}
        await opened(chat)
        (ticket,) = (line for line in chat.shown().splitlines() if "create_ticket  may" in line)
        assert "✓ runs unasked" in ticket


async def test_a_configuration_that_cannot_be_written_is_told_and_the_rule_holds(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("approval = { tools = {} }\n")
    async with chatting(with_sources(tmp_path, config=config)) as chat:
        screen = await opened(chat)
        await chat.pilot.press("down", "down", "down", "a")
        await chat.until(lambda: "✓ runs unasked: the policy" in chat.shown(), "the rule")
        (told,) = chat.app._notifications
        assert "could not be kept" in told.message
        assert 'create_ticket = "allow"' in told.message
        assert screen._runner.policy.tools == {"create_ticket": "allow"}
        assert config.read_text() == "approval = { tools = {} }\n"


async def test_a_slow_source_holds_nothing_and_its_coming_is_told(tmp_path: Path) -> None:
    slow = McpServer(ServerConfig("late", command="unused"))
    go = asyncio.Event()

    async def open_late(changed: Callable[[], None]) -> None:
        await go.wait()

    slow.open = open_late  # type: ignore[method-assign]
    async with chatting(with_sources(tmp_path, slow)) as chat:
        assert "Still connecting: MCP server late" in chat.shown()
        await chat.say("Where is my order A-4471?")
        await chat.idle()
        await opened(chat)
        assert "MCP server late  connecting" in chat.shown()
        go.set()
        await chat.until(lambda: "MCP server late  connected" in chat.shown(), "the state")
        await chat.pilot.press("escape")
        await chat.until(lambda: "MCP server late is connected: 0 tools." in chat.shown(), "words")


async def test_a_source_that_fails_says_why_and_what_to_do_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    slow = SlowSource()
    slow.go.set()
    slow.fails = "no key"
    async with chatting(with_sources(tmp_path, slow)) as chat:
        await chat.until(lambda: "mend no key" in chat.shown(), "the hint")
        await opened(chat)
        await chat.pilot.press("end")
        await chat.until(lambda: "slow.py  failed" in chat.shown(), "the state")
        await chat.until(lambda: chat.shown().count("mend no key") >= 1, "the hint")
        slow.fails = ""
        await chat.pilot.press("R")
        await chat.until(lambda: "slow.py  loaded" in chat.shown(), "another try")


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_words_of_servers_are_cleaned_everywhere_on_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    server = McpServer(ServerConfig("x" + HOSTILE, command=sys.executable))
    server.log.add(HOSTILE)
    hostile = SlowSource(HOSTILE)
    hostile.go.set()
    hostile.fails = HOSTILE

    async def open_well(changed: Callable[[], None]) -> None:
        return None

    server.open = open_well  # type: ignore[method-assign]
    async with chatting(with_sources(tmp_path, hostile, server), size=size) as chat:
        await opened(chat)
        await chat.pilot.press("end")
        assert not set(chat.shown()) & set(FORBIDDEN)
        await chat.pilot.press("l")
        await chat.until(lambda: isinstance(chat.app.screen, ServerLogScreen), "the log")
        await chat.until(lambda: "its log" in chat.shown(), "the log to be drawn")
        assert not set(chat.shown()) & set(FORBIDDEN)
        await chat.pilot.press("escape", "up", "up")
        assert not set(chat.shown()) & set(FORBIDDEN)


async def test_a_server_that_dies_is_shown_as_ended_and_restarted(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    server = McpServer(
        ServerConfig("faulty", command=sys.executable, args=("-I", "-S", FAULTY, "ok"))
    )
    async with chatting(with_sources(tmp_path, server)) as chat:
        await chat.until(lambda: "MCP server faulty is connected" in chat.shown(), "the server")
        await opened(chat)
        assert "connected, 2025-11-25" in chat.shown()
        (echo,) = (line for line in chat.shown().splitlines() if " echo " in line)
        assert "may change things  the server says: only reads" in echo
        assert "? asks" in echo
        await chat.pilot.press("escape")
        await chat.say('call echo {"text": ""}')
        await chat.until(lambda: "the server says: only reads" in chat.shown(), "its claim")
        assert "may change things" in chat.shown()
        approval = chat.panel.models[0].approval
        assert approval is not None
        approval.decide(Decision("deny"))
        await chat.idle()
        await chat.say('call die {"text": ""}')
        await chat.until(lambda: chat.panel.wants_attention, "the question")
        approval = chat.panel.models[1].approval
        assert approval is not None
        approval.decide(Decision("allow"))
        await chat.until(lambda: "has ended" in chat.shown(), "its end")
        await chat.idle()
        await opened(chat)
        await chat.pilot.press("end")
        await chat.until(lambda: "MCP server faulty  has ended" in chat.shown(), "the state")
        await chat.pilot.press("R")
        await chat.until(lambda: "connected, 2025-11-25" in chat.shown(), "a new start")


async def test_what_a_configuration_leaves_out_or_misspells_is_said(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    command = ("-I", "-S", FAULTY, "ok")
    server = McpServer(
        ServerConfig("faulty", command=sys.executable, args=command, tools=("echo", "Die"))
    )
    async with chatting(with_sources(tmp_path, server)) as chat:
        await chat.until(lambda: "'Die'" in chat.shown(), "the warning")
        await opened(chat)
        await chat.pilot.press("end", "up")
        await chat.until(lambda: "connected, 2025-11-25" in chat.shown(), "the state")
        shown = chat.shown()
        assert "1 tool, 11 left out by its configuration" in shown
        assert "names tools it does not have" in shown
        assert "It has: echo, die," in shown
        assert " garble " not in "\n".join(line for line in shown.splitlines() if "asks" in line)
