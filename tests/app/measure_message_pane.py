"""Measure the message pane: `python -m tests.app.measure_message_pane`. Not a test.

Prints CPU milliseconds per drawing while a mixed answer streams, at several sizes of what is
already there; the cost of open constructs; and of mounting a long conversation.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
from time import process_time

from tests.app.screens import WidgetApp
from tui.app.widgets.message_pane import MessagePane

MIXED = """## Section {n}

Some prose with **bold**, `code` and a [link](https://example.com/{n}) that goes on for a while, so
that it wraps over a few lines of the screen as answers of models usually do.

- one thing to remember about section {n}
- another thing, with *emphasis*
  - and a detail below it

```python
def section_{n}(value: int) -> str:
    return f"{{value}} of {n}"
```

| name | value |
|------|------:|
| a    | {n}   |
| b    | 2     |

"""


def mixed(size: int) -> str:
    text, n = "", 0
    while len(text) < size:
        text += MIXED.format(n=n)
        n += 1
    return text[:size]


async def appends(label: str, before: str, piece: str, count: int = 40) -> None:
    app = WidgetApp(MessagePane())
    async with app.run_test(size=(120, 40)) as pilot:
        pane = app.query_one(MessagePane)
        turn = pane.begin_turn("t")
        turn.append_text("0", before)
        await pilot.pause(0.5)
        costs = []
        for index in range(count):
            start = index * 40 % max(len(piece) - 40, 1)
            started = process_time()
            turn.append_text("0", piece[start : start + 40])
            pane.flush()
            await pilot.pause()
            costs.append((process_time() - started) * 1000)
        widgets = len(app.screen.walk_children())
        print(
            f"{label:<34} median {statistics.median(costs):6.1f} ms"
            f"  max {max(costs):6.1f} ms  {widgets} widgets",
            flush=True,
        )


async def conversation(messages: int) -> None:
    app = WidgetApp(MessagePane())
    async with app.run_test(size=(120, 40)) as pilot:
        pane = app.query_one(MessagePane)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = process_time()
        with pane.filling():
            for index in range(messages):
                pane.add_user(f"u{index}", f"Question {index}?")
                turn = pane.begin_turn(f"t{index}")
                turn.append_text("0", mixed(600))
                turn.close_turn()
        await pilot.pause(0.2)
        mounted = process_time() - started
        started = process_time()
        pane.scroll_relative(y=-10, animate=False)
        await pilot.pause()
        scrolled = process_time() - started
        started = process_time()
        await pane.action_show_earlier()
        await pilot.pause(0.2)
        earlier = process_time() - started
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
        print(
            f"{2 * messages} messages: mount {mounted * 1000:.0f} ms, scroll {scrolled * 1000:.0f} ms,"
            f" 50 earlier {earlier * 1000:.0f} ms, +{grown:.0f} MB",
            flush=True,
        )


async def main() -> None:
    for size in (0, 20_000, 200_000):
        await appends(f"mixed answer after {size:,}", mixed(size), mixed(4_000))
    code = "value = compute(1, 'two')  # a line\n" * 2_000
    for size in (6_000, 60_000):
        await appends(f"open python fence of {size:,}", "```python\n" + code[:size], code)
    row = "| cell one | cell two | 3 |\n"
    await appends("open table of 8,000", "| a | b | c |\n|---|---|---|\n" + row * 300, row * 9)
    await appends("one paragraph of 200,000", "word " * 40_000, "word " * 200)
    await conversation(250)
    await conversation(1_000)


if __name__ == "__main__":
    asyncio.run(main())
