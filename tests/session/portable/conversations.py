"""Conversations to export: one with everything a turn can hold, made by the loop itself."""

from __future__ import annotations

from pathlib import Path

from tests import wire
from tests.wire import READING, Reply, ScriptedSource
from tui.core.conversation import TextContent, ToolSpec, TurnSettings
from tui.core.errors import StreamBroken
from tui.session.calls import CallRunner
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import Idle
from tui.store import Store
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import FixedSource, Registry

HOSTILE = "</pre><script>alert(1)</script>\n````\n# not a heading \u202e\x1b[31m"
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
BROKEN = wire.start() + wire.text(0, "Half") + wire.call(1, "toolu_3", "look", '{"id', closed=False)


async def make(path: Path | None, *, prompt: str = f"Look {HOSTILE}") -> tuple[Store, str]:
    """A store with a conversation of three turns: two calls (final, invalid), prose, a break."""
    store = Store.open(path) if path else Store.memory()
    source = ScriptedSource(
        [
            Reply(_bytewise(CALLS)),
            Reply([wire.prose_turn(f"Found it. {HOSTILE}")]),
            Reply([BROKEN], breaks=StreamBroken("the connection was reset")),
        ]
    )
    ran: list[str] = []

    async def look(arguments: object, context: RunContext) -> ToolOutcome:
        ran.append("look")
        return ToolOutcome((TextContent(f"result {HOSTILE} mail ann@example.com"),))

    spec = ToolSpec("look", "Look.", SCHEMA, read_only=True)
    registry = Registry([FixedSource("desk", "desk", [HandlerTool(spec, "desk", look)])])
    conversation = store.create_conversation()
    journal = StoredJournal(store, conversation)
    calls = CallRunner(registry, Dispatcher(registry), Policy(mode="all"), journal, lambda _: None)
    session = Session(
        Target("scripted", "anthropic", source, TurnSettings("m")),
        journal=journal,
        reading=READING,
        calls=calls,
    )
    for words in (prompt, "and again"):
        session.send(words)
        async for update in session.updates():
            if isinstance(update, Idle):
                break
        await session.wait_idle()
    assert ran == ["look"]
    assert store.flush()
    return store, conversation


def _bytewise(body: bytes) -> list[bytes]:
    return [body[start : start + 50] for start in range(0, len(body), 50)]


CALLS = wire.call_turn(
    wire.call(1, "toolu_1", "look", '{"id": "A', '\\ud83d", "n": 1.0', "}"),
    wire.call(2, "toolu_2", "look", '{"wrong": "ann@example.com"}'),
    words="Let me look.",
)
