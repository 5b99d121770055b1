"""The loop, from prompt to idle, over a scripted byte source and the real store."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from tests import wire
from tests.wire import READING, Reply, ScriptedSource
from tui.core.conversation import CallResult, TextContent, ToolSpec, TurnSettings
from tui.core.errors import EndpointError, StreamBroken, UsageError
from tui.core.reader import TurnReader
from tui.core.source import ResponseHead
from tui.core.states import CallState
from tui.session import exchange, session
from tui.session.calls import CallRunner
from tui.session.resume import resume
from tui.session.session import Session, Target
from tui.session.stored import StoredJournal
from tui.session.updates import (
    ApprovalAsked,
    CallAnswered,
    CallChanged,
    Decision,
    ExchangeFailed,
    Idle,
    SessionUpdate,
    TurnAdvanced,
    TurnClosed,
    TurnLimitReached,
    UserMessageAdded,
)
from tui.store import Edit, Store
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.dispatcher import Dispatcher
from tui.tools.policy import Policy
from tui.tools.registry import FixedSource, Registry

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


STOP = wire.event({"type": "message_stop"})


class Desk:
    """A tool `look` that notes what it was run with and can be made to wait."""

    def __init__(self) -> None:
        self.ran: list[Mapping[str, Any]] = []
        self.hold: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.cancelled = False
        self.left = asyncio.Event()
        self.may_leave: asyncio.Event | None = None
        """When given, a cancelled run takes until then to clean up."""

    async def look(self, arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        self.ran.append(arguments)
        self.entered.set()
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                self.left.set()
                if self.may_leave is not None:
                    await self.may_leave.wait()
                raise
        return ToolOutcome((TextContent(f"found {arguments['id']}"),))

    def registry(self) -> Registry:
        tool = HandlerTool(ToolSpec("look", "Look.", SCHEMA, read_only=True), "desk", self.look)
        return Registry([FixedSource("desk", "desk", [tool])])


class Stage:
    """A session over a scripted source, with everything it said."""

    def __init__(
        self,
        *replies: Reply,
        policy: Policy = Policy(mode="all"),  # noqa: B008 - frozen
        max_turns: int = 5,
        interactive: bool = True,
    ) -> None:
        self.source = ScriptedSource(list(replies))
        self.desk = Desk()
        self.store = Store.memory()
        registry = self.desk.registry()
        self.conversation = self.store.create_conversation()
        journal = StoredJournal(self.store, self.conversation)
        self.calls = CallRunner(
            registry, Dispatcher(registry), policy, journal, lambda _: None, interactive
        )
        self.session = Session(
            Target("scripted", "anthropic", self.source, TurnSettings("m")),
            journal=journal,
            reading=READING,
            calls=self.calls,
            max_turns=max_turns,
        )
        self.said: list[SessionUpdate] = []
        self.on: dict[type, Callable[[Any], None]] = {}

    async def run(self, prompt: str | None = "go") -> str:
        """Send a prompt, collect updates until idle; returns the reason."""
        if prompt is None:
            self.session.proceed()
        else:
            self.session.send(prompt)
        async for update in self.session.updates():
            self.said.append(update)
            if (act := self.on.get(type(update))) is not None:
                act(update)
            if isinstance(update, Idle):
                await self.session.wait_idle()
                return update.reason
        raise AssertionError("updates ended")

    def cancel_once(self, _: SessionUpdate) -> None:
        self.on.clear()
        self.session.cancel()

    def all(self, kind: type[Any]) -> list[Any]:
        return [update for update in self.said if isinstance(update, kind)]


def two_chunks(body: bytes) -> Reply:
    return Reply([body[: len(body) // 2], body[len(body) // 2 :]])


async def test_prompt_call_result_answer() -> None:
    raw = ['{"id": ', '"A-1",', ' "n":1.0}']
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "toolu_1", "look", *raw))),
        two_chunks(wire.prose_turn("It is there.")),
    )
    assert await stage.run() == "done"
    assert stage.desk.ran == [{"id": "A-1", "n": 1.0}]
    sent = stage.source.sent(1)
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert sent["messages"][2]["content"][0]["tool_use_id"] == "toolu_1"
    assert "".join(raw).encode() in stage.source.requests[1].body
    states = [change.state for change in stage.all(CallChanged)]
    assert states == [CallState.RUNNING, CallState.RETURNED]


async def test_results_of_parallel_calls_go_back_in_the_order_of_the_calls() -> None:
    stage = Stage(
        two_chunks(
            wire.call_turn(
                wire.call(1, "a", "look", '{"id":"1"}'),
                wire.call(2, "b", "look", '{"id":"2"}'),
                wire.call(3, "c", "look", '{"id":"3"}'),
            )
        ),
        two_chunks(wire.prose_turn("done")),
    )
    assert await stage.run() == "done"
    content = stage.source.sent(1)["messages"][2]["content"]
    assert [block["tool_use_id"] for block in content] == ["a", "b", "c"]
    assert sorted(each["id"] for each in stage.desk.ran) == ["1", "2", "3"]


async def test_an_invalid_call_is_answered_with_the_reason_and_its_neighbour_runs() -> None:
    stage = Stage(
        two_chunks(
            wire.call_turn(
                wire.call(1, "a", "look", '{"id": Anna}'),
                wire.call(2, "b", "look", '{"id":"2"}'),
            )
        ),
        two_chunks(wire.prose_turn("sorry")),
    )
    assert await stage.run() == "done"
    blocks = stage.source.sent(1)["messages"][2]["content"]
    assert blocks[0]["is_error"] is True
    assert "a value is missing at character 7" in str(blocks[0]["content"])
    assert stage.desk.ran == [{"id": "2"}]


@pytest.mark.parametrize(
    ("body", "breaks", "reason"),
    [
        (
            wire.start() + wire.call(1, "a", "look", '{"id":"1"}') + wire.ended("max_tokens"),
            None,
            "incomplete",
        ),
        (wire.start() + wire.call(1, "a", "look", '{"id":"1"}'), None, "incomplete"),
        (
            wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}')).removesuffix(STOP),
            StreamBroken("reset"),
            "incomplete",
        ),
        (
            wire.start() + wire.call(1, "a", "look", '{"id":"1"}', closed=False),
            StreamBroken("reset"),
            "incomplete",
        ),
        (
            wire.start() + wire.call(1, "a", "look", '{"id":"1"}') + wire.ended("refusal"),
            None,
            "done",
        ),
        (
            wire.start()
            + wire.call(1, "a", "look", '{"id":"1"}')
            + wire.event({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
            None,
            "failed",
        ),
    ],
)
async def test_a_turn_that_did_not_end_well_runs_nothing_and_the_conversation_goes_on(
    body: bytes, breaks: EndpointError | None, reason: str
) -> None:
    stage = Stage(Reply([body], breaks=breaks), two_chunks(wire.prose_turn("again")))
    assert await stage.run() == reason
    assert stage.desk.ran == []
    assert await stage.run("try again") == "done"
    sent = stage.source.sent(1)["messages"]
    assert "tool_use" not in str(sent)


async def test_a_connection_that_breaks_after_the_end_marker_stops_nothing() -> None:
    stage = Stage(
        Reply(
            [wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))],
            breaks=StreamBroken("reset"),
        ),
        two_chunks(wire.prose_turn("ok")),
    )
    assert await stage.run() == "done"
    assert stage.desk.ran == [{"id": "1"}]


async def test_a_server_that_never_ends_the_body_of_an_ended_turn_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exchange, "_AFTER_END_SECONDS", 0.01)
    pings = itertools.chain([wire.prose_turn("hi")], itertools.repeat(b": ping\n\n"))
    stage = Stage(Reply(pings), two_chunks(wire.prose_turn("fine")))
    async with asyncio.timeout(10):
        assert await stage.run() == "done"
    assert stage.source.closed == 1
    assert stage.all(TurnClosed)[0].message.outcome == "complete"


async def test_the_turn_limit_stops_a_model_that_calls_for_ever_and_says_so() -> None:
    reply = two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}')))
    stage = Stage(reply, reply, reply, max_turns=3)
    assert await stage.run() == "limit"
    assert stage.all(TurnLimitReached)[0].limit == 3
    assert len(stage.desk.ran) == 3


async def test_a_paused_turn_is_sent_back_as_it_is() -> None:
    paused = wire.start() + wire.text(0, "Searching.") + wire.ended("pause_turn")
    stage = Stage(two_chunks(paused), two_chunks(wire.prose_turn("Found.")))
    assert await stage.run() == "done"
    assert stage.source.sent(1)["messages"][-1]["role"] == "assistant"


async def test_what_the_policy_asks_waits_for_a_person() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("ok")),
        policy=Policy(mode="none"),
    )
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(Decision("allow"))
    assert await stage.run() == "done"
    assert stage.desk.ran == [{"id": "1"}]
    assert stage.all(CallChanged)[0].state is CallState.AWAITING_APPROVAL


async def test_a_denied_call_tells_the_model_the_persons_reason() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("ok")),
        policy=Policy(mode="none"),
    )
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(
        Decision("deny", reason="not today")
    )
    assert await stage.run() == "done"
    assert stage.desk.ran == []
    assert "Reason: not today" in str(stage.source.sent(1)["messages"][2])


async def test_allowing_for_the_conversation_asks_only_once() -> None:
    one = two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}')))
    stage = Stage(one, one, two_chunks(wire.prose_turn("ok")), policy=Policy(mode="none"))
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(
        Decision("allow", scope="conversation")
    )
    assert await stage.run() == "done"
    assert (len(stage.all(ApprovalAsked)), len(stage.desk.ran)) == (1, 2)


async def test_an_answer_by_hand_goes_back_in_place_of_the_tools() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("ok")),
        policy=Policy(mode="none"),
    )
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(
        Decision("answer", answer=CallResult("", (TextContent("made up"),), origin="person"))
    )
    assert await stage.run() == "done"
    assert stage.desk.ran == []
    assert "made up" in str(stage.source.sent(1)["messages"][2])


async def test_without_anybody_to_ask_what_would_be_asked_is_denied() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("ok")),
        policy=Policy(mode="none"),
        interactive=False,
    )
    assert await stage.run() == "done"
    assert stage.desk.ran == []


async def test_cancel_in_mid_stream_keeps_what_came_and_the_conversation_goes_on() -> None:
    partial = (
        wire.start()
        + wire.text(0, "Half an ")
        + wire.call(1, "a", "look", '{"id":"1', closed=False)
    )
    stage = Stage(Reply([partial], then_wait=True), two_chunks(wire.prose_turn("fine")))
    stage.on[TurnAdvanced] = stage.cancel_once
    assert await stage.run() == "cancelled"
    closed = stage.all(TurnClosed)[0]
    assert closed.message.text == "Half an "
    assert closed.message.calls[0].state is CallState.INCOMPLETE
    assert stage.source.closed == 1
    assert await stage.run("go on") == "done"
    assert stage.source.sent(1)["messages"][1]["content"] == [{"type": "text", "text": "Half an "}]


async def test_cancel_while_a_tool_runs_reaches_the_tool_and_the_call_has_its_result() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("fine")),
    )
    stage.desk.hold = asyncio.Event()
    running = asyncio.create_task(stage.run())
    await stage.desk.entered.wait()
    stage.session.cancel()
    assert await running == "cancelled"
    assert stage.desk.cancelled
    assert await stage.run("go on") == "done"
    result = stage.source.sent(1)["messages"][2]["content"][0]
    assert (result["tool_use_id"], result["is_error"]) == ("a", True)


async def test_cancelling_twice_does_not_leave_a_running_tool_without_its_result() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("fine")),
    )
    stage.desk.hold = asyncio.Event()
    stage.desk.may_leave = asyncio.Event()
    running = asyncio.create_task(stage.run())
    await stage.desk.entered.wait()
    stage.session.cancel()
    await stage.desk.left.wait()
    stage.session.cancel()
    stage.session.cancel()
    await asyncio.sleep(0)
    stage.desk.may_leave.set()
    assert await running == "cancelled"
    assert await stage.run("go on") == "done"
    result = stage.source.sent(1)["messages"][2]["content"][0]
    assert "whether it took effect is unknown" in result["content"][0]["text"]


async def test_cancel_while_a_start_is_written_down_closes_it_in_the_ledger() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("fine")),
    )
    begin, writing, go_on = stage.calls.journal.begin_dispatch, asyncio.Event(), asyncio.Event()

    async def slow(ref: str, *, by: str, edit: Edit | None = None) -> bool:
        begun = await begin(ref, by=by, edit=edit)
        writing.set()
        await go_on.wait()
        return begun

    stage.calls.journal.begin_dispatch = slow  # type: ignore[method-assign]
    running = asyncio.create_task(stage.run())
    await writing.wait()
    stage.session.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert await running == "cancelled"
    assert stage.desk.ran == []
    assert [each.outcome for each in stage.store.dispatches(stage.conversation)] == ["cancelled"]
    assert await stage.run("go on") == "done"
    assert "cancelled before it was run" in str(stage.source.sent(1)["messages"][2])


async def judged_while(
    stage: Stage, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> str:
    """Run a prompt, and `act` while its first turn is being judged."""
    judging, go_on = threading.Event(), threading.Event()
    close = TurnReader.close

    def held(self: TurnReader, **why: Any) -> object:
        judging.set()
        assert go_on.wait(20.0)
        return close(self, **why)

    monkeypatch.setattr(TurnReader, "close", held)
    running = asyncio.create_task(stage.run())
    assert await asyncio.to_thread(judging.wait, 20.0)
    act()
    await asyncio.sleep(0)
    go_on.set()
    return await running


async def test_cancel_while_a_turn_is_judged_gives_each_of_its_calls_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = wire.call(1, "a", "look", '{"id":"1"}'), wire.call(2, "b", "look", "{")
    stage = Stage(two_chunks(wire.call_turn(*calls)), two_chunks(wire.prose_turn("fine")))
    assert await judged_while(stage, stage.session.cancel, monkeypatch) == "cancelled"
    assert stage.desk.ran == []
    assert [change.state for change in stage.all(CallChanged)] == [CallState.CANCELLED]
    stage.store.flush(5.0)
    states = [call.state for call in stage.store.calls(stage.conversation)]
    assert states == [CallState.CANCELLED, CallState.INVALID]
    assert await stage.run("go on") == "done"
    first, second = stage.source.sent(1)["messages"][2]["content"][:2]
    assert "cancelled before it was run" in str(first)
    assert (second["tool_use_id"], second["is_error"]) == ("b", True)


async def test_what_is_judged_while_the_program_is_left_waits_for_the_next_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))))

    def leave() -> None:
        stage.calls.suspending = True
        stage.session.cancel()

    assert await judged_while(stage, leave, monkeypatch) == "cancelled"
    assert stage.desk.ran == []
    stage.store.flush(5.0)
    resumed = resume(stage.store, stage.conversation, stage.calls.registry.specs_by_name)
    assert resumed.pending is not None
    assert [call.ref for call in resumed.pending.final_calls] == ["t1.c1"]


async def test_the_program_is_left_though_judging_a_turn_takes_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judging, go_on = threading.Event(), threading.Event()

    def held(self: TurnReader, **why: Any) -> object:
        judging.set()
        go_on.wait(20.0)
        raise AssertionError("nobody waits for this any more")

    monkeypatch.setattr(TurnReader, "close", held)
    monkeypatch.setattr(session, "_LEAVING_SECONDS", 0.01)
    stage = Stage(two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))))
    stage.session.send("go")
    try:
        assert await asyncio.to_thread(judging.wait, 20.0)
        await stage.session.suspend()
        assert stage.session.busy
        # As the end of the event loop does with what is left.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        async with asyncio.timeout(20.0):
            await stage.session.wait_idle()
    finally:
        go_on.set()
    stage.store.flush(5.0)
    (exchange,) = stage.store.exchanges(stage.conversation)
    # Found again at the next start, like what a crash leaves: no byte of it is missing.
    assert exchange.ending == "open"
    assert b"".join(data for _, data in stage.store.chunks(exchange.id)).endswith(STOP)


async def test_a_prompt_that_is_cancelled_before_anything_began_ends_all_the_same() -> None:
    stage = Stage(two_chunks(wire.prose_turn("fine")))
    stage.session.send("go")
    # No turn of the event loop lies between the two.
    assert stage.session.cancel()
    kinds = [type(update) async for update in until_idle(stage)]
    assert kinds == [UserMessageAdded, Idle]
    assert await stage.run("go on") == "done"


async def until_idle(stage: Stage) -> AsyncIterator[SessionUpdate]:
    async with asyncio.timeout(20.0):
        async for update in stage.session.updates():
            yield update
            if isinstance(update, Idle):
                return


async def test_cancel_while_a_question_waits_denies_nothing_in_the_models_name() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        two_chunks(wire.prose_turn("fine")),
        policy=Policy(mode="none"),
    )
    stage.on[ApprovalAsked] = stage.cancel_once
    assert await stage.run() == "cancelled"
    assert stage.desk.ran == []
    assert await stage.run("go on") == "done"
    assert "cancelled before it was run" in str(stage.source.sent(1)["messages"][2])


async def test_leaving_while_a_question_waits_asks_it_again_when_the_person_is_back() -> None:
    stage = Stage(
        two_chunks(
            wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'), wire.call(2, "b", "look", "{}"))
        ),
        policy=Policy(mode="none"),
    )
    asked = asyncio.Event()
    stage.on[ApprovalAsked] = lambda _: asked.set()
    running = asyncio.create_task(stage.run())
    await asked.wait()
    await stage.session.suspend()
    await running
    assert stage.desk.ran == []
    resumed = resume(stage.store, stage.conversation, stage.calls.registry.specs_by_name)
    assert resumed.pending is not None
    assert [call.ref for call in resumed.pending.final_calls] == ["t1.c1"]

    source = ScriptedSource([two_chunks(wire.prose_turn("welcome back"))])
    runner = CallRunner(
        stage.calls.registry,
        Dispatcher(stage.calls.registry),
        Policy(mode="all"),
        resumed.journal,
        lambda _: None,
    )
    session = Session(
        Target("scripted", "anthropic", source, TurnSettings("m")),
        journal=resumed.journal,
        reading=READING,
        calls=runner,
        messages=resumed.messages,
        pending=resumed.pending,
    )
    session.proceed()
    await session.wait_idle()
    assert stage.desk.ran == [{"id": "1"}]
    blocks = source.sent(0)["messages"][2]["content"]
    assert [block["tool_use_id"] for block in blocks] == ["a", "b"]
    assert blocks[1]["is_error"] is True


async def test_an_endpoint_that_refuses_is_said_and_the_prompt_can_be_sent_again() -> None:
    stage = Stage(
        Reply([], refused=EndpointError("no route to host")), two_chunks(wire.prose_turn("hi"))
    )
    assert await stage.run() == "failed"
    assert "no route" in str(stage.all(ExchangeFailed)[0].error)
    assert await stage.run(None) == "done"
    assert len(stage.source.sent(1)["messages"]) == 1


async def test_a_request_that_could_not_be_sent_does_not_stay_open_in_the_store() -> None:
    stage = Stage(
        Reply([], refused=UsageError("the proxy is no use")), two_chunks(wire.prose_turn("hi"))
    )
    assert await stage.run() == "failed"
    assert "no use" in str(stage.all(ExchangeFailed)[0].error)
    (kept,) = stage.store.exchanges(stage.conversation)
    assert (kept.ending, kept.problem) == ("broken", "the proxy is no use")


async def test_a_body_that_is_no_event_stream_is_an_error_with_the_servers_words() -> None:
    head = ResponseHead(401, (("content-type", "application/json"),))
    stage = Stage(Reply([b'{"error":{"message":"bad key"}}'], head=head))
    assert await stage.run() == "failed"
    error = stage.all(ExchangeFailed)[0].error
    assert "bad key" in str(error)
    assert error.hint


async def test_a_busy_session_and_an_empty_prompt_are_refused() -> None:
    stage = Stage(Reply([wire.start()], then_wait=True))
    with pytest.raises(UsageError):
        stage.session.send("  ")
    stage.session.send("go")
    with pytest.raises(UsageError):
        stage.session.send("more")
    await asyncio.sleep(0)
    stage.session.cancel()
    await stage.session.wait_idle()


async def test_a_conversation_comes_back_from_the_store_as_it_was() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "a", "look", '{"id":"1"}'))),
        Reply([wire.start() + wire.text(0, "broken off")], breaks=StreamBroken("reset")),
    )
    await stage.run()
    resumed = resume(stage.store, stage.conversation)
    assert [type(message) for message in resumed.messages] == [
        type(message) for message in stage.session.messages
    ]
    assert resumed.states == {"t1.c1": CallState.RETURNED}
    assert resumed.pending is None
    assert resumed.results["t1.c1"].text == "found 1"
    live = [closed.message for closed in stage.all(TurnClosed)]
    assert resumed.messages[-1] == live[-1]


async def test_every_call_is_answered_exactly_once() -> None:
    stage = Stage(
        two_chunks(
            wire.call_turn(
                wire.call(1, "a", "look", "{}"),
                wire.call(2, "b", "look", '{"id":"2"}'),
                wire.call(3, "c", "nothing", '{"id":"2"}'),
            )
        ),
        two_chunks(wire.prose_turn("ok")),
    )
    await stage.run()
    assert sorted(answer.ref for answer in stage.all(CallAnswered)) == ["t1.c1", "t1.c2", "t1.c3"]


async def test_a_whole_answer_is_not_asked_for_again_by_going_on() -> None:
    stage = Stage(two_chunks(wire.prose_turn("It is there.")))
    with pytest.raises(UsageError, match="nothing was asked"):
        stage.session.proceed()
    assert await stage.run() == "done"
    with pytest.raises(UsageError, match="the last answer is whole"):
        stage.session.proceed()
    assert len(stage.source.requests) == 1
