"""`python -m tui.cli.screenshots`: the pictures in screenshots/, drawn from recorded turns.

Each scene replays recordings of screenshots/turns through the real app, holds the stream at a
place, presses keys, and writes what is on the screen as SVG. Nothing is drawn by hand, so a
picture cannot show what the program does not do. `--record` records the turns anew, from the demo.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from tui.app.app import VerbatimApp
from tui.app.screens.chat import ChatScreen
from tui.app.themes import load_themes, theme_folders
from tui.core.conversation import CallResult, TurnSettings
from tui.core.errors import UsageError
from tui.demo import MODEL, DemoSource
from tui.recording.format import Recording, load, save
from tui.recording.recorder import RecordingSource
from tui.recording.replay import Pace, ReplaySource
from tui.session.replaying import prompt_of, target_of, tools_of
from tui.session.session import Target
from tui.session.updates import CallAnswered, Idle
from tui.session.workspace import Workspace, at_work
from tui.store import Store
from tui.tools.policy import Mode, Policy
from tui.tools.registry import Registry
from tui.tools.shop import shop

FOLDER: Final = Path("screenshots")
WIDE: Final = (150, 42)
SMALL: Final = (80, 24)
DARK: Final = "verbatim-dark"
LIGHT: Final = "verbatim-light"

_LONGEST: Final = 60.0
"""Seconds a scene may take."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture."""

    name: str
    turns: tuple[str, ...]
    """Recordings below screenshots/turns, one for each turn, in order."""
    hold_at: float | None = None
    """Share of the last turn's bytes after which the stream is held; None: when all is over."""
    keys: tuple[str, ...] = ()
    """Pressed before the picture is taken."""
    size: tuple[int, int] = WIDE
    theme: str = DARK
    mode: Mode = "all"
    colour: bool = True
    """False: as with NO_COLOR, to see that no state is told by colour alone."""
    waits: bool = False
    """A call waits for an answer when the picture is taken."""


SCENES: Final = (
    Scene("forming", ("ticket",), hold_at=0.72),
    Scene("forming-light", ("ticket",), hold_at=0.72, theme=LIGHT),
    Scene("forming-80x24", ("ticket",), hold_at=0.72, size=SMALL),
    Scene("approval", ("ticket",), mode="none", waits=True),
    Scene("approval-80x24", ("ticket",), mode="none", waits=True, size=SMALL),
    Scene("returned", ("order", "order-answer")),
    Scene("fragments", ("ticket", "ticket-answer"), keys=("f2", "4")),
    Scene("parallel", ("parallel",), hold_at=0.8),
    Scene("broken", ("broken",)),
    Scene("limit", ("limit",)),
    Scene("invalid", ("invalid", "invalid-answer")),
    Scene("wire", ("ticket",), mode="none", waits=True, keys=("f4", "slash", *"March", "enter")),
    Scene("wire-80x24", ("ticket", "ticket-answer"), keys=("f4",), size=SMALL),
    Scene("time-travel", ("ticket",), mode="none", waits=True, keys=("f5", *(["left"] * 20))),
    Scene("contrast", ("broken",), keys=("f4", "x")),
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


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the scenes named in `argv`, or all."""
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--record", action="store_true", help="record the turns anew first")
    arguments = parser.parse_args(argv)
    if arguments.record:
        for name, prompt in CONVERSATIONS.items():
            asyncio.run(record(name, prompt, arguments.folder / "turns"))
    wanted = set(arguments.names)
    if unknown := wanted - {scene.name for scene in SCENES}:
        print(f"there is no scene {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    for scene in SCENES:
        if not wanted or scene.name in wanted:
            try:
                picture = asyncio.run(draw(scene, arguments.folder))
            except UsageError as error:
                print(f"{scene.name}: {error}", file=sys.stderr)
                return 1
            path = arguments.folder / f"{scene.name}.svg"
            path.write_text(picture, "utf-8")
            print(path)
    return 0


async def record(name: str, prompt: str, folder: Path) -> None:
    """Hold a conversation with the demo and its shop, and keep each turn with its results."""
    source = RecordingSource(DemoSource("anthropic"), endpoint="demo", model=MODEL)
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


async def draw(scene: Scene, folder: Path) -> str:
    """The SVG of one scene.

    Raises:
        UsageError: a recording is missing, or the scene never came about.
    """
    recordings = [load(folder / "turns" / f"{name}.sse") for name in scene.turns]
    pace = Pace(1.0)
    target = target_of(recordings, ReplaySource(recordings, pace=pace))
    workspace = Workspace(
        store=Store.memory(),
        registry=tools_of(recordings),
        policy=Policy(mode=scene.mode),
        target_of=lambda _: target,
        max_turns=len(recordings),
    )
    if scene.colour:
        os.environ.pop("NO_COLOR", None)
    else:
        os.environ["NO_COLOR"] = "1"
    app = VerbatimApp(
        workspace,
        themes=load_themes(theme_folders()).themes,
        theme=scene.theme,
        first_prompt=prompt_of(recordings[0]),
        pace=pace,
    )
    async with app.run_test(size=scene.size) as pilot:
        async with asyncio.timeout(_LONGEST):
            await _until_it_stands(scene, recordings, app, pace, pilot)
        for key in scene.keys:
            await pilot.press(key)
            await pilot.pause(0.3)
        await pilot.pause(0.3)
        return app.export_screenshot(title="Verbatim")


async def _until_it_stands(
    scene: Scene,
    recordings: Sequence[Recording],
    app: VerbatimApp,
    pace: Pace,
    pilot: Pilot[None],
) -> None:
    while not isinstance(app.screen, ChatScreen):
        await pilot.pause(0.01)
    screen = app.screen
    hold_at = None if scene.hold_at is None else int(scene.hold_at * len(recordings[-1].body))
    while True:
        await pilot.pause(0.01)
        if scene.waits and screen.waiting:
            await pilot.pause(1.0)  # until the keys of the question count
            return
        session = screen.opened.session
        arrived = screen.arrived
        if hold_at is not None and arrived is not None and arrived[1] >= hold_at:
            if arrived[0] == len(recordings):
                pace.pause()
                return
        elif hold_at is None and not scene.waits and session.messages and not session.busy:
            return


if __name__ == "__main__":
    sys.exit(main())
