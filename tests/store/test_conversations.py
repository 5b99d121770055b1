from __future__ import annotations

import sqlite3
from itertools import count
from pathlib import Path

import pytest

from tests.store.making import begin_exchange, new_call, new_result
from tui.core.errors import StoreError
from tui.core.states import CallState
from tui.store import Store

HALF = "\ud83d"


def say(store: Store, conversation: str, parent: str | None, text: str, **more: object) -> str:
    return store.add_message(
        conversation,
        parent=parent,
        role="user",
        body=text,
        plain=text,
        **more,  # type: ignore[arg-type]
    )


def test_path_leads_from_the_first_message_to_the_head(store: Store) -> None:
    conversation = store.create_conversation()
    assert store.path(conversation) == []
    first = say(store, conversation, None, "one")
    second = say(store, conversation, first, "two")
    assert [m.body for m in store.path(conversation)] == ["one", "two"]
    assert [m.body for m in store.path(conversation, head=first)] == ["one"]
    assert store.conversation(conversation).head == second


def test_a_message_sent_again_from_an_earlier_turn_is_a_branch_and_the_old_one_stays(
    store: Store,
) -> None:
    conversation = store.create_conversation()
    root = say(store, conversation, None, "root")
    old = say(store, conversation, root, "old")
    leaf = say(store, conversation, old, "old answer")
    new = say(store, conversation, root, "new")
    assert [m.body for m in store.path(conversation)] == ["root", "new"]
    assert [m.id for m in store.children(conversation, root)] == [old, new]
    assert [m.id for m in store.children(conversation, None)] == [root]
    store.set_head(conversation, store.newest_leaf(old))
    assert [m.id for m in store.path(conversation)] == [root, old, leaf]
    assert store.newest_leaf(root) == new


def test_a_message_beside_the_head_can_be_stored_without_going_there(store: Store) -> None:
    conversation = store.create_conversation()
    root = say(store, conversation, None, "root")
    say(store, conversation, root, "aside", make_head=False)
    assert store.conversation(conversation).head == root


def test_path_of_one_conversation_never_shows_messages_of_another(store: Store) -> None:
    ours, theirs = store.create_conversation(), store.create_conversation()
    foreign = say(store, theirs, None, "theirs")
    assert store.path(ours, head=foreign) == []


def test_every_field_survives_half_a_surrogate_pair_and_nul(store: Store) -> None:
    odd = f"a\0{HALF}é"
    conversation = store.create_conversation(
        title=odd, endpoint=odd, dialect=odd, model=odd, settings=odd, tags=[odd]
    )
    call = new_call(
        raw=odd, name=odd, wire_id=odd, key=odd, problem=odd, other_text=odd, kind="custom"
    )
    message = say(store, conversation, None, odd, calls=[call])
    stored = store.conversation(conversation)
    assert [stored.title, stored.endpoint, stored.dialect] == [odd] * 3
    assert [stored.model, stored.settings, *stored.tags] == [odd] * 3
    assert store.message(message).body == odd
    (found,) = store.calls(conversation)
    texts = (found.raw, found.name, found.wire_id, found.key, found.problem, found.other_text)
    assert texts == (odd,) * 6
    assert store.begin_dispatch(conversation, "t1.c1", policy=odd)
    assert store.dispatches(conversation)[0].policy == odd
    store.end_dispatch(conversation, "t1.c1", "returned", result=new_result(odd, body=odd))
    assert store.results(conversation)["t1.c1"].body == odd


def test_calls_are_stored_with_their_message_and_keep_their_order(store: Store) -> None:
    conversation = store.create_conversation()
    message = say(
        store,
        conversation,
        None,
        "I will look.",
        calls=[new_call("t1.c2", ordinal=0), new_call("t1.c1", ordinal=1, raw="{")],
    )
    assert [call.ref for call in store.calls(conversation, message)] == ["t1.c2", "t1.c1"]
    assert store.calls(conversation)[1].raw == "{"
    found = store.call(conversation, "t1.c2")
    assert found is not None
    assert (found.message, found.state, found.fragments) == (message, CallState.FINAL, 3)
    assert store.call(conversation, "t9.c9") is None


def test_a_call_saved_again_replaces_what_was_stored_under_its_ref(store: Store) -> None:
    conversation = store.create_conversation()
    store.save_call(conversation, new_call(state=CallState.FORMING, raw='{"ci'))
    store.save_call(conversation, new_call(raw='{"city":"Oslo"}'))
    assert [(c.raw, c.state) for c in store.calls(conversation)] == [
        ('{"city":"Oslo"}', CallState.FINAL)
    ]


def test_a_call_of_one_message_is_not_replaced_by_one_of_another_with_the_same_ref(
    store: Store,
) -> None:
    """Two windows on one conversation may both count to t1.c1; neither message is lost."""
    conversation = store.create_conversation()
    first = say(store, conversation, None, "one", calls=[new_call(raw='{"a":1}')])
    second = say(store, conversation, None, "two", calls=[new_call(raw='{"b":2}')])
    assert [(c.message, c.raw) for c in store.calls(conversation)] == [(first, '{"a":1}')]
    assert [m.id for m in store.children(conversation, None)] == [first, second]


