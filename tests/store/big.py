"""A store as large as a year of use: `fill` makes it, running this file measures it.

`python -m tests.store.big [CONVERSATIONS CALLS]` prints times and sizes for a tenth and for the
whole (default 2,000 conversations with 100,000 calls).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.store.making import begin_exchange, new_call, new_result
from tui.store import Store

_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "po",
    "ru",
    "sa",
    "te",
    "vi",
    "wo",
    "xu",
    "za",
]


def fill(store: Store, conversations: int, calls: int, *, seed: int = 1) -> list[str]:
    """Write conversations whose turns make `calls` calls in all; returns the conversations' ids.

    Each turn: a question, an answer with five calls and its exchange of 40 chunks, five results.
    """
    chance = random.Random(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(5_000)]

    def prose(count: int) -> str:
        return " ".join(words[min(int(chance.paretovariate(0.7)), 4_999)] for _ in range(count))

    ids = []
    turns = max(1, calls // (5 * conversations))
    for number in range(conversations):
        conversation = store.create_conversation(
            title=f"{number} {prose(4)}", tags=[words[number % 9]]
        )
        parent = None
        for turn in range(turns):
            parent = _turn(store, conversation, parent, f"t{turn + 1}", prose)
        ids.append(conversation)
        while store.waiting[0] > 5_000:
            store.flush(1.0)
    store.flush(60.0)
    return ids


def _turn(
    store: Store, conversation: str, parent: str | None, turn: str, prose: Callable[[int], str]
) -> str:
    question, answer = prose(30), prose(80)
    asked = store.add_message(
        conversation, parent=parent, role="user", body=question, plain=question
    )
    exchange = begin_exchange(store, conversation)
    for part in range(40):
        store.append_chunk(exchange, part / 20, b'data: {"text":"%d"}\n\n' % part * 5)
    store.end_exchange(exchange, "complete")
    calls = [
        new_call(f"{turn}.c{n}", raw=f'{{"city":"{prose(1)}","path":"/src/{prose(1)}.py"}}')
        for n in range(5)
    ]
    message = store.add_message(
        conversation,
        parent=asked,
        role="assistant",
        body=answer,
        plain=answer,
        exchange=exchange,
        calls=calls,
    )
    for call in calls:
        _dispatch(store, conversation, call.ref, prose(20))
    return store.add_message(conversation, parent=message, role="results", body="{}")


def _dispatch(store: Store, conversation: str, ref: str, plain: str) -> None:
    # As `begin_dispatch` writes it, without a wait for the disk before each of so many.
    store._write(
        lambda connection: connection.execute(
            "INSERT INTO dispatches(conversation, call_ref, attempt, owner, started, policy)"
            " VALUES (?, ?, 1, ?, 0, 'big')",
            (conversation, ref, store.owner),
        )
    )
    store.end_dispatch(conversation, ref, "returned", result=new_result(plain, body=plain))


def _milliseconds(run: Callable[[], Any], times: int = 5) -> str:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return f"{sorted(taken)[times // 2] * 1000:8.2f} ms"


def written(store: Store, conversation: str) -> None:
    store.pin(conversation)
    store.flush()


def measure(path: Path, conversations: int, calls: int) -> None:
    """Fill a store at `path` and print how long opening, listing and searching it takes."""
    start = time.perf_counter()
    with Store.open(path) as store:
        ids = fill(store, conversations, calls)
    print(f"{conversations} conversations, {calls} calls: written in", end=" ")
    print(f"{time.perf_counter() - start:.0f} s, {path.stat().st_size / 1e6:.0f} MB")
    print("  open and close    ", _milliseconds(lambda: Store.open(path).close()))
    with Store.open(path) as store:
        (exchange, *_) = store.exchanges(ids[0])
        for name, run in {
            "list 50": store.list_conversations,
            "list, page 20": lambda: store.list_conversations(offset=conversations // 2),
            "list by title word": lambda: store.list_conversations("sate"),
            "path of one": lambda: store.path(ids[len(ids) // 2]),
            "calls of one": lambda: store.calls(ids[len(ids) // 2]),
            "chunks of one": lambda: store.chunks(exchange.id),
            "unfinished": store.unfinished_dispatches,
            "abandoned": store.abandoned_exchanges,
            "open exchanges": store.open_exchanges,
            "in one, common": lambda: store.search("get_weather", conversation=ids[0]),
            "search common word": lambda: store.search("get_weather"),
            "search two words": lambda: store.search("sate zani"),
            "search rare": lambda: store.search("1999 "),
            "search absent": lambda: store.search("qqqqq"),
            "search 2 letters": lambda: store.search("qq"),
            "a write, waited for": lambda: written(store, ids[0]),
        }.items():
            print(f"  {name:18}", _milliseconds(run))


if __name__ == "__main__":
    size = [int(argument) for argument in sys.argv[1:3]] or [2_000, 100_000]
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder) / "tenth" / "verbatim.db", size[0] // 10, size[1] // 10)
        measure(Path(folder) / "whole" / "verbatim.db", *size)
