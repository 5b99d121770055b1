"""Replaying a recording through the loop: the same pipeline, the recorded results, no tool.

A recording enters as a byte source. Its calls are offered tools that exist only in name: each
gives the result that was recorded for it, or says that none was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tui.core import dialects
from tui.core.conversation import CallResult, TextContent, ToolSpec, TurnSettings
from tui.core.finalise import FinalCall
from tui.core.reader import TurnReader
from tui.core.sniff import dialect_of
from tui.recording.format import Recording
from tui.recording.replay import ReplaySource
from tui.session.session import Target
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.registry import FixedSource, Registry


class RecordedTool:
    """A tool that gives recorded results and can do nothing else."""

    origin = "recording"
    trusted = True
    answered_by_hand = False
    timeout = None

    def __init__(self, name: str, results: Mapping[str, CallResult]) -> None:
        self.spec = ToolSpec(name, "Known from the recording.", {"type": "object"}, read_only=True)
        self._results = results

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        """The result recorded for this very call."""
        found = self._results.get(call.ref)
        if found is None:
            return ToolOutcome(
                (TextContent("The recording holds no result for this call."),), is_error=True
            )
        return ToolOutcome(found.content, found.is_error)


def target_of(recordings: Sequence[Recording], source: ReplaySource) -> Target:
    """A target that answers with `source`, in the dialect of the first recording."""
    first = recordings[0]
    dialect = first.dialect or dialect_of(first.body) or "openai-chat"
    dialects.load(dialect)
    model = first.model or _model_in(first.body, dialect) or "recorded"
    return Target(source.name, dialect, source, TurnSettings(model))


def tools_of(recordings: Sequence[Recording]) -> Registry:
    """A registry with a recorded tool for every name that a call of `recordings` uses."""
    return Registry([FixedSource("recording", "recording", recorded_tools(recordings))])


def recorded_tools(recordings: Sequence[Recording]) -> list[RecordedTool]:
    """The tools of `tools_of`."""
    names: dict[str, None] = {}
    results: dict[str, CallResult] = {}
    for number, recording in enumerate(recordings, start=1):
        turn = _read(recording, number)
        names |= {call.name: None for call in turn.turn.calls if call.name}
        # Results were recorded under the refs of the conversation they come from; a replay
        # numbers its turns anew.
        by_place = {result.call.rpartition(".")[2]: result for result in recording.results}
        results |= {f"t{number}.{place}": result for place, result in by_place.items()}
    return [RecordedTool(name, results) for name in names]


def prompt_of(recording: Recording) -> str:
    """What the person had asked, as far as the recorded request tells; else a stand-in."""
    try:
        body: Any = json.loads(recording.request_body)
    except ValueError:
        body = None
    texts: list[str] = []
    if isinstance(body, dict):
        for message in body.get("messages") or body.get("input") or []:
            if isinstance(message, dict) and message.get("role") == "user":
                text = _text_of(message.get("content"))
                if text:
                    texts.append(text)
        if isinstance(body.get("input"), str):
            texts.append(body["input"])
    return texts[-1] if texts else "(the recording does not hold the prompt)"


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def _read(recording: Recording, number: int) -> TurnReader:
    dialect = recording.dialect or dialect_of(recording.body) or "openai-chat"
    reader = TurnReader(dialect, head=recording.head, ref_prefix=f"t{number}")
    reader.feed(recording.body)
    reader.close()
    return reader


def _model_in(body: bytes, dialect: str) -> str | None:
    reader = TurnReader(dialect)
    reader.feed(body)
    return reader.turn.model
