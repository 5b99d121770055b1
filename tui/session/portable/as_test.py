"""A turn as a pytest file and its fixture: what came over the wire, and what must be read from it.

The test runs the installed `verbatim check --json` and compares; it imports nothing of ours, so it
lives in any project.
"""

from __future__ import annotations

import json
import keyword
import re
from typing import Any

from tui.core.reader import TurnReader
from tui.core.turn import Turn
from tui.recording.format import Recording

_TEMPLATE = '''"""What {command} reads from {fixture}: one recorded turn ({dialect})."""

import json
import subprocess
import sys
from pathlib import Path

FIXTURE = Path(__file__).with_name({fixture!r})
CALL = ("id", "name", "raw", "fragments", "state")
EXPECTED = json.loads(
    r"""
{expected}
"""
)


def read(split):
    """The verdict on the fixture, its bytes cut as `split` says."""
    command = [sys.executable, "-m", "tui", "check", "--json"]
    command += ["--dialect", {dialect!r}, "--split", split, str(FIXTURE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    verdict = json.loads(done.stdout)
    verdict["calls"] = [{{key: call[key] for key in CALL}} for call in verdict["calls"]]
    return {{key: verdict[key] for key in EXPECTED}}


def test_{name}_is_read_as_recorded():
    assert read("whole") == EXPECTED


def test_{name}_reads_the_same_byte_by_byte():
    assert read("bytes") == EXPECTED
'''


def name_of(title: str, number: int) -> str:
    """A name for files and functions, made of a title."""
    words = "_".join(re.findall(r"[a-z0-9]+", title.lower()))[:40].strip("_")
    name = f"{words or 'conversation'}_turn_{number}"
    return f"turn_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def write(recording: Recording, name: str) -> str:
    """The test for the fixture `NAME.sse`."""
    # Judged as the test will judge it: the bytes alone, without head, schemas and ending.
    dialect = recording.dialect or "openai-chat"
    reader = TurnReader(dialect)
    reader.feed(recording.body)
    reader.close()
    expected = json.dumps(_expected(reader.turn), indent=2)
    return _TEMPLATE.format(
        command="`verbatim check --json`",
        fixture=f"{name}.sse",
        dialect=dialect,
        # JSON escapes every quotation mark in a string: three in a row cannot stand in it.
        expected=expected,
        name=name,
    )


def _expected(turn: Turn) -> dict[str, Any]:
    return {
        "outcome": turn.outcome,
        "stop_reason": turn.stop_reason,
        "text": turn.text,
        "refusal": turn.refusal,
        "calls": [
            {
                "id": call.id,
                "name": call.name,
                "raw": call.buffer.text,
                "fragments": call.buffer.count,
                "state": str(call.state),
            }
            for call in turn.calls
        ],
    }
