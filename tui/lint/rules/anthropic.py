"""What the Anthropic decoder takes without a word, and other clients trip over."""

from __future__ import annotations

from typing import Any

from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules.payloads import payloads


def look(reading: Reading, notes: Notes) -> None:
    expected = 0
    opened: set[object] = set()
    begun: set[object] = set()
    for value, at in payloads(reading):
        index = value.get("index")
        if not isinstance(index, int):
            index = None
        match value.get("type"):
            case "content_block_start":
                if index is not None and index != expected:
                    said = f"the block index is {index} where {expected} was next"
                    notes.count("anthropic.index-gap", said, at)
                expected = (index if index is not None else expected) + 1
                opened.add(index)
            case "content_block_stop":
                opened.discard(index)
            case "content_block_delta":
                if index in begun and _is_empty(value.get("delta")):
                    notes.count("anthropic.empty-delta", "a delta carries nothing", at)
                begun.add(index)
            case "message_delta" if opened and _has_reason(value.get("delta")):
                said = "the stop reason came before the last block was stopped"
                notes.add("anthropic.stop-reason-early", said, at)


def _is_empty(delta: Any) -> bool:
    # The first delta of a block is empty in most streams.
    return isinstance(delta, dict) and "" in (delta.get("text"), delta.get("partial_json"))


def _has_reason(delta: Any) -> bool:
    return isinstance(delta, dict) and delta.get("stop_reason") is not None
