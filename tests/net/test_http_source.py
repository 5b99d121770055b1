"""The HTTP source against a scripted server: bytes, keys, retries, failures in words, cancelling."""

import asyncio
import gzip
import re
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.net.loopback import End, Loopback, Step, answer, chunk, free_port, serving, stream_head
from tui.core.errors import EndpointError, StreamBroken, UsageError, VerbatimError
from tui.core.response import BodyGate
from tui.core.source import ResponseHead, WireRequest
from tui.net.http_source import Connection, HttpSource, Timeouts
from tui.net.retry import Retry

KEY = "sk-secret-0123456789"
EVENT = b"data: {}\n\n"
REQUEST = WireRequest(
    "anthropic", "/v1/messages", b'{"stream":true}', (("anthropic-version", "2023-06-01"),)
)
CHAT = WireRequest("openai-chat", "/chat/completions", b"{}")
OK = [stream_head() + chunk(EVENT) + chunk(b"")]


class Waits:
    """A sleep that takes no time and remembers what it was asked for."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def http_source(
    base_url: str,
    *,
    waits: Waits | None = None,
    on_retry: Callable[[Retry], None] | None = None,
    **settings: Any,
) -> AsyncIterator[HttpSource]:
    source = HttpSource(
        Connection("test", base_url, **{"key": KEY, **settings}),
        on_retry=on_retry,
        sleep=waits or Waits(),
        dice=lambda: 0.0,
        now=lambda: 0.0,
    )
    try:
        yield source
    finally:
        await source.aclose()


async def fetch(source: HttpSource, request: WireRequest = REQUEST) -> tuple[ResponseHead, bytes]:
    body = bytearray()
    async with source.open(request) as response:
        async for data in response.chunks():
            assert data
            body += data
        return response.head, bytes(body)


async def gone(server: Loopback) -> None:
    """Return when the client has closed the connection that a script held open."""
    async with asyncio.timeout(30):
        await server.client_gone.wait()


async def read_into(source: HttpSource, take: Callable[[bytes], None]) -> None:
    async with source.open(REQUEST) as response:
        async for data in response.chunks():
            take(data)


async def failure(source: HttpSource, request: WireRequest = REQUEST) -> VerbatimError:
    with pytest.raises(VerbatimError) as caught:
        await fetch(source, request)
    assert KEY not in f"{caught.value} {caught.value.hint} {caught.value!r}"
    return caught.value


# What is sent


async def test_the_request_carries_what_the_dialect_wrote_and_the_key() -> None:
    async with serving(OK) as server, http_source(server.url) as source:
        head, body = await fetch(source)
        (request,) = server.requests
    assert (head.status, body) == (200, EVENT)
    assert (request.method, request.target, request.body) == ("POST", "/v1/messages", REQUEST.body)
    assert head.request_url == f"{server.url}/v1/messages"
    assert head.header("Content-Type") == "text/event-stream"
    wanted = {
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": KEY,
        "content-length": "15",
    }
    assert {name: request.headers.get(name) for name in wanted} == wanted
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("request_", "auth", "name", "value"),
    [
        (CHAT, "by-dialect", "authorization", f"Bearer {KEY}"),
        (WireRequest("openai-responses", "/responses", b"{}"), "by-dialect", "authorization",
         f"Bearer {KEY}"),
        (REQUEST, "bearer", "authorization", f"Bearer {KEY}"),
        (CHAT, "api-key", "api-key", KEY),
        (CHAT, "x-api-key", "x-api-key", KEY),
    ],
)  # fmt: skip
async def test_the_key_travels_in_the_header_of_the_endpoint(
    request_: WireRequest, auth: str, name: str, value: str
) -> None:
    async with serving(OK) as server, http_source(server.url, auth=auth) as source:
        head, _ = await fetch(source, request_)
        (request,) = server.requests
    keyed = {"authorization", "api-key", "x-api-key"} & set(request.headers)
    assert (keyed, request.headers[name]) == ({name}, value)
    assert dict(head.request_headers)[name] == "***"


@pytest.mark.parametrize("settings", [{"key": None}, {"auth": "none"}])
async def test_without_a_key_none_is_sent(settings: dict[str, Any]) -> None:
    async with serving(OK) as server, http_source(server.url, **settings) as source:
        await fetch(source)
        (request,) = server.requests
    assert not {"authorization", "api-key", "x-api-key"} & set(request.headers)


async def test_headers_of_the_endpoint_replace_ours() -> None:
    headers = (("X-Team", "blue"), ("Authorization", "Custom abc-123-def"), ("Accept", "*/*"))
    async with serving(OK) as server, http_source(server.url, headers=headers) as source:
        head, _ = await fetch(source, CHAT)
        (request,) = server.requests
    assert request.headers["x-team"] == "blue"
    assert request.headers["authorization"] == "Custom abc-123-def"
    assert request.headers["accept"] == "*/*"
    assert "abc-123-def" not in repr(head.request_headers)


async def test_no_recorded_head_holds_the_key() -> None:
    script = [
        stream_head(x_echo=f"got {KEY}", set_cookie="session=abcdefgh") + chunk(EVENT) + chunk(b"")
    ]
    async with serving(script) as server:
        async with http_source(f"{server.url}?key={KEY}&v=1") as source:
            head, _ = await fetch(source)
        assert server.requests[0].target == f"/v1/messages?key={KEY}&v=1"
    recorded = f"{head.headers} {head.request_url} {head.request_headers}"
    assert KEY not in recorded
    assert "session" not in recorded
    assert head.header("x-echo") == "got ***"
    assert head.request_url.endswith("/v1/messages?key=***&v=1")


async def test_a_header_may_be_declared_secret() -> None:
    settings: dict[str, Any] = {
        "headers": (("x-pass", "open sesame"),),
        "secret_headers": frozenset({"x-pass"}),
    }
    async with serving(OK) as server, http_source(server.url, **settings) as source:
        head, _ = await fetch(source)
        assert server.requests[0].headers["x-pass"] == "open sesame"
    assert dict(head.request_headers)["x-pass"] == "***"


def test_no_repr_shows_the_key() -> None:
    connection = Connection(
        "test",
        f"https://x?key={KEY}",
        key=KEY,
        headers=(("authorization", KEY),),
        proxy=f"http://u:{KEY}@p",
    )
    assert KEY not in repr(connection) + repr(HttpSource(connection))


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nx-evil: 1", "schlüssel-geheim", f" {KEY}"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError, match="the key holds a blank") as caught:
        HttpSource(Connection("test", "https://x", key=key))
    assert key.strip() not in str(caught.value)


# What comes back


async def test_chunks_arrive_as_the_server_sends_them() -> None:
    go_on = asyncio.Event()
    script: list[Step] = [
        stream_head() + chunk(b"data: 1\n\n"),
        go_on,
        chunk(b"data: 2\n\n") + chunk(b""),
    ]
    async with (
        serving(script) as server,
        http_source(server.url) as source,
        source.open(REQUEST) as response,
    ):
        chunks = response.chunks()
        assert await anext(chunks) == b"data: 1\n\n"
        go_on.set()
        assert [data async for data in chunks] == [b"data: 2\n\n"]


@pytest.mark.parametrize(
    "script",
    [
        [answer(200, EVENT, content_type="text/event-stream")],
        [b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + EVENT, End.CLOSE],
        [b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + EVENT, End.CLOSE],
    ],
    ids=["content length", "until closed", "HTTP/1.0"],
)
async def test_every_framing_of_a_body_is_read(script: list[Step]) -> None:
    async with serving(script) as server, http_source(server.url) as source:
        assert (await fetch(source))[1] == EVENT


async def test_a_compressed_body_is_inflated_as_it_comes() -> None:
    coded = gzip.compress(EVENT * 50)
    pieces = [chunk(coded[i : i + 7]) for i in range(0, len(coded), 7)]
    script: list[Step] = [stream_head(content_encoding="gzip"), *pieces, chunk(b"")]
    async with serving(script) as server, http_source(server.url) as source:
        assert (await fetch(source))[1] == EVENT * 50


async def test_a_compressed_body_that_is_cut_short_is_broken_though_http_ended_well() -> None:
    coded = gzip.compress(EVENT * 50)[:-4]
    script = [stream_head(content_encoding="gzip") + chunk(coded) + chunk(b"")]
    async with serving(script) as server, http_source(server.url) as source:
        problem = await failure(source)
    assert isinstance(problem, StreamBroken)
    assert "the gzip data ends" in str(problem)


async def test_an_encoding_we_cannot_read_is_named() -> None:
    script = [answer(403, b"xx", content_encoding="br")]
    async with serving(script) as server, http_source(server.url) as source:
        problem = await failure(source)
    assert isinstance(problem, EndpointError)
    assert (problem.status, "'br'" in str(problem)) == (403, True)


async def test_an_error_status_is_returned_with_its_body_and_without_the_key() -> None:
    body = f'{{"error":{{"message":"Incorrect API key: {KEY}."}}}}'.encode()
    async with serving([answer(401, body)]) as server, http_source(server.url) as source:
        head, received = await fetch(source)
    assert (head.status, received) == (401, body.replace(KEY.encode(), b"***"))


async def test_a_redirect_is_not_followed() -> None:
    script = [answer(307, EVENT, location="http://127.0.0.1:9/steal")]
    async with serving(script) as server, http_source(server.url) as source:
        head, body = await fetch(source)
        assert len(server.requests) == 1
    gate = BodyGate(head)
    gate.feed(body)
    assert "redirects to http://127.0.0.1:9/steal" in str(gate.close())


async def test_a_connection_is_used_again() -> None:
    async with serving(OK, OK) as server, http_source(server.url) as source:
        await fetch(source)
        await fetch(source)
        assert server.connections == 1


async def test_a_closed_source_can_be_used_again() -> None:
    async with serving(OK, OK) as server, http_source(server.url) as source:
        await fetch(source)
        await source.aclose()
        await fetch(source)
        assert server.connections == 2


# Retries


async def test_an_overloaded_endpoint_is_asked_again_and_each_retry_reported() -> None:
    waits, retries = Waits(), list[Retry]()
    scripts = [[answer(529)], [answer(429, retry_after="3")], OK]
    async with serving(*scripts) as server:
        async with http_source(server.url, waits=waits, on_retry=retries.append) as source:
            assert (await fetch(source))[1] == EVENT
        host = server.url.removeprefix("http://")
    assert waits.seconds == [0.5, 3.0]
    assert retries == [
        Retry(1, 3, 0.5, f"{host} answered 529", 529),
        Retry(2, 3, 3.0, f"{host} answered 429", 429),
    ]


async def test_after_the_last_try_the_error_response_itself_is_returned() -> None:
    waits = Waits()
    scripts = [[answer(503, b"one")], [answer(503, b"two")], [answer(503, b"three")], OK]
    async with serving(*scripts) as server, http_source(server.url, waits=waits) as source:
        head, body = await fetch(source)
    assert (head.status, body, waits.seconds) == (503, b"three", [0.5, 1.0])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
async def test_a_refusal_is_not_retried(status: int) -> None:
    async with serving([answer(status)], OK) as server, http_source(server.url) as source:
        assert (await fetch(source))[0].status == status


async def test_an_endpoint_that_asks_for_a_long_wait_is_not_asked_again() -> None:
    waits = Waits()
    async with (
        serving([answer(429, retry_after="3600")], OK) as server,
        http_source(server.url, waits=waits) as source,
    ):
        assert (await fetch(source))[0].status == 429
    assert waits.seconds == []


async def test_a_connection_closed_without_an_answer_is_tried_again() -> None:
    async with serving([End.CLOSE], [End.RESET], OK) as server, http_source(server.url) as source:
        assert (await fetch(source))[1] == EVENT
        assert [request.body for request in server.requests] == [REQUEST.body] * 3


async def test_with_no_retries_the_first_failure_is_final() -> None:
    waits = Waits()
    async with (
        serving([End.CLOSE], OK) as server,
        http_source(server.url, waits=waits, retries=0) as source,
    ):
        problem = await failure(source)
    assert "closed the connection without an answer" in str(problem)
    assert waits.seconds == []


@pytest.mark.parametrize(
    ("script", "received", "words"),
    [
        ([stream_head() + chunk(EVENT), End.CLOSE], 10, "it was closed before the end"),
        ([stream_head() + chunk(EVENT) + b"ff\r\ndata: half", End.CLOSE], 20, "before the end"),
        ([stream_head(), End.CLOSE], 0, "before any byte of the answer"),
        (
            [b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n" + EVENT, End.CLOSE],
            10,
            "received 10 bytes, expected 100",
        ),
        ([stream_head() + chunk(EVENT) + b"zz\r\n", End.CLOSE], 10, "illegal chunk"),
    ],
    ids=["between chunks", "inside a chunk", "after the head", "content length", "no chunk"],
)
async def test_after_the_head_nothing_is_retried_and_the_break_says_how_much_came(
    script: list[Step], received: int, words: str
) -> None:
    waits, body = Waits(), bytearray()
    async with serving(script, OK) as server, http_source(server.url, waits=waits) as source:
        with pytest.raises(StreamBroken) as caught:
            await read_into(source, body.extend)
        assert len(server.requests) == 1
    assert words in str(caught.value)
    assert len(body) == received
    if received:
        assert f"after {received} bytes" in str(caught.value)
    assert waits.seconds == []


async def test_a_reset_in_mid_stream_is_a_broken_stream() -> None:
    go_on = asyncio.Event()
    script: list[Step] = [stream_head() + chunk(EVENT), go_on, End.RESET]
    async with serving(script) as server, http_source(server.url) as source:
        with pytest.raises(StreamBroken, match=r"after 10 bytes of the answer: "):
            await read_into(source, lambda _: go_on.set())


# Failures in words


async def test_a_refused_connection_asks_whether_the_server_is_running() -> None:
    waits = Waits()
    async with http_source(f"http://127.0.0.1:{free_port()}", waits=waits) as source:
        problem = await failure(source)
    assert isinstance(problem, EndpointError)
    assert "nothing answers at 127.0.0.1:" in str(problem)
    assert "is the server running?" in problem.hint
    assert problem.retryable
    assert waits.seconds == [0.5, 1.0]


async def test_a_name_that_does_not_exist_is_not_retried() -> None:
    waits = Waits()
    async with http_source("https://api.example.com", waits=waits) as source:
        problem = await failure(source)
    assert "the name 'api.example.com' cannot be found" in str(problem)
    assert waits.seconds == []


async def test_a_server_that_is_not_http_is_told_from_one_that_is_down() -> None:
    async with (
        serving([b"SSH-2.0-OpenSSH_9.6\r\n\r\n", End.CLOSE]) as server,
        http_source(server.url) as source,
    ):
        assert "is not HTTP" in str(await failure(source))


async def test_https_to_a_plain_server_suggests_http() -> None:
    reader_done = asyncio.Event()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(5)
        writer.write(answer(400, b"plain HTTP here"))
        writer.close()
        reader_done.set()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with http_source(f"https://127.0.0.1:{port}", retries=0) as source:
            problem = await failure(source)
        await reader_done.wait()
    assert f"TLS with 127.0.0.1:{port} failed" in str(problem)
    assert "http://" in problem.hint


async def test_a_server_that_never_answers_runs_into_the_first_byte_limit() -> None:
    limits = Timeouts(first_byte=0.01)
    async with serving([End.HOLD]) as server, http_source(server.url, timeouts=limits) as source:
        problem = await failure(source)
    assert "did not begin to answer within 0.01 s" in str(problem)


async def test_a_head_without_a_body_runs_into_the_first_byte_limit_too() -> None:
    limits = Timeouts(first_byte=0.1)
    async with (
        serving([stream_head(), End.HOLD]) as server,
        http_source(server.url, timeouts=limits) as source,
    ):
        problem = await failure(source)
    # On a busy machine the head itself may be late.
    assert re.search("(nothing came for|did not begin to answer within) 0.1 s", str(problem))


async def test_a_stream_that_stalls_runs_into_the_limit_between_chunks() -> None:
    limits = Timeouts(between_chunks=0.01)
    async with serving([stream_head() + chunk(EVENT), End.HOLD]) as server:
        async with http_source(server.url, timeouts=limits) as source:
            problem = await failure(source)
        await gone(server)
    assert isinstance(problem, StreamBroken)
    assert "after 10 bytes of the answer: nothing came for 0.01 s" in str(problem)


# Proxies and TLS


async def test_an_explicit_proxy_is_used_and_its_refusal_told() -> None:
    async with serving([answer(407)]) as proxy:
        async with http_source(
            "https://api.example.com", proxy=f"http://me:{KEY}@127.0.0.1:{proxy.port}"
        ) as source:
            problem = await failure(source)
        assert proxy.requests[0].method == "CONNECT"
    assert f"the proxy 127.0.0.1:{proxy.port} did not let" in str(problem)


async def test_a_proxy_that_is_down_is_named_instead_of_the_endpoint() -> None:
    port = free_port()
    async with http_source("https://api.example.com", proxy=f"http://127.0.0.1:{port}") as source:
        problem = await failure(source)
    assert f"nothing answers at the proxy 127.0.0.1:{port}" in str(problem)


async def test_a_proxy_of_the_environment_is_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    async with serving(OK) as server, http_source(server.url) as source:
        assert (await fetch(source))[1] == EVENT


async def test_a_proxy_of_the_environment_is_obeyed_beyond_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(OK) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        async with http_source("http://api.example.com") as source:
            assert (await fetch(source))[1] == EVENT
        assert proxy.requests[0].target == "http://api.example.com/v1/messages"


async def test_a_proxy_url_that_is_none_is_a_usage_error() -> None:
    async with http_source("http://127.0.0.1:9", proxy="gopher://127.0.0.1:1") as source:
        problem = await failure(source)
    assert isinstance(problem, UsageError)
    assert "the proxy is no use" in str(problem)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


async def test_a_certificate_of_an_unknown_authority_is_refused_before_the_key_goes_out(
    tls: ssl.SSLContext,
) -> None:
    async with serving(OK, tls=tls) as server, http_source(server.url) as source:
        problem = await failure(source)
        assert server.requests == []
    assert "certificate of 127.0.0.1:" in str(problem)
    assert "is not trusted" in str(problem)
    assert "ca_file" in problem.hint


async def test_a_ca_file_makes_it_trusted(
    authority: trustme.CA, tls: ssl.SSLContext, tmp_path: Path
) -> None:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    async with (
        serving(OK, tls=tls) as server,
        http_source(server.url, ca_file=str(path)) as source,
    ):
        assert (await fetch(source))[1] == EVENT


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_ca_file_that_is_none_is_a_usage_error(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    async with http_source("https://127.0.0.1:9", ca_file=str(path)) as source:
        problem = await failure(source)
    assert isinstance(problem, UsageError)
    assert f"no certificates in the CA file {str(path)!r}" in str(problem)


# Cancelling


async def test_cancelling_while_chunks_are_awaited_closes_the_connection() -> None:
    started = asyncio.Event()

    async with (
        serving([stream_head() + chunk(EVENT), End.HOLD]) as server,
        http_source(server.url) as source,
    ):
        task = asyncio.create_task(read_into(source, lambda _: started.set()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone(server)


async def test_cancelling_before_any_answer_closes_the_connection() -> None:
    async with serving([End.HOLD]) as server, http_source(server.url) as source:
        task = asyncio.create_task(fetch(source))
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone(server)


async def test_leaving_in_mid_stream_closes_the_connection() -> None:
    async with (
        serving([stream_head() + chunk(EVENT), End.HOLD]) as server,
        http_source(server.url) as source,
    ):
        async with source.open(REQUEST) as response:
            # Held, so that it is leaving which closes and not the end of the iterator.
            chunks = response.chunks()
            await anext(chunks)
        await gone(server)


async def test_an_answer_that_is_not_used_lets_its_connection_go() -> None:
    unread: list[Step] = [stream_head(503) + chunk(b"busy"), End.HOLD]
    async with serving(unread, OK) as server, http_source(server.url) as source:
        assert (await fetch(source))[1] == EVENT
        await gone(server)


def test_importing_the_source_loads_no_http_library() -> None:
    code = "import sys, tui.net.http_source, tui.net.discovery; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
