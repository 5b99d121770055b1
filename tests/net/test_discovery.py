"""Listing models in every dialect, and finding servers on this machine."""

import json

import pytest

from tests.net.loopback import End, answer, free_port, serving
from tui.core.errors import EndpointError
from tui.net.discovery import LocalServer, list_models, probe_local
from tui.net.http_source import Connection, HttpSource

KEY = "sk-secret-0123456789"


async def models(url: str, dialect: str = "openai-chat") -> tuple[str, ...]:
    source = HttpSource(Connection("test", url, key=KEY, retries=0))
    try:
        return await list_models(source, dialect)
    finally:
        await source.aclose()


@pytest.mark.parametrize(
    ("dialect", "target", "header"),
    [
        ("anthropic", "/v1/models?limit=1000", ("x-api-key", KEY)),
        ("openai-chat", "/v1/models", ("authorization", f"Bearer {KEY}")),
        ("openai-responses", "/v1/models", ("authorization", f"Bearer {KEY}")),
    ],
)
async def test_models_are_listed_in_every_dialect(
    dialect: str, target: str, header: tuple[str, str]
) -> None:
    body = json.dumps({"data": [{"id": "b", "type": "model"}, {"id": "a"}]}).encode()
    async with serving([answer(200, body, content_type="application/json")]) as server:
        assert await models(server.url, dialect) == ("b", "a")
        (request,) = server.requests
    assert (request.method, request.target, request.body) == ("GET", target, b"")
    assert request.headers[header[0]] == header[1]
    assert ("anthropic-version" in request.headers) == (dialect == "anthropic")


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([{"id": "x"}], ("x",)),
        ({"models": [{"name": "llama:8b"}]}, ("llama:8b",)),
        ({"data": []}, ()),
        ({"data": [{"id": 5}, "odd", {"id": "x"}]}, ("x",)),
    ],
)
async def test_other_shapes_of_the_list_are_read(value: object, names: tuple[str, ...]) -> None:
    async with serving([answer(200, json.dumps(value).encode())]) as server:
        assert await models(server.url) == names


@pytest.mark.parametrize("body", [b"", b"<html>", b'"models"', b'{"data": null}', b"\xff"])
async def test_an_answer_without_a_list_is_an_error(body: bytes) -> None:
    async with serving([answer(200, body)]) as server:
        with pytest.raises(EndpointError, match="without a list of models"):
            await models(server.url)


async def test_a_refused_key_is_told_in_the_servers_words_without_the_key() -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key: {KEY}"}}).encode()
    async with serving([answer(401, body)]) as server:
        with pytest.raises(EndpointError, match=r"401 .*: Incorrect API key: \*\*\*$"):
            await models(server.url)


async def test_local_servers_are_found_by_asking_for_their_models() -> None:
    listing = answer(200, b'{"data":[{"id":"qwen"}]}')
    async with (
        serving([End.CLOSE], [listing]) as model_server,
        serving([answer(401)]) as gateway,
        serving([answer(404)]) as web_server,
        serving([b"SSH-2.0-x\r\n", End.CLOSE]) as ssh,
    ):
        model_server.scripts.pop(0)
        ports = [ssh.port, gateway.port, free_port(), model_server.port, web_server.port]
        assert await probe_local(ports) == (
            LocalServer("unknown", f"{gateway.url}/v1", (), needs_key=True),
            LocalServer("unknown", f"{model_server.url}/v1", ("qwen",)),
        )


async def test_a_server_that_does_not_answer_is_left_out() -> None:
    async with serving([End.HOLD]) as server:
        assert await probe_local([server.port], timeout=0.05) == ()
