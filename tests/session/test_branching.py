"""Branches over the real store: another way on from any message, and nothing of the old one lost."""

from __future__ import annotations

import pytest

from tests import wire
from tests.session.test_session import Stage
from tests.wire import Reply
from tui.core.codec import decode_message, encode_message
from tui.core.conversation import (
    CallResult,
    ImagePart,
    ResultsMessage,
    TextContent,
    TextPart,
    UserMessage,
)
from tui.core.errors import UsageError
from tui.core.states import CallState
from tui.session.branching import (
    ROOT,
    Shape,
    branch_point,
    go_to,
    last_of,
    prompt_anew,
    regenerate,
    replace_result,
    shape_of,
    switch,
)
from tui.session.resume import resume
from tui.store import MessageNode, Store

LOOKS = wire.call_turn(
    wire.call(1, "a", "look", '{"id": "1"}'), wire.call(2, "b", "look", '{"id": "2"}')
)


async def looked() -> Stage:
    """A prompt, a turn with two calls, their results, and the answer."""
    stage = Stage(Reply([LOOKS]), Reply([wire.prose_turn("There.")]))
    await stage.run("where?")
    return stage


def roles(store: Store, conversation: str, head: str | None = None) -> list[str]:
    return [message.role for message in store.path(conversation, head)]


def by_hand(text: str) -> CallResult:
    return CallResult("", (TextContent(text),), origin="person")


async def test_a_turn_is_asked_for_again_from_what_stood_before_it() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    *_, results, answer = store.path(conversation)
    assert regenerate(store, conversation, answer.id) == results.id
    assert store.conversation(conversation).head == results.id
    assert store.message(answer.id).body == answer.body
    assert roles(store, conversation, answer.id) == ["user", "assistant", "results", "assistant"]


async def test_a_prompt_is_asked_again_from_itself() -> None:
    stage = await looked()
    prompt = stage.store.path(stage.conversation)[0]
    assert regenerate(stage.store, stage.conversation, prompt.id) == prompt.id


def test_a_turn_with_nothing_before_it_is_not_asked_for_again() -> None:
    store = Store.memory()
    conversation = store.create_conversation()
    turn = store.add_message(conversation, parent=None, role="assistant", body="{}")
    with pytest.raises(UsageError, match="nothing was asked"):
        regenerate(store, conversation, turn)


def test_a_prompt_sent_anew_keeps_its_images_and_goes_beside_the_old_one() -> None:
    store = Store.memory()
    conversation = store.create_conversation()
    picture = ImagePart("image/png", b"\x89PNG")
    first = UserMessage((TextPart("what is this?"), picture))
    old = store.add_message(conversation, parent=None, role="user", body=encode_message(first))
    anew = prompt_anew(store, old)
    assert (anew.head, anew.text, anew.images) == (ROOT, "what is this?", (picture,))


async def test_a_turn_is_no_prompt_to_edit() -> None:
    stage = await looked()
    turn = stage.store.path(stage.conversation)[1]
    with pytest.raises(UsageError, match="only a prompt"):
        prompt_anew(stage.store, turn.id)


async def test_another_result_keeps_the_other_results_and_the_old_branch() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    old = store.path(conversation)
    head = replace_result(store, conversation, "t1.c2", by_hand("lost"))
    message = decode_message(store.message(head).body)
    assert isinstance(message, ResultsMessage)
    assert [(each.call, each.text) for each in message.results] == [
        ("t1.c1", "found 1"),
        ("t1.c2", "lost"),
    ]
    assert store.message(head).parent == old[1].id
    assert store.path(conversation, old[-1].id) == old


async def test_results_given_one_after_the_other_add_up_on_their_branch() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    replace_result(store, conversation, "t1.c2", by_hand("lost"))
    head = replace_result(store, conversation, "t1.c1", by_hand("stolen"))
    message = decode_message(store.message(head).body)
    assert isinstance(message, ResultsMessage)
    assert [each.text for each in message.results] == ["stolen", "lost"]


async def test_a_branch_is_read_back_with_its_own_results() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    old = store.path(conversation)[-1].id
    head = replace_result(store, conversation, "t1.c2", by_hand("lost"))
    assert resume(store, conversation).results["t1.c2"].text == "lost"
    assert resume(store, conversation).states["t1.c2"] is CallState.RETURNED
    assert resume(store, conversation, head=old).results["t1.c2"].text == "found 2"
    assert store.conversation(conversation).head == head


async def test_another_result_is_found_by_the_search() -> None:
    stage = await looked()
    head = replace_result(stage.store, stage.conversation, "t1.c2", by_hand("a unicorn ate it"))
    (hit,) = stage.store.search("unicorn")
    assert hit.message == head


