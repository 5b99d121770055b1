"""MCP servers: their tools, what they return, and everything that can go wrong with them."""

from __future__ import annotations

import asyncio
import json
import logging.handlers
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import final_call
from tui.core.conversation import (
    ImageContent,
    JsonContent,
    ResourceContent,
    TextContent,
)
from tui.core.errors import ToolError
from tui.core.states import CallState
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.mcp.config import ServerConfig, read_servers
from tui.tools.mcp.questions import AskPerson, Question, QuestionAnswer
from tui.tools.mcp.serverlog import (
    MAX_LINE,
    MAX_LINES,
    ServerLog,
    current_log,
    keep_sdk_quiet,
)
from tui.tools.mcp.source import McpServer
from tui.tools.policy import Policy, decide
from tui.tools.registry import FixedSource, Registry
from tui.tools.specs import Surroundings, open_tools

pytestmark = pytest.mark.skipif(
    find_spec("mcp") is None,
    reason="the extra mcp is not installed: pip install 'verbatim-tui[mcp]'",
)

HERE = Path(__file__).parent
# Named before the tests begin: conftest keeps such variables out of a test's environment.
EVERYTHING = os.environ.get("VERBATIM_MCP_EVERYTHING")


def faulty(start: str = "ok", name: str = "faulty") -> ServerConfig:
    script = str(HERE / "faulty_mcp_server.py")
    return ServerConfig(name, command=sys.executable, args=("-I", "-S", script, start))


class Bench:
    """One server in a registry, with its dispatcher; waits for changes instead of sleeping."""

    def __init__(self, server: McpServer, *others: Any, timeout: float = 20) -> None:
        self.server = server
        self.changes = asyncio.Event()
        self.registry = Registry([server, *others], changed=self.changes.set)
        self.dispatcher = Dispatcher(self.registry, default_timeout=timeout)

    async def run(self, name: str, arguments: Any = None, **options: Any) -> Outcome:
        return await self.dispatcher.run(final_call(name, arguments), **options)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await self.changes.wait()
                self.changes.clear()

    async def until_said(self, words: str) -> None:
        async with asyncio.timeout(20):
            while not any(words in line for line in self.server.log.lines):  # noqa: ASYNC110 - a pipe of a process
                await asyncio.sleep(0.01)


@asynccontextmanager
async def bench(
    config: ServerConfig | None = None, ask: AskPerson | None = None, **options: Any
) -> AsyncIterator[Bench]:
    async with bench_of(McpServer(config or faulty(), ask), **options) as bench:
        assert bench.registry.problems == ()
        yield bench


@asynccontextmanager
async def bench_of(server: McpServer, **options: Any) -> AsyncIterator[Bench]:
    bench = Bench(server, **options)
    async with bench.registry:
        yield bench


