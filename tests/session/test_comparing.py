"""Two branches side by side, over the real store."""

from __future__ import annotations

from tests import wire
from tests.session.test_branching import by_hand, looked
from tests.session.test_session import Stage
from tests.wire import Reply
from tui.core.codec import encode_message
from tui.core.conversation import TextPart, UserMessage
from tui.core.states import CallState
from tui.session.branching import replace_result
from tui.session.comparing import Branch, compare
from tui.store import Store


def said(store: Store, conversation: str, parent: str | None, *texts: str) -> str:
    for text in texts:
        body = encode_message(UserMessage((TextPart(text),)))
        parent = store.add_message(conversation, parent=parent, role="user", body=body)
    assert parent is not None
    return parent


async def test_turns_stand_beside_turns_from_where_the_branches_part() -> None:
    stage = Stage(Reply([wire.prose_turn("one")]), Reply([wire.prose_turn("two")]))
    await stage.run("first")
    await stage.run("second")
    store, conversation = stage.store, stage.conversation
    old = store.path(conversation)
    other = said(store, conversation, old[1].id, "another second")
    found = compare(store, Branch(conversation, old[-1].id), Branch(conversation, other))
    assert found.common == 2
    texts = [tuple(None if side is None else side.text for side in row) for row in found.rows]
    assert texts == [("second", "another second"), ("two", None)]


async def test_a_call_with_another_result_stands_beside_itself() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    old = store.path(conversation)[-1].id
    new = replace_result(store, conversation, "t1.c2", by_hand("lost"))
    found = compare(store, Branch(conversation, old), Branch(conversation, new))
    assert found.common == 1
    (left, right), _ = found.rows
    assert left is not None
    assert right is not None
    assert [call.name for call in left.calls] == ["look", "look"]
    assert [call.state for call in left.calls] == [CallState.RETURNED] * 2
    assert [call.digest for call in left.calls] == [call.digest for call in right.calls]
    results = [
        [None if call.result is None else call.result.text for call in side.calls]
        for side in (left, right)
    ]
    assert results == [["found 1", "found 2"], ["found 1", "lost"]]


def test_a_prompt_waits_for_a_prompt_where_one_side_has_more_turns() -> None:
    store = Store.memory()
    one, other = store.create_conversation(), store.create_conversation()
    left = said(store, one, None, "a", "b")
    right = said(store, other, None, "a", "c", "d")
    found = compare(store, Branch(one, left), Branch(other, right))
    assert found.common == 1
    texts = [tuple(None if side is None else side.text for side in row) for row in found.rows]
    assert texts == [("b", "c"), (None, "d")]


def test_a_branch_is_the_same_as_itself() -> None:
    store = Store.memory()
    conversation = store.create_conversation()
    head = said(store, conversation, None, "a", "b")
    found = compare(store, Branch(conversation, head), Branch(conversation, head))
    assert (found.common, found.rows) == (2, ())
