"""What of a conversation may be sent: every call that goes back has exactly one result."""

from __future__ import annotations

from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ProviderItem,
    ResultsMessage,
    TextContent,
    TextPart,
    ThinkingPart,
    UserMessage,
)
from tui.core.history import sendable
from tui.core.states import CallState

ASKED = UserMessage((TextPart("go"),))


def call(ref: str, id: str | None = "c", state: CallState = CallState.FINAL) -> CallPart:
    return CallPart(ref, id, "read", "{}", state=state, problem="the text is not JSON")


def turn(*parts: object, dialect: str = "anthropic", outcome: str = "complete") -> AssistantMessage:
    return AssistantMessage(tuple(parts), dialect, outcome=outcome)  # type: ignore[arg-type]


def result(ref: str, text: str = "ok") -> CallResult:
    return CallResult(ref, (TextContent(text),))


def test_results_follow_their_turn_in_the_order_of_its_calls() -> None:
    said = turn(call("a", "1"), call("b", "2"))
    sent = sendable([ASKED, said, ResultsMessage((result("b"), result("a")))], "anthropic")
    assert sent.messages == (ASKED, said, ResultsMessage((result("a"), result("b"))))
    assert sent.call_ids == {"a": "1", "b": "2"}


def test_an_incomplete_call_is_not_sent_back_and_the_prose_beside_it_is() -> None:
    said = turn(TextPart("I will"), call("a", state=CallState.INCOMPLETE), outcome="incomplete")
    sent = sendable([ASKED, said], "anthropic")
    assert sent.messages[1:] == (turn(TextPart("I will"), outcome="incomplete"),)
    assert sent.notes == ("A call whose arguments were never complete is not sent back: read.",)


def test_a_turn_in_which_nothing_is_left_is_not_sent() -> None:
    said = turn(ThinkingPart("hm", "sig"), call("a", state=CallState.INCOMPLETE))
    assert sendable([ASKED, said], "anthropic").messages == (ASKED,)


def test_unsigned_thinking_of_a_broken_turn_is_left_out() -> None:
    said = turn(ThinkingPart("hm"), TextPart("so"), outcome="incomplete")
    kept = sendable([ASKED, said], "anthropic").messages[1]
    assert isinstance(kept, AssistantMessage)
    assert kept.parts == (TextPart("so"),)


def test_thinking_of_a_whole_turn_and_reasoning_items_stay() -> None:
    item = ProviderItem("openai-responses", "reasoning", "{}")
    for thinking in (ThinkingPart("hm"), ThinkingPart("", None, item)):
        said = turn(thinking, TextPart("so"))
        assert sendable([said], "anthropic").messages == (said,)


def test_a_call_without_a_result_gets_one_that_says_why() -> None:
    states = [CallState.INVALID, CallState.DENIED, CallState.CANCELLED, CallState.UNKNOWN]
    said = turn(*(call(str(n), str(n), state) for n, state in enumerate(states)))
    results = sendable([said], "anthropic").messages[1]
    assert isinstance(results, ResultsMessage)
    assert all(found.is_error and found.origin == "client" for found in results.results)
    assert [found.text for found in results.results] == [
        "The call was not run: the text is not JSON. Correct the arguments and call the tool again.",
        "The user did not allow this call.",
        "The call was cancelled before it returned.",
        "The client stopped while the tool was running; whether it took effect is unknown.",
    ]


def test_a_second_result_and_an_orphan_are_dropped() -> None:
    said = turn(call("a", "1"))
    sent = sendable(
        [said, ResultsMessage((result("a"), result("ghost"))), ResultsMessage((result("a", "2"),))],
        "anthropic",
    )
    assert sent.messages == (said, ResultsMessage((result("a"),)))


def test_calls_of_other_choices_are_not_sent_back() -> None:
    said = turn(call("a", "1"), CallPart("b", "2", "read", "{}", state=CallState.FINAL, choice=1))
    kept = sendable([said], "openai-chat").messages[0]
    assert isinstance(kept, AssistantMessage)
    assert [part.ref for part in kept.calls] == ["a"]


def test_missing_and_repeated_ids_get_ids_of_their_own() -> None:
    said = turn(call("t1.c1", None), call("t1.c2", "x"), call("t1.c3", "x"))
    assert sendable([said], "anthropic").call_ids == {
        "t1.c1": "call_t1_c1",
        "t1.c2": "x",
        "t1.c3": "x_2",
    }


def test_ids_of_the_same_dialect_go_back_as_they_came_even_where_only_unique_in_a_turn() -> None:
    first = turn(call("t1.c1", "functions.read:0"), dialect="openai-chat")
    second = turn(call("t2.c1", "functions.read:0"), dialect="openai-chat")
    sent = sendable([first, second], "openai-chat")
    assert set(sent.call_ids.values()) == {"functions.read:0"}


def test_foreign_ids_are_made_legal_and_unique_for_the_dialect_they_go_to() -> None:
    first = turn(call("t1.c1", "functions.read:0"), dialect="openai-chat")
    second = turn(call("t2.c1", "functions.read:0"), dialect="openai-chat")
    assert sendable([first, second], "anthropic").call_ids == {
        "t1.c1": "functions_read_0",
        "t2.c1": "functions_read_0_2",
    }