class TestFaultyServer:
    async def test_all_pages_of_tools_are_offered_under_fitting_names(self) -> None:
        async with bench() as b:
            assert list(b.registry.specs_by_name) == [
                "echo", "die", "garble", "hang", "grow", "flood", "odd_name", "content", "refuse",
                "ask", "roots", "sample",
            ]  # fmt: skip
            assert b.server.protocol_version == "2025-11-25"
            assert b.server.log.lines[0].startswith("starting ok")

    async def test_a_call_returns_what_the_server_says(self) -> None:
        async with bench() as b:
            outcome = await b.run("echo", {"text": "grüß dich"})
            assert outcome.state is CallState.RETURNED
            assert outcome.result.content == (TextContent("grüß dich"),)
            failed = await b.run("odd_name", {"text": "an error"})
            assert (failed.state, failed.result.text) == (CallState.FAILED, "an error")
            refused = await b.run("refuse")
            assert refused.state is CallState.FAILED
            assert refused.result.text.startswith("The MCP server refused the call")
            assert "not today" in refused.result.text

    async def test_every_kind_of_content_is_kept_or_named(self) -> None:
        async with bench() as b:
            outcome = await b.run("content")
        assert outcome.result.content == (
            # The structured content says the same as the first text and is not said twice.
            TextContent('{"a": 1}'),
            ImageContent("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\0"),
            TextContent("[image image/png, 12 bytes, which cannot be shown here]"),
            TextContent("[image image/png: its base64 cannot be read]"),
            TextContent("[audio audio/wav, 4 bytes, which cannot be shown here]"),
            ResourceContent("file:///a", "text/plain", None),
            ResourceContent("demo://t", "text/plain", "T"),
            ResourceContent("demo://b", "", None),
        )

    async def test_a_server_that_dies_during_a_call_is_reported_and_can_be_restarted(self) -> None:
        async with bench() as b:
            outcome = await b.run("die")
            assert outcome.state is CallState.FAILED
            assert "has ended" in outcome.result.text
            assert "not known" in outcome.result.text
            await b.until(lambda: bool(b.registry.problems))
            (problem,) = b.registry.problems
            assert problem.origin == "MCP server faulty"
            assert "out of paper" in str(problem.error)

            again = await b.run("echo", {"text": "x"})
            assert again.state is CallState.FAILED
            assert "was not sent" in again.result.text
            assert "The user can restart it" in again.result.text

            await b.registry.reload()
            assert not b.registry.problems
            assert (await b.run("echo", {"text": "back"})).result.text == "back"

    async def test_a_server_that_is_killed_ends_the_calls_it_works_on(self) -> None:
        async with bench() as b:
            call = asyncio.create_task(b.run("hang"))
            await b.until_said("hanging")
            os.kill(_process_of(b.server), signal.SIGKILL)
            assert "has ended" in (await call).result.text
            await b.until(lambda: bool(b.registry.problems))

    async def test_a_server_that_dies_while_nobody_calls_is_noticed(self) -> None:
        async with bench() as b:
            await b.until_said("starting")
            os.kill(_process_of(b.server), signal.SIGKILL)
            await b.until(lambda: bool(b.registry.problems))
            assert "has ended" in str(b.registry.problems[0].error)

    async def test_lines_that_are_no_messages_do_no_harm(self) -> None:
        async with bench() as b:
            assert (await b.run("garble", {"text": "x"})).result.text == "x"
            assert (await b.run("echo", {"text": "y"})).result.text == "y"
            assert any(line.startswith("[client]") for line in b.server.log.lines)

    async def test_a_call_that_times_out_is_cancelled_at_the_server(self) -> None:
        async with bench(timeout=0.2) as b:
            outcome = await b.run("hang")
            assert outcome.state is CallState.TIMED_OUT
            await b.until_said("cancelled")

    async def test_cancelling_reaches_the_server_and_the_next_call_works(self) -> None:
        async with bench() as b:
            heard: list[Any] = []
            call = asyncio.create_task(b.run("hang", progress=lambda *report: heard.append(report)))
            await b.until_said("hanging")
            async with asyncio.timeout(20):
                while not heard:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            b.dispatcher.cancel("t1.c1")
            outcome = await call
            assert outcome.state is CallState.CANCELLED
            assert "still be running" not in outcome.result.text
            assert heard == [("hanging", 0.25)]
            await b.until_said("cancelled")
            assert (await b.run("echo", {"text": "next"})).result.text == "next"

    async def test_a_tool_that_comes_later_is_offered(self) -> None:
        async with bench() as b:
            await b.run("grow")
            await b.until(lambda: "grown" in b.registry.specs_by_name)
            assert (await b.run("grown", {"text": "late"})).result.text == "late"

    async def test_a_server_that_floods_its_standard_error_neither_blocks_nor_fills_memory(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        async with bench() as b:
            assert (await b.run("flood", {"text": "done"})).result.text == "done"
            await b.until_said("flooded")
            assert max(map(len, b.server.log.lines)) <= MAX_LINE + 2
        assert capfd.readouterr() == ("", ""), "nothing of it reached the terminal"

    async def test_a_question_is_declined_when_nobody_can_answer(self) -> None:
        async with bench() as b:
            assert json.loads((await b.run("ask")).result.text)["action"] == "decline"

    async def test_folders_are_named_to_a_server_only_when_they_are_configured(
        self, tmp_path: Path
    ) -> None:
        async with bench() as b:
            assert "not supported" in (await b.run("roots")).result.text
            assert 'capabilities ["elicitation"]' in b.server.log.lines
        async with bench(replace(faulty(), roots=(tmp_path / "a b", tmp_path))) as b:
            told = json.loads((await b.run("roots")).result.text)
            assert told == {
                "roots": [
                    {"uri": f"{tmp_path.as_uri()}/a%20b", "name": "a b"},
                    {"uri": tmp_path.as_uri(), "name": tmp_path.name},
                ]
            }
            assert 'capabilities ["elicitation", "roots"]' in b.server.log.lines

    async def test_no_server_may_write_with_the_users_model_and_it_is_told_so(self) -> None:
        async with bench() as b:
            told = json.loads((await b.run("sample")).result.text)
            assert told["message"] == "Sampling not supported"

    async def test_a_question_is_put_to_the_person(self) -> None:
        asked: list[Question] = []

        async def ask(question: Question) -> QuestionAnswer:
            asked.append(question)
            return QuestionAnswer("accept", {"size": 7})

        async with bench(ask=ask) as b:
            answered = json.loads((await b.run("ask")).result.text)
        assert (answered["action"], answered["content"]) == ("accept", {"size": 7})
        (question,) = asked
        assert (question.origin, question.message) == ("MCP server faulty", "Which size?")
        assert question.schema is not None
        assert question.schema["properties"] == {"size": {"type": "integer"}}

    async def test_the_hint_that_a_tool_only_reads_is_shown_and_not_trusted(self) -> None:
        async with bench() as b:
            entry = b.registry.get("echo")
            assert entry is not None
            assert entry.spec.read_only
            policy = Policy("read-only")
            verdict = decide(entry.spec, entry.origin, policy, trusted=entry.tool.trusted)
            assert verdict.rule == "ask"

    async def test_two_servers_with_the_same_tools_are_kept_apart(self) -> None:
        servers = [McpServer(faulty(name=name)) for name in ("one", "two.b")]
        async with Registry(servers) as registry:
            # Whichever server is ready first has the short names.
            named = {
                (entry.origin, entry.spec.name)
                for entry in registry.entries()
                if entry.spec.name.endswith("echo")
            }
            assert named in (
                {("MCP server one", "echo"), ("MCP server two.b", "two_b__echo")},
                {("MCP server one", "one__echo"), ("MCP server two.b", "echo")},
            )


class TestChosenTools:
    """Of a server with many tools, only those that its configuration names are offered."""

    async def test_only_the_named_tools_without_the_excluded_are_offered(self) -> None:
        config = replace(faulty(), tools=("echo", "g*", "h*"), exclude=("gr*",))
        async with bench(config) as b:
            assert list(b.registry.specs_by_name) == ["echo", "garble", "hang"]
            assert b.server.left_out == 9
            assert (await b.run("die")).state is CallState.FAILED
            assert not b.server.log.lines[-1].startswith("out of paper")

    async def test_a_tool_that_comes_later_is_left_out_too(self) -> None:
        async with bench(replace(faulty(), tools=("grow", "echo"))) as b:
            await b.run("grow")
            async with asyncio.timeout(20):
                while b.server.left_out != 11:  # noqa: ASYNC110 - what is on offer does not change
                    await asyncio.sleep(0.01)
            assert list(b.registry.specs_by_name) == ["echo", "grow"]

    @pytest.mark.parametrize("chosen", [{"tools": ("echo", "Die")}, {"exclude": ("Die",)}])
    async def test_a_name_that_fits_no_tool_is_told_and_the_others_are_offered(
        self, chosen: dict[str, Any]
    ) -> None:
        server = McpServer(replace(faulty(), **chosen))
        async with Registry([server]) as registry:
            (problem,) = registry.problems
            assert "'Die'" in str(problem.error)
            assert "die" in problem.error.hint
            assert registry.get("echo") is not None

    async def test_a_name_that_fits_a_tool_which_comes_later_is_told_until_then(self) -> None:
        async with bench_of(McpServer(replace(faulty(), tools=("grow", "grown")))) as b:
            assert "'grown'" in str(b.registry.problems[0].error)
            await b.run("grow")
            await b.until(lambda: "grown" in b.registry.specs_by_name)
            assert b.registry.problems == ()


async def test_servers_are_opened_from_a_file_and_from_the_configuration(tmp_path: Path) -> None:
    in_file = faulty(name="in_file")
    entry = {"command": in_file.command, "args": list(in_file.args)}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"in_file": entry}}))
    around = Surroundings(tmp_path, tmp_path, {})
    configured = faulty(name="configured")
    async with open_tools(["time", "mcp:mcp.json"], around, servers=[configured]) as registry:
        assert not registry.problems
        origins = list(dict.fromkeys(entry.origin for entry in registry.entries()))
        assert origins == ["clock", "MCP server in_file", "MCP server configured"]


