"""Kinds about the stream around the calls: prose, thinking, how it ends, which events it has."""

from __future__ import annotations

import re
from typing import Final

from tui.core import events as ev
from tui.core.parts import LiveRefusal, LiveText, LiveThinking
from tui.core.sse import Comment
from tui.core.states import CallState
from tui.recording.auditing.kind import Kind
from tui.recording.auditing.seen import Seen

_MARKUP: Final = re.compile(r"<\|?(tool_call|function|tool_use|invoke|python_tag)|\[TOOL_CALLS\]")


def _prose(seen: Seen) -> str:
    return seen.turn.text


def _has(seen: Seen, kind: type[ev.DialectEvent]) -> bool:
    return any(isinstance(event, kind) for event in seen.events)


def _stops_in_arguments(seen: Seen) -> bool:
    """No word about the end came, and a call had begun."""
    return seen.turn.stop_reason is None and any(
        call.text and call.closed_at is None for call in seen.calls
    )


def _limit_in_call(seen: Seen) -> bool:
    return (
        seen.turn.stop_reason is not None
        and seen.ending.outcome == "incomplete"
        and any(call.state is CallState.INCOMPLETE for call in seen.calls)
    )


def _error_event(seen: Seen) -> bool:
    return _has(seen, ev.ProviderErrorReported)


def _error_after_call(seen: Seen) -> bool:
    closed = False
    for event in seen.events:
        closed = closed or isinstance(event, ev.CallClosed)
        if closed and isinstance(event, ev.ProviderErrorReported):
            return True
    return False


def _marker_missing(seen: Seen) -> bool:
    return seen.turn.ended_at is not None and any(call.closed_at is None for call in seen.calls)


def _no_end_marker(seen: Seen) -> bool:
    return seen.turn.stop_reason is not None and seen.turn.ended_at is None and not seen.turn.error


