from __future__ import annotations

import pytest

from tests.store.making import new_call, new_result
from tui.store import Hit, Store
from tui.store.codec import INDEXED_CHARACTERS


@pytest.fixture
def conversation(store: Store) -> str:
    """Prose, a call and its result."""
    conversation = store.create_conversation(title="Trip to Japan")
    message = store.add_message(
        conversation,
        parent=None,
        role="assistant",
        body="{}",
        plain="Let me look up the forecast for 東京都庁 and foo_bar.",
        calls=[new_call(raw='{"city":"S\\u00e3o Paulo","path":"/src/main.py"}')],
    )
    assert message
    store.begin_dispatch(conversation, "t1.c1")
    store.end_dispatch(conversation, "t1.c1", "returned", result=new_result('It is "22" degrees'))
    return conversation


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("japan", ["title"]),
        ("FORECAST", ["prose"]),
        ("orecas", ["prose"]),
        ("東京都", ["prose"]),
        ("東京", ["prose"]),
        ("o_b", ["prose"]),
        ("são paulo", ["arguments"]),
        ("/main.py", ["arguments"]),
        ("get_weather", ["arguments"]),
        ("degrees 22", ["result"]),
        ('"22" deg', ["result"]),
        ("look forecast", ["prose"]),
        ('"look forecast"', []),
        ("forecast degrees", []),
        ("absent", []),
        ("", []),
        ("  \0 ", []),
        ("\ud83d", []),
    ],
)
def test_every_word_is_found_wherever_it_stands_in_one_text(
    store: Store, conversation: str, query: str, kinds: list[str]
) -> None:
    assert [hit.kind for hit in store.search(query)] == kinds


@pytest.mark.parametrize(
    "query",
    [
        "look NOT absent",
        "NOT x",
        "text:look",
        "loo*",
        "look OR absent",
        "(",
        "NEAR(look up)",
        "'",
        "%%%",
        "___",
    ],
)
def test_the_query_is_words_and_never_a_language(
    store: Store, conversation: str, query: str
) -> None:
    assert store.search(query) == []


def test_a_hit_names_the_call_and_shows_what_stands_around_the_match(
    store: Store, conversation: str
) -> None:
    (call,) = store.calls(conversation)
    assert store.search("paulo") == [
        Hit(
            conversation=conversation,
            title="Trip to Japan",
            kind="arguments",
            message=call.message,
            call_ref="t1.c1",
            before='get_weather {"city": "São ',
            match="Paulo",
            after='", "path": "/src/main.py"}',
        )
    ]


def test_hits_come_newest_first_and_can_be_narrowed(store: Store, conversation: str) -> None:
    other = store.create_conversation(title="Japan again")
    assert [hit.conversation for hit in store.search("japan")] == [other, conversation]
    assert [hit.conversation for hit in store.search("japan", limit=1, offset=1)] == [conversation]
    assert [h.title for h in store.search("japan", conversation=other)] == ["Japan again"]
    assert store.search("japan", kinds=["prose", "result"]) == []


def test_a_call_saved_again_is_found_by_its_new_text_only(store: Store) -> None:
    conversation = store.create_conversation()
    store.save_call(conversation, new_call(raw='{"city":"Rome'))
    store.save_call(conversation, new_call(raw='{"city":"Oslo"}'))
    assert store.search("Rome") == []
    assert len(store.search("Oslo")) == 1


def test_of_a_huge_text_the_beginning_is_indexed(store: Store) -> None:
    conversation = store.create_conversation()
    text = "start " + "x" * INDEXED_CHARACTERS + " finish"
    store.add_message(conversation, parent=None, role="user", body="{}", plain=text)
    assert len(store.search("start")) == 1
    assert store.search("finish") == []
