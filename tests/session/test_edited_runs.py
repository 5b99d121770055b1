"""Arguments that a person changed before a run: a record of its own, kept and shown again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests import wire
from tests.session.test_session import Stage, two_chunks
from tui.core.states import CallState
from tui.session.doctor import examine
from tui.session.portable import as_json
from tui.session.portable.importing import store_whole
from tui.session.portable.whole import gather
from tui.session.resume import resume
from tui.session.updates import ApprovalAsked, Decision, Tell
from tui.store import Edit, Store
from tui.tools.policy import Policy

MODELS = '{"id": "A-1"}'
EDITED = '{"id": "\\ud83d-2"}'
"""With half a surrogate pair, which has to survive too."""


async def edited(text: str, tell: Tell) -> Stage:
    """A turn with one call, of which a person makes `text`; run to its end."""
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "toolu_1", "look", MODELS))),
        two_chunks(wire.prose_turn("I see.")),
        policy=Policy(mode="none"),
    )
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(
        Decision("edit", edited=text, tell=tell)
    )
    assert await stage.run() == "done"
    stage.store.flush(5.0)
    return stage


def result_sent(stage: Stage) -> Any:
    assert MODELS.encode() in stage.source.requests[1].body
    return stage.source.sent(1)["messages"][2]["content"][0]


async def test_the_edited_arguments_run_and_the_model_is_told_while_its_own_text_goes_back() -> (
    None
):
    stage = await edited(EDITED, "edited")
    assert stage.desk.ran == [{"id": "\ud83d-2"}]
    assert "The user changed the arguments" in json.dumps(result_sent(stage))
    (dispatch,) = stage.store.dispatches(stage.conversation)
    assert (dispatch.edit, dispatch.outcome) == (Edit(EDITED, "edited"), "returned")
    assert examine(stage.store, stage.conversation) == []


async def test_a_run_for_the_person_alone_is_in_the_ledger_and_the_call_is_denied() -> None:
    stage = await edited(EDITED, "denied")
    assert stage.desk.ran == [{"id": "\ud83d-2"}]
    assert "did not allow" in json.dumps(result_sent(stage))
    (dispatch,) = stage.store.dispatches(stage.conversation)
    assert (dispatch.edit, dispatch.outcome) == (Edit(EDITED, "denied"), "returned")
    assert dispatch.aside
    (call,) = stage.store.calls(stage.conversation)
    assert (call.raw, call.state) == (MODELS, CallState.DENIED)
    assert examine(stage.store, stage.conversation) == []


@pytest.mark.parametrize("tell", ["edited", "denied"])
async def test_an_edit_is_there_when_the_conversation_is_opened_again(tell: Tell) -> None:
    stage = await edited(EDITED, tell)
    resumed = resume(stage.store, stage.conversation)
    assert resumed.edits == {"t1.c1": Edit(EDITED, tell)}
    assert resumed.pending is None


async def test_arguments_that_cannot_run_are_no_start() -> None:
    stage = await edited('{"id": 5}', "denied")
    assert stage.desk.ran == []
    assert stage.store.dispatches(stage.conversation) == []
    assert "Nothing was run" in json.dumps(result_sent(stage))


async def test_a_run_for_the_person_alone_that_is_cancelled_has_its_end_in_the_ledger() -> None:
    stage = Stage(
        two_chunks(wire.call_turn(wire.call(1, "toolu_1", "look", MODELS))),
        policy=Policy(mode="none"),
    )
    stage.desk.hold = asyncio.Event()
    stage.on[ApprovalAsked] = lambda asked: asked.approval.decide(
        Decision("edit", edited=EDITED, tell="denied")
    )
    running = asyncio.create_task(stage.run())
    await stage.desk.entered.wait()
    stage.session.cancel()
    assert await running == "cancelled"
    stage.store.flush(5.0)
    (dispatch,) = stage.store.dispatches(stage.conversation)
    assert dispatch.outcome == "cancelled"
    (call,) = stage.store.calls(stage.conversation)
    assert call.state is CallState.CANCELLED
    assert examine(stage.store, stage.conversation) == []


async def test_an_edit_comes_along_with_an_export() -> None:
    stage = await edited(EDITED, "denied")
    exported = as_json.write(gather(stage.store, stage.conversation))
    other = Store.memory()
    conversation = store_whole(other, as_json.read(json.loads(exported)))
    other.flush(5.0)
    assert [each.edit for each in other.dispatches(conversation)] == [Edit(EDITED, "denied")]
    assert examine(other, conversation) == []
