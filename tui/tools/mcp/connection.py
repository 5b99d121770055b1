"""One connection to one MCP server, from start to end, in a task of its own.

The SDK ties a connection to the task that opened it; here that task waits for requests to stop,
to list the tools again, or for the connection to break. Calls come from other tasks and end
with an error when the server does.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final
from urllib.parse import urlsplit

from tui.core.errors import ToolError
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.mcp.config import ServerConfig
from tui.tools.mcp.content import outcome_of
from tui.tools.mcp.questions import AskPerson, Question
from tui.tools.mcp.refusals import advice, in_words
from tui.tools.mcp.serverlog import ServerLog, current_log, keep_sdk_quiet
from tui.tools.mcp.transports import transport
from tui.tools.threads import in_daemon_thread

INSTALL: Final = "pip install 'verbatim-tui[mcp]'"
START_TIMEOUT: Final = 30.0
LIST_TIMEOUT: Final = 15.0
_CLOSE_TIMEOUT: Final = 10.0
_MAX_PAGES: Final = 100


class Ended(Exception):
    """The connection is over; `str()` says how."""


class Connection:
    """Start it once, then call; a broken one is replaced by a new object.

    Args:
        changed: called when the list of tools is another one, or the connection has broken.
    """

    def __init__(
        self,
        config: ServerConfig,
        log: ServerLog,
        changed: Callable[[], None],
        ask: AskPerson | None,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.remote_tools: Sequence[Any] = ()
        """`mcp_types.Tool` values, as last listed."""
        self.protocol_version = ""
        self._config = config
        self._log = log
        self._changed = changed
        self._ask = ask
        self._start_timeout = start_timeout
        self._client: Any = None
        self._owner: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._stop = False
        self._list_again = False
        self._look_after = False
        self._refused: int | None = None
        """The status of the latest HTTP response, where it was a refusal."""
        self._ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def ended(self) -> str:
        """How the connection ended; empty while it stands."""
        return self._ended.result() if self._ended.done() else ""

    async def start(self) -> None:
        """Connect and list the tools.

        Raises:
            ToolError: not installed, not started, not answering in time, or no MCP server.
        """
        await in_daemon_thread(_import_sdk)
        keep_sdk_quiet()
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(ready), name=f"mcp {self._config.name}")
        try:
            await asyncio.wait(
                {ready, self._owner},
                timeout=self._start_timeout,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not ready.done() and not self._owner.done():
                raise self._not_started(f"it did not answer within {self._start_timeout:g} seconds")
            if not ready.done():
                raise self._not_started(self.ended)
        except BaseException:
            await self.close()
            raise

    async def call(self, name: str, arguments: dict[str, Any], context: RunContext) -> ToolOutcome:
        """Call a tool of the server.

        Raises:
            Ended: the server is gone, or went while it worked.
        """
        if self.ended:
            raise Ended(self.ended)

        async def progress(done: float, total: float | None, message: str | None) -> None:
            share = done / total if total else None
            of = f" of {total:g}" if total else ""
            context.progress(message or f"{done:g}{of}", share)

        call = asyncio.create_task(
            self._client.call_tool(name, arguments, progress_callback=progress)
        )
        waited: set[asyncio.Future[Any]] = {call, self._ended}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise Ended(self.ended)
        finally:
            if not call.done():
                # The SDK tells the server; wait until it has.
                call.cancel()
                await asyncio.wait({call})
        return self._outcome(call)

    def list_again(self) -> None:
        """Ask for the list of tools soon."""
        self._list_again = True
        self._wake.set()

    async def close(self) -> None:
        """End the connection and the server's process. Never raises, is never long."""
        self._stop = True
        self._wake.set()
        owner = self._owner
        if owner is None:
            return
        if self._client is None:
            owner.cancel()
        await asyncio.wait({owner}, timeout=_CLOSE_TIMEOUT)
        if not owner.done():
            owner.cancel()
            await asyncio.wait({owner}, timeout=_CLOSE_TIMEOUT)

    async def _own(self, ready: asyncio.Future[None]) -> None:
        current_log.set(self._log)
        why = "it was closed"
        try:
            async with self._connected() as client:
                self._client = client
                self.protocol_version = client.protocol_version
                await self._list()
                ready.set_result(None)
                listening = asyncio.create_task(self._listen())
                try:
                    await self._serve()
                finally:
                    listening.cancel()
                    await asyncio.wait({listening})
        except Ended as ended:
            why = str(ended)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the SDK raises what it likes
            why = self._words(error)
        finally:
            self._ended.set_result(why)
            if not self._stop and ready.done():
                self._log.add_ours(f"the connection has ended: {why}")
                self._changed()

    async def _serve(self) -> None:
        while not self._stop:
            await self._wake.wait()
            self._wake.clear()
            if self._list_again and not self._stop:
                self._list_again = False
                await self._list()
                self._changed()
            if self._look_after and not self._stop:
                self._look_after = False
                # Its standard error has ended: that of a process does when it dies.
                await self._list()

    async def _list(self) -> None:
        tools: list[Any] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(LIST_TIMEOUT):
                for _ in range(_MAX_PAGES):
                    page = await self._client.list_tools(cursor=cursor, cache_mode="bypass")
                    tools.extend(page.tools)
                    cursor = page.next_cursor
                    if not cursor:
                        break
        except TimeoutError:
            raise Ended(f"it did not list its tools within {LIST_TIMEOUT:g} seconds") from None
        self.remote_tools = tools

    async def _listen(self) -> None:
        """Newer servers tell of changes only those who ask (2026-07-28)."""
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
        from mcp.shared.exceptions import MCPError

        capability = self._client.server_capabilities.tools
        if capability is None or not capability.list_changed:
            return
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with self._client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.list_again()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Any]:
        import mcp_types
        from mcp import Client

        async def message(message: Any) -> None:
            if isinstance(message, mcp_types.ToolListChangedNotification):
                self.list_again()
            elif isinstance(message, Exception):
                self._log.add_ours(str(message))

        async def logged(params: Any) -> None:
            self._log.add(f"[{params.level}] {params.data}")

        async def ask(context: Any, params: Any) -> Any:
            if self._ask is None:
                return mcp_types.ElicitResult(action="decline")
            answer = await self._ask(
                Question(
                    origin=f"MCP server {self._config.name}",
                    message=params.message,
                    schema=getattr(params, "requested_schema", None),
                    url=getattr(params, "url", None),
                )
            )
            content = None if answer.content is None else dict(answer.content)
            return mcp_types.ElicitResult(action=answer.action, content=content)

        async def list_roots(context: Any) -> Any:
            roots = [
                mcp_types.Root(uri=root.absolute().as_uri(), name=root.name or str(root))  # type: ignore[arg-type]  # the SDK makes a FileUrl of it
                for root in self._config.roots
            ]
            return mcp_types.ListRootsResult(roots=roots)

        client = Client(
            transport(self._config, self._log, self._errors_ended, self._answered),
            mode="auto",
            cache=None,
            client_info=mcp_types.Implementation(name="verbatim", version="1"),
            elicitation_callback=ask,
            # Not offered without folders: some servers let them replace what they were started with.
            list_roots_callback=list_roots if self._config.roots else None,
            logging_callback=logged,
            log_level="info",
            message_handler=message,
        )
        async with client:
            yield client

    def _answered(self, status: int) -> None:
        self._refused = status if status >= 400 else None

    def _errors_ended(self) -> None:
        self._look_after = True
        self._wake.set()

    def _outcome(self, call: asyncio.Task[Any]) -> ToolOutcome:
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        if call.cancelled():
            raise Ended(self.ended or "the connection broke")
        error = call.exception()
        if error is None:
            return outcome_of(call.result())
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            self._errors_ended()
            raise Ended("it ended while it worked on the call") from error
        words = self._words(error)
        if self._refused is not None:
            # It may have forgotten the session, as one that was started anew does.
            self._errors_ended()
        return ToolOutcome.error(f"The MCP server refused the call: {words}")

    def _not_started(self, why: str) -> ToolError:
        told, noted = self._log.tail(), self._log.noted()
        if told:
            why += f"; it said: {told}"
        elif noted and noted not in why:
            why += f"; {noted}"
        return ToolError(
            f"the MCP server {self._config.name!r} cannot be used: {why}", hint=self._advice()
        )

    def _advice(self) -> str:
        if self._config.command:
            return "Run its command by hand to see what it needs."
        if self._refused is None:
            return "Is the server running? Check its url and headers."
        headers = {name.lower() for name in self._config.headers}
        return advice(self._refused, with_token="authorization" in headers)

    def _words(self, error: BaseException) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        words = _words(error)
        if type(error).__name__ == "ConnectError" and self._config.url:
            host = urlsplit(self._config.url).netloc.rpartition("@")[2]
            words = f"nothing answers at {host}: {error}"[:2_000]
        return words if self._refused is None else in_words(self._refused, words)


def _import_sdk() -> None:
    # In a thread: it takes a second or more, and a screen may be up.
    try:
        importlib.import_module("mcp")
        importlib.import_module("mcp.client.streamable_http")
    except ImportError as error:
        raise ToolError(
            f"MCP servers need the package mcp, which cannot be imported: {error}", hint=INSTALL
        ) from error


def _words(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no program or folder {error.filename!r}"
    if isinstance(error, asyncio.CancelledError):
        return "it was stopped"
    if type(error).__name__ == "MCPError":
        return str(error)[:2_000]
    return f"{type(error).__name__}: {error}"[:2_000]
