"""`verbatim probe`: what it asks, that it asks first, and that its table is true of the demo."""

from __future__ import annotations

import io
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tui.cli import compose, main
from tui.config.endpoints import Endpoint
from tui.core import dialects
from tui.core.conversation import TurnSettings
from tui.core.errors import EndpointError
from tui.core.source import OpenResponse, WireRequest
from tui.demo import DemoSource
from tui.recording.format import load
from tui.recording.probing.features import FEATURES
from tui.recording.probing.requests import AWKWARD, PROBES, cost_of

DEMOS = {"demo": "anthropic", "demo-chat": "openai-chat", "demo-responses": "openai-responses"}


class Watched:
    """A source that counts, and fails on words."""

    def __init__(self, dialect: str, fail_on: str = "\0") -> None:
        self.inner = DemoSource(dialect, speed=math.inf)
        self.name = "watched"
        self.sent: list[bytes] = []
        self.fail_on = fail_on

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[OpenResponse]:
        self.sent.append(request.body)
        if self.fail_on in request.body.decode():
            raise EndpointError("the line is cut")
        async with self.inner.open(request) as response:
            yield response


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    made: list[Watched] = []

    def make(endpoint: Endpoint, _: object) -> Watched:
        made.append(Watched(endpoint.dialect))
        return made[-1]

    monkeypatch.setattr(compose, "make_source", make)
    monkeypatch.chdir(tmp_path)
    return made


URL = ["probe", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--dialect", "openai-chat"]


def test_every_feature_of_every_demo_is_what_the_demo_does(
    sources: list[Watched], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["probe", *DEMOS, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["dialect"] for one in report["endpoints"]] == list(DEMOS.values())
    for one in report["endpoints"]:
        features = one["features"]
        dialect = one["dialect"]
        assert set(features) == {feature.code for feature in FEATURES}
        assert features["answered"] == "8 of 8 with a stream"
        assert features["arguments-fragment"] is True
        assert features["parallel-calls"] == "2 calls, one after the other"
        assert features["no-arguments"] == "empty text"
        assert features["marker"] is True
        assert features["end-marker"] is True
        assert features["done"] is (dialect == "openai-chat")
        assert features["event-lines"] is (dialect != "openai-chat")
        assert features["usage"] is True
        assert features["awkward-history"] == "accepted"
        assert features["unicode"] == "as UTF-8"
        assert "300 characters" in features["output-limit"]
        for code, probe in one["probes"].items():
            recording = load(tmp_path / probe["file"])
            assert recording.dialect == dialect
            assert probe["bytes"] == len(recording.body)
            assert Path(probe["file"]) == Path("probe", one["name"], f"{code}.sse")


def test_a_model_is_named_for_one_endpoint_or_for_those_that_have_none(
    sources: list[Watched], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["probe", "demo", "demo=other", "ollama", "--model", "local", "--yes", "--json"]
    assert main([*words, "--only", "prose"]) == 0
    found = json.loads(capsys.readouterr().out)["endpoints"]
    assert [(one["name"], one["model"]) for one in found] == [
        ("demo", "verbatim-demo"),
        ("demo-other", "other"),
        ("ollama", "local"),
    ]


def test_the_table_stands_side_by_side(
    sources: list[Watched], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", "demo", "demo-chat", "--only", "one-call,prose"]) == 0
    out, err = capsys.readouterr()
    header, *rows = out.splitlines()
    assert header.index("demo-chat (openai-chat)") > header.index("demo (anthropic)")
    assert len([row for row in rows if row.startswith("[DONE]")]) == 1
    assert "2 requests to each of 2 endpoint(s)" in err
    assert "free" in err


def test_without_a_terminal_and_without_yes_nothing_is_sent(
    sources: list[Watched], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(URL) == 2
    err = capsys.readouterr().err
    assert "may cost money" in err
    assert "tokens in, at most" in err
    assert "$" in err
    assert [source.sent for source in sources] == [[]]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "sent"), [("y\n", 8), ("n\n", 0), ("\n", 0), ("", 0)])
def test_on_a_terminal_it_asks(
    sources: list[Watched], monkeypatch: pytest.MonkeyPatch, answer: str, sent: int
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(URL) == 0
    assert len(sources[0].sent) == sent


def test_yes_does_not_ask(sources: list[Watched]) -> None:
    assert main([*URL, "--yes"]) == 0
    assert len(sources[0].sent) == len(PROBES)


def test_a_probe_that_fails_is_told_and_the_others_go_on(
    sources: list[Watched], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        compose, "make_source", lambda endpoint, _: Watched(endpoint.dialect, "rainbows")
    )
    assert main(["probe", "demo", "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["endpoints"]
    assert one["probes"]["prose"]["problem"] == "the line is cut"
    assert one["features"]["text-pieces"] is None
    assert one["probes"]["one-call"]["status"] == 200


def test_when_nothing_answers_the_status_says_so(
    sources: list[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compose, "make_source", lambda endpoint, _: Watched(endpoint.dialect, "{"))
    assert main(["probe", "demo"]) == 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["demo", "--only", "poems"], "no probe 'poems'"),
        (["demo", "--price", "free"], "no pair of prices"),
        (["demo", "--base-url", "http://x"], "exclude each other"),
        (["nowhere"], "no endpoint 'nowhere'"),
    ],
)
def test_wrong_words_are_refused(
    sources: list[Watched], capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    assert main(["probe", *words]) == 2
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize("name", dialects.NAMES)
def test_awkward_arguments_are_in_the_request_as_they_were_written(name: str) -> None:
    probe = next(probe for probe in PROBES if probe.code == "awkward-history")
    body = dialects.load(name).encode(probe.request(TurnSettings("m"), name)).request.body
    value: Any = json.loads(body)
    if name == "anthropic":
        assert AWKWARD.encode() in body
    elif name == "openai-chat":
        (call,) = value["messages"][1]["tool_calls"]
        assert call["function"]["arguments"] == AWKWARD
    else:
        (item,) = [item for item in value["input"] if item["type"] == "function_call"]
        assert item["arguments"] == AWKWARD


def test_the_estimate_counts_the_bytes_that_are_sent_and_the_limits() -> None:
    cost = cost_of([(PROBES[0], b"x" * 300), (PROBES[3], b"y" * 31)])
    assert (cost.requests, cost.input_tokens, cost.output_tokens) == (2, 111, 1000)
    assert cost.price(1_000_000, 1) == pytest.approx(111.001)