async def test_a_call_that_was_never_complete_gets_no_result() -> None:
    broken = wire.start() + wire.call(0, "a", "look", '{"id"', closed=False)
    stage = Stage(Reply([broken]))
    await stage.run("where?")
    with pytest.raises(UsageError, match="never complete"):
        replace_result(stage.store, stage.conversation, "t1.c1", by_hand("x"))
    with pytest.raises(UsageError, match=r"no call .t7\.c1"):
        replace_result(stage.store, stage.conversation, "t7.c1", by_hand("x"))


async def test_refs_stay_unique_over_all_branches() -> None:
    stage = Stage(Reply([LOOKS]), Reply([wire.prose_turn("There.")]), Reply([LOOKS]))
    await stage.run("where?")
    prompt = stage.store.path(stage.conversation)[0].id
    resumed = resume(stage.store, stage.conversation, head=prompt)
    again = Stage(Reply([LOOKS]), Reply([wire.prose_turn("Here.")]))
    again.session._journal = resumed.journal
    again.calls.journal = resumed.journal
    await again.run("and now?")
    refs = [call.ref for call in stage.store.calls(stage.conversation)]
    assert refs == ["t1.c1", "t1.c2", "t3.c1", "t3.c2"]


async def test_going_on_behind_a_turn_with_calls_is_behind_its_results() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    _, turn, results, answer = store.path(conversation)
    assert branch_point(store, conversation, turn.id, answer.id) == results.id
    assert branch_point(store, conversation, answer.id, answer.id) == answer.id
    other = replace_result(store, conversation, "t1.c1", by_hand("gone"))
    assert branch_point(store, conversation, turn.id, answer.id) == results.id
    assert branch_point(store, conversation, turn.id, other) == other


def tree(*rows: tuple[str, str | None, str]) -> Shape:
    return Shape(MessageNode(id, parent, role, None) for id, parent, role in rows)  # type: ignore[arg-type]


def test_branches_part_where_messages_have_the_same_parent() -> None:
    shape = tree(
        ("u1", None, "user"),
        ("a1", "u1", "assistant"),
        ("u2", "a1", "user"),
        ("a2", "u1", "assistant"),
        ("a3", "u1", "assistant"),
    )
    found = shape.alternatives("a2")
    assert (found.ids, found.place) == (("a1", "a2", "a3"), 1)
    assert not shape.alternatives("u2").several
    assert list(shape.forks("u2")) == ["a1"]


def test_what_follows_other_results_is_a_branch_of_the_answer() -> None:
    shape = tree(
        ("u1", None, "user"),
        ("a1", "u1", "assistant"),
        ("r1", "a1", "results"),
        ("a2", "r1", "assistant"),
        ("r2", "a1", "results"),
        ("a3", "r2", "assistant"),
        ("a4", "r1", "assistant"),
        ("r3", "a1", "results"),
    )
    assert shape.alternatives("a3").ids == ("a2", "a3", "a4", "r3")
    assert shape.alternatives("a3").place == 1
    assert list(shape.forks("a4")) == ["a4"]


async def test_switching_goes_round_and_stays_where_it_went() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    answer = store.path(conversation)[-1]
    other = store.add_message(conversation, parent=answer.parent, role="assistant", body="{}")
    deeper = store.add_message(conversation, parent=other, role="user", body="{}")
    assert switch(store, conversation, other, 1) == answer.id
    assert store.conversation(conversation).head == answer.id
    assert switch(store, conversation, answer.id, -1) == deeper
    with pytest.raises(UsageError, match="no other branch"):
        switch(store, conversation, deeper, 1)


async def test_going_to_a_message_keeps_the_branch_that_is_open_when_it_lies_on_it() -> None:
    stage = await looked()
    store, conversation = stage.store, stage.conversation
    prompt, turn, _, answer = store.path(conversation)
    other = replace_result(store, conversation, "t1.c1", by_hand("gone"))
    assert go_to(store, conversation, prompt.id) == other
    assert go_to(store, conversation, answer.id) == answer.id
    assert go_to(store, conversation, turn.id) == answer.id


async def test_the_last_of_a_role_is_that_of_the_path() -> None:
    stage = await looked()
    path = shape_of(stage.store, stage.conversation).path(
        stage.store.conversation(stage.conversation).head
    )
    assert last_of(path, "assistant") == path[-1].id
    assert last_of(path[:2], "assistant") == path[1].id
    with pytest.raises(UsageError, match="nothing to go back to"):
        last_of([], "user")


async def test_a_first_prompt_sent_anew_keeps_the_title() -> None:
    stage = await looked()
    stage.store.rename(stage.conversation, "my title")
    journal = resume(stage.store, stage.conversation, head=ROOT).journal
    journal.add_message(UserMessage((TextPart("something else"),)))
    assert stage.store.conversation(stage.conversation).title == "my title"


def test_what_stood_below_a_lost_message_stands_first() -> None:
    nodes = [
        MessageNode("a", "lost", "user", None),
        MessageNode("b", "a", "assistant", None),
    ]
    shape = Shape(nodes)
    assert [node.id for node in shape.path("b")] == ["a", "b"]
    assert shape.alternatives("a").ids == ("a",)
