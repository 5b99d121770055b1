"""Ordinary requests, in every dialect, through encoder, demo and reader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.demo.talking import (
    ALL,
    ORDER,
    asked,
    fails,
    read,
    returns,
    turns,
)
from tui.core.conversation import CallPart, TextPart, ThinkingPart
from tui.core.finalise import FinalCall
from tui.core.parts import LiveCall, LiveText, LiveThinking
from tui.core.reader import TurnReader
from tui.demo import MODEL
from tui.tools.contract import RunContext
from tui.tools.shop import shop

every_dialect = pytest.mark.parametrize("dialect", ALL)


def final(reader: TurnReader) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in reader.final_calls]


def prose(reader: TurnReader) -> str:
    return reader.turn.message().text


@every_dialect
def test_an_order_number_leads_to_thinking_prose_and_one_call(dialect: str) -> None:
    reader = read(dialect, "Where is my order A-4471?")
    assert [type(part) for part in reader.turn.parts] == [LiveThinking, LiveText, LiveCall]
    assert final(reader) == [("lookup_order", {"order_id": "A-4471"})]
    assert reader.turn.outcome == "complete"
    assert reader.turn.findings == []
    assert reader.turn.model == MODEL


@every_dialect
def test_the_answer_says_what_the_result_says(dialect: str) -> None:
    _, answer = turns(dialect, "Where is my order A-4471?", returns(ORDER))
    assert prose(answer) == (
        "Order **A-4471** is **shipped** with DHL (tracking JD014600004471)."
        " It should arrive on **3 December 2026**. In it: 1 × Moka pot, 6 cups."
    )
    assert answer.final_calls == ()


@every_dialect
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "delivered", "arrives": "2 May 2027"}, "It arrived on **2 May 2027**"),
        ({"carrier": "Pigeon Post"}, "with Pigeon Post"),
        ({"arrives": None}, "has no delivery date"),
    ],
)
def test_another_result_gives_another_answer(
    dialect: str, change: Mapping[str, object], words: str
) -> None:
    _, answer = turns(dialect, "Where is A-4471?", returns({**ORDER, **change}))
    assert words in prose(answer)
    assert "3 December" not in prose(answer) or "arrives" not in change


@every_dialect
def test_two_order_numbers_lead_to_two_calls_in_one_turn(dialect: str) -> None:
    reader = read(dialect, "Where are A-4471 and b1002?")
    assert final(reader) == [
        ("lookup_order", {"order_id": "A-4471"}),
        ("lookup_order", {"order_id": "B-1002"}),
    ]
    assert len({call.id for call in reader.final_calls}) == 2


@every_dialect
@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Search the orders for desk lamps", {"query": "desk lamp", "limit": 5}),
        ("find shipped orders", {"query": "", "status": "shipped", "limit": 5}),
        ("Look for the order of Łukasz Wójcik", {"query": "łukasz wójcik", "limit": 5}),
    ],
)
def test_a_search_takes_its_words_from_the_request(
    dialect: str, text: str, arguments: Mapping[str, object]
) -> None:
    assert final(read(dialect, text)) == [("search_orders", arguments)]


@every_dialect
def test_open_tickets_are_asked_for_without_any_argument_text(dialect: str) -> None:
    reader = read(dialect, "Which tickets are open?")
    assert final(reader) == [("list_open_tickets", {})]
    assert reader.turn.calls[0].buffer.text == ""


@every_dialect
def test_three_events_make_the_word_march_of_the_ticket_that_the_help_proposes(
    dialect: str,
) -> None:
    # The wire pane is tried out with it: whoever looks for the word finds something to see.
    reader = read(dialect, "File a ticket for A-4471: it moved from 3 March to 5 March")
    pieces = [fragment.text for fragment in reader.turn.calls[0].fragments]
    at = pieces.index("rc")
    assert pieces[at - 1].endswith("3 Ma")
    assert pieces[at + 1].startswith("h to 5")


@every_dialect
def test_a_ticket_is_long_and_full_of_escapes_and_other_scripts(dialect: str) -> None:
    reader = read(dialect, "File a ticket for A-4463: it moved from 3 March to 5 March")
    (call,) = reader.final_calls
    assert call.name == "create_ticket"
    assert isinstance(call.arguments, Mapping)
    assert call.arguments["order_id"] == "A-4463"
    assert call.arguments["summary"] == "Delivery moved from 3 March to 5 March"
    assert 500 <= len(call.arguments["description"]) <= 650
    for escape in (r"\n", r"\"", r"\\", r"\ud83d\ude80"):
        assert escape in call.raw
    for word in ("Ä", "北京", "📦", "🚀"):
        assert word in call.arguments["description"]


@every_dialect
def test_prose_only_answers_hold_a_list_code_and_a_table(dialect: str) -> None:
    reader = read(dialect, "Tell me about tool calls")
    assert [type(part) for part in reader.turn.parts] == [LiveText]
    for mark in ("\n1. ", "\n```json\n", "\n| --- |"):
        assert mark in prose(reader)


@every_dialect
def test_help_names_what_can_be_asked_and_that_it_is_a_script(dialect: str) -> None:
    text = prose(read(dialect, "help"))
    assert "no model" in text
    for request in ("bad json", "http 429", "cut clean", "two at once", "keepalive", "call NAME"):
        assert f"`{request}" in text


@every_dialect
def test_an_unknown_request_is_answered_honestly(dialect: str) -> None:
    text = prose(read(dialect, "What is the weather on Mars?"))
    assert "script" in text
    assert "`help`" in text


@every_dialect
def test_a_missing_tool_is_named_and_not_pretended(dialect: str) -> None:
    reader = read(dialect, "Where is A-4471?", tools=())
    assert reader.turn.calls == []
    assert "`lookup_order`" in prose(reader)


@every_dialect
def test_a_failed_call_is_told_as_failed(dialect: str) -> None:
    _, answer = turns(dialect, "Where is B-1002?", fails("There is no order 'B-1002'."))
    assert (
        prose(answer) == "`lookup_order` did not do it. It said:\n\n> There is no order 'B-1002'."
    )


@every_dialect
def test_a_denial_is_taken_politely_and_nothing_is_claimed(dialect: str) -> None:
    denied = fails("The user did not allow this call.")
    _, answer = turns(dialect, "File a ticket for A-4471", denied)
    assert "did not allow `create_ticket`" in prose(answer)
    assert "Done" not in prose(answer)


@every_dialect
def test_any_offered_tool_can_be_called_with_arguments_as_typed(dialect: str) -> None:
    typed = '{"order_id":"Ü-1",  "order_id2": 1e2}'
    reader = read(dialect, f"call lookup_order {typed}")
    assert reader.turn.calls[0].buffer.text == typed
    made_up = read(dialect, "call create_ticket")
    assert final(made_up) == [
        ("create_ticket", {n: n for n in ("order_id", "summary", "description", "priority")})
    ]


@every_dialect
@pytest.mark.parametrize("text", ["注文a4471はどこですか", "Wo bleibt A4471?", "¿a-4471?"])
def test_an_order_number_is_enough_in_any_language(dialect: str, text: str) -> None:
    assert final(read(dialect, text)) == [("lookup_order", {"order_id": "A-4471"})]


@every_dialect
def test_a_lone_surrogate_in_the_request_comes_back_as_it_was(dialect: str) -> None:
    reader = read(dialect, 'call lookup_order {"order_id": "half \ud83d"}')
    assert reader.turn.calls[0].buffer.text == '{"order_id": "half \ud83d"}'


@every_dialect
async def test_with_the_real_shop_every_everyday_request_ends_in_a_true_answer(
    dialect: str, tmp_path: Path
) -> None:
    tools = {tool.spec.name: tool for tool in shop(tmp_path).tools}
    specs = tuple(tool.spec for tool in tools.values())

    async def ask(text: str) -> str:
        (first, *_) = turns(dialect, text, tools=specs)
        texts = {}
        for call in first.final_calls:
            outcome = await tools[call.name].run(call, RunContext(call.ref))
            assert not outcome.is_error
            texts[call.ref] = outcome.content

        def stored(call: FinalCall) -> object:
            (content,) = texts[call.ref]
            return json.loads(content.raw)  # type: ignore[union-attr]

        *_, answer = turns(dialect, text, lambda c: returns(stored(c))(c), tools=specs)
        return prose(answer)

    assert "**shipped** with DHL" in await ask("Where is my order A-4471?")
    assert "| A-44" in await ask("Search the orders for lamps")
    filed = await ask("File a ticket for A-4471 about the new date in March")
    number = filed.split("**")[1]
    assert number.startswith("T-")
    listed = await ask("Which tickets are open?")
    assert f"| {number} | A-4471 | high | Delivery moved" in listed


@every_dialect
def test_token_counts_are_characters_divided_by_four(dialect: str) -> None:
    reader = read(dialect, "Where is my order A-4471?")
    written = sum(
        len(part.raw if isinstance(part, CallPart) else part.text)
        for part in reader.turn.message().parts
        if isinstance(part, CallPart | TextPart | ThinkingPart)
    )
    assert reader.turn.usage.output_tokens == -(-written // 4)
    body = asked(dialect, "Where is my order A-4471?").decode()
    assert reader.turn.usage.input_tokens == -(-len(body) // 4)
