from __future__ import annotations

from tests.store.making import begin_exchange, new_call, with_call
from tui.store import Store


def test_figures_count_calls_and_response_bytes_of_each_conversation(store: Store) -> None:
    one, two, empty = with_call(store), with_call(store), store.create_conversation()
    store.save_call(one, new_call("t1.c2"))
    for size in (3, 4):
        exchange = begin_exchange(store, one)
        store.append_chunk(exchange, 0.0, b"x" * size)
        store.append_chunk(exchange, 0.1, b"y")
        store.end_exchange(exchange, "complete")
    assert store.figures([one, two, empty]) == {one: (2, 9), two: (1, 0)}
    assert store.figures([one]) == {one: (2, 9)}
    assert store.figures([]) == {}


def test_an_exchange_that_still_arrives_is_counted_anew(store: Store) -> None:
    conversation = store.create_conversation()
    exchange = begin_exchange(store, conversation)
    for total in (1, 2, 3):
        store.append_chunk(exchange, total / 10, b"x")
        assert store.figures([conversation]) == {conversation: (0, total)}
