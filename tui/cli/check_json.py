"""The verdict of `verbatim check` in the shape that scripts rely on. Keys are added, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui.core.parts import LiveCall
from tui.core.states import CallState
from tui.core.strictjson import parse_object
from tui.core.turn import PlacedFinding
from tui.lint.catalogue import CATALOGUE
from tui.lint.linter import all_findings
from tui.lint.reading import Reading


def as_json(
    file: str, dialect: str, reading: Reading, findings: Sequence[PlacedFinding] | None = None
) -> dict[str, Any]:
    """One line of `--json`. `findings` None: found here."""
    turn = reading.turn
    if findings is None:
        findings = all_findings(reading)
    return {
        "file": file,
        "dialect": dialect,
        "outcome": turn.outcome,
        "stop_reason": turn.stop_reason,
        "text": turn.text,
        "thinking": turn.thinking,
        "refusal": turn.refusal,
        "calls": [_call(call) for call in turn.calls],
        "error": turn.error or turn.damage or None,
        "findings": [_finding(found) for found in findings],
    }


def _finding(found: PlacedFinding) -> dict[str, Any]:
    entry = CATALOGUE.get(found.code)
    return {
        "code": found.code,
        "message": found.message,
        "offset": found.offset,
        "severity": found.severity,
        "culprit": found.culprit,
        "advice": entry.advice if entry else "",
    }


def _call(call: LiveCall) -> dict[str, Any]:
    raw = call.buffer.text
    arguments: Any = None
    if call.state is CallState.FINAL:
        arguments = raw if call.kind == "custom" else parse_object(raw) if raw.strip() else {}
    return {
        "id": call.id,
        "name": call.name,
        "raw": raw,
        "fragments": call.buffer.count,
        "state": str(call.state),
        "arguments": arguments,
        "problem": call.problem or None,
    }