def _lone_halves(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _text_pair_split(seen: Seen) -> bool:
    return any(
        isinstance(part, LiveText | LiveThinking)
        and any(_lone_halves(piece.text) for piece in part.fragments)
        for part in seen.turn.parts
    )


def _leading_space(seen: Seen) -> bool:
    return any(
        isinstance(part, LiveText) and any(piece.text[:1] == " " for piece in part.fragments[1:])
        for part in seen.turn.parts
    )


KINDS: Final = (
    Kind(
        "text.non-ascii",
        "prose is decoded as Latin-1, or chunk by chunk",
        lambda seen: not _prose(seen).isascii(),
        "from-json --before 'Größe 北京' --dialect D -o OUT",
    ),
    Kind(
        "text.leading-space",
        "fragments are stripped, or the space after `data:` is removed twice: words run together",
        _leading_space,
        "from-json --before 'two words, and some more of them' --dialect D -o OUT",
    ),
    Kind(
        "text.line-separator",
        "U+2028, U+2029 or U+0085 is taken for the end of a line of the stream (str.splitlines)",
        lambda seen: any(
            char in seen.body for char in (b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xc2\x85")
        ),
        "from-json --before $'one\\u2028two' --dialect D -o OUT",
    ),
    Kind(
        "text.terminal-sequence",
        "a model moves the cursor or restyles the screen of whoever reads it",
        lambda seen: any(char in _prose(seen) for char in "\x1b\x07\x9b"),
        "from-json --before $'\\x1b[2Jgone' --dialect D -o OUT",
    ),
    Kind(
        "text.call-markup",
        "prose that looks like a call of another model's template is run",
        lambda seen: bool(_MARKUP.search(_prose(seen))),
        "from-json --before '<tool_call>{}</tool_call>' --dialect D -o OUT",
    ),
    Kind(
        "thinking.present",
        "thinking is shown as prose, or lost",
        lambda seen: any(isinstance(part, LiveThinking) and part.text for part in seen.turn.parts),
        "from-json --thinking TEXT --before TEXT --dialect D -o OUT",
    ),
    Kind(
        "thinking.signed",
        "the signature is not sent back, and the provider refuses the next request",
        lambda seen: any(
            isinstance(part, LiveThinking) and part.signature for part in seen.turn.parts
        ),
        "from-json --thinking TEXT --before TEXT --dialect anthropic -o OUT",
    ),
    Kind(
        "text.refusal",
        "a refusal is an empty answer",
        lambda seen: (
            any(isinstance(part, LiveRefusal) and part.text for part in seen.turn.parts)
            or seen.turn.stop_reason == "refusal"
        ),
        "from-json --refusal TEXT --end refused --dialect D -o OUT",
    ),
    Kind(
        "end.in-arguments",
        "the body ends in mid-call, the tolerant parser closes the brackets, and the call is run",
        _stops_in_arguments,
        "cut FILE --event K --ending complete -o OUT",
    ),
    Kind(
        "end.before-arguments",
        "a call that stopped before its first character counts as one without arguments, and is run",
        lambda seen: (
            seen.turn.stop_reason is None
            and any(not call.text and call.closed_at is None for call in seen.calls)
        ),
        "cut FILE --event K --ending complete -o OUT, behind the opening of a call",
    ),
    Kind(
        "end.limit-before-arguments",
        "the same, at the output limit: the end of the turn is there, and says no",
        lambda seen: _limit_in_call(seen) and any(not call.text for call in seen.calls),
        "stop FILE --reason max_tokens -o OUT, of a call without arguments",
    ),
    Kind(
        "end.broken-connection",
        "a failed connection is taken for the end of the turn",
        lambda seen: seen.recording.ending == "broken",
        "cut FILE --at BYTE -o OUT",
    ),
    Kind(
        "end.inside-event",
        "half an event is handled as a whole one, or raises",
        lambda seen: seen.unfinished is not None and seen.unfinished.partial_line,
        "cut FILE --inside characters -o OUT",
    ),
    Kind(
        "end.limit-in-call",
        "a call cut by the output limit is run with what it had",
        _limit_in_call,
        "from-json A.json --name TOOL --upto 40 --end limit --dialect D -o OUT",
    ),
    Kind(
        "end.error-event",
        "an error inside a stream with status 200 passes unseen",
        _error_event,
        "error FILE --after K -o OUT",
    ),
    Kind(
        "end.error-after-call",
        "a whole call is run although the turn failed behind it",
        _error_after_call,
        "error FILE --after K -o OUT",
    ),
    Kind(
        "end.marker-missing",
        "the end of the turn is taken for the end of a call that was never closed",
        _marker_missing,
        "drop FILE --role marker -o OUT",
    ),
    Kind(
        "end.no-end-marker",
        "a client that waits for the end marker hangs, or reports a broken turn as whole",
        _no_end_marker,
        "drop FILE --role end -o OUT",
    ),
    Kind(
        "end.no-stop-reason",
        "a turn that never said why it ended counts as well ended",
        lambda seen: seen.turn.stop_reason is None and seen.recording.ending == "complete",
        "drop FILE --role stop -o OUT",
    ),
    Kind(
        "end.unknown-reason",
        "a stop reason that nobody has heard of lets calls run",
        lambda seen: seen.turn.stop_reason is not None and "do not know" in seen.ending.words,
        "stop FILE --reason NEW_WORD -o OUT",
    ),
    Kind(
        "end.filtered",
        "calls of a turn that a content filter or a refusal ended are run",
        lambda seen: (
            seen.turn.stop_reason is not None
            and not seen.ending.calls_may_run
            and seen.ending.words.startswith(("a content filter", "the provider refused"))
            and bool(seen.calls)
        ),
        "stop FILE --reason refusal -o OUT",
    ),
    Kind(
        "events.malformed",
        "one event that is no JSON ends the client, or is skipped and the call run without it",
        lambda seen: _has(seen, ev.MalformedEvent) and seen.unfinished is None,
        "tear FILE --event K -o OUT",
    ),
    Kind(
        "events.unknown",
        "a new event type raises",
        lambda seen: any(isinstance(event, ev.UnknownEvent) for event in seen.events),
        "edit FILE --path type --json '\"new_event\"' --event K -o OUT",
    ),
    Kind(
        "events.keep-alive",
        "a keep-alive is taken for content, or for the end",
        lambda seen: (
            _has(seen, ev.KeepAlive) or any(isinstance(step.item, Comment) for step in seen.steps)
        ),
        "from-json A.json --name TOOL --keep-alives 3 --dialect D -o OUT",
    ),
    Kind(
        "events.after-end",
        "what comes behind the end marker opens the turn again",
        lambda seen: any(found.code.endswith("after-end") for found in seen.turn.findings),
        "splice FILE FILE --upto LAST --begin K -o OUT",
    ),
    Kind(
        "text.pair-split",
        "half a surrogate pair at the end of a prose fragment raises, or becomes U+FFFD",
        _text_pair_split,
        "edit FILE --path delta.text --json '\"\\ud83d\"' --event K -o OUT, and the other half",
    ),
)
