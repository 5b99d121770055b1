"""`kill -9` in the middle, tried on a real process: what is left, and what is said about it.

Chunks come as fast as two processes can pass a line to and fro, some ten thousand a second.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.store.making import PATIENCE
from tui.core.states import CallState
from tui.store import Store

RECEIVER = """
import json, sys, time
from pathlib import Path
from tests.store.making import begin_exchange, new_call
from tui.store import Store

store = Store.open(Path(sys.argv[1]))
conversation = store.create_conversation()
store.save_call(conversation, new_call())
assert store.begin_dispatch(conversation, "t1.c1")
exchange = begin_exchange(store, conversation)
assert store.flush()
print(json.dumps([conversation, exchange]), flush=True)
number = 0
while True:
    store.append_chunk(exchange, number / 1000, b"chunk %d;" % number)
    print(number, time.monotonic(), flush=True)
    number += 1
    sys.stdin.readline()
"""


class Receiver:
    """A process that receives a chunk each time it is asked to, and says when it handed it over."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", RECEIVER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            cwd=Path(__file__).parents[2],
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._asks, self._lines = self.process.stdin, self.process.stdout
        self.conversation, self.exchange = json.loads(self._lines.readline())

    def run_for(self, seconds: float) -> list[tuple[int, float]]:
        """Its marks over so many seconds of its own clock: (chunk, when it was handed over)."""
        marks: list[tuple[int, float]] = []
        while not marks or marks[-1][1] - marks[0][1] < seconds:
            number, at = self._lines.readline().split()
            marks.append((int(number), float(at)))
            self._asks.write("next\n")
        return marks

    def kill(self) -> float:
        """SIGKILL; returns when, by the clock that the marks were made with."""
        killed_at = time.monotonic()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)
        self._asks.close()
        self._lines.close()
        return killed_at


def test_what_arrived_100_ms_before_kill_9_is_on_the_disk(path: Path) -> None:
    receiver = Receiver(path)
    marks = receiver.run_for(0.4)
    killed_at = receiver.kill()
    with Store.open(path) as store:
        chunks = store.chunks(receiver.exchange)
        assert store.check() == []
    assert chunks == [(n / 1000, b"chunk %d;" % n) for n in range(len(chunks))]
    due = [number for number, at in marks if at < killed_at - 0.1]
    assert due
    assert len(chunks) > due[-1]


def test_after_kill_9_the_started_call_is_unknown_and_its_response_abandoned(path: Path) -> None:
    receiver = Receiver(path)
    with Store.open(path) as store:
        # The other window lives: what it has open is its own.
        assert store.adopt_dead() == 0
        assert [d.call_ref for d in store.running_dispatches()] == ["t1.c1"]
        assert not store.begin_dispatch(receiver.conversation, "t1.c1")
        receiver.run_for(0.05)
        receiver.kill()
        assert store.adopt_dead() == 2
        assert store.adopt_dead() == 0
    with Store.open(path) as store:
        (call,) = store.calls(receiver.conversation)
        assert call.state == CallState.UNKNOWN
        assert not store.begin_dispatch(receiver.conversation, "t1.c1")
        (dispatch,) = store.unfinished_dispatches()
        assert (dispatch.conversation, dispatch.outcome) == (receiver.conversation, "unknown")
        (exchange,) = store.abandoned_exchanges(receiver.conversation)
        assert (exchange.id, exchange.ending) == (receiver.exchange, "abandoned")
        assert store.chunks(exchange.id)
        store.add_message(
            receiver.conversation, parent=None, role="assistant", body="{}", exchange=exchange.id
        )
        assert store.abandoned_exchanges() == []
        assert store.begin_dispatch(receiver.conversation, "t1.c1", attempt=2)


def test_opening_finds_what_a_killed_process_left(path: Path) -> None:
    receiver = Receiver(path)
    receiver.kill()
    with Store.open(path) as store:
        assert [d.outcome for d in store.unfinished_dispatches()] == ["unknown"]
        assert [e.id for e in store.abandoned_exchanges()] == [receiver.exchange]
        assert store.open_exchanges() == []
