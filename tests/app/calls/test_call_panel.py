"""The call panel in an app: what it shows, follows and asks, and what it lets nobody do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.calls.making import Writing, approval_of
from tests.app.screens import HOSTILE, WidgetApp, burst
from tests.app.test_hostile_text import check, driver
from tui.app.widgets.approval_bar import ApprovalBar
from tui.app.widgets.call_card import CallCard
from tui.app.widgets.call_panel import CallPanel
from tui.core.conversation import CallResult, JsonContent, TextContent
from tui.core.states import CallState
from tui.session.updates import ApprovalAsked, CallAnswered, CallChanged, CallRan, Decision
from tui.store import Edit


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class PanelApp(WidgetApp):
    """The panel below an input, as a prompt would be; keeps what the panel says."""

    def __init__(self, **options: Any) -> None:
        self.time = Time()
        self.panel = CallPanel(clock=self.time, ticking=False)
        self.said: list[Any] = []
        super().__init__(Input(), self.panel, **options)

    def on_approval_bar_decided(self, event: ApprovalBar.Decided) -> None:
        self.said.append(event)
        event.approval.decide(event.decision)

    def on_approval_bar_edit_asked(self, event: ApprovalBar.EditAsked) -> None:
        self.said.append(event)

    def on_call_card_copy_asked(self, event: CallCard.CopyAsked) -> None:
        self.said.append(event)

    def on_call_card_run_again(self, event: CallCard.RunAgain) -> None:
        self.said.append(event)

    def on_call_card_branch_here(self, event: CallCard.BranchHere) -> None:
        self.said.append(event)

    def on_call_card_answer_by_hand(self, event: CallCard.AnswerByHand) -> None:
        self.said.append(event)

    def on_call_card_cancel_asked(self, event: CallCard.CancelAsked) -> None:
        self.said.append(event)


@asynccontextmanager
async def running(
    size: tuple[int, int] = (100, 30), **options: Any
) -> AsyncIterator[tuple[PanelApp, Pilot[None]]]:
    app = PanelApp(**options)
    async with app.run_test(headless=not options, size=size, tooltips=True) as pilot:
        await pilot.pause()
        yield app, pilot


async def drawn(app: PanelApp, pilot: Pilot[None], now: float | None = None) -> str:
    """Everything drawn as of `now`; mounting a body takes a turn of its own."""
    app.time.now = app.time.now if now is None else now
    for _ in range(3):
        app.panel.flush()
        await pilot.pause()
    return app.text()


def chosen(app: PanelApp) -> CallCard:
    card = app.panel.chosen
    assert card is not None
    return card


def final(app: PanelApp, *calls: tuple[str, str]) -> Writing:
    writing = Writing()
    app.panel.open_turn(writing.handle)
    for number, (name, text) in enumerate(calls):
        writing.open(str(number), name, f"call_{number}")
        writing.write(str(number), text)
        writing.close(str(number))
    writing.end()
    return writing


def ask(app: PanelApp, writing: Writing, number: int = 0, **options: Any) -> Any:
    approval = approval_of(writing, number, **options)
    app.panel.apply(ApprovalAsked(approval))
    if not approval.was_started:
        app.panel.apply(CallChanged(approval.call.ref, CallState.AWAITING_APPROVAL))
    return approval


def answer_of(approval: Any) -> Decision | None:
    done: bool = approval._answer.done()
    return approval._answer.result() if done else None


# -- forming -----------------------------------------------------------------------------------


async def test_a_card_grows_with_its_call_and_never_shrinks() -> None:
    document = json.dumps({"a": [{"n": n, "text": "word " * n} for n in range(24)]})
    async with running() as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        writing.open("0", "tool", "call_1")
        heights, counts, last_rows = [], [], []
        for start in range(0, len(document), 90):
            writing.write("0", document[start : start + 90])
            await drawn(app, pilot)
            card = chosen(app)
            if card.lines is not None:
                heights.append(card.size.height)
                counts.append(card.lines.line_count)
                last_rows.append(card.lines.first_visible + card.lines.rows_visible)
                assert card.lines.following
        assert heights == sorted(heights)
        assert counts == sorted(counts)
        assert counts[-1] > 50
        assert last_rows[-1] == counts[-1]
        assert chosen(app).has_class("-forming")


async def test_settled_and_forming_rows_differ_by_words_and_marks_on_the_screen() -> None:
    async with running() as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        writing.open("0", "place_order", "call_1")
        writing.write("0", '{"customer": 4711, "amount": 20')
        shown = await drawn(app, pilot)
        assert "~ forming" in shown
        assert "✓   customer: 4711" in shown
        amount = next(line for line in shown.splitlines() if "amount:" in line)
        assert "▸   amount: 20▌" in amount
        assert amount.endswith("forming")


async def test_scrolling_up_stops_following_and_end_takes_it_back() -> None:
    document = json.dumps({"a": list(range(200))})
    async with running() as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        writing.open("0", "tool", "call_1")
        writing.write("0", document[:500])
        await drawn(app, pilot)
        app.panel.focus_chosen()
        await pilot.press("pageup")
        card = chosen(app)
        lines = card.lines
        assert lines is not None
        assert not lines.following
        where = lines.first_visible
        writing.write("0", document[500:800])
        await drawn(app, pilot)
        assert lines.first_visible == where
        await pilot.press("end")
        assert lines.following
        writing.write("0", document[800:900])
        await drawn(app, pilot)
        assert lines.first_visible + lines.rows_visible == lines.line_count


async def test_the_panel_follows_the_newest_forming_call_until_one_is_chosen() -> None:
    async with running() as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        for key in "012":
            writing.open(key, f"tool_{key}", f"call_{key}")
            writing.write(key, '{"a": ')
            await drawn(app, pilot)
            assert chosen(app).model.name == f"tool_{key}"
        app.panel.focus_chosen()
        await pilot.press("k")
        writing.open("3", "tool_3", "call_3")
        await drawn(app, pilot)
        assert chosen(app).model.name == "tool_1"
        assert chosen(app).has_focus
        await pilot.press("end")
        await drawn(app, pilot)
        assert chosen(app).model.name == "tool_3"


async def test_interleaved_calls_each_get_their_own_text() -> None:
    async with running(size=(100, 40)) as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        writing.open("0", "one", "call_0")
        writing.open("1", "two", "call_1")
        for piece in ('{"x": "', "abc"):
            writing.write("0", piece)
            writing.write("1", piece.upper())
        shown = await drawn(app, pilot)
        assert 'x: "abc' in shown
        assert 'X: "ABC' in shown


async def test_finished_calls_are_one_line_and_the_open_one_has_the_rest() -> None:
    async with running() as (app, pilot):
        writing = final(app, ("one", "{}"), ("two", "{}"), ("three", "{}"))
        await drawn(app, pilot)
        for number in (1, 2, 3):
            ref = f"t1.c{number}"
            app.panel.apply(CallRan(ref, 0.5, "", "", None))
            app.panel.apply(CallChanged(ref, CallState.RETURNED))
            app.panel.apply(CallAnswered(ref, CallResult(ref, (TextContent("ok"),))))
        await drawn(app, pilot)
        cards = list(app.panel.query(CallCard))
        assert [card.openness for card in cards] == ["collapsed", "collapsed", "open"]
        assert [card.size.height for card in cards[:2]] == [1, 1]
        assert cards[2].size.height > 14
        assert all(card.has_class("-returned") for card in cards)
        assert writing.turn.closed


# -- views and rows ----------------------------------------------------------------------------


async def test_each_view_has_its_key_and_copies_its_source() -> None:
    raw = '{"a": 1.0, "b": "x"}'
    async with running() as (app, pilot):
        final(app, ("tool", raw))
        app.panel.apply(CallChanged("t1.c1", CallState.RETURNED))
        result = CallResult("t1.c1", (JsonContent('{"n":1}'),))
        app.panel.apply(CallAnswered("t1.c1", result))
        await drawn(app, pilot)
        app.panel.focus_chosen()
        shown = {}
        for key in "12345":
            await pilot.press(key)
            shown[key] = await drawn(app, pilot)
            await pilot.press("c")
        assert "✓   a: 1.0" in shown["1"]
        assert '{"a": 1.0, "b╎": "x"}' in shown["2"]
        assert "pretty-printed by Verbatim" in shown["3"]
        assert '  "a": 1.0,' in shown["3"]
        assert " 0.000 s" in shown["4"]
        assert '"n": 1' in shown["5"]
        assert [event.text for event in app.said] == [raw] * 4 + ['{"n":1}']


async def test_enter_goes_through_the_rows_and_opens_them() -> None:
    value = " ".join(f"word{n}" for n in range(100))
    async with running() as (app, pilot):
        final(app, ("tool", json.dumps({"a": value, "b": 2})))
        await drawn(app, pilot)
        app.panel.focus_chosen()
        await pilot.press("enter", "down", "enter")
        assert "word50" in await drawn(app, pilot)
        await pilot.press("enter", "escape")
        assert "word50" not in await drawn(app, pilot)
        card = chosen(app)
        assert card.lines is not None
        assert card.lines.cursor is None


async def test_finished_cards_say_what_is_wanted_of_them() -> None:
    async with running() as (app, pilot):
        final(app, ("tool", "{}"))
        app.panel.apply(CallChanged("t1.c1", CallState.RUNNING))
        await drawn(app, pilot)
        app.panel.focus_chosen()
        await pilot.press("r", "x")
        app.panel.apply(CallChanged("t1.c1", CallState.CANCELLED))
        await drawn(app, pilot)
        await pilot.press("x", "r", "h", "b")
        assert [type(event) for event in app.said] == [
            CallCard.CancelAsked,
            CallCard.RunAgain,
            CallCard.AnswerByHand,
            CallCard.BranchHere,
        ]
        assert {event.ref for event in app.said} == {"t1.c1"}


# -- approvals ---------------------------------------------------------------------------------


async def test_a_question_ignores_keys_at_first_and_each_key_delays_it() -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", '{"a": 1}')))
        await drawn(app, pilot, 10.0)
        app.panel.focus_chosen()
        await pilot.press("a")
        shown = await drawn(app, pilot, 10.5)
        assert "… a moment" in shown
        await pilot.press("a")
        await drawn(app, pilot, 11.0)
        await pilot.press("d")
        assert answer_of(approval) is None
        shown = await drawn(app, pilot, 11.7)
        assert "a moment" not in shown
        await pilot.press("a")
        await drawn(app, pilot)
        assert answer_of(approval) == Decision("allow", "once")


async def test_typing_in_the_prompt_answers_nothing() -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", '{"a": 1}')))
        await drawn(app, pilot, 10.0)
        await drawn(app, pilot, 20.0)
        app.query_one(Input).focus()
        await pilot.press("a", "d", "A", "D", "e", "h")
        assert answer_of(approval) is None
        assert app.query_one(Input).value == "adADeh"
        assert app.panel.wants_attention == 1


@pytest.mark.parametrize(
    ("key", "decision"),
    [
        ("a", Decision("allow", "once")),
        ("s", Decision("allow", "conversation")),
        ("T", Decision("allow", "always")),
        ("d", Decision("deny")),
    ],
)
async def test_each_answer_has_its_key(key: str, decision: Decision) -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", '{"a": 1}')))
        shown = await drawn(app, pilot, 1.0)
        assert "May this call run?" in shown
        assert "demo shop" in shown
        assert "may change things" in shown
        assert "your rules ask" in shown
        assert '{"a": 1}' in shown
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press(key)
        await drawn(app, pilot)
        assert answer_of(approval) == decision


@pytest.mark.parametrize("width", [40, 52, 80, 140])
async def test_where_a_call_lives_and_what_it_may_do_are_never_cut_away(width: int) -> None:
    async with running(size=(width, 40)) as (app, pilot):
        origin = "MCP server production-tracker"
        claims = ("only reads", "destroys nothing")
        ask(app, final(app, ("get_current_time", "{}")), origin=origin, claims=claims)
        shown = await drawn(app, pilot, 1.0)
        assert origin in shown
        assert "may change things" in shown
        said = " ".join(shown.replace("█", " ").split())
        assert "the server says: only reads, destroys nothing" in said
        for words in ("allow once", "in this conversation", "always, this tool", "by hand", "edit"):
            assert words in shown


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("D", Decision("deny", reason="adTsh*e a")),
        ("h", "adTsh*e a"),
        ("e", None),
    ],
)
async def test_what_is_typed_before_its_form_has_come_answers_nothing_and_is_not_lost(
    key: str, answer: Decision | str | None
) -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", "{}")))
        await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.pause()
        await burst(pilot, key, *"adTsh*e a")
        await drawn(app, pilot)
        assert answer_of(approval) is None
        shown = await drawn(app, pilot)
        assert "adTsh*e a" in shown
        await burst(pilot, "b", "ctrl+s")
        await drawn(app, pilot)
        decided = answer_of(approval)
        if isinstance(answer, Decision):
            assert decided == Decision("deny", reason=f"{answer.reason}b")
        elif answer is not None:
            assert decided is not None
            assert decided.answer is not None
            assert decided.answer.text == f"{answer}b"


async def test_the_keys_of_an_answer_are_in_sight_in_a_low_panel() -> None:
    async with running(size=(80, 17)) as (app, pilot):
        ask(app, final(app, ("book", "{}")), by_hand=True)
        shown = await drawn(app, pilot, 1.0)
        assert "Answer in place of the tool" in shown
        assert "ctrl+s submit" in shown


@pytest.mark.parametrize("width", [40, 52, 80])
async def test_every_key_of_an_answer_is_shown(width: int) -> None:
    async with running(size=(width, 40)) as (app, pilot):
        ask(app, final(app, ("book", "{}")), by_hand=True)
        shown = await drawn(app, pilot, 1.0)
        for words in ("ctrl+s submit", "ctrl+t as text", "ctrl+r told as a result", "escape close"):
            assert words in shown
        assert "may change things" not in shown


async def test_the_next_question_starts_its_own_moment() -> None:
    async with running() as (app, pilot):
        writing = final(app, ("one", "{}"), ("two", "{}"))
        first, second = ask(app, writing, 0), ask(app, writing, 1)
        assert "1 of 2" in await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("a")
        await drawn(app, pilot, 2.1)
        await pilot.press("a")
        await drawn(app, pilot)
        assert answer_of(first) == Decision("allow")
        assert answer_of(second) is None
        await drawn(app, pilot, 3.5)
        await pilot.press("a")
        await drawn(app, pilot)
        assert answer_of(second) == Decision("allow")


async def test_attending_opens_the_first_question_and_does_not_leave_an_open_one() -> None:
    async with running() as (app, pilot):
        writing = final(app, ("one", "{}"), ("two", "{}"), ("three", "{}"))
        await drawn(app, pilot)
        assert not app.panel.attend()
        first, second = ask(app, writing, 0), ask(app, writing, 1)
        assert app.panel.attend()
        await drawn(app, pilot, 1.0)
        assert chosen(app).model.name == "one"
        assert chosen(app).has_focus
        app.panel.focus_call("t1.c2")
        ask(app, writing, 2)
        assert app.panel.attend()
        await drawn(app, pilot, 2.0)
        assert chosen(app).model.name == "two"
        await drawn(app, pilot, 3.0)
        await pilot.press("a")
        await drawn(app, pilot, 3.1)
        assert (answer_of(first), answer_of(second)) == (None, Decision("allow"))
        assert chosen(app).model.name == "one"
        assert chosen(app).has_focus


async def test_all_are_allowed_only_when_all_are_listed() -> None:
    async with running(size=(100, 50)) as (app, pilot):
        writing = final(app, *((f"tool_{n}", "{}") for n in range(7)))
        approvals = [ask(app, writing, n) for n in range(7)]
        shown = await drawn(app, pilot, 1.0)
        assert "and 1 more" in shown
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("asterisk")
        await drawn(app, pilot)
        assert not any(map(answer_of, approvals))
        await pilot.press("a")
        assert "allow all 6" in await drawn(app, pilot, 3.0)
        await drawn(app, pilot, 4.0)
        await pilot.press("asterisk")
        await drawn(app, pilot)
        assert all(answer_of(approval) == Decision("allow") for approval in approvals)


async def test_a_reason_is_typed_and_told() -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", "{}")))
        await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("D")
        await drawn(app, pilot)
        await pilot.press(*"a bad day", "enter")
        await drawn(app, pilot)
        assert answer_of(approval) == Decision("deny", reason="a bad day")


async def test_an_answer_by_hand_is_the_first_thing_where_no_tool_runs() -> None:
    async with running() as (app, pilot):
        approval = ask(app, final(app, ("tool", "{}")), by_hand=True)
        shown = await drawn(app, pilot, 1.0)
        assert "Your answer is wanted" in shown
        assert "Answer in place of the tool" in shown
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("a", "h")
        await drawn(app, pilot)
        await pilot.press(*"[1", "ctrl+t", "ctrl+r", "ctrl+s")
        assert "not JSON" in await drawn(app, pilot)
        await pilot.press("]", "ctrl+s")
        await pilot.pause()
        answer = CallResult("t1.c1", (JsonContent("[1]"),), is_error=True, origin="person")
        assert answer_of(approval) == Decision("answer", answer=answer)


async def test_an_edited_run_is_asked_for_apart_and_keeps_what_the_model_wrote() -> None:
    async with running(size=(100, 40)) as (app, pilot):
        approval = ask(app, final(app, ("tool", '{"a": 1}')))
        await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("e")
        await drawn(app, pilot)
        await pilot.press("end", "backspace", "ctrl+s")
        assert "cannot be run" in await drawn(app, pilot)
        await pilot.press("backspace", *"2}", "ctrl+s")
        await drawn(app, pilot)
        (event,) = app.said
        assert (event.approval, event.text, event.tell) == (approval, '{"a": 2}', "edited")
        await drawn(app, pilot)
        app.panel.focus_chosen()
        await pilot.press("6")
        shown = await drawn(app, pilot)
        assert '-  "a": 1' in shown
        assert '+  "a": 2' in shown
        assert app.panel.models[0].raw == '{"a": 1}'


async def test_a_call_that_had_been_started_is_run_again_or_failed_never_simply_allowed() -> None:
    async with running() as (app, pilot):
        writing = final(app, ("tool", "{}"))
        app.panel.apply(CallChanged("t1.c1", CallState.UNKNOWN))
        approval = ask(app, writing, was_started=True)
        shown = await drawn(app, pilot, 1.0)
        for words in ("What became of this call?", "run again", "answer by hand", "mark as failed"):
            assert words in shown
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("s", "T", "e")
        assert answer_of(approval) is None
        await pilot.press("d")
        await drawn(app, pilot)
        assert answer_of(approval) == Decision("deny")


# -- hostile text, past calls, narrow screens --------------------------------------------------


async def test_nothing_hostile_reaches_the_terminal() -> None:
    async with running(recording=True, size=(110, 40)) as (app, pilot):
        hostile = json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False)
        writing = final(app, (HOSTILE, hostile), ("two", json.dumps({"a": HOSTILE})))
        writing.turn.calls[0].id = HOSTILE
        ask(app, writing, 0, reason=HOSTILE)
        await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("e")
        await drawn(app, pilot)
        await pilot.press("escape")
        result = CallResult("t1.c1", (TextContent(HOSTILE),), is_error=True)
        app.panel.apply(CallRan("t1.c1", 1.0, HOSTILE, HOSTILE, HOSTILE))
        app.panel.apply(CallAnswered("t1.c1", result))
        app.panel.apply(CallChanged("t1.c1", CallState.FAILED, HOSTILE))
        for key in "12345":
            await pilot.press(key)
            await drawn(app, pilot)
            await pilot.hover(CallCard)
        await drawn(app, pilot)
        assert "owned" in check(driver(app).written)


async def test_past_calls_come_back_as_lines_with_their_results() -> None:
    async with running() as (app, pilot):
        for number in range(1, 101):
            writing = Writing(f"t{number}")
            writing.open("0", f"tool_{number}", "c")
            writing.write("0", "{}")
            writing.close("0")
            writing.end()
            ref = f"t{number}.c1"
            result = CallResult(ref, (TextContent(f"result {number}"),))
            app.panel.show_past(writing.handle, {ref: CallState.RETURNED}, {ref: result})
        await drawn(app, pilot)
        assert len(app.panel.query(CallCard)) <= 90
        app.panel.focus_call("t3.c1")
        shown = await drawn(app, pilot)
        assert "result 3" in shown
        assert [card.model.ref for card in app.panel.query(CallCard)] == [
            f"t{number}.c1" for number in range(1, 101)
        ]
        await app.panel.clear()
        assert "No calls yet" in await drawn(app, pilot)


@pytest.mark.parametrize("width", [58, 80])
async def test_the_views_keep_their_names_beside_a_place_in_a_long_text(width: int) -> None:
    async with running(size=(width, 40)) as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        writing.open("0", "write_file", "c")
        writing.write("0", json.dumps({"items": [{"n": n} for n in range(1_000)]})[:-1])
        shown = await drawn(app, pilot)
        assert "5 result" in shown
        app.panel.focus_chosen()
        await pilot.press("home")
        shown = await drawn(app, pilot)
        assert "5 result" in shown
        assert ("End follows" in shown) == (width == 80)


async def test_an_edited_run_of_a_past_call_is_shown_against_what_the_model_wrote() -> None:
    async with running() as (app, pilot):
        writing = Writing()
        writing.open("0", "refund_order", "c")
        writing.write("0", '{"amount": 900}')
        writing.close("0")
        writing.end()
        result = CallResult("t1.c1", (TextContent("refunded"),))
        app.panel.show_past(
            writing.handle,
            {"t1.c1": CallState.RETURNED},
            {"t1.c1": result},
            {"t1.c1": Edit('{"amount": 9}', "edited")},
        )
        app.panel.focus_call("t1.c1")
        shown = await drawn(app, pilot)
        assert "edited before the run" in shown
        assert "= what was run" not in shown
        await pilot.press("6")
        shown = await drawn(app, pilot)
        assert '"amount": 900' in shown
        assert '"amount": 9' in shown.replace('"amount": 900', "")


@pytest.mark.parametrize("size", [(80, 24), (50, 16), (30, 10)])
async def test_the_panel_is_usable_on_a_narrow_screen(size: tuple[int, int]) -> None:
    async with running(size=size) as (app, pilot):
        writing = final(app, ("place_order", json.dumps({"a": list(range(50))})), ("two", "{}"))
        approval = ask(app, writing)
        await drawn(app, pilot, 1.0)
        await drawn(app, pilot, 2.0)
        app.panel.focus_chosen()
        await pilot.press("pagedown", "2", "4", "1", "a")
        shown = await drawn(app, pilot)
        assert all(len(line) <= size[0] for line in shown.splitlines())
        assert answer_of(approval) == Decision("allow")


async def test_tab_leaves_the_panel() -> None:
    async with running() as (app, pilot):
        final(app, ("one", "{}"), ("two", "{}"))
        await drawn(app, pilot)
        app.panel.focus_chosen()
        await pilot.press("tab")
        assert app.focused is app.query_one(Input)


async def test_a_layout_after_a_flush_does_not_take_its_time_for_that_of_later_arrivals() -> None:
    async with running() as (app, pilot):
        writing = Writing()
        app.panel.open_turn(writing.handle)
        begun = app.time.now
        writing.at = 1.0
        app.time.now = begun + 1.0
        writing.open("0", "tool", "c")
        writing.write("0", '{"a": ')
        app.panel.flush()  # Not laid out yet: nothing is drawn.
        writing.at = 3.0
        writing.write("0", "1")
        await pilot.pause()
        app.time.now = begun + 3.0
        app.panel.flush()
        card = app.panel.chosen
        assert card is not None
        assert card.model.clock.at(begun + 3.0) == 3.0
        assert card.model.clock.at(begun + 4.5) == 4.5
