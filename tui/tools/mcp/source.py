"""An MCP server as a source of tools: opened, listed again when it says so, restarted on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.core.conversation import ToolSpec
from tui.core.errors import ToolError
from tui.core.finalise import FinalCall
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.mcp.config import ServerConfig, read_servers
from tui.tools.mcp.connection import START_TIMEOUT, Connection, Ended
from tui.tools.mcp.questions import AskPerson
from tui.tools.mcp.serverlog import ServerLog
from tui.tools.registry import fitting_name


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool of a server. It outlives the connection: a restart serves it again."""

    spec: ToolSpec
    """`read_only` is the server's hint: shown, not trusted."""
    origin: str
    remote_name: str
    server: McpServer
    hints: tuple[str, ...] = ()
    """What the server says of it besides, in our words. Shown as its claim, never trusted."""
    timeout: float | None = None
    trusted: bool = False
    answered_by_hand: bool = False

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        if isinstance(call.arguments, str):
            return ToolOutcome.error(f"{self.spec.name} takes a JSON object, not free text")
        return await self.server.call(self.remote_name, dict(call.arguments), context)


class McpServer:
    """A source: the tools of one configured server."""

    def __init__(
        self,
        config: ServerConfig,
        ask: AskPerson | None = None,
        *,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.name = fitting_name(config.name)
        self.origin = f"MCP server {config.name}"
        self.tools: Sequence[McpTool] = ()
        self.log = ServerLog()
        """What it said beside the protocol, over all its restarts."""
        self._config = config
        self._ask = ask
        self._start_timeout = start_timeout
        self._connection: Connection | None = None
        self._changed: Callable[[], None] = lambda: None
        self._remote_names: tuple[str, ...] = ()

    @property
    def connected(self) -> bool:
        return self._connection is not None and not self._connection.ended

    @property
    def left_out(self) -> int:
        """How many tools it has that its configuration keeps from being offered."""
        return sum(not self._config.offers(name) for name in self._remote_names)

    @property
    def problem(self) -> ToolError | None:
        """It has ended without being asked to, or its configuration names tools it has not."""
        if self._connection is None:
            return None
        if not self._connection.ended:
            return self._unmet()
        told = self.log.tail()
        return ToolError(
            f"{self.origin} has ended: {self._connection.ended}"
            + (f"; it said: {told}" if told else ""),
            hint="R on it in F8 starts it again, /reload all of them.",
        )

    def _unmet(self) -> ToolError | None:
        missing = self._config.unmet(self._remote_names)
        if not missing:
            return None
        return ToolError(
            f"{self.origin} is connected, but its configuration names tools it does not have:"
            f" {', '.join(map(repr, missing))}",
            hint=f"It has: {', '.join(self._remote_names) or 'none'}.",
        )

    @property
    def protocol_version(self) -> str:
        """As negotiated; empty while it is not connected."""
        return self._connection.protocol_version if self._connection is not None else ""

    async def open(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        await self.restart()

    async def reload(self) -> None:
        """List the tools again; a server that has ended, or never started, is started."""
        if self._connection is None or self._connection.ended:
            await self.restart()
        else:
            self._connection.list_again()

    async def restart(self) -> None:
        """End the server and start it anew.

        Raises:
            ToolError: it cannot be started; its tools of before stay on offer.
        """
        await self.close()
        if self._config.fault is not None:
            raise self._config.fault
        connection = Connection(
            self._config, self.log, self._on_change, self._ask, self._start_timeout
        )
        await connection.start()
        self._connection = connection
        self._take_tools()

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def call(self, name: str, arguments: dict[str, Any], context: RunContext) -> ToolOutcome:
        """Call a tool; a server that is gone is an error result."""
        if self._connection is None or self._connection.ended:
            return ToolOutcome.error(
                f"The {self.origin} is not running: the call was not sent. The user can restart it."
            )
        try:
            return await self._connection.call(name, arguments, context)
        except Ended as ended:
            return ToolOutcome.error(
                f"The {self.origin} has ended ({ended}). What it did until then is not known;"
                " the user can restart it."
            )

    def _on_change(self) -> None:
        self._take_tools()
        self._changed()

    def _take_tools(self) -> None:
        if self._connection is not None and not self._connection.ended:
            remote_tools = self._connection.remote_tools
            self._remote_names = tuple(dict.fromkeys(remote.name for remote in remote_tools))
            self.tools = [
                self._tool(remote) for remote in remote_tools if self._config.offers(remote.name)
            ]

    def _tool(self, remote: Any) -> McpTool:
        hints = remote.annotations
        spec = ToolSpec(
            name=remote.name,
            description=remote.description or remote.title or "",
            schema=remote.input_schema,
            read_only=bool(hints is not None and hints.read_only_hint),
        )
        return McpTool(spec, self.origin, remote.name, self, _claims(hints))


def _claims(hints: Any) -> tuple[str, ...]:
    """`ToolAnnotations` in words; what it leaves open is not said."""
    if hints is None:
        return ()
    said = (
        (hints.read_only_hint, "only reads", "changes things"),
        (hints.destructive_hint, "may destroy things", "destroys nothing"),
        (hints.idempotent_hint, "may be repeated without harm", "does more each time"),
        (hints.open_world_hint, "reaches out to others", "stays within its own data"),
    )
    return tuple(yes if hint else no for hint, yes, no in said if hint is not None)


def mcp_sources(
    path: Path, environment: Mapping[str, str], ask: AskPerson | None = None
) -> tuple[McpServer, ...]:
    """The servers of an `mcpServers` file; none is started yet.

    Raises:
        ToolError: as `read_servers`.
    """
    return tuple(McpServer(config, ask) for config in read_servers(path, environment))
