"""Recordings over HTTP: other clients read the same bytes, and make of them what we make."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tui.core.errors import UsageError
from tui.core.reader import TurnReader
from tui.core.source import ResponseHead
from tui.recording.format import Recording, load
from tui.recording.replay import Pace
from tui.recording.serving import HOST, RecordingServer, Served

STREAMS = Path(__file__).parents[1] / "streams"
PATHS = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
}
AT_ONCE = Pace(0)


def fixture(name: str) -> Recording:
    return load(STREAMS / f"{name}.sse")


def server(*recordings: Recording, **options: Any) -> RecordingServer:
    return RecordingServer(recordings, pace=AT_ONCE, **options)


def calls_of(recording: Recording) -> list[tuple[str | None, str, str]]:
    assert recording.dialect is not None
    reader = TurnReader(recording.dialect)
    reader.feed(recording.body)
    reader.close()
    return [(call.id, call.name, call.text) for call in reader.turn.calls]


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False) as client:
        yield client


async def post(http: httpx.AsyncClient, url: str, path: str, body: Any = None) -> httpx.Response:
    return await http.post(f"{url}{path}", json={} if body is None else body)


@pytest.mark.parametrize("path", sorted(STREAMS.glob("*.sse")), ids=lambda path: path.stem)
async def test_a_client_gets_the_recorded_bytes_status_and_type(
    http: httpx.AsyncClient, path: Path
) -> None:
    recording = load(path)
    assert recording.head is not None
    got = b""
    async with server(recording) as serving:
        try:
            async with http.stream("POST", f"{serving.url}/v1/x", json={}) as response:
                assert response.status_code == recording.head.status
                assert response.headers["content-type"] == recording.head.header("content-type")
                async for data in response.aiter_bytes():
                    got += data
        except httpx.RemoteProtocolError:
            assert recording.ending == "broken"
        else:
            assert recording.ending == "complete"
    assert got == recording.body


async def test_recordings_are_served_in_order_and_the_end_is_said(http: httpx.AsyncClient) -> None:
    first, second = fixture("anthropic-no-arguments"), fixture("chat-whole-call")
    told: list[Served] = []
    async with server(first, second, served=told.append) as serving:
        answers = [await post(http, serving.url, "/v1/messages") for _ in range(3)]
    assert [answer.content for answer in answers[:2]] == [first.body, second.body]
    assert answers[2].status_code == 404
    assert "all 2 recordings have been served" in answers[2].json()["error"]["message"]
    assert [one.answer for one in told[:2]] == ["anthropic-no-arguments.sse", "chat-whole-call.sse"]


async def test_repeat_begins_again(http: httpx.AsyncClient) -> None:
    one = fixture("chat-whole-call")
    async with server(one, repeat=True) as serving:
        assert [(await post(http, serving.url, "/x")).status_code for _ in range(3)] == [200] * 3


def asked(name: str, body: bytes) -> Recording:
    return replace(fixture(name), request_body=body)


async def test_a_request_gets_the_recording_of_an_equal_request(http: httpx.AsyncClient) -> None:
    one = asked("chat-whole-call", b'{"model":"m", "messages":[{"content":"one"}]}')
    two = asked("chat-numbers", b'{"messages":[{"content":"two"}],"model":"m"}')
    async with server(one, two, match="request") as serving:
        body = {"model": "m", "messages": [{"content": "two"}]}
        answer = await post(http, serving.url, "/api/v1/chat/completions", body)
        assert answer.content == two.body


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/v1/chat/completions", '{"messages":[{"content":"one!"}]}', "messages[0].content"),
        (
            "/v1/chat/completions",
            '{"messages":[{"content":"one"}],"n":2}',
            "recorded nothing, asked 2",
        ),
        ("/v1/chat/completions", "{", "no JSON"),
        ("/v1/messages", "{}", "/chat/completions"),
    ],
)
async def test_what_matches_nothing_is_told_the_nearest_and_where_it_differs(
    http: httpx.AsyncClient, path: str, body: str, words: str
) -> None:
    one = asked("chat-whole-call", b'{"messages":[{"content":"one"}]}')
    other = asked("chat-numbers", b'{"messages":[],"x":1,"y":2}')
    async with server(one, other, match="request") as serving:
        answer = await http.post(f"{serving.url}{path}", content=body)
    assert answer.status_code == 404
    assert words in answer.json()["error"]["message"]


async def test_one_and_one_point_zero_are_different_requests(http: httpx.AsyncClient) -> None:
    one = asked("chat-whole-call", b'{"temperature":1.0}')
    async with server(one, match="request") as serving:
        path = f"{serving.url}/chat/completions"
        assert (await http.post(path, content=b'{"temperature":1}')).status_code == 404
        assert (await http.post(path, content=b'{"temperature":1.0}')).status_code == 200


async def test_headers_of_the_first_transfer_are_not_passed_on(http: httpx.AsyncClient) -> None:
    head = ResponseHead(
        200,
        (("content-type", "text/plain"), ("content-encoding", "gzip"), ("content-length", "3")),
    )
    async with server(replace(fixture("chat-whole-call"), head=head)) as serving:
        answer = await post(http, serving.url, "/x")
    assert answer.content == fixture("chat-whole-call").body
    assert "content-encoding" not in answer.headers


async def test_a_chunked_request_is_read(http: httpx.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"a":'
        yield b"1}"

    one = asked("chat-whole-call", b'{"a":1}')
    async with server(one, match="request") as serving:
        answer = await http.post(f"{serving.url}/chat/completions", content=pieces())
    assert answer.status_code == 200


async def test_only_posts_are_answered_and_only_on_loopback(http: httpx.AsyncClient) -> None:
    async with server(fixture("chat-whole-call")) as serving:
        assert serving.url.startswith(f"http://{HOST}:")
        assert (await http.get(f"{serving.url}/v1/models")).status_code == 404


async def test_the_pace_is_the_recorded_one(http: httpx.AsyncClient) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    slow = fixture("anthropic-slow-chunks")
    async with RecordingServer([slow], pace=Pace(2.0, sleep=sleep)) as serving:
        await post(http, serving.url, "/x")
    assert sum(waits) == pytest.approx(slow.chunks[-1][1] / 2)


async def test_a_taken_port_is_refused_with_a_way_out() -> None:
    async with server(fixture("chat-whole-call")) as serving:
        port = int(serving.url.rpartition(":")[2])
        with pytest.raises(UsageError, match="cannot listen") as refused:
            await server(fixture("chat-whole-call"), port=port).__aenter__()
    assert "another port" in refused.value.hint


ANTHROPIC = [
    "anthropic-long-ticket",
    "anthropic-interleaved-same-tool",
    "anthropic-chunks-in-characters",
    "anthropic-crlf",
]


@pytest.mark.parametrize("name", ANTHROPIC)
async def test_anthropics_client_reads_what_we_read(name: str) -> None:
    sdk = pytest.importorskip("anthropic")
    calls: dict[int, list[str]] = {}
    async with (
        server(fixture(name)) as serving,
        sdk.AsyncAnthropic(base_url=serving.url, api_key="none", max_retries=0) as client,
    ):
        stream = await client.messages.create(
            model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}], stream=True
        )
        async for event in stream:
            if event.type == "content_block_start" and event.content_block.type == "tool_use":
                calls[event.index] = [event.content_block.id, event.content_block.name, ""]
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                calls[event.index][2] += event.delta.partial_json
    assert [tuple(call) for call in calls.values()] == calls_of(fixture(name))


@pytest.mark.parametrize("name", ["chat-numbers", "chat-interleaved", "chat-stop-with-call"])
async def test_openais_client_reads_chat_as_we_do(name: str) -> None:
    sdk = pytest.importorskip("openai")
    calls: dict[int, list[str]] = {}
    async with (
        server(fixture(name)) as serving,
        sdk.AsyncOpenAI(base_url=f"{serving.url}/v1", api_key="none", max_retries=0) as client,
    ):
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], stream=True
        )
        async for event in stream:
            for delta in event.choices[0].delta.tool_calls or () if event.choices else ():
                call = calls.setdefault(delta.index, [delta.id, delta.function.name, ""])
                call[2] += delta.function.arguments
    assert [tuple(call) for call in calls.values()] == calls_of(fixture(name))


@pytest.mark.parametrize("name", ["responses-long-ticket", "responses-interleaved-same-tool"])
async def test_openais_client_reads_responses_as_we_do(name: str) -> None:
    sdk = pytest.importorskip("openai")
    async with (
        server(fixture(name)) as serving,
        sdk.AsyncOpenAI(base_url=f"{serving.url}/v1", api_key="none", max_retries=0) as client,
        client.responses.stream(model="m", input="x") as stream,
    ):
        final = await stream.get_final_response()
    calls = [item for item in final.output if item.type == "function_call"]
    assert [(item.call_id, item.name, item.arguments) for item in calls] == calls_of(fixture(name))


async def test_a_broken_recording_is_a_broken_connection_to_the_official_clients() -> None:
    sdk = pytest.importorskip("anthropic")
    async with (
        server(fixture("anthropic-broken-in-character")) as serving,
        sdk.AsyncAnthropic(base_url=serving.url, api_key="none", max_retries=0) as client,
    ):
        stream = await client.messages.create(
            model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}], stream=True
        )
        with pytest.raises(Exception, match=r"incomplete chunked read|peer closed"):
            async for _ in stream:
                pass


def test_a_recording_says_itself_when_its_request_is_not_known() -> None:
    from tui.recording.matching import NoMatch, match

    found = match([fixture("chat-whole-call")], "/chat/completions", json.dumps({}).encode())
    assert isinstance(found, NoMatch)
    assert "only be served in order" in found.message
