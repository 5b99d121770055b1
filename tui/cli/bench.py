"""`verbatim bench`: how the store's times grow, and what a streaming call adds to a typed key.

Ratios are the result: a time of this machine says nothing about another, growth does. Everything
is made in a temporary folder; nothing of the user's is touched.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tui.core.codec import encode_message, encode_result
from tui.core.conversation import CallResult, TextContent, TextPart, UserMessage
from tui.core.errors import UsageError
from tui.core.states import CallState
from tui.store import NewCall, NewResult, Store

_CALLS_A_TURN: Final = 5
_CHUNKS_A_TURN: Final = 40
_TIMES: Final = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=["store", "typing"],
        help="store: from a tenth of its size to the whole; typing: keys while a call streams",
    )
    parser.add_argument("--conversations", type=int, default=2_000, metavar="N")
    parser.add_argument("--calls", type=int, default=100_000, metavar="N", help="in all of them")
    parser.add_argument("--kilobytes", type=int, default=1_024, metavar="N", help="of the call")
    parser.add_argument(
        "--shape", choices=["string", "objects"], default="objects", help="of its arguments"
    )
    parser.add_argument(
        "--rate", type=int, default=400, metavar="N", help="kilobytes of arguments a second"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print what was found."""
    return _store(arguments) if arguments.what == "store" else _typing(arguments)


def _typing(arguments: argparse.Namespace) -> int:
    """Keys typed while nothing streams and while a call does: medians, and the worst."""
    from tui.cli.bench_typing import measure

    if arguments.kilobytes < 1 or arguments.rate < 1:
        raise UsageError("--kilobytes and --rate are at least 1")
    found = measure(
        arguments.kilobytes * 1024, arguments.shape, arguments.rate * 1000, arguments.seed
    )
    ratio = round(found.streaming.median / found.idle.median, 2)
    if arguments.json:
        waits = {
            name: {
                "keys": len(each.seconds),
                "median": round(each.median, 4),
                "worst": round(each.worst, 4),
            }
            for name, each in (("idle", found.idle), ("streaming", found.streaming))
        }
        print(json.dumps({"bytes": found.size, "ratio": ratio, "seconds": waits}))
        return 0
    print(f"a call of {arguments.kilobytes} KB ({arguments.shape}) at {arguments.rate} KB/s:")
    for name, each in (("nothing streams", found.idle), ("the call streams", found.streaming)):
        print(
            f"  {name:18} {len(each.seconds):3} keys: {each.median * 1000:5.0f} ms in the median,"
            f" {each.worst * 1000:5.0f} ms at worst"
        )
    print(f"  {ratio:.2f} times as long; shown to its end {found.behind:.1f} s after the last byte")
    return 0


def _store(arguments: argparse.Namespace) -> int:
    """Measure a tenth and the whole; prints whole ÷ tenth for each operation."""
    conversations, calls = arguments.conversations, arguments.calls
    if conversations < 10 or calls < 10:
        raise UsageError("a tenth of fewer than 10 is nothing", hint="give 10 or more of each")
    with tempfile.TemporaryDirectory(prefix="verbatim-bench-") as folder:
        tenth = measure(Path(folder) / "tenth", conversations // 10, calls // 10, arguments.seed)
        whole = measure(Path(folder) / "whole", conversations, calls, arguments.seed)
    ratios = {name: round(whole[name] / max(tenth[name], 1e-9), 2) for name in whole}
    if arguments.json:
        print(json.dumps({"conversations": conversations, "calls": calls, "growth": ratios}))
        return 0
    print(f"{conversations} conversations with {calls} calls, against a tenth of both:")
    for name, ratio in ratios.items():
        print(f"  {name:28} {ratio:7.2f} times")
    return 0


def measure(folder: Path, conversations: int, calls: int, seed: int) -> dict[str, float]:
    """Fill a store in `folder`; the seconds of each operation, and bytes of the file."""
    path = folder / "verbatim.sqlite"
    with Store.open(path) as store:
        fill(store, conversations, calls, seed)
    found = {"open and close": _seconds(lambda: Store.open(path).close())}
    with Store.open(path) as store:
        ids = [each.id for each in store.list_conversations(limit=50)]
        middle = ids[len(ids) // 2]
        acts: dict[str, Callable[[], Any]] = {
            "list 50": store.list_conversations,
            "figures of 50": lambda: store.figures(ids),
            "messages of one": lambda: store.path(middle),
            "calls of one": lambda: store.calls(middle),
            "search a common word": lambda: store.search("get_weather"),
            "search two words": lambda: store.search("get_weather Paris"),
            "search an absent word": lambda: store.search("qqqqq"),
            "open what crashed": store.abandoned_exchanges,
        }
        found |= {name: _seconds(act) for name, act in acts.items()}
    found["size of the file"] = float(path.stat().st_size)
    return found


def fill(store: Store, conversations: int, calls: int, seed: int = 1) -> None:
    """Write conversations whose turns make about `calls` calls in all."""
    chance = random.Random(seed)
    turns = max(1, calls // (_CALLS_A_TURN * conversations))
    for number in range(conversations):
        conversation = store.create_conversation(title=f"{number} {_words(chance, 4)}")
        parent: str | None = None
        for turn in range(1, turns + 1):
            parent = _turn(store, chance, conversation, parent, turn)
        while store.waiting[0] > 5_000:
            store.flush(1.0)
    store.flush(60.0)


def _turn(
    store: Store, chance: random.Random, conversation: str, parent: str | None, turn: int
) -> str:
    exchange = store.begin_exchange(conversation, dialect="anthropic", endpoint="bench", url="/")
    for part in range(_CHUNKS_A_TURN):
        store.append_chunk(exchange, part / 20, b'data: {"text":"%d"}\n\n' % part * 5)
    store.end_exchange(exchange, "complete")
    prose = _words(chance, 80)
    calls = [_call(chance, f"t{turn}.c{number + 1}", number) for number in range(_CALLS_A_TURN)]
    message = store.add_message(
        conversation,
        parent=parent,
        role="assistant",
        body=encode_message(UserMessage((TextPart(prose),))),
        plain=prose,
        exchange=exchange,
        calls=calls,
    )
    for call in calls:
        text = _words(chance, 20)
        body = encode_result(CallResult(call.ref, (TextContent(text),)))
        result = NewResult(body, False, "tool", text)
        store.save_result(conversation, call.ref, result, state=CallState.RETURNED)
    return message


def _call(chance: random.Random, ref: str, ordinal: int) -> NewCall:
    raw = json.dumps({"city": "Paris", "path": f"/src/{_words(chance, 1)}.py"})
    return NewCall(
        ref=ref,
        ordinal=ordinal,
        key=f"block {ordinal}",
        wire_id=f"toolu_{ref}",
        name="get_weather",
        kind="function",
        raw=raw,
        fragments=4,
        digest="",
        state=CallState.FINAL,
    )


def _words(chance: random.Random, count: int) -> str:
    return " ".join(
        f"{chance.choice('bcdfglmnprst')}{chance.randrange(5_000)}" for _ in range(count)
    )


def _seconds(act: Callable[[], Any]) -> float:
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return sorted(taken)[_TIMES // 2]
