from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.making import (
    Connections,
    FullDisk,
    Troubles,
    hold_lock,
    new_call,
    new_result,
    with_call,
)
from tui.core.errors import StoreError
from tui.core.states import CallState
from tui.store import Store, StoreUnusable
from tui.store.ledger import Outcome

RACER = """
import sys
from pathlib import Path
from tui.store import Store
store = Store.open(Path(sys.argv[1]), patience=60)
print("ready", flush=True)
sys.stdin.readline()
print(sum(store.begin_dispatch(sys.argv[2], f"t1.c{n}", policy="race") for n in range(20)))
sys.stdin.readline()
store.close()
"""


def state_of(store: Store, conversation: str) -> CallState:
    (call,) = store.calls(conversation)
    return call.state


def test_a_call_is_begun_once_and_never_again(store: Store) -> None:
    conversation = with_call(store)
    assert store.begin_dispatch(conversation, "t1.c1", policy="person")
    assert state_of(store, conversation) == CallState.RUNNING
    assert not store.begin_dispatch(conversation, "t1.c1", policy="person")
    assert [d.call_ref for d in store.running_dispatches()] == ["t1.c1"]
    store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
    assert not store.begin_dispatch(conversation, "t1.c1")
    assert not store.begin_dispatch(conversation, "t1.c1", attempt=2)
    (dispatch,) = store.dispatches(conversation)
    assert (dispatch.attempt, dispatch.outcome, dispatch.policy) == (1, "returned", "person")
    assert dispatch.ended is not None
    assert store.running_dispatches() == []


def test_the_same_ref_in_another_conversation_is_another_call(store: Store) -> None:
    assert store.begin_dispatch(with_call(store), "t1.c1")
    assert store.begin_dispatch(with_call(store), "t1.c1")


def test_a_call_that_is_not_stored_is_not_begun(store: Store) -> None:
    conversation = store.create_conversation()
    with pytest.raises(StoreError, match=r"'t1\.c1' is not stored"):
        store.begin_dispatch(conversation, "t1.c1")
    assert store.dispatches(conversation) == []


def test_a_call_that_was_answered_without_running_is_not_begun(store: Store) -> None:
    conversation = with_call(store)
    store.save_result(
        conversation,
        "t1.c1",
        new_result("denied", origin="person", is_error=True),
        state=CallState.DENIED,
        problem="not today",
    )
    assert not store.begin_dispatch(conversation, "t1.c1")
    (call,) = store.calls(conversation)
    assert (call.state, call.problem) == (CallState.DENIED, "not today")
    result = store.results(conversation)["t1.c1"]
    assert (result.origin, result.is_error, result.attempt) == ("person", True, 0)


@pytest.mark.parametrize("outcome", [None, "cancelled", "failed"])
def test_a_call_that_runs_or_ended_otherwise_has_no_second_attempt(
    store: Store, outcome: Outcome | None
) -> None:
    conversation = with_call(store)
    assert store.begin_dispatch(conversation, "t1.c1")
    if outcome is not None:
        store.end_dispatch(conversation, "t1.c1", outcome)
    assert not store.begin_dispatch(conversation, "t1.c1", attempt=2)


def test_an_unknown_call_is_begun_again_only_as_its_next_attempt(store: Store) -> None:
    conversation = with_call(store)
    assert store.begin_dispatch(conversation, "t1.c1")
    store.end_dispatch(conversation, "t1.c1", "unknown")
    assert [d.attempt for d in store.unfinished_dispatches()] == [1]
    assert not store.begin_dispatch(conversation, "t1.c1")
    assert not store.begin_dispatch(conversation, "t1.c1", attempt=3)
    assert store.begin_dispatch(conversation, "t1.c1", attempt=2)
    assert store.unfinished_dispatches() == []
    store.end_dispatch(conversation, "t1.c1", "failed", attempt=2, result=new_result("no"))
    assert store.results(conversation)["t1.c1"].attempt == 2
    assert state_of(store, conversation) == CallState.FAILED


def test_an_unknown_call_answered_by_hand_waits_for_nobody(store: Store) -> None:
    conversation = with_call(store)
    store.begin_dispatch(conversation, "t1.c1")
    store.end_dispatch(conversation, "t1.c1", "unknown")
    other = store.create_conversation()
    assert store.unfinished_dispatches(other) == []
    assert len(store.unfinished_dispatches(conversation)) == 1
    store.save_result(conversation, "t1.c1", new_result(), state=CallState.RETURNED, attempt=1)
    assert store.unfinished_dispatches(conversation) == []
    assert not store.begin_dispatch(conversation, "t1.c1", attempt=2)


