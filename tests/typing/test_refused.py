"""A call that is provisional, closed, invalid or incomplete cannot be dispatched: by its type,

and, for code that no type checker has read, by the dispatcher and the constructor themselves.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import dispatcher_of
from tui.core.conversation import CallPart
from tui.core.errors import ProtocolViolation
from tui.core.finalise import FinalCall, Invalid
from tui.core.states import CallState

HERE = Path(__file__).parent
REFUSED = HERE / "refused.py"


IGNORE = re.compile(r"  # type: ignore\[([a-z-]+)\]$", re.MULTILINE)


def test_the_type_checker_refuses_to_dispatch_what_is_not_final(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    api = pytest.importorskip("mypy.api")
    cache = request.config.cache
    assert cache is not None
    source = REFUSED.read_text("utf-8")
    bare = tmp_path / REFUSED.name
    bare.write_text(IGNORE.sub("", source), "utf-8")
    said, errors, _ = api.run(
        [
            "--strict",
            # What follows from other modules is not this test's business, and costs the most.
            "--follow-imports=silent",
            "--no-error-summary",
            f"--cache-dir={cache.mkdir('mypy-refused')}",
            f"--config-file={HERE.parents[1] / 'pyproject.toml'}",
            str(bare),
        ]
    )
    assert errors == ""
    found = [
        (int(line), code)
        for line, code in re.findall(r"refused\.py:(\d+): error: .*\[([a-z-]+)\]", said)
    ]
    expected = [
        (number, match[1])
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := IGNORE.search(line))
    ]
    assert len(expected) == 10
    assert found == expected


CALL = CallPart("t1.c1", "call_1", "act", '{"a": 1}', state=CallState.FINAL)


@pytest.mark.parametrize(
    "value",
    [
        CALL,
        CallPart("t1.c1", "call_1", "act", '{"a": 1}', state=CallState.CLOSED),
        Invalid("not strict"),
        {"a": 1},
        '{"a": 1}',
        None,
    ],
    ids=["final but stored", "closed", "invalid", "arguments", "text", "nothing"],
)
async def test_the_dispatcher_refuses_what_is_not_final_at_run_time(value: Any) -> None:
    with pytest.raises(ProtocolViolation):
        await dispatcher_of().run(value)


@pytest.mark.parametrize("proof", [None, object(), True])
def test_nobody_but_finalise_makes_a_final_call(proof: object) -> None:
    with pytest.raises(ProtocolViolation):
        FinalCall("t1.c1", "call_1", "act", "{}", {}, "function", proof)
