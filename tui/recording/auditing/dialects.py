"""Kinds that only one dialect has, and that each dialect is there at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tui.core import dialects
from tui.core.parts import LiveCall
from tui.core.sse import SSEEvent
from tui.recording.auditing.kind import Kind
from tui.recording.auditing.seen import Seen


def _speaks(name: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.dialect == name and bool(seen.calls)


PRESENT: Final = tuple(
    Kind(
        f"dialect.{name}",
        f"anything that is wrong only in {name}",
        _speaks(name),
        f"translate FILE --dialect {name} -o OUT",
    )
    for name in dialects.NAMES
)


def _function(entry: dict[str, Any]) -> dict[str, Any]:
    function = entry.get("function")
    return function if isinstance(function, dict) else {}


def _index_zero(seen: Seen) -> bool:
    return len(seen.calls) > 1 and {entry.get("index") for entry in seen.chat_entries} == {0}


def _usage_event(seen: Seen) -> bool:
    return seen.dialect == "openai-chat" and any(
        isinstance(value, dict) and value.get("choices") == [] for value in seen.values
    )


def _stop_with_calls(seen: Seen) -> bool:
    return seen.dialect == "openai-chat" and bool(seen.calls) and seen.turn.stop_reason == "stop"


def _calls_without_any(seen: Seen) -> bool:
    return (
        seen.dialect == "openai-chat" and not seen.calls and seen.turn.stop_reason == "tool_calls"
    )


def _fragment_with_finish(seen: Seen) -> bool:
    return any(
        choice.get("finish_reason")
        and isinstance(delta := choice.get("delta"), dict)
        and delta.get("tool_calls")
        for choice in seen.chat_choices
    )


def _arguments_in_opening(seen: Seen) -> bool:
    return any(
        _function(entry).get("name") and _function(entry).get("arguments")
        for entry in seen.chat_entries
    )


def _later_member(seen: Seen, member: str) -> bool:
    """An entry that repeats what only the first entry of its call has to say."""
    told: set[Any] = set()
    for entry in seen.chat_entries:
        value = entry.get(member) if member == "id" else _function(entry).get(member)
        place = (entry.get("index"), value)
        if value and place in told:
            return True
        told.add(place)
    return False


def _input_in_start(seen: Seen) -> bool:
    blocks = [
        event.get("content_block") for event in seen.of_type("anthropic", "content_block_start")
    ]
    return any(isinstance(block, dict) and block.get("input") for block in blocks)


def _index_gap(seen: Seen) -> bool:
    indexes = [event.get("index") for event in seen.of_type("anthropic", "content_block_start")]
    return bool(indexes) and indexes != list(range(len(indexes)))


def _empty_delta(seen: Seen) -> bool:
    deltas = [event.get("delta") for event in seen.of_type("anthropic", "content_block_delta")]
    return any(isinstance(delta, dict) and delta.get("partial_json") == "" for delta in deltas)


def _only_in_done(seen: Seen) -> bool:
    deltas = seen.of_type("openai-responses", "response.function_call_arguments.delta")
    return (
        seen.dialect == "openai-responses"
        and not deltas
        and any(isinstance(part, LiveCall) and part.text for part in seen.turn.parts)
    )


def _done_differs(seen: Seen) -> bool:
    return seen.dialect == "openai-responses" and any(
        call.other_text is not None for call in seen.calls
    )


def _no_event_lines(seen: Seen) -> bool:
    items = [step.item for step in seen.steps if isinstance(step.item, SSEEvent)]
    return (
        seen.dialect == "openai-responses" and bool(items) and not any(item.type for item in items)
    )


def _no_numbers(seen: Seen) -> bool:
    created = seen.of_type("openai-responses", "response.created")
    return bool(created) and not any("sequence_number" in event for event in created)


_ENTRY: Final = "choices.0.delta.tool_calls.0"

KINDS: Final = (
    Kind(
        "chat.index-zero",
        "calls are told apart by `index` alone, and a server that always says 0 merges them",
        _index_zero,
        f"edit FILE --path {_ENTRY}.index --json 0 -o OUT",
    ),
    Kind(
        "chat.index-missing",
        "a missing `index` raises",
        lambda seen: any("index" not in entry for entry in seen.chat_entries),
        f"edit FILE --path {_ENTRY}.index --remove -o OUT",
    ),
    Kind(
        "chat.id-missing",
        "a call without an id cannot be answered, and is dropped",
        lambda seen: any(call.id is None for call in seen.calls) and seen.dialect == "openai-chat",
        f"edit FILE --path {_ENTRY}.id --remove -o OUT",
    ),
    Kind(
        "chat.id-repeated",
        "every event with an id opens another call",
        lambda seen: _later_member(seen, "id"),
        f"edit FILE --path {_ENTRY}.id --json '\"call_1\"' --add -o OUT",
    ),
    Kind(
        "chat.name-repeated",
        "the name is appended to itself",
        lambda seen: _later_member(seen, "name"),
        f"edit FILE --path {_ENTRY}.function.name --json '\"TOOL\"' --add -o OUT",
    ),
    Kind(
        "chat.stop-with-calls",
        "calls are run only when the finish reason is `tool_calls`, and many servers say `stop`",
        _stop_with_calls,
        "stop FILE --reason stop -o OUT",
    ),
    Kind(
        "chat.tool-calls-but-none",
        "the client waits for calls that never came, or sends an empty list of results",
        _calls_without_any,
        "stop FILE --reason tool_calls -o OUT, of a turn without calls",
    ),
    Kind(
        "chat.fragment-with-finish",
        "the last fragment, in the event with the finish reason, is lost",
        _fragment_with_finish,
        "edit FILE --path choices.0.finish_reason --json '\"tool_calls\"' --event K -o OUT",
    ),
    Kind(
        "chat.arguments-in-opening",
        "argument text that comes with the name is lost",
        _arguments_in_opening,
        f"edit FILE --path {_ENTRY}.function.arguments --json '\"{{}}\"' --event K -o OUT",
    ),
    Kind(
        "chat.arguments-as-object",
        "arguments that come as an object instead of a text raise",
        lambda seen: any(
            isinstance(_function(entry).get("arguments"), dict) for entry in seen.chat_entries
        ),
        f"edit FILE --path {_ENTRY}.function.arguments --json '{{\"a\":1}}' --event K -o OUT",
    ),
    Kind(
        "chat.usage-event",
        "`choices[0]` of the usage event, whose list is empty, raises",
        _usage_event,
        "from-json A.json --name TOOL --dialect openai-chat -o OUT",
    ),
    Kind(
        "chat.delta-null",
        "`delta.content` or `delta` itself is null, and becomes the text `None`",
        lambda seen: any(delta.get("content", "") is None for delta in seen.chat_deltas),
        "from-json A.json --name TOOL --dialect openai-chat -o OUT",
    ),
    Kind(
        "chat.no-done",
        "a server that ends without `[DONE]` is waited for",
        lambda seen: (
            seen.dialect == "openai-chat" and bool(seen.steps) and b"[DONE]" not in seen.body
        ),
        "drop FILE --role done -o OUT",
    ),
    Kind(
        "anthropic.input-in-start",
        "arguments that stand whole in content_block_start are lost",
        _input_in_start,
        "edit FILE --path content_block.input --json '{\"a\":1}' -o OUT",
    ),
    Kind(
        "anthropic.empty-fragment",
        "the first, empty fragment is parsed as JSON",
        _empty_delta,
        "from-json A.json --name TOOL --dialect anthropic -o OUT",
    ),
    Kind(
        "anthropic.index-gap",
        "blocks are kept in a list by `index`, and a gap raises or shifts them",
        _index_gap,
        "drop FILE --event K -o OUT, for all events of one block",
    ),
    Kind(
        "responses.arguments-only-in-done",
        "arguments that come only in the done event are lost",
        _only_in_done,
        "drop FILE --event K -o OUT, for every arguments.delta",
    ),
    Kind(
        "responses.done-differs",
        "fragments and done event disagree, and one of them is run unseen",
        _done_differs,
        "edit FILE --path arguments --json '\"{}\"' -o OUT",
    ),
    Kind(
        "responses.no-event-lines",
        "events are told apart by their `event:` line, which some servers leave out",
        _no_event_lines,
        "frame FILE --no-event-lines -o OUT",
    ),
    Kind(
        "responses.no-sequence-numbers",
        "a missing sequence_number raises",
        _no_numbers,
        "edit FILE --path sequence_number --remove -o OUT",
    ),
)