def test_an_end_without_a_start_is_refused_and_stores_no_result(
    path: Path, troubles: Troubles
) -> None:
    with Store.open(path, on_trouble=troubles) as store:
        conversation = with_call(store)
        store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
        assert "is not running" in troubles.wait("rejected").message
        assert store.results(conversation) == {}


def test_the_full_output_is_kept_beside_a_shortened_result(store: Store) -> None:
    conversation = with_call(store)
    store.begin_dispatch(conversation, "t1.c1")
    assert store.full_output(conversation, "t1.c1") is None
    store.end_dispatch(
        conversation, "t1.c1", "returned", result=new_result(full_output=b"\0" * 100_000)
    )
    assert store.full_output(conversation, "t1.c1") == b"\0" * 100_000


def test_a_start_is_flushed_to_the_disk_and_chunks_need_not_be(path: Path) -> None:
    connections = Connections()
    with Store.open(path, connect=connections) as store:
        conversation = with_call(store)
        exchange = store.begin_exchange(conversation, dialect="", endpoint="", url="")
        assert store.flush()
        statements: list[str] = []
        connections.writing.set_trace_callback(statements.append)
        store.append_chunk(exchange, 0.0, b"data")
        assert store.flush()
        assert statements[0] == "PRAGMA synchronous = NORMAL"
        statements.clear()
        assert store.begin_dispatch(conversation, "t1.c1")
        assert statements[0] == "PRAGMA synchronous = FULL"
        assert statements[-1] == "COMMIT"


def test_a_start_that_cannot_be_written_is_an_error_and_is_never_written_later(
    path: Path, troubles: Troubles
) -> None:
    disk = FullDisk()
    with Store.open(path, on_trouble=troubles, connect=disk) as store:
        conversation = with_call(store)
        assert store.flush()
        disk.leave(0)
        store.save_call(conversation, new_call("t1.c2", raw="x" * 100_000))
        with pytest.raises(StoreUnusable, match="full"):
            store.begin_dispatch(conversation, "t1.c1")
        disk.leave(1000)
        store.retry()
        troubles.wait("full", over=True)
        assert [call.ref for call in store.calls(conversation)] == ["t1.c1", "t1.c2"]
        assert store.dispatches(conversation) == []
        assert store.begin_dispatch(conversation, "t1.c1")


def test_a_start_waits_for_a_lock_only_so_long(path: Path, troubles: Troubles) -> None:
    with Store.open(path, on_trouble=troubles, patience=0.05) as store:
        conversation = with_call(store)
        assert store.flush()
        other = hold_lock(path)
        with pytest.raises(StoreUnusable, match="locked"):
            store.begin_dispatch(conversation, "t1.c1")
        other.rollback()
        other.close()
        store.set_call_state(conversation, "t1.c1", CallState.CANCELLED)
        while not store.flush():
            pass
        assert store.dispatches(conversation) == []


def test_of_several_processes_exactly_one_begins_each_call(path: Path) -> None:
    with Store.open(path) as store:
        conversation = store.create_conversation()
        for number in range(20):
            store.save_call(conversation, new_call(f"t1.c{number}"))
    command = [sys.executable, "-c", RACER, str(path), conversation]
    racers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    begun = 0
    for stage in ("ready", "race", "end"):
        for racer in racers:
            assert racer.stdin is not None
            assert racer.stdout is not None
            if stage != "ready":
                racer.stdin.write("go\n")
                racer.stdin.flush()
        for racer in racers:
            if stage == "end":
                racer.communicate()
                assert racer.returncode == 0
            else:
                assert racer.stdout is not None
                line = racer.stdout.readline()
                begun += int(line) if stage == "race" else 0
    assert begun == 20
    with Store.open(path) as store:
        assert len(store.dispatches(conversation)) == 20


def test_findings_are_counted_by_endpoint_and_code(store: Store) -> None:
    store.count_findings("work", "late-fragment")
    store.count_findings("work", "late-fragment", 4)
    store.count_findings("work", "no-marker")
    store.count_findings("home", "no-marker")
    assert store.findings("work") == {"late-fragment": 5, "no-marker": 1}
    assert store.findings("nowhere") == {}
