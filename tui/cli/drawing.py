"""Scenes, and how one is drawn: recorded turns through the real app, with a clock that stands.

A scene and the folder of its recordings come in, an SVG goes out. The only time there is is the
recorded time, so that the same program draws the same picture.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tui.app.app import VerbatimApp
from tui.app.screens.chat import ChatScreen
from tui.app.themes import load_themes, theme_folders
from tui.app.widgets.call_panel import CallPanel
from tui.app.widgets.message_pane import MessagePane
from tui.app.widgets.status_line import StatusLine
from tui.core.conversation import TextContent
from tui.core.errors import UsageError
from tui.core.finalise import FinalCall
from tui.core.states import CallState
from tui.recording.format import Recording, load
from tui.recording.replay import Pace, ReplaySource
from tui.session.replaying import RecordedTool, prompt_of, recorded_tools, target_of
from tui.session.updates import CallChanged
from tui.session.workspace import Workspace, at_work
from tui.store import Store
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.policy import Mode, Policy
from tui.tools.registry import FixedSource, Registry

WIDE: Final = (150, 42)
SMALL: Final = (80, 24)
DARK: Final = "verbatim-dark"
LIGHT: Final = "verbatim-light"

_LONGEST: Final = 240.0
"""Seconds a scene may take."""
_READ_SECONDS: Final = 2.0
"""For how long a question has been on the screen, so that its keys count."""
_MOMENT: Final = 0.001
_POLL_SECONDS: Final = 0.01
_LOOK_SECONDS: Final = 0.1
_SAME: Final = 4
"""Looks in a row at which nothing may have changed."""
_READING: Final = ("wire-", "travel-", "contrast")
"""Groups of workers that read for what is shown."""


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
    """A call waits for an answer before the keys are pressed."""
    answers: bool = False
    """The keys answer questions, each once it has been on the screen for a moment."""
    killed: bool = False
    """Verbatim is killed while the tool of the first turn runs, and started again."""


class SceneTime(Pace):
    """Gives the recorded chunks, and is the clock: it is as late as the recording has come.

    Args:
        chunks: how many to give, over all turns; then the stream is held.
    """

    def __init__(self, chunks: int | None = None) -> None:
        super().__init__()
        self.now = 1000.0
        self.left = chunks
        self.begun = threading.Event()
        """Nothing comes before the screen has begun to count the seconds."""

    def __call__(self) -> float:
        return self.now

    async def wait(self, seconds: float) -> None:
        await asyncio.to_thread(self.begun.wait)
        if self.left == 0:
            await asyncio.Event().wait()
        self.left = None if self.left is None else self.left - 1
        self.now += seconds


async def draw(scene: Scene, folder: Path) -> str:
    """The SVG of one scene.

    Raises:
        UsageError: a recording is missing, or the scene never came about.
    """
    recordings = [load(folder / "turns" / f"{name}.sse") for name in scene.turns]
    time = SceneTime(_chunks_until(scene, recordings))
    target = target_of(recordings, ReplaySource(recordings, pace=time))
    if scene.colour:
        os.environ.pop("NO_COLOR", None)
    else:
        os.environ["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory() as data:
        file = Path(data) / "store.sqlite"
        conversation = None
        if scene.killed:
            conversation = await _killed(recordings, file)
        workspace = Workspace(
            store=Store.open(file) if scene.killed else Store.memory(),
            registry=_registry(recordings),
            policy=Policy(mode=scene.mode),
            target_of=lambda _: target,
            max_turns=len(recordings),
            clock=time,
        )
        app = VerbatimApp(
            workspace,
            conversation=conversation,
            themes=load_themes(theme_folders()).themes,
            theme=scene.theme,
            first_prompt="" if scene.killed else prompt_of(recordings[0]),
            pace=time,
        )
        return await _drawn(scene, recordings, app, time)


async def _drawn(
    scene: Scene, recordings: Sequence[Recording], app: VerbatimApp, time: SceneTime
) -> str:
    app.animation_level = "none"
    async with app.run_test(size=scene.size) as pilot:
        try:
            async with asyncio.timeout(_LONGEST):
                await _until_it_stands(scene, recordings, app, time, pilot)
                for key in scene.keys:
                    before = app.screen
                    await pilot.press(key)
                    await pilot.pause()
                    if scene.answers:
                        # Each question has been on the screen long enough for its key to count.
                        await _settled(app, pilot)
                        time.now += _READ_SECONDS
                    elif app.screen is not before:
                        await _settled(app, pilot)
                return await _settled(app, pilot)
        except TimeoutError as error:
            raise UsageError(
                f"the scene did not come about in {_LONGEST:.0f} seconds",
                hint="the recording may have changed; look at what the scene waits for",
            ) from error


def _chunks_until(scene: Scene, recordings: Sequence[Recording]) -> int | None:
    """How many chunks of all turns come before the stream is held."""
    if scene.hold_at is None:
        return None
    before = sum(len(recording.timed_chunks()) for recording in recordings[:-1])
    wanted, came = int(scene.hold_at * len(recordings[-1].body)), 0
    for number, (_, data) in enumerate(recordings[-1].timed_chunks(), start=1):
        came += len(data)
        if came >= wanted:
            return before + number
    return None


async def _until_it_stands(
    scene: Scene,
    recordings: Sequence[Recording],
    app: VerbatimApp,
    time: SceneTime,
    pilot: Pilot[None],
) -> None:
    while not isinstance(app.screen, ChatScreen):
        await pilot.pause(_POLL_SECONDS)
    screen = app.screen
    if not scene.killed:
        while not screen.query_one(StatusLine).busy:
            await pilot.pause(_POLL_SECONDS)
    time.begun.set()
    hold_at = None if scene.hold_at is None else int(scene.hold_at * len(recordings[-1].body))
    while True:
        await pilot.pause(_POLL_SECONDS)
        if scene.waits and screen.waiting:
            await _settled(app, pilot)
            time.now += _READ_SECONDS
            return
        session = screen.opened.session
        arrived = screen.arrived
        if hold_at is not None and arrived is not None:
            if arrived[0] == len(recordings) and arrived[1] >= hold_at:
                # A moment after the last arrival: from then on it counts as seen.
                time.now += _MOMENT
                return
        elif hold_at is None and not scene.waits and session.messages and not session.busy:
            return


async def _settled(app: App[None], pilot: Pilot[None]) -> str:
    """The picture once it no longer changes and nothing is being read for it."""
    before, same = "", 0
    while same < _SAME:
        await pilot.pause(_LOOK_SECONDS)
        for area in app.screen.query(TextArea):
            area.cursor_blink = False
        for line in app.screen.query(Input):
            line.cursor_blink = False
        # Not at their own pace, which follows how fast this machine draws.
        for panel in app.screen.query(CallPanel):
            panel.flush()
        for pane in app.screen.query(MessagePane):
            pane.flush()
        await pilot.pause()
        picture = app.export_screenshot(title="Verbatim")
        reads = any(
            not worker.is_finished and worker.group.startswith(_READING) for worker in app.workers
        )
        same = same + 1 if picture == before and not reads else 0
        before = picture
    return before


async def _killed(recordings: Sequence[Recording], file: Path) -> str:
    """Put into `file` what is on the disk while a tool runs; returns the conversation's id."""
    target = target_of(recordings, ReplaySource(recordings, pace=Pace(0)))
    with tempfile.TemporaryDirectory() as data:
        living = Path(data) / "store.sqlite"
        workspace = Workspace(
            store=Store.open(living),
            registry=_registry(recordings, hangs=True),
            policy=Policy(mode="all"),
            target_of=lambda _: target,
        )
        async with at_work(workspace):
            opened = workspace.new()
            opened.session.send(prompt_of(recordings[0]))
            async for update in opened.session.updates():
                if isinstance(update, CallChanged) and update.state is CallState.RUNNING:
                    break
            for part in living.parent.glob(f"{living.name}*"):
                if part.is_file():
                    shutil.copy(part, file.with_name(part.name))
            opened.session.cancel()
            await opened.session.wait_idle()
    return opened.id


def _registry(recordings: Sequence[Recording], *, hangs: bool = False) -> Registry:
    tools = [_Fated(tool, hangs) for tool in recorded_tools(recordings)]
    return Registry([FixedSource("recording", "recording", tools)])


class _Fated:
    """A recorded tool; those of the turn that shows every state do what becomes of its calls."""

    origin = "recording"
    trusted = True
    answered_by_hand = False

    def __init__(self, tool: RecordedTool, hangs: bool) -> None:
        self._tool = tool
        self.spec = tool.spec
        self.timeout = 0.01 if tool.spec.name == "call_carrier" else None
        self._hangs = hangs or tool.spec.name in ("call_carrier", "print_label", "scan_depot")

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        """Hang, report an error, or give what was recorded."""
        if self._hangs:
            await asyncio.Event().wait()
        if self.spec.name == "reserve_van":
            return ToolOutcome((TextContent("No van is free on 5 March."),), is_error=True)
        return await self._tool.run(call, context)
