"""What `verbatim ask` prints beside the prose: each thing once, and in words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from tests import wire
from tests.wire import READING, Reply, ScriptedSource
from tui.cli.reporting import Trouble, reporter
from tui.core.conversation import TurnSettings
from tui.core.source import ByteSource, OpenResponse, ResponseHead, RetryNotice, WireRequest
from tui.net.retry import Retry
from tui.session.calls import CallRunner
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import Idle
from tui.store import Store
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import Registry


class RetryingOnce:
    """A source that is refused once and tries again after four tenths of a second."""

    name = "retrying"

    def __init__(self, replies: list[Reply]) -> None:
        self._answering = ScriptedSource(replies)
        self.on_retry: Callable[[RetryNotice], None] | None = None

    def open(self, request: WireRequest) -> AbstractAsyncContextManager[OpenResponse]:
        assert self.on_retry is not None
        self.on_retry(Retry(1, 3, 0.41, "example.com answered 500", 500))
        return self._answering.open(request)


async def asked(*replies: Reply, kind: Callable[[list[Reply]], ByteSource] = ScriptedSource) -> int:
    """One prompt, reported; the exit status."""
    store, registry = Store.memory(), Registry([])
    journal = StoredJournal(store, store.create_conversation())
    calls = CallRunner(registry, Dispatcher(registry), Policy(), journal, lambda _: None)
    source = kind(list(replies))
    target = Target("scripted", "anthropic", source, TurnSettings("m"))
    session = Session(target, journal=journal, reading=READING, calls=calls)
    report, trouble = reporter(as_json=False), Trouble()
    session.send("go")
    async for update in session.updates():
        report(update)
        trouble.note(update)
        if isinstance(update, Idle):
            break
    await session.wait_idle()
    return trouble.status


async def test_a_refusal_is_said_once_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    body = b'{"type":"error","error":{"type":"authentication_error","message":"bad key"}}'
    assert await asked(Reply([body], ResponseHead(401, ()))) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("answered 401 (not authenticated): authentication_error: bad key")
    assert lines[1].startswith("verbatim:   ")
    assert len(lines) == 2


async def test_an_error_inside_the_stream_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    error = wire.event({"type": "error", "error": {"type": "api_error", "message": "gone"}})
    assert await asked(Reply([wire.start(), wire.text(0, "Let me"), error])) == 3
    printed = capsys.readouterr()
    assert printed.out == "Let me\n"
    assert printed.err == "verbatim: api_error: gone\n"


async def test_a_short_wait_before_trying_again_is_not_called_no_wait(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert await asked(Reply([wire.prose_turn("Hello.")]), kind=RetryingOnce) == 0
    assert capsys.readouterr().err == (
        "verbatim: Trying again in 0.4 s (attempt 2 of 3): example.com answered 500\n"
    )
