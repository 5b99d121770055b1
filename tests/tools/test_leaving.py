"""Whatever a tool still does, the program can end."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PROGRAM = """
    import asyncio, sys
    from pathlib import Path
    from tui.core.finalise import finalise
    from tui.tools.dispatcher import Dispatcher
    from tui.tools.functions import PythonFile
    from tui.tools.registry import Registry

    async def main():
        async with Registry([PythonFile(Path(sys.argv[1]))]) as registry:
            call = finalise(ref="c", id=None, name=sys.argv[2], raw="{}", kind="function",
                            tools=registry.specs_by_name)
            outcome = await Dispatcher(registry, default_timeout=0.1, grace=0.1).run(call)
            print(outcome.state, flush=True)

    asyncio.run(main())
"""

TOOLS = """
    import asyncio, subprocess, time

    def hang():
        "Hang in a thread."
        while True:
            time.sleep(0.01)

    async def block():
        "Block the event loop."
        while True:
            time.sleep(0.01)

    async def ignore():
        "Ignore being cancelled."
        while True:
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                pass
"""


@pytest.mark.parametrize("name", ["hang", "block", "ignore"])
def test_a_tool_that_never_ends_does_not_keep_the_program_from_ending(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "endless.py"
    path.write_text(textwrap.dedent(TOOLS))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(PROGRAM), str(path), name],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "timed out\n"), ran.stderr
    assert ran.stderr == ""
