"""`python -m tui.cli.screenshots`: the pictures in screenshots/, drawn from recorded turns.

Each scene replays recordings of screenshots/turns through the real app, holds the stream at a
place, presses keys, and writes what is on the screen as SVG. Nothing is drawn by hand, so a
picture cannot show what the program does not do. Time is the recorded time and nothing else, so
that the same program draws the same pictures: `--check` says which it would draw otherwise.
`--record` records the turns anew, from the demo.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tui.cli.drawing import LIGHT, SMALL, Scene, draw
from tui.core.conversation import CallResult, TextContent, TurnSettings
from tui.core.errors import UsageError
from tui.core.source import ResponseHead
from tui.demo import MODEL, DemoSource
from tui.demo.answer import wire_of
from tui.demo.pace import chunks
from tui.demo.plan import Call, Prose, speak
from tui.demo.wire import Pen
from tui.recording.format import Recording, save
from tui.recording.recorder import RecordingSource
from tui.session.session import Target
from tui.session.updates import CallAnswered, Idle
from tui.session.workspace import Workspace, at_work
from tui.store import Store
from tui.tools.policy import Policy
from tui.tools.registry import Registry
from tui.tools.shop import shop

FOLDER: Final = Path("screenshots")
RECORDED: Final = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
"""When the turns say that they were recorded."""

_DECIDE: Final = ("f2", "a", "a", "a", "a", "a", "d", "up", "up", "x", "down", "down")
"""Returned, failed, timed out, running, cancelled, denied; the last call still waits."""

SCENES: Final = (
    Scene("forming", ("ticket",), hold_at=0.72),
    Scene("forming-light", ("ticket",), hold_at=0.72, theme=LIGHT),
    Scene("forming-80x24", ("ticket",), hold_at=0.72, size=SMALL),
    Scene("parallel", ("parallel",), hold_at=0.9),
    Scene("states", ("states",), mode="none", waits=True, answers=True, keys=_DECIDE),
    Scene(
        "states-light",
        ("states",),
        mode="none",
        waits=True,
        answers=True,
        keys=_DECIDE,
        theme=LIGHT,
    ),
    Scene(
        "states-no-colour",
        ("states",),
        mode="none",
        waits=True,
        answers=True,
        keys=_DECIDE,
        colour=False,
    ),
    Scene("queue", ("parallel",), mode="none", waits=True, answers=True, keys=("f2",)),
    Scene("unknown", ("order",), killed=True, keys=("f2",)),
    Scene("approval", ("ticket",), mode="none", waits=True),
    Scene("approval-80x24", ("ticket",), mode="none", waits=True, size=SMALL),
    Scene("approval-light", ("ticket",), mode="none", waits=True, theme=LIGHT, size=SMALL),
    Scene("returned", ("order", "order-answer")),
    Scene("fragments", ("ticket", "ticket-answer"), keys=("f2", "4")),
    Scene("broken", ("broken",)),
    Scene("limit", ("limit",)),
    Scene("invalid", ("invalid", "invalid-answer", "invalid-answer3"), keys=("f2", "up")),
    Scene("wire", ("ticket",), mode="none", waits=True, keys=("f4", "slash", *"March", "enter")),
    Scene(
        "wire-80x24",
        ("ticket",),
        mode="none",
        waits=True,
        keys=("f4", "slash", *"March", "enter"),
        size=SMALL,
    ),
    Scene("wire-light", ("order", "order-answer"), keys=("f4", "3"), theme=LIGHT),
    Scene("time-travel", ("ticket",), mode="none", waits=True, keys=("f5", *(["left"] * 20))),
    Scene(
        "time-travel-80x24",
        ("ticket",),
        mode="none",
        waits=True,
        keys=("f5", *(["left"] * 40), "x"),
        size=SMALL,
    ),
    Scene("contrast", ("broken",), keys=("f4", "x")),
    Scene("contrast-light", ("broken",), keys=("f4", "x"), theme=LIGHT),
    Scene("contrast-no-colour", ("broken",), keys=("f4", "x"), colour=False, size=SMALL),
    Scene("forming-no-colour", ("ticket",), hold_at=0.72, colour=False),
    Scene("broken-no-colour", ("broken",), colour=False),
    Scene("wire-no-colour", ("order", "order-answer"), keys=("f4",), colour=False),
    Scene("high-contrast", ("ticket",), hold_at=0.72, theme="high-contrast"),
    Scene("colour-blind", ("order", "order-answer"), theme="colour-blind"),
)


CONVERSATIONS: Final = {
    "order": "Where is my order A-4471?",
    "ticket": "File a ticket for A-4471: the delivery was moved",
    "parallel": "Where are A-4471 and A-4468?",
    "broken": "break",
    "limit": "limit",
    "invalid": "bad json",
}
"""What the recorded turns answer. The second turn of each is NAME-answer."""


STATES: Final = (
    ("count_stock", '{"product": "Moka pot, 6 cups"}'),
    ("reserve_van", '{"day": "5 March", "hours": 4}'),
    ("call_carrier", '{"tracking": "JD014600004471"}'),
    ("print_label", '{"order_id": "A-4471", "copies": 2}'),
    ("scan_depot", '{"depot": "北京-9"}'),
    ("refund_order", '{"order_id": "A-4471", "amount": "4.90 EUR"}'),
    ("create_ticket", '{"order_id": "A-4471", "summary": "Sent out again", "priority": "high"}'),
)
"""Calls of the turn that shows every state, and what each wants; `drawing` knows their fates."""


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the scenes named in `argv`, or all."""
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--record", action="store_true", help="record the turns anew first")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; status 1 when a picture is not as drawn",
    )
    arguments = parser.parse_args(argv)
    if arguments.record:
        for name, prompt in CONVERSATIONS.items():
            asyncio.run(record(name, prompt, arguments.folder / "turns"))
        record_states(arguments.folder / "turns")
    wanted = set(arguments.names)
    if unknown := wanted - {scene.name for scene in SCENES}:
        print(f"there is no scene {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    otherwise = False
    for scene in SCENES:
        if not wanted or scene.name in wanted:
            try:
                picture = asyncio.run(draw(scene, arguments.folder))
            except UsageError as error:
                print(f"{scene.name}: {error}", file=sys.stderr)
                return 1
            path = arguments.folder / f"{scene.name}.svg"
            if arguments.check:
                if not path.exists() or path.read_text("utf-8") != picture:
                    print(f"{path} is drawn otherwise", file=sys.stderr)
                    otherwise = True
                continue
            path.write_text(picture, "utf-8")
            print(path)
    return 1 if otherwise else 0


async def record(name: str, prompt: str, folder: Path) -> None:
    """Hold a conversation with the demo and its shop, and keep each turn with its results."""
    time = 0.0

    async def sleep(seconds: float) -> None:
        # The recorded times are the demo's own, however busy this machine is.
        nonlocal time
        time += seconds
        await asyncio.sleep(0)

    source = RecordingSource(
        DemoSource("anthropic", sleep=sleep),
        endpoint="demo",
        model=MODEL,
        clock=lambda: time,
        now=lambda: RECORDED,
    )
    with tempfile.TemporaryDirectory() as data:
        workspace = Workspace(
            store=Store.memory(),
            registry=Registry([shop(Path(data))]),
            policy=Policy(mode="all"),
            target_of=lambda _: Target("demo", "anthropic", source, TurnSettings(MODEL)),
        )
        results: list[CallResult] = []
        async with at_work(workspace):
            session = workspace.new().session
            session.send(prompt)
            async for update in session.updates():
                if isinstance(update, CallAnswered):
                    results.append(update.result)
                if isinstance(update, Idle):
                    break
            await session.wait_idle()
    for number, recording in enumerate(source.recordings, start=1):
        own = tuple(result for result in results if result.call.startswith(f"t{number}."))
        ending = "" if number == 1 else "-answer" if number == 2 else f"-answer{number}"
        path = save(replace(recording, results=own), folder / f"{name}{ending}", overwrite=True)
        print(path)


def record_states(folder: Path) -> None:
    """A turn with a call for every state that a call can end in, in the demo's own writing."""
    prompt = "Send out A-4471 again"
    plan = speak(
        Prose("I look after the parcel: seven calls in one turn."),
        *(Call(name, arguments) for name, arguments in STATES),
    )
    rng = random.Random(0)
    body, ends, at = b"", [], 0.0
    for chunk in chunks(wire_of("anthropic").write(plan, Pen(0, rng, 400), {}), rng):
        at += chunk.wait
        body += chunk.data
        ends.append((len(body), at))
    request = {"model": MODEL, "messages": [{"role": "user", "content": prompt}]}
    recording = Recording(
        body,
        chunks=tuple(ends),
        dialect="anthropic",
        endpoint="demo",
        model=MODEL,
        recorded_at=RECORDED.isoformat(),
        request_url="/v1/messages",
        request_body=json.dumps(request).encode(),
        head=ResponseHead(200, (("content-type", "text/event-stream"),)),
        results=(CallResult("t1.c1", (TextContent("12 on shelf Ä12, depot 北京-9"),)),),
    )
    print(save(recording, folder / "states", overwrite=True))


if __name__ == "__main__":
    sys.exit(main())
