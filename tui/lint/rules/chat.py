"""What the Chat Completions decoder takes without a word, and other clients trip over."""

from __future__ import annotations

from typing import Any

from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules.payloads import payloads


def look(reading: Reading, notes: Notes) -> None:
    seen: set[object] = set()
    for value, at in payloads(reading):
        choices = value.get("choices")
        if choices == []:
            if value.get("usage"):
                notes.count("chat.usage-without-choices", "a chunk has usage and no choice", at)
            else:
                notes.count("chat.choices-empty", "a chunk has no choice and no usage", at)
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict):
                _choice(choice, at, seen, notes)


def _choice(choice: dict[str, Any], at: int, seen: set[object], notes: Notes) -> None:
    if "delta" in choice and choice["delta"] is None:
        notes.count("chat.delta-null", "a delta is null", at)
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return
    finished = choice.get("finish_reason") is not None
    _content(delta, at, choice.get("index", 0), finished, seen, notes)
    if "tool_calls" not in delta:
        return
    entries = delta["tool_calls"]
    if not entries:
        notes.count("chat.tool-calls-empty", f"`tool_calls` is {entries!r}", at)
    if not isinstance(entries, list):
        return
    entries = [entry for entry in entries if isinstance(entry, dict)]
    if entries and finished:
        said = "the finish reason stands in the chunk that still carries arguments"
        notes.count("chat.call-with-finish", said, at)
    indexes = [entry["index"] for entry in entries if isinstance(entry.get("index"), int)]
    if len(set(indexes)) < len(indexes):
        said = f"one chunk has two entries with the index {max(indexes, key=indexes.count)}"
        notes.count("chat.index-twice-in-chunk", said, at)
    for entry in entries:
        _entry(entry, (choice.get("index", 0), str(entry.get("index"))), at, seen, notes)


def _content(
    delta: dict[str, Any], at: int, choice: object, finished: bool, seen: set[object], notes: Notes
) -> None:
    content = delta.get("content")
    if isinstance(content, list):
        notes.count("chat.content-array", "the content is a list of parts", at)
        return
    # The first delta and the one with the finish reason are empty nearly everywhere.
    first = ("content", choice) not in seen
    seen.add(("content", choice))
    said_nothing = not any(each for name, each in delta.items() if name != "role")
    if said_nothing and not first and not finished:
        notes.count("chat.empty-delta", "a delta carries nothing", at)


def _entry(
    entry: dict[str, Any], key: tuple[object, str], at: int, seen: set[object], notes: Notes
) -> None:
    later = ("call", key) in seen
    seen.add(("call", key))
    function = entry.get("function")
    if "function" in entry and function is None:
        notes.count("chat.function-null", "the `function` of an entry is null", at)
    function = function if isinstance(function, dict) else {}
    if "arguments" in function and function["arguments"] is None:
        notes.count("chat.arguments-null", "the arguments of an entry are null", at)
    elif (
        isinstance(entry.get("function"), dict)
        and not later
        and "arguments" not in function
        and "custom" not in entry
    ):
        notes.count("chat.arguments-missing", "a call begins without arguments", at)
    if not later:
        return
    if "id" in entry and not entry["id"]:
        notes.count("chat.id-blank", f"the id of a later entry is {entry['id']!r}", at)
    if "name" in function and not function["name"]:
        notes.count("chat.name-blank", f"the name of a later entry is {function['name']!r}", at)
    if "type" in entry:
        what = "null" if entry["type"] is None else "repeated"
        notes.count("chat.type-repeated", f"the type of a call is {what} in a later entry", at)
