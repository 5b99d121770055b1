"""Whatever a tool does, the dispatcher returns exactly one result, and says how it ended."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest

from tests.tools.calls import acting, dispatcher_of, final_call, run_alone, until
from tui.core.conversation import (
    CallResult,
    ImageContent,
    JsonContent,
    ResourceContent,
    TextContent,
)
from tui.core.errors import ProtocolViolation
from tui.core.states import CallState
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.dispatcher import Dispatcher
from tui.tools.limits import OutputLimits, within
from tui.tools.registry import Registry
from tui.tools.threads import in_daemon_thread


async def test_what_a_tool_returns_is_the_result_of_its_call() -> None:
    async def act(_: RunContext) -> str:
        return "12 degrees"

    outcome = await run_alone(act)

    assert outcome.state is CallState.RETURNED
    assert outcome.result == CallResult("t1.c1", (TextContent("12 degrees"),))
    assert (outcome.cut, outcome.traceback, outcome.printed) == (False, "", "")


@pytest.mark.parametrize(
    "not_final", [{"name": "act", "arguments": {}}, "act", None, JsonContent("{}")]
)
async def test_only_a_final_call_can_be_dispatched(not_final: Any) -> None:
    entered = False

    async def act(_: RunContext) -> str:
        nonlocal entered
        entered = True
        return ""

    with pytest.raises(ProtocolViolation, match="only a final call"):
        await dispatcher_of(acting(act)).run(not_final)
    assert not entered


async def test_an_exception_becomes_an_error_result_and_its_traceback_stays_with_the_user() -> None:
    async def act(_: RunContext) -> str:
        raise ValueError("the till is locked")

    outcome = await run_alone(act)

    assert outcome.state is CallState.FAILED
    assert outcome.result.is_error
    assert outcome.result.text == "The tool failed: ValueError: the till is locked"
    assert "raise ValueError" in outcome.traceback
    assert "tools/dispatcher.py" not in outcome.traceback


async def test_an_exception_that_cannot_be_put_into_words_is_still_an_error_result() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def act(_: RunContext) -> str:
        raise Mute

    outcome = await run_alone(act)
    assert outcome.result.text == "The tool failed: Mute: (its message cannot be read)"


async def test_a_long_exception_message_is_cut_for_the_model() -> None:
    async def act(_: RunContext) -> str:
        raise ValueError("x" * 1_000_000)

    outcome = await run_alone(act)
    assert len(outcome.result.text) < 5_000
    assert outcome.result.text.endswith("more characters]")


@pytest.mark.parametrize("leave", [SystemExit, KeyboardInterrupt])
async def test_a_tool_that_tries_to_end_the_program_only_fails(leave: type[BaseException]) -> None:
    async def act(_: RunContext) -> str:
        raise leave(3)

    outcome = await run_alone(act)
    assert outcome.state is CallState.FAILED
    assert "3" in outcome.result.text


async def test_a_thread_that_tries_to_end_the_program_only_fails() -> None:
    async def act(context: RunContext) -> str:
        return await in_daemon_thread(lambda: sys.exit("bye"), context)

    outcome = await run_alone(act)
    assert outcome.result.text == "The tool failed: it tried to end the program (exit 'bye')."


async def test_stop_iteration_in_a_thread_does_not_hang_the_call() -> None:
    async def act(context: RunContext) -> str:
        return await in_daemon_thread(lambda: next(iter(())), context)

    outcome = await run_alone(act)
    assert outcome.state is CallState.FAILED
    assert "StopIteration" in outcome.result.text


async def test_a_tool_that_says_its_result_is_an_error_has_failed() -> None:
    async def act(_: RunContext) -> ToolOutcome:
        return ToolOutcome.error("no such order")

    outcome = await run_alone(act)
    assert outcome.state is CallState.FAILED
    assert outcome.result == CallResult("t1.c1", (TextContent("no such order"),), is_error=True)


async def test_a_hanging_tool_times_out_and_is_cancelled() -> None:
    cancelled = asyncio.Event()

    async def act(_: RunContext) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return ""

    outcome = await run_alone(act, timeout=0.05)

    assert outcome.state is CallState.TIMED_OUT
    assert "no result after 0.05 seconds" in outcome.result.text
    assert "still be running" not in outcome.result.text
    assert cancelled.is_set()


async def test_the_default_timeout_holds_for_tools_that_name_none() -> None:
    async def act(_: RunContext) -> str:
        await asyncio.Event().wait()
        return ""

    outcome = await run_alone(act, default_timeout=0.05)
    assert outcome.state is CallState.TIMED_OUT


async def test_a_hung_thread_is_left_behind_and_the_result_says_so() -> None:
    release = threading.Event()
    noticed = threading.Event()

    async def act(context: RunContext) -> str:
        def hang() -> str:
            release.wait()
            if context.cancelled:
                noticed.set()
            return "late"

        return await in_daemon_thread(hang, context)

    outcome = await run_alone(act, timeout=0.05)

    assert outcome.state is CallState.TIMED_OUT
    assert "its thread cannot be stopped" in outcome.result.text
    assert all(
        thread.daemon for thread in threading.enumerate() if thread.name == "verbatim-tool"
    ), "a thread that is no daemon would keep the program from ending"
    release.set()
    assert noticed.wait(5), "the thread can see that nobody waits for it"


async def test_a_tool_that_ignores_cancellation_is_left_behind() -> None:
    release = asyncio.Event()

    async def act(_: RunContext) -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    outcome = await run_alone(act, timeout=0.05, grace=0.05)

    assert outcome.state is CallState.TIMED_OUT
    assert "does not react to being cancelled" in outcome.result.text
    release.set()


async def test_cancelling_one_call_reaches_its_tool_and_no_other() -> None:
    entered = {name: asyncio.Event() for name in ("one", "two")}
    cancelled: list[str] = []
    release = asyncio.Event()

    def hanging(name: str) -> Any:
        async def act(_: RunContext) -> str:
            entered[name].set()
            try:
                await release.wait()
            except asyncio.CancelledError:
                cancelled.append(name)
                raise
            return name

        return acting(act, name)

    dispatcher = dispatcher_of(hanging("one"), hanging("two"))
    one = asyncio.create_task(dispatcher.run(final_call("one", ref="c1")))
    two = asyncio.create_task(dispatcher.run(final_call("two", ref="c2")))
    for event in entered.values():
        await event.wait()

    assert dispatcher.cancel("c1")
    outcome = await one

    assert outcome.state is CallState.CANCELLED
    assert outcome.result.is_error
    assert "cancelled by the user" in outcome.result.text
    assert cancelled == ["one"]
    release.set()
    assert (await two).result.text == "two"
    assert not dispatcher.cancel("c2")


async def test_cancelling_the_waiting_task_reaches_the_tool_first() -> None:
    entered, cleaned = asyncio.Event(), asyncio.Event()

    async def act(_: RunContext) -> str:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()
        return ""

    dispatcher = dispatcher_of(acting(act))
    task = asyncio.create_task(dispatcher.run(final_call("act")))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned.is_set()
    assert dispatcher.in_progress == frozenset()


async def test_a_run_knows_that_it_was_given_up() -> None:
    contexts: list[RunContext] = []

    async def act(context: RunContext) -> str:
        contexts.append(context)
        await asyncio.Event().wait()
        return ""

    await run_alone(act, timeout=0.05)
    assert contexts[0].cancelled


async def test_a_tool_that_cancels_itself_has_failed() -> None:
    async def act(_: RunContext) -> str:
        raise asyncio.CancelledError

    outcome = await run_alone(act)
    assert outcome.state is CallState.FAILED
    assert "cancelled itself" in outcome.result.text


async def test_no_more_calls_run_at_once_than_the_limit_and_a_waiting_one_can_be_cancelled() -> (
    None
):
    running, most = 0, 0
    gate = asyncio.Event()
    started: list[str] = []

    async def act(context: RunContext) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1
        return context.ref

    dispatcher = dispatcher_of(acting(act), limit=2)
    calls = [final_call("act", ref=f"c{number}") for number in range(5)]
    tasks = [
        asyncio.create_task(
            dispatcher.run(call, started=lambda ref=call.ref: started.append(ref))  # type: ignore[misc]
        )
        for call in calls
    ]
    await until(lambda: len(dispatcher.in_progress) == 5 and running == 2)

    assert dispatcher.cancel("c3")
    waiting = await tasks[3]
    assert waiting.state is CallState.CANCELLED
    assert waiting.result.origin == "client"
    gate.set()
    outcomes = await asyncio.gather(*tasks)
    assert most == 2
    assert started == ["c0", "c1", "c2", "c4"]
    assert [outcome.state for outcome in outcomes].count(CallState.RETURNED) == 4


async def test_the_place_of_a_cancelled_waiting_call_is_not_lost() -> None:
    gate = asyncio.Event()

    async def act(_: RunContext) -> str:
        await gate.wait()
        return "done"

    dispatcher = dispatcher_of(acting(act), limit=1)
    first = asyncio.create_task(dispatcher.run(final_call("act", ref="c0")))
    waiting = asyncio.create_task(dispatcher.run(final_call("act", ref="c1")))
    await until(lambda: len(dispatcher.in_progress) == 2)
    waiting.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await first
    assert (await dispatcher.run(final_call("act", ref="c2"))).state is CallState.RETURNED


@pytest.mark.parametrize("steps", range(8))
async def test_no_place_is_lost_when_a_call_is_cancelled_as_its_turn_comes(steps: int) -> None:
    gate = asyncio.Event()

    async def act(_: RunContext) -> str:
        await gate.wait()
        return "done"

    dispatcher = dispatcher_of(acting(act), limit=1)
    first = asyncio.create_task(dispatcher.run(final_call("act", ref="c0")))
    waiting = asyncio.create_task(dispatcher.run(final_call("act", ref="c1")))
    await until(lambda: len(dispatcher.in_progress) == 2)
    gate.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    dispatcher.cancel("c1")
    await first
    await waiting
    async with asyncio.timeout(5):
        last = await dispatcher.run(final_call("act", ref="c2"))
    assert last.state is CallState.RETURNED


async def test_a_call_in_progress_cannot_be_dispatched_again() -> None:
    gate = asyncio.Event()

    async def act(_: RunContext) -> str:
        await gate.wait()
        return "once"

    dispatcher = dispatcher_of(acting(act))
    task = asyncio.create_task(dispatcher.run(final_call("act")))
    await until(lambda: bool(dispatcher.in_progress))
    with pytest.raises(ProtocolViolation, match="in progress"):
        await dispatcher.run(final_call("act"))
    gate.set()
    await task


async def test_a_tool_that_is_gone_since_the_call_was_made_is_an_error_result() -> None:
    outcome = await Dispatcher(Registry()).run(final_call("act"))
    assert outcome.state is CallState.FAILED
    assert outcome.result.origin == "client"
    assert "no tool named 'act' any more" in outcome.result.text


async def test_fifty_megabytes_are_cut_for_the_model_and_kept_for_the_user() -> None:
    huge = "ä" * 25_000_000

    async def act(_: RunContext) -> str:
        return huge

    outcome = await run_alone(act)

    assert outcome.cut
    assert outcome.full_content == (TextContent(huge),)
    sent = outcome.result.text
    assert len(sent.encode()) < 100_500
    assert sent.startswith("ä" * 50_000)
    assert "[cut here: the first 50,000 of 25,000,000 characters are shown" in sent


def test_text_that_fits_exactly_is_passed_through() -> None:
    content = (TextContent("ä" * 50),)
    assert within(content, OutputLimits(text=100)) == (content, False)


def test_a_cut_never_splits_a_character() -> None:
    (cut,), was_cut = within((TextContent("€" * 50),), OutputLimits(text=100))
    assert was_cut
    assert cut.text.startswith("€" * 33 + "\n[cut here")  # type: ignore[union-attr]


def test_half_a_surrogate_pair_in_long_output_does_not_fail_the_call() -> None:
    _, was_cut = within((TextContent("\ud83d" * 50),), OutputLimits(text=100))
    assert was_cut


def test_cut_json_is_text_and_a_cut_resource_stays_one() -> None:
    content = (JsonContent("[" + "1," * 200 + "1]"),)
    (cut,), _ = within(content, OutputLimits(text=100))
    assert isinstance(cut, TextContent)
    (resource,), _ = within((ResourceContent("file:///a", "", "x" * 200),), OutputLimits(text=100))
    assert isinstance(resource, ResourceContent)
    assert "cut here" in (resource.text or "")


def test_the_limit_holds_for_all_pieces_together() -> None:
    content = tuple(TextContent("x" * 60) for _ in range(4))
    kept, cut = within(content, OutputLimits(text=100))
    assert cut
    assert kept[0] == content[0]
    assert kept[-1] == TextContent("[2 further pieces of output not shown]")


def test_an_image_beyond_the_limit_is_named_instead_of_sent() -> None:
    content = (ImageContent("image/png", b"x" * 11), ImageContent("image/png", b"x" * 10))
    kept, cut = within(content, OutputLimits(image=10))
    assert cut
    assert isinstance(kept[0], TextContent)
    assert kept[1] == content[1]


async def test_progress_arrives_in_order_and_none_after_the_end() -> None:
    heard: list[tuple[str, float | None]] = []
    contexts: list[RunContext] = []

    async def act(context: RunContext) -> str:
        contexts.append(context)
        context.progress("first", 0.25)
        await in_daemon_thread(lambda: context.progress("from a thread", 7.0))
        context.progress("no number")
        await asyncio.sleep(0)
        return "done"

    dispatcher = dispatcher_of(acting(act))
    await dispatcher.run(
        final_call("act"), progress=lambda text, fraction: heard.append((text, fraction))
    )
    contexts[0].progress("too late")
    await asyncio.sleep(0)
    assert heard == [("first", 0.25), ("from a thread", 1.0), ("no number", None)]


async def test_what_tools_print_is_kept_apart_and_reaches_no_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    both = asyncio.Barrier(2)

    def printing(name: str) -> Any:
        async def act(_: RunContext) -> str:
            await both.wait()
            print(name)
            await both.wait()
            await in_daemon_thread(lambda: print(f"{name} thread", file=sys.stderr))
            return ""

        return acting(act, name)

    before = (sys.stdout, sys.stderr, sys.stdin)
    dispatcher = dispatcher_of(printing("one"), printing("two"))
    tasks = [
        asyncio.create_task(dispatcher.run(final_call(name, ref=name))) for name in ("one", "two")
    ]
    await until(lambda: len(dispatcher.in_progress) == 2)
    print("the program itself")
    outcomes = await asyncio.gather(*tasks)

    assert [outcome.printed for outcome in outcomes] == ["one\none thread\n", "two\ntwo thread\n"]
    assert capsys.readouterr().out == "the program itself\n"
    assert (sys.stdout, sys.stderr, sys.stdin) == before


async def test_a_tool_cannot_read_the_terminal() -> None:
    async def act(_: RunContext) -> str:
        return input("password? ")  # noqa: ASYNC250 - this is the subject

    outcome = await run_alone(act)
    assert "EOFError" in outcome.result.text
    assert outcome.printed == "password? "


async def test_a_tool_that_prints_without_end_does_not_fill_the_memory() -> None:
    async def act(_: RunContext) -> str:
        for _number in range(30):
            print("x" * 100_000)
        return ""

    outcome = await run_alone(act)
    assert len(outcome.printed) < 1_000_100
    assert outcome.printed.endswith("further characters not kept]")
