"""Pictures of the call panel to look at: `python -m tests.app.calls.screens FOLDER`.

Writes an SVG for each scene, theme and size; a browser without a head makes PNGs of them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tests.app.calls.making import Writing, approval_of
from tests.app.screens import WidgetApp
from tui.app.widgets.call_panel import CallPanel
from tui.core.conversation import CallResult, JsonContent, TextContent, ToolSpec
from tui.core.states import CallState
from tui.session.updates import (
    ApprovalAsked,
    CallAnswered,
    CallChanged,
    CallProgress,
    CallRan,
)

_CODE = "\n".join(
    f'    total_{n} = price_{n} * quantity_{n}  # line {n}, "as ordered"' for n in range(60)
)
_ORDER = json.dumps(
    {
        "customer": {"name": "Ada Lovelace", "id": 4711, "tags": ["vip", "日本", "🦊"]},
        "items": [
            {
                "sku": f"BK-{n:03d}",
                "title": f"Notes, volume {n}",
                "price": 12.5 + n,
                "gift": n % 2 == 0,
            }
            for n in range(6)
        ],
        "note": "Leave it with the neighbour.\nRing twice.",
    },
    ensure_ascii=False,
)

Scene = Callable[[CallPanel], float]


def forming(panel: CallPanel) -> float:
    old = Writing("t1")
    old.open("0", "list_orders", "call_Zx81kq02")
    old.write("0", '{"customer": 4711, "since": "2026-01-01"}', every=0.05)
    old.close("0")
    old.end()
    panel.open_turn(old.handle)
    panel.flush(3.0)
    panel.apply(CallChanged("t1.c1", CallState.RUNNING))
    panel.apply(CallRan("t1.c1", 0.42, "", "", None))
    panel.apply(CallChanged("t1.c1", CallState.RETURNED))
    panel.apply(CallAnswered("t1.c1", CallResult("t1.c1", (TextContent("3 orders"),))))
    writing = Writing("t2")
    panel.open_turn(writing.handle)
    writing.open("0", "update_stock", "call_8hQm21Lw")
    writing.write("0", '{"sku": "BK-001", "delta": -1}', every=0.05)
    writing.close("0")
    writing.open("1", "write_file", "call_PvT90aXe")
    writing.write(
        "1", json.dumps({"path": "src/totals.py", "mode": "w", "content": _CODE})[:1400], every=0.03
    )
    writing.open("2", "place_order", "call_mM3c77Rb")
    writing.write("2", _ORDER[:333], every=0.04)
    return writing.at


def silent(panel: CallPanel) -> float:
    return forming(panel) + 12.0


def asking(panel: CallPanel) -> float:
    writing = Writing("t1")
    panel.open_turn(writing.handle)
    for key, name in (("0", "place_order"), ("1", "cancel_order")):
        writing.open(key, name, f"call_{name}")
        writing.write(
            key, _ORDER if key == "0" else '{"order": 93, "why": "\\u202egone"}', every=0.02
        )
        writing.close(key)
    writing.end()
    panel.flush(4.0)
    for number in range(2):
        panel.apply(ApprovalAsked(approval_of(writing, number)))
        panel.apply(CallChanged(f"t1.c{number + 1}", CallState.AWAITING_APPROVAL))
    return 5.0


def by_hand(panel: CallPanel) -> float:
    writing = Writing("t1")
    panel.open_turn(writing.handle)
    writing.open("0", "ask_the_kitchen", "call_k")
    writing.write("0", '{"dish": "goulash", "portions": 4}', every=0.02)
    writing.close("0")
    writing.end()
    panel.flush(1.0)
    panel.apply(
        ApprovalAsked(approval_of(writing, by_hand=True, reason="a person answers this tool"))
    )
    panel.apply(CallChanged("t1.c1", CallState.AWAITING_APPROVAL))
    return 2.0


def incomplete(panel: CallPanel) -> float:
    writing = Writing("t1")
    panel.open_turn(writing.handle)
    writing.open("0", "place_order", "call_cut")
    writing.write("0", _ORDER[:400], every=0.02)
    writing.end("length")
    return 12.0


def invalid(panel: CallPanel) -> float:
    writing = Writing("t1")
    panel.open_turn(writing.handle)
    writing.open("0", "place_order", "call_bad")
    writing.write("0", '{"customer": 4711, "items": [1, 2,, 3], "note": "x"}', every=0.02)
    writing.close("0")
    writing.end()
    return 12.0


def misfit(panel: CallPanel) -> float:
    items = {
        "type": "array",
        "items": {"type": "object", "properties": {"price": {"type": "string"}}},
    }
    schema = {"type": "object", "properties": {"items": items}}
    writing = Writing("t1", tools={"place_order": ToolSpec("place_order", "", schema)})
    panel.open_turn(writing.handle)
    writing.open("0", "place_order", "call_misfit")
    writing.write("0", _ORDER, every=0.02)
    writing.close("0")
    writing.end()
    return 12.0


def running(panel: CallPanel) -> float:
    writing = Writing("t1")
    panel.open_turn(writing.handle)
    writing.open("0", "place_order", "call_run")
    writing.write("0", _ORDER, every=0.02)
    writing.close("0")
    writing.end()
    panel.flush(2.0)
    panel.apply(CallChanged("t1.c1", CallState.RUNNING))
    panel.apply(CallProgress("t1.c1", "packing parcel 2 of 5", 0.4))
    return 15.0


def returned(panel: CallPanel) -> float:
    running(panel)
    found = {"order": 93, "total": 84.50, "items": [{"sku": "BK-001", "left": 3}] * 3}
    panel.apply(CallRan("t1.c1", 1.32, "", "connected to the warehouse\n", None))
    panel.apply(CallChanged("t1.c1", CallState.RETURNED))
    text = "# Order placed\n\nIt leaves **tomorrow**.\n\n> Thank you"
    result = CallResult("t1.c1", (TextContent(text), JsonContent(json.dumps(found))))
    panel.apply(CallAnswered("t1.c1", result))
    panel.note_sent_back("t1.c1", _ORDER)
    return 16.0


SCENES: dict[str, tuple[Scene, tuple[str, ...]]] = {
    "forming": (forming, ()),
    "silent": (silent, ()),
    "raw": (forming, ("2",)),
    "fragments": (forming, ("4",)),
    "asking": (asking, ()),
    "by-hand": (by_hand, ()),
    "incomplete": (incomplete, ()),
    "invalid": (invalid, ()),
    "misfit": (misfit, ()),
    "running": (running, ()),
    "returned": (returned, ()),
    "pretty": (returned, ("3",)),
    "edit": (asking, ("e",)),
}


async def draw(name: str, folder: Path, theme: str, size: tuple[int, int]) -> None:
    scene, keys = SCENES[name]
    now = 0.0
    panel = CallPanel(clock=lambda: now, ticking=False)
    app = WidgetApp(panel, theme=theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        now = scene(panel)
        for _ in range(3):
            panel.flush()
            await pilot.pause()
        panel.focus_chosen()
        now += 1.0
        panel.flush()
        for key in keys:
            await pilot.press(key)
        for _ in range(4):
            panel.flush()
            await pilot.pause()
        picture = folder / f"{name}-{theme}-{size[0]}x{size[1]}.svg"
        picture.write_text(app.export_screenshot(), "utf-8")


async def main(folder: Path, wanted: list[str]) -> None:
    for name in wanted or list(SCENES):
        for theme in ("verbatim-dark", "verbatim-light"):
            for size in ((140, 40), (80, 24)):
                await draw(name, folder, theme, size)


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