Reply = tuple[int, str, bytes]
"""Status, content type and body of an HTTP response."""


def refusing(status: int, body: bytes = b"", kind: str = "text/html") -> Callable[[Any], Reply]:
    """Every request is answered alike, whatever is asked."""
    return lambda _: (status, kind, body)


class Forgetful:
    """An MCP server that forgets its sessions, as one that is started anew does."""

    def __init__(self) -> None:
        self.knows = False

    def __call__(self, message: Any) -> Reply:
        method = message.get("method")
        if method == "initialize":
            self.knows = True
            return self._result(
                message,
                protocolVersion="2025-11-25",
                capabilities={"tools": {}},
                serverInfo={"name": "web", "version": "1"},
            )
        if not self.knows or method in (None, "server/discover"):
            return (404, "text/plain", b"")
        if method == "tools/list":
            tool = {"name": "echo", "inputSchema": {"type": "object"}}
            return self._result(message, tools=[tool])
        if method == "tools/call":
            return self._result(message, content=[{"type": "text", "text": "here"}])
        return (202, "text/plain", b"")

    def _result(self, message: Any, **result: Any) -> Reply:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        return (200, "application/json", json.dumps(answer).encode())


@asynccontextmanager
async def served(reply: Callable[[Any], Reply]) -> AsyncIterator[str]:
    """The address of a web server that answers with `reply`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        sent = await reader.readexactly(int(length[1]) if length else 0)
        status, kind, body = reply(json.loads(sent or b"{}"))
        told = (
            f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
            "mcp-session-id: s1\r\nconnection: close\r\n\r\n"
        )
        writer.write(told.encode() + body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()
        await server.wait_closed()


async def test_a_server_that_was_started_anew_meanwhile_is_reported_and_restarted() -> None:
    web = Forgetful()
    async with served(web) as url, bench(ServerConfig("web", url=url)) as b:
        assert (await b.run("echo")).result.text == "here"
        web.knows = False
        forgotten = await b.run("echo")
        assert forgotten.state is CallState.FAILED
        assert "HTTP 404" in forgotten.result.text
        await b.until(lambda: bool(b.registry.problems))
        assert "has ended: HTTP 404" in str(b.registry.problems[0].error)
        await b.registry.reload()
        assert (await b.run("echo")).result.text == "here"


class TestServersThatRefuse:
    """What an HTTP server that answers, and not as an MCP server would, is told as."""

    @pytest.mark.parametrize(
        ("status", "headers", "words", "hint"),
        [
            (401, {}, "HTTP 401 Unauthorized", 'headers = { Authorization = "Bearer ${NAME}" }'),
            (401, {"authorization": "Bearer x"}, "HTTP 401", "does not accept the Authorization"),
            (403, {}, "HTTP 403 Forbidden", "may not use it"),
            (404, {}, "HTTP 404 Not Found", "path"),
            (500, {}, "HTTP 500 Internal Server Error", "its log"),
        ],
    )
    async def test_the_status_is_said_and_what_to_do_about_it(
        self, status: int, headers: dict[str, str], words: str, hint: str
    ) -> None:
        async with served(refusing(status)) as url:
            config = ServerConfig("web", url=url, headers=headers)
            async with Registry([McpServer(config)]) as registry:
                (problem,) = registry.problems
        assert words in str(problem.error)
        assert "MCPError" not in str(problem.error)
        assert hint in problem.error.hint

    async def test_who_may_not_come_in_is_told_that_nobody_signs_in_here(self) -> None:
        async with served(refusing(401)) as url:
            with pytest.raises(ToolError) as caught:
                await McpServer(ServerConfig("web", url=url)).open(lambda: None)
        assert "OAuth" in caught.value.hint

    async def test_the_servers_own_words_are_kept(self) -> None:
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "no such team"}}
        reply = refusing(400, json.dumps(error).encode(), "application/json")
        async with served(reply) as url:
            with pytest.raises(ToolError, match=r"HTTP 400 Bad Request: no such team"):
                await McpServer(ServerConfig("web", url=url)).open(lambda: None)

    async def test_a_page_is_no_mcp_server(self) -> None:
        async with served(refusing(200, b"<html>")) as url:
            with pytest.raises(ToolError, match=r"content type: text/html$"):
                await McpServer(ServerConfig("web", url=url)).open(lambda: None)


class TestServersThatDoNotStart:
    @pytest.mark.parametrize(
        ("config", "words"),
        [
            (faulty("dies"), ["no configuration found"]),
            (ServerConfig("s", command="/no/such/program"), ["no program", "/no/such/program"]),
            (ServerConfig("s", command="true", cwd=Path("/no/such")), ["'/no/such'"]),
            (ServerConfig("s", command="true"), ["cannot be used"]),
            (
                ServerConfig("s", command="echo", args=("give me a key",)),
                ["it wrote 'give me a key'"],
            ),
            (
                ServerConfig("s", url="http://127.0.0.1:9/mcp"),
                ["cannot be used: nothing answers at 127.0.0.1:9"],
            ),
        ],
    )
    async def test_the_error_says_why_and_the_rest_works(
        self, config: ServerConfig, words: list[str]
    ) -> None:
        other = FixedSource("other", "other", [])
        async with Registry([McpServer(config), other]) as registry:
            (problem,) = registry.problems
            assert all(word in str(problem.error) for word in words), problem.error
            assert problem.error.hint

    async def test_a_server_that_never_answers_is_given_up_and_its_process_ended(self) -> None:
        server = McpServer(faulty("silent"), start_timeout=0.3)
        with pytest.raises(ToolError, match=r"did not answer within 0\.3 seconds"):
            await server.open(lambda: None)
        with pytest.raises(ProcessLookupError):
            os.kill(_process_of(server), 0)

    async def test_without_the_sdk_the_error_names_the_one_command(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "mcp", None)
        with pytest.raises(ToolError, match="package mcp") as caught:
            await McpServer(faulty()).open(lambda: None)
        assert caught.value.hint == "pip install 'verbatim-tui[mcp]'"


def _process_of(server: McpServer) -> int:
    """The process number that a faulty server said last."""
    said = [line for line in server.log.lines if "as process" in line]
    return int(said[-1].rpartition(" ")[2])


class TestConfiguration:
    def _read(self, path: Path, servers: Any, **environment: str) -> tuple[ServerConfig, ...]:
        (path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        return read_servers(path / "mcp.json", environment)

    def test_a_file_is_read_as_other_clients_write_it(self, tmp_path: Path) -> None:
        local, remote = self._read(
            tmp_path,
            {
                "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "cwd": "/srv"},
                "remote": {"type": "http", "url": "https://h/mcp", "headers": {"X": "y"}},
                "off": {"command": "x", "disabled": True},
                "off_too": {"command": "x", "enabled": False},
                "unknown_words_are_fine": {"command": "x", "disabled": True, "autoApprove": []},
            },
        )
        assert local == ServerConfig("files", "npx", ("-y", "x"), {"A": "b"}, Path("/srv"))
        assert remote == ServerConfig("remote", url="https://h/mcp", headers={"X": "y"})

    def test_what_other_clients_say_about_single_tools_is_kept(self, tmp_path: Path) -> None:
        named, off = self._read(
            tmp_path,
            {
                "named": {"command": "x", "includeTools": ["a"], "excludeTools": ["b"]},
                "off": {"url": "http://h/mcp", "disabledTools": ["c"], "roots": ["~", "${A}"]},
            },
            A="/srv",
        )
        assert off.roots == (Path.home(), Path("/srv"))
        assert (named.tools, named.exclude) == (("a",), ("b",))
        assert (off.tools, off.exclude) == (None, ("c",))

    @pytest.mark.parametrize("key", ["url", "httpUrl", "serverUrl"])
    def test_an_address_is_found_under_each_of_its_names(self, tmp_path: Path, key: str) -> None:
        (server,) = self._read(
            tmp_path, {"s": {key: "http://h/mcp", "headers": {"X": "${env:X}"}}}, X="y"
        )
        assert server == ServerConfig("s", url="http://h/mcp", headers={"X": "y"})

    def test_variables_are_filled_in_where_they_are_written_and_shown_nowhere(
        self, tmp_path: Path
    ) -> None:
        (server,) = self._read(
            tmp_path,
            {"s": {"url": "https://${HOST:-h}/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}},
            KEY="sk-secret",
            OTHER="not taken",
        )
        assert server.url == "https://h/mcp"
        assert server.headers == {"Authorization": "Bearer sk-secret"}
        assert "sk-secret" not in repr(server)

    @pytest.mark.parametrize(
        ("servers", "words"),
        [
            ({"s": {}}, 's needs either "command" or "url"'),
            ({"s": {"command": "x", "url": "http://h"}}, "needs either"),
            ({"s": {"command": "${NONE}"}}, "s: command needs the variable NONE"),
            ({"s": {"command": "x", "args": ["${env:NONE}"]}}, "args needs the variable NONE"),
            ({"s": {"command": "x", "args": ["${input:key}"]}}, "args asks for '${input:key}'"),
            ({"s": {"command": "x", "args": "y"}}, "args is not a list"),
            ({"s": {"command": "x", "env": {"A": 1}}}, "env is not a table of texts"),
            ({"s": {"command": "x", "includeTools": "a"}}, "includeTools is not a list"),
            ({"s": {"command": "x", "disabledTools": [1]}}, "disabledTools is not a list"),
            ({"s": {"url": "ftp://h"}}, "no http or https address"),
            ({"s": {"type": "sse", "url": "http://h"}}, "type 'sse' are not supported"),
            ({"s": []}, "s is not a table"),
            ([], "names no MCP servers"),
        ],
    )
    def test_an_entry_that_cannot_be_used_is_named(
        self, tmp_path: Path, servers: Any, words: str
    ) -> None:
        if servers:
            fine = {"command": "y"}
            broken, well = self._read(tmp_path, {**servers, "well": fine})
            assert well == ServerConfig("well", "y")
            fault = broken.fault
        else:
            with pytest.raises(ToolError) as caught:
                self._read(tmp_path, servers)
            fault = caught.value
        assert words in str(fault)
        assert "mcp.json" in str(fault)

    async def test_a_broken_entry_is_a_problem_of_its_own_server(self, tmp_path: Path) -> None:
        configs = self._read(tmp_path, {"old": {"type": "sse", "url": "http://h"}})
        async with Registry([McpServer(config) for config in configs]) as registry:
            (problem,) = registry.problems
        assert problem.origin == "MCP server old"
        assert "type 'sse' are not supported" in str(problem.error)


def test_a_log_keeps_the_last_lines_only() -> None:
    log = ServerLog()
    log.add("\n".join(f"line {number}" for number in range(MAX_LINES + 5)))
    log.add("x" * (MAX_LINE + 1))
    assert len(log.lines) == MAX_LINES
    assert log.lines[0] == "line 6"
    assert log.tail(2) == f"line {MAX_LINES + 4} | {'x' * MAX_LINE} …"


def test_what_the_sdk_logs_goes_to_the_log_of_its_server_and_nowhere_else() -> None:
    heard = logging.handlers.BufferingHandler(100)
    logging.getLogger().addHandler(heard)
    try:
        keep_sdk_quiet()
        log = ServerLog()
        token = current_log.set(log)
        logging.getLogger("mcp.client.stdio").error("something broke\nin two places")
        current_log.reset(token)
        logging.getLogger("mcp.client.stdio").error("of no server")
    finally:
        logging.getLogger().removeHandler(heard)
    assert log.lines == ("[client] something broke in two places",)
    assert log.tail() == "", "it is not what the server said"
    assert log.noted() == "something broke in two places"
    assert heard.buffer == [], "whoever listens at the root may write to the terminal"


class TestNewestProtocol:
    async def test_a_server_made_with_the_sdk(self) -> None:
        """One start for all of it: a Python server takes seconds to import the SDK."""
        asked: list[Question] = []

        async def ask(question: Question) -> QuestionAnswer:
            asked.append(question)
            return QuestionAnswer("accept", {"size": 3})

        script = str(HERE / "modern_mcp_server.py")
        roots = (Path("/srv/shared"),)
        config = ServerConfig("modern", command=sys.executable, args=(script,), roots=roots)
        heard: list[Any] = []
        async with bench(config, ask) as b:
            assert b.server.protocol_version == "2026-07-28"
            assert (await b.run("add", {"a": 1, "b": 2})).result.content == (TextContent("3"),)
            await b.run("count", progress=lambda *report: heard.append(report[0]))
            assert heard == ["at 1", "at 2", "at 3"]
            assert (await b.run("ask")).result.text == "accept size=3"
            assert [question.message for question in asked] == ["Which size?"]
            assert (await b.run("fail")).state is CallState.FAILED
            assert (await b.run("roots")).result.text == "file:///srv/shared"
            sampled = await b.run("sample")
            assert sampled.state is CallState.FAILED
            assert "sampling" in sampled.result.text.lower()
            call = asyncio.create_task(b.run("hang"))
            await b.until_said("hanging")
            b.dispatcher.cancel("t1.c1")
            assert (await call).state is CallState.CANCELLED
            await b.until_said("cancelled")
            await b.run("grow")
            await b.until(lambda: "grown" in b.registry.specs_by_name)


class TestReferenceServer:
    """The reference server of the protocol's authors, over both transports."""

    @pytest.fixture
    def program(self) -> str:
        path = EVERYTHING or shutil.which("mcp-server-everything")
        if path is None:
            pytest.skip(
                "no reference server: npm i @modelcontextprotocol/server-everything, then set"
                " VERBATIM_MCP_EVERYTHING to node_modules/.bin/mcp-server-everything"
            )
        return path

    async def _try(self, b: Bench) -> None:
        heard: list[Any] = []
        assert (await b.run("echo", {"message": "hi"})).result.text == "Echo: hi"
        image = await b.run("get-tiny-image")
        assert isinstance(image.result.content[1], ImageContent)
        structured = await b.run("get-structured-content", {"location": "Chicago"})
        assert len(structured.result.content) == 1
        links = await b.run("get-resource-links", {"count": 2})
        assert [type(item) for item in links.result.content[1:]] == [ResourceContent] * 2
        assert (await b.run("echo", {})).state is CallState.FAILED
        await b.run(
            "trigger-long-running-operation",
            {"duration": 0.2, "steps": 4},
            progress=lambda *report: heard.append(report[1]),
        )
        assert heard == [0.25, 0.5, 0.75, 1.0]

    async def test_over_standard_input_and_output(self, program: str) -> None:
        config = ServerConfig("everything", command=program, args=("stdio",))
        async with bench(config) as b:
            await self._try(b)
            assert "declined" in (await b.run("trigger-elicitation-request")).result.text

    @asynccontextmanager
    async def _listening(self, program: str, port: int) -> AsyncIterator[ServerConfig]:
        process = await asyncio.create_subprocess_exec(
            program,
            "streamableHttp",
            env={**os.environ, "PORT": str(port)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert process.stderr is not None
            async with asyncio.timeout(20):
                while b"listening" not in (line := await process.stderr.readline()).lower():
                    assert line, "it ended before it listened"
            yield ServerConfig("everything", url=f"http://127.0.0.1:{port}/mcp")
        finally:
            process.kill()
            await process.wait()

    async def test_over_http(self, program: str, unused_tcp_port: int) -> None:
        async with (
            self._listening(program, unused_tcp_port) as config,
            bench(config) as b,
        ):
            await self._try(b)


def test_json_of_a_server_is_added_when_no_text_says_it() -> None:
    from mcp_types import CallToolResult

    from tui.tools.mcp.content import outcome_of

    text = {"type": "text", "text": "see below"}
    result = CallToolResult.model_validate({"content": [text], "structuredContent": {"a": [1]}})
    assert outcome_of(result).content == (TextContent("see below"), JsonContent('{"a": [1]}'))
    for key in ("result", "content"):
        wrapped = CallToolResult.model_validate(
            {"content": [text], "structuredContent": {key: "see below"}}
        )
        assert outcome_of(wrapped).content == (TextContent("see below"),)
    empty = CallToolResult.model_validate({"content": []})
    assert outcome_of(empty).content == (TextContent("Done. The tool returned nothing."),)
