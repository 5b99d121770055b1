"""The demo as a byte source: head, chunks, the break, and what it refuses."""

from __future__ import annotations

import math

import pytest

from tests.demo.talking import ALL, asked
from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.source import ByteSource, WireRequest
from tui.demo import SUGGESTIONS, DemoSource, render
from tui.demo.plan import Plan
from tui.demo.script import decide
from tui.demo.understand import Situation

every_dialect = pytest.mark.parametrize("dialect", ALL)


def source(dialect: str) -> ByteSource:
    return DemoSource(dialect, speed=math.inf)


def request(dialect: str, text: str) -> WireRequest:
    return WireRequest(dialect, "/somewhere", asked(dialect, text))


def test_its_name_says_that_it_is_scripted() -> None:
    assert source("anthropic").name == "demo (scripted, no model)"


@every_dialect
async def test_a_stream_opens_with_the_head_of_one(dialect: str) -> None:
    async with source(dialect).open(request(dialect, "hello")) as response:
        assert response.head.status == 200
        assert response.head.header("content-type") == "text/event-stream; charset=utf-8"
        assert response.head.request_url == "demo:/somewhere"


@every_dialect
async def test_a_break_raises_after_all_that_had_arrived(dialect: str) -> None:
    sent = request(dialect, "break")
    got = []
    async with source(dialect).open(sent) as response:
        with pytest.raises(StreamBroken, match="middle of an event"):  # noqa: PT012
            async for chunk in response.chunks():
                got.append(chunk)
    assert got == render(dialect, sent.body)


@every_dialect
@pytest.mark.parametrize("body", [b"", b"[]", b"{"])
async def test_a_broken_request_is_answered_with_status_400(dialect: str, body: bytes) -> None:
    async with source(dialect).open(WireRequest(dialect, "/", body)) as response:
        assert response.head.status == 400
        assert [chunk async for chunk in response.chunks()]


async def test_a_request_of_another_dialect_is_refused() -> None:
    with pytest.raises(EndpointError, match="speaks 'anthropic'"):
        async with source("anthropic").open(WireRequest("openai-chat", "/", b"{}")):
            pass


def test_a_dialect_it_does_not_speak_is_refused() -> None:
    with pytest.raises(UsageError, match="does not speak 'morse'"):
        DemoSource("morse")


@pytest.mark.parametrize("text", SUGGESTIONS)
def test_every_suggestion_does_what_an_unknown_request_does_not(text: str) -> None:
    schema: dict[str, object] = {}
    names = ("lookup_order", "search_orders", "create_ticket", "list_open_tickets")
    tools = dict.fromkeys(names, schema)
    decided = decide(Situation(text, tools=tools))
    assert isinstance(decided, Plan)
    assert decided != decide(Situation("colourless green ideas", tools=tools))
