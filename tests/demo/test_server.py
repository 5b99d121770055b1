"""The demo over HTTP: the same bytes as in-process, on the paths of all three dialects."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import httpx
import pytest

from tests.demo.talking import ALL, asked
from tui.core.errors import UsageError
from tui.demo import MODEL, render
from tui.demo.server import HOST, PATHS, build_app, listening, serve

PATH_OF = {dialect: path for path, dialect in PATHS.items()}

every_dialect = pytest.mark.parametrize("dialect", ALL)


@pytest.fixture
def http(demo_url: str) -> Any:
    with httpx.Client(base_url=demo_url, trust_env=False) as client:
        yield client


@every_dialect
@pytest.mark.parametrize("text", ["Where is A-4471?", "File a ticket for A-4471", "help"])
def test_the_body_is_the_one_that_the_source_gives(
    http: httpx.Client, dialect: str, text: str
) -> None:
    body = asked(dialect, text)
    response = http.post(PATH_OF[dialect], content=body)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.content == b"".join(render(dialect, body))


@every_dialect
def test_a_break_reaches_the_client_as_a_broken_connection(
    http: httpx.Client, dialect: str
) -> None:
    body = asked(dialect, "break")
    got: list[bytes] = []
    with (
        pytest.raises(httpx.RemoteProtocolError),
        http.stream("POST", PATH_OF[dialect], content=body) as response,
    ):
        got.extend(response.iter_bytes())
    assert b"".join(got) == b"".join(render(dialect, body))
    assert http.get("/health").json() == {"status": "ok"}


@every_dialect
def test_a_request_that_does_not_stream_is_told_that_the_demo_only_streams(
    http: httpx.Client, dialect: str
) -> None:
    body = {**json.loads(asked(dialect, "hello")), "stream": False}
    response = http.post(PATH_OF[dialect], json=body)
    assert response.status_code == 400
    assert "only streams" in response.json()["error"]["message"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_gets_status_400_and_words(
    http: httpx.Client, path: str, body: bytes
) -> None:
    response = http.post(path, content=body)
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("the request body is")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "odd",
    [
        {"messages": 5, "input": 5, "tools": 5},
        {"messages": [5, None], "input": [5, None], "tools": [None, {"function": 5}]},
        {"messages": [{"role": "user", "content": [5]}], "input": [{"type": 5}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"function": 5}], "content": 5}]},
    ],
)
def test_an_odd_request_is_answered_in_prose(http: httpx.Client, path: str, odd: Any) -> None:
    response = http.post(path, json={**odd, "stream": True})
    assert response.status_code == 200
    assert response.content.startswith((b"data: {", b"event: "))


def test_the_model_list_has_the_shape_of_the_client_that_asks(http: httpx.Client) -> None:
    assert http.get("/v1/models").json()["object"] == "list"
    theirs = http.get("/v1/models", headers={"anthropic-version": "2023-06-01"}).json()
    assert theirs["data"][0]["type"] == "model"
    assert theirs["first_id"] == MODEL


def test_a_taken_port_is_refused_with_a_way_out() -> None:
    with listening(0) as taken, pytest.raises(UsageError, match="cannot listen") as refused:
        serve(taken.getsockname()[1])
    assert "another port" in refused.value.hint


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(UsageError, match="is no port"):
        listening(port)


def test_only_loopback_is_listened_on() -> None:
    with listening(0) as listener:
        assert listener.getsockname()[0] == HOST == "127.0.0.1"


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("starlette"):
            raise ImportError("no", name=name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("starlette")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match="starlette") as refused:
        build_app()
    assert "verbatim-tui[server]" in refused.value.hint
