"""What the call panel costs while arguments stream: `python -m tests.app.calls.measure_call_panel`.

One call of 64 KB to 4 MB in 13-character fragments, as one long string and as many small objects,
fed at a fixed 20,000 characters to a flush (400 KB/s at 20 Hz), each flush drawn to the screen.
Prints CPU seconds in all, per megabyte and per flush, the exponent of the growth from size to
size (1.0: in proportion), and how late the event loop ran meanwhile: what a key would wait.
The last two columns are CPU seconds to open the raw view afterwards and to page through it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from time import perf_counter, process_time

from tests.app.calls.making import Writing
from tests.app.screens import WidgetApp
from tui.app.garbage import Garbage
from tui.app.widgets.call_panel import CallPanel

KB = 1024
SIZES = (64 * KB, 256 * KB, 1024 * KB, 4096 * KB)
FLUSH_CHARS = 20_000


def long_string(size: int) -> str:
    return json.dumps({"path": "a.txt", "content": ("words in a row, " * (size // 16 + 1))[:size]})


def small_objects(size: int) -> str:
    one = {"sku": "BK-001", "price": 12.5, "gift": True}
    return json.dumps({"items": [one] * (size // len(json.dumps(one)))})


SHAPES = {"one long string": long_string, "many small objects": small_objects}


async def measure(document: str, opened: bool) -> tuple[float, int, list[float], float, float]:
    """CPU seconds, flushes, seconds each flush held the loop, CPU of the raw view, of paging."""
    now = 0.0
    panel = CallPanel(clock=lambda: now, ticking=False)
    app = WidgetApp(panel)
    async with app.run_test(size=(120, 40)) as pilot:
        writing = Writing()
        panel.open_turn(writing.handle)
        writing.open("0", "tool", "call_1")
        writing.write("0", document[:100])
        panel.flush()
        await pilot.pause()
        panel.flush()
        card = panel.chosen
        if opened and card is not None and card.lines is not None:
            panel.focus_chosen()
            await pilot.press("enter", "down", "down", "enter", "escape", "end")
        held: list[float] = []
        cpu = 0.0
        for start in range(100, len(document), FLUSH_CHARS):
            writing.at += 0.05
            writing.write("0", document[start : start + FLUSH_CHARS])
            now += 0.05
            began, wall = process_time(), perf_counter()
            panel.flush()
            held.append(perf_counter() - wall)
            await pilot.pause(0)
            cpu += process_time() - began
        writing.close("0")
        writing.end()
        panel.flush()
        panel.focus_chosen()
        began = process_time()
        await pilot.press("2")
        lines = panel.chosen.lines if panel.chosen is not None else None
        while (
            lines is not None
            and lines.source.revision
            and not lines.source.complete(lines.scrollable_content_region.width)
        ):
            panel.flush()
            await pilot.pause(0)
        raw = process_time() - began
        began = process_time()
        for _ in range(20):
            await pilot.press("pagedown")
        paging = (process_time() - began) / 20
    return cpu, len(held), sorted(held), raw, paging


async def main(sizes: list[int], opened: bool) -> None:
    heads = ("shape", "size", "CPU s", "s/MB", "ms/flush", "exponent", "lag p95 ms", "max ms")
    print(("%-20s" + "%9s" * 2 + "%9s" * 2 + "%11s" * 5) % (*heads, "raw s", "page ms"))
    for name, shape in SHAPES.items():
        before: tuple[int, float] | None = None
        for size in sizes:
            cpu, flushes, held, raw, paging = await measure(shape(size), opened)
            exponent = math.nan
            if before is not None:
                exponent = math.log(cpu / before[1]) / math.log(size / before[0])
            before = (size, cpu)
            print(
                f"{name:<20}{size // KB:>6} KB{cpu:>9.2f}{cpu / size * KB * KB:>9.2f}"
                f"{cpu / flushes * 1000:>9.1f}{exponent:>11.2f}{held[len(held) * 95 // 100] * 1000:>11.1f}"
                f"{held[-1] * 1000:>11.1f}{raw:>11.2f}{paging * 1000:>11.1f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=4096, help="largest size in KB")
    parser.add_argument("--opened", action="store_true", help="with the long row opened")
    chosen = parser.parse_args()
    garbage = Garbage()
    garbage.begin()  # as the chat does
    asyncio.run(main([size for size in SIZES if size <= chosen.most * KB], chosen.opened))