def test_conversations_are_listed_newest_first_with_pinned_ones_before(path: Path) -> None:
    ticks = count(1_000.0)
    with Store.open(path, clock=lambda: next(ticks)) as store:
        first, second, third = (store.create_conversation(title=t) for t in "bca")
        say(store, first, None, "news")
        assert [c.id for c in store.list_conversations()] == [first, third, second]
        store.pin(second)
        assert [c.id for c in store.list_conversations()] == [second, first, third]
        assert [c.id for c in store.list_conversations(order="created")] == [second, third, first]
        assert [c.id for c in store.list_conversations(order="title")] == [second, third, first]
        assert [c.id for c in store.list_conversations(limit=1, offset=1)] == [first]
        store.pin(second, False)
        assert store.list_conversations()[2].id == second


def test_the_list_is_narrowed_by_words_of_the_title_and_tags(store: Store) -> None:
    trip = store.create_conversation(title="Trip to Paris 100%", tags=["été"])
    work = store.create_conversation(title="Work_log")
    store.tag(work, ["code", "tui"])
    found = {q: [c.id for c in store.list_conversations(q)] for q in ("paris trip", "0%", "_", "%")}
    assert found == {"paris trip": [trip], "0%": [trip], "_": [work], "%": [trip]}
    assert [c.id for c in store.list_conversations("tui")] == [work]
    assert [c.id for c in store.list_conversations("été")] == [trip]
    assert store.conversation(work).tags == ("code", "tui")


def test_a_deleted_conversation_is_in_no_list_until_it_is_undeleted(store: Store) -> None:
    conversation = store.create_conversation(title="Trip")
    store.delete(conversation)
    assert (store.list_conversations(), store.search("Trip")) == ([], [])
    assert [c.id for c in store.list_conversations(deleted=True)] == [conversation]
    assert (store.count_conversations(), store.count_conversations(deleted=True)) == (0, 1)
    store.undelete(conversation)
    assert [c.id for c in store.list_conversations()] == [conversation]
    assert len(store.search("Trip")) == 1


def test_purging_removes_every_row_and_every_byte_of_it(path: Path) -> None:
    mark = "Zanzibar"
    with Store.open(path) as store:
        kept = store.create_conversation(title="kept")
        gone = store.create_conversation(title=mark)
        for conversation in (kept, gone):
            exchange = begin_exchange(store, conversation)
            store.append_chunk(exchange, 0.1, mark.encode() if conversation == gone else b"kept")
            store.end_exchange(exchange, "complete")
            say(store, conversation, None, mark if conversation == gone else "kept")
            store.save_call(conversation, new_call())
            store.begin_dispatch(conversation, "t1.c1")
            store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
        store.purge(gone)
        assert store.flush()
        assert [c.id for c in store.list_conversations()] == [kept]
    with sqlite3.connect(path) as connection:
        for table in ("messages", "exchanges", "chunks", "calls", "dispatches", "results"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,), table
    connection.close()
    assert mark.encode() not in path.read_bytes()


def test_purging_the_deleted_leaves_what_was_deleted_lately(path: Path) -> None:
    now = [1.0]
    with Store.open(path, clock=lambda: now[0]) as store:
        old, new = store.create_conversation(), store.create_conversation()
        store.delete(old)
        now[0] = 20.0
        store.delete(new)
        store.purge_deleted(before=15.0)
        assert [c.id for c in store.list_conversations(deleted=True)] == [new]


def test_renaming_and_configuring_change_only_what_is_named(store: Store) -> None:
    conversation = store.create_conversation(title="old name", model="a", endpoint="e")
    store.rename(conversation, "new name")
    store.configure(conversation, model="b", settings='{"system":"x"}')
    stored = store.conversation(conversation)
    assert (stored.title, stored.model, stored.endpoint) == ("new name", "b", "e")
    assert stored.settings == '{"system":"x"}'
    assert [hit.title for hit in store.search("name")] == ["new name"]


def test_what_does_not_exist_is_said_by_its_id(store: Store) -> None:
    with pytest.raises(StoreError, match="no conversation has the id 'x'"):
        store.conversation("x")
    with pytest.raises(StoreError, match="no message has the id 'x'"):
        store.message("x")
    with pytest.raises(StoreError, match="no exchange has the id 'x'"):
        store.exchange("x")


def test_another_window_sees_what_this_one_wrote(path: Path) -> None:
    with Store.open(path) as one, Store.open(path) as two:
        before = two.data_version()
        conversation = one.create_conversation(title="Trip")
        assert one.flush()
        assert two.data_version() != before
        assert [c.id for c in two.list_conversations()] == [conversation]
        two.rename(conversation, "Journey")
        assert two.flush()
        assert one.conversation(conversation).title == "Journey"
