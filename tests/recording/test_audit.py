"""The audit: our own fixtures hold every kind, and each kind that is taken away is named."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from tests import shared
from tui.core.errors import UsageError
from tui.recording.auditing import KINDS, Item, audit, chosen, fixtures_in
from tui.recording.auditing.seen import Seen, see
from tui.recording.format import Recording, load
from tui.recording.making.events import with_error

STREAMS = Path(__file__).parents[1] / "streams"


@cache
def ours() -> tuple[Item, ...]:
    return tuple(audit(fixtures_in(STREAMS)))


def test_our_own_fixtures_lack_nothing() -> None:
    assert [item.kind.code for item in ours() if not item.present] == []


def test_codes_are_unique_and_say_what_they_catch_and_how_to_make_one() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(set(codes)) == len(codes)
    assert all(kind.catches and kind.make and "." in kind.code for kind in KINDS)


@pytest.mark.parametrize("item", ours(), ids=lambda item: item.kind.code)
def test_on_a_copy_without_one_kind_the_audit_names_it(item: Item) -> None:
    gone = set(item.files)
    rest = [seen for seen in fixtures_in_once() if seen.name not in gone]
    assert gone, "nothing was taken away"
    missing = {other.kind.code for other in audit(rest) if not other.present}
    assert item.kind.code in missing


@cache
def fixtures_in_once() -> tuple[Seen, ...]:
    return tuple(fixtures_in(STREAMS))


def test_no_kind_is_found_everywhere() -> None:
    """One that every fixture has could not be taken away, and would say nothing."""
    count = len(fixtures_in_once())
    assert all(len(item.files) < count for item in ours())


def test_a_single_plain_stream_lacks_nearly_everything(tmp_path: Path) -> None:
    for name in ("chat-whole-call.sse", "chat-whole-call.json"):
        shutil.copy(STREAMS / name, tmp_path / name)
    present = {item.kind.code for item in audit(fixtures_in(tmp_path)) if item.present}
    assert present == {
        "dialect.openai-chat",
        "calls.in-one-piece",
        "calls.spacing",
        "chat.usage-event",
        "chat.delta-null",
    }


def stream(arguments: list[str], dialect: str = "openai-chat") -> Recording:
    events = [
        {
            "index": 0,
            "id": "call_1",
            "type": "function",
            "function": {"name": "pay", "arguments": ""},
        },
        *({"index": 0, "function": {"arguments": text}} for text in arguments),
    ]
    lines = [
        "data: " + json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [event]}}]})
        for event in events
    ]
    lines += [
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
        "data: [DONE]",
    ]
    return Recording("".join(f"{line}\n\n" for line in lines).encode(), dialect=dialect)


@pytest.mark.parametrize(
    ("arguments", "code", "present"),
    [
        (['{"a": "x\\', 'ny"}'], "calls.escape-split", True),
        (['{"a": "x\\\\', 'ny"}'], "calls.escape-split", False),
        (['{"a": "x\\\\\\', 'ny"}'], "calls.escape-split", True),
        (['{"a": "\\u00', 'e9"}'], "calls.escape-split", True),
        (['{"a": "\\u00e9', '"}'], "calls.escape-split", False),
        (['{"a": "\\ud83d', '\\ude80"}'], "calls.surrogate-escape-split", True),
        (['{"a": "\\ud83d\\ude80', '"}'], "calls.surrogate-escape-split", False),
        (['{"a": "\ud83d', '\ude80"}'], "calls.pair-split", True),
        (['{"a": "🚀', '"}'], "calls.pair-split", False),
        (['{"a": 1.0}'], "calls.number-respelled", True),
        (['{"a": -0}'], "calls.number-respelled", True),
        (['{"a": 1, "b": 0.5, "c": "1.0", "d": -7}'], "calls.number-respelled", False),
        (['{"a": 9007199254740993}'], "calls.big-integer", True),
        (['{"a": 9007199254740991}'], "calls.big-integer", False),
        (['{"a": "{\\"b\\": 1}"}'], "calls.nested-json", True),
        (['{"a": "{b}"}'], "calls.nested-json", False),
        (["{'a': 1}"], "calls.invalid-json", True),
        (['{"a":1,"a":2}'], "calls.invalid-json", False),
        (['{"a":1,"a":2}'], "calls.duplicate-keys", True),
        (['{"a":{"a":2}}'], "calls.duplicate-keys", False),
        (["[]"], "calls.not-an-object", True),
        (["{}{}"], "calls.text-behind", True),
        (["{} "], "calls.text-behind", False),
        (['{"a": "' + "x" * 400 + '"}'], "calls.fragmented", False),
        (['{"a": "', *["x" * 40] * 10, '"}'], "calls.fragmented", True),
    ],
)
def test_a_kind_is_what_it_says(arguments: list[str], code: str, present: bool) -> None:
    (kind,) = chosen([code], [])
    assert kind.found(see("made", stream(arguments))) is present


def test_an_error_before_the_call_ended_is_not_one_after_it() -> None:
    (kind,) = chosen(["end.error-after-call"], [])
    good = load(STREAMS / "anthropic-no-arguments.sse")
    assert [kind.found(see("made", with_error(good, after))) for after in (6, 7, 8, 9)] == [
        False,
        False,
        True,
        True,
    ]


def test_kinds_are_chosen_by_code_and_by_group() -> None:
    assert {kind.code.partition(".")[0] for kind in chosen(["framing", "chunks"], [])} == {
        "framing",
        "chunks",
    }
    assert "framing.bom" not in {kind.code for kind in chosen(["framing"], ["framing.bom"])}
    with pytest.raises(UsageError, match="no kind 'frames'"):
        chosen(["frames"], [])


def test_a_folder_without_fixtures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no \.sse file"):
        fixtures_in(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        fixtures_in(tmp_path / "absent")


CLASSES = {
    "stream closed in mid-arguments": {"end.in-arguments", "end.before-arguments"},
    "max_tokens in mid-arguments": {"end.limit-in-call"},
    "two JSON objects concatenated": {"calls.text-behind"},
    "duplicate keys": {"calls.duplicate-keys"},
    "arguments as object": {"chat.arguments-as-object"},
    "finish_reason 'stop' with calls": {"chat.stop-with-calls"},
    "index always 0": {"chat.index-zero"},
    "index missing": {"chat.index-missing"},
    "big integers and 1.0": {"calls.big-integer"},
    "double-encoded arguments": {"calls.nested-json"},
    "surrogate pair cut between deltas": {
        "calls.surrogate-escape-split",
        "calls.pair-split",
        "text.pair-split",
    },
    "arguments in the start event": {"anthropic.input-in-start"},
    "arguments only in the done event": {"responses.arguments-only-in-done"},
    "content-block index gaps": {"anthropic.index-gap"},
    "event lines missing": {"responses.no-event-lines"},
    "error event in mid-stream": {"end.error-event"},
    "error object in mid-stream": {"end.error-event"},
    "message_stop missing": {"end.no-end-marker"},
    "malformed event mid-stream": {"events.malformed"},
    "server tools": {"calls.run-by-provider"},
    "text after tool call": {"calls.prose-after"},
    "terminal escape sequences": {"text.terminal-sequence"},
    "tool markup as text": {"text.call-markup"},
    "usage chunk with empty choices": {"chat.usage-event"},
    "byte order mark": {"framing.bom"},
    "comment/keep-alive lines": {"framing.comment"},
    "CR line ends": {"framing.cr"},
    "no blank line after the last event": {"framing.no-last-blank-line"},
}
"""What clients were seen to get wrong, and the kinds of which a case of it must show one."""


@shared.needs_shared
@pytest.mark.parametrize(
    "case", [c for c in shared.cases() if c.spec["class"] in CLASSES], ids=shared.by_id
)
def test_what_clients_got_wrong_is_a_kind(case: shared.WireCase) -> None:
    seen = see(case.id, Recording(case.read(), dialect=case.dialect))
    assert CLASSES[case.spec["class"]] & {kind.code for kind in KINDS if kind.found(seen)}
