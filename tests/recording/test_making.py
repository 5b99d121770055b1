"""Made fixtures: exactly the stated change, nothing else, the same every time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.core import dialects
from tui.core.errors import UsageError
from tui.core.reader import TurnReader
from tui.core.states import CallState
from tui.core.turn import Turn
from tui.recording.format import Recording, load, save
from tui.recording.making import events, fragments, jsontext, transport
from tui.recording.making.blocks import put_together, stream_of
from tui.recording.making.fragments import Cutting
from tui.recording.split import parse_split

STREAMS = Path(__file__).parents[1] / "streams"
ALL = sorted(path.stem for path in STREAMS.glob("*.sse"))
TICKETS = ("anthropic-long-ticket", "responses-long-ticket")
TWO_CALLS = ("anthropic-interleaved-same-tool", "chat-numbers", "responses-interleaved-same-tool")


def fixture(name: str) -> Recording:
    return load(STREAMS / f"{name}.sse")


def read(recording: Recording) -> Turn:
    assert recording.dialect is not None
    reader = TurnReader(recording.dialect)
    reader.feed(recording.body)
    reader.close(broken="" if recording.ending == "complete" else "it broke")
    return reader.turn


def calls(recording: Recording) -> list[tuple[str | None, str, str, CallState]]:
    return [(call.id, call.name, call.text, call.state) for call in read(recording).calls]


def sizes(recording: Recording) -> list[int]:
    return [
        len(piece.text) for call in read(recording).calls for piece in call.fragments if piece.text
    ]


@pytest.mark.parametrize("name", ALL)
def test_a_body_taken_apart_and_put_together_is_the_same_body(name: str) -> None:
    recording = fixture(name)
    stream = stream_of(recording)
    assert put_together(recording, stream).body == recording.body
    assert all(block.with_data(block.data).raw == block.raw for block in stream.blocks)


@pytest.mark.parametrize("words", ["whole", "bytes", "7", "random:3", "at:5,50"])
def test_rechunking_keeps_the_bytes_and_the_time_of_every_byte(words: str) -> None:
    slow = fixture("anthropic-slow-chunks")
    again = transport.rechunked(slow, parse_split(words))
    assert again.body == slow.body
    assert [end for end, _ in again.chunks][-1] == len(slow.body)
    old = dict(slow.chunks)
    assert all(at == old[end] for end, at in again.chunks if end in old)
    assert [at for _, at in again.chunks] == sorted(at for _, at in again.chunks)


def test_chunks_end_inside_every_character_of_several_bytes() -> None:
    one = transport.rechunked_inside(fixture("anthropic-long-ticket"), ["characters"])
    wide = [char for char in one.body.decode() if ord(char) > 0x7F]
    assert len(one.chunks) == len(wide) + 1
    assert all(0x80 <= one.body[end] <= 0xBF for end, _ in one.chunks[:-1])


def test_nothing_to_cut_inside_is_said() -> None:
    with pytest.raises(UsageError, match="holds no characters"):
        transport.rechunked_inside(fixture("anthropic-no-arguments"), ["characters"])


def test_a_cut_keeps_the_bytes_before_it_and_the_chunks_that_had_come() -> None:
    slow = fixture("anthropic-slow-chunks")
    cut = transport.cut_at(slow, 1000)
    assert cut.body == slow.body[:1000]
    assert [end for end, _ in cut.chunks] == [700, 1000]
    assert cut.ending == "broken"
    assert cut.problem
    assert transport.cut_at(slow, 1000, ending="complete").problem == ""
    assert transport.cut_at(slow, -1).body == slow.body[:-1]


@pytest.mark.parametrize("offset", [10**9, -(10**9)])
def test_a_cut_outside_the_body_is_refused(offset: int) -> None:
    with pytest.raises(UsageError, match="not inside the body"):
        transport.cut_at(fixture("chat-whole-call"), offset)


def test_a_cut_inside_an_escape_leaves_half_of_it() -> None:
    ticket = fixture("anthropic-long-ticket")
    for which in (1, 2, -1):
        cut = transport.cut_inside(ticket, "escapes", which)
        assert re.search(rb"\\\\?[^\"]{0,5}$", cut.body)
    characters = transport.cut_inside(ticket, "characters", 1)
    with pytest.raises(UnicodeDecodeError):
        characters.body.decode()
    with pytest.raises(UsageError, match="no number 0"):
        transport.cut_inside(ticket, "escapes", 0)


def test_cut_after_an_event_ends_with_that_event() -> None:
    ticket = fixture("anthropic-long-ticket")
    assert len(stream_of(transport.cut_after(ticket, 9)).blocks) == 9
    assert transport.cut_after(ticket, 0).body == b""
    with pytest.raises(UsageError, match="no event 9999"):
        transport.cut_after(ticket, 9999)


def test_a_silence_moves_everything_from_its_event_on() -> None:
    one = fixture("chat-whole-call")
    starts = [len(block.raw) for block in stream_of(one).blocks]
    late = transport.delayed(one, gap=0.5, before={3: 10})
    before = sum(starts[:2])
    assert all((at >= 10) is (end > before) for end, at in late.chunks)
    assert transport.delayed(late, factor=2).chunks == tuple((e, at * 2) for e, at in late.chunks)
    with pytest.raises(UsageError, match="negative"):
        transport.delayed(one, gap=-1)


@pytest.mark.parametrize("line_end", transport.LINE_ENDS)
@pytest.mark.parametrize("name", ["anthropic-long-ticket", "chat-numbers", "responses-refusal"])
def test_framing_changes_nothing_that_the_stream_says(
    name: str, line_end: transport.LineEnd
) -> None:
    one = fixture(name)
    framed = transport.reframed(
        one,
        line_end=line_end,
        comment_every=2,
        mark=True,
    )
    assert framed.body != one.body
    assert calls(framed) == calls(one)
    assert read(framed).text == read(one).text


@pytest.mark.parametrize(
    "name", [*TICKETS, "chat-numbers", "chat-interleaved", "chat-pairs-in-halves"]
)
@pytest.mark.parametrize(
    "cutting",
    [
        Cutting(13),
        Cutting(1, exact=True),
        Cutting(0),
        Cutting(7, exact=True, in_escapes=True, in_pairs=True),
        Cutting(0, in_escapes=True),
    ],
)
def test_other_fragments_are_the_same_calls(name: str, cutting: Cutting) -> None:
    one = fixture(name)
    again = fragments.refragmented(one, cutting)
    assert calls(again) == calls(one)
    assert fragments.refragmented(one, cutting).body == again.body
    if cutting.exact and not cutting.in_escapes:
        assert set(sizes(again)) == {cutting.average}
    assert not {"responses.sequence-gap", "chat.id-repeated", "chat.name-repeated"} & {
        found.code for found in read(again).findings
    }


def test_fragments_have_the_average_that_was_asked_for() -> None:
    for average in (5, 13, 40):
        found = sizes(fragments.refragmented(fixture("responses-long-ticket"), Cutting(average)))
        assert average * 0.7 < sum(found) / len(found) < average * 1.4


def test_halves_that_were_apart_are_whole_again_where_no_cut_parts_them() -> None:
    again = fragments.refragmented(fixture("chat-pairs-in-halves"), Cutting(0))
    assert b"\\ud83d" in fixture("chat-pairs-in-halves").body
    assert b"\\ud83d" not in again.body
    assert calls(again) == calls(fixture("chat-pairs-in-halves"))


def test_a_cut_inside_every_escape_is_there() -> None:
    again = fragments.refragmented(fixture("anthropic-long-ticket"), Cutting(0, in_escapes=True))
    (call,) = read(again).calls
    # A fragment for every escape (a backslash and what it needs), and one for the beginning.
    escapes = re.findall(r"\\u[0-9a-f]{4}|\\.", call.text)
    assert len([piece for piece in call.fragments if piece.text]) == len(escapes) + 1


@given(
    text=st.text(max_size=60),
    cutting=st.builds(
        Cutting, st.integers(0, 9), st.booleans(), st.booleans(), st.booleans(), st.integers()
    ),
)
def test_pieces_are_the_text(text: str, cutting: Cutting) -> None:
    pieces = cutting.pieces(text)
    assert "".join(pieces).encode("utf-16", "surrogatepass") == text.encode(
        "utf-16", "surrogatepass"
    )
    assert all(pieces)


def test_an_event_that_opens_a_call_and_one_that_ends_the_turn_do_so_once() -> None:
    whole = events.edited(
        fixture("chat-whole-call"),
        ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"],
        '"{\\"a\\": 1234567890}"',
        only=[2],
    )
    whole = events.dropped(whole, [3])
    whole = events.edited(whole, ["choices", 0, "finish_reason"], '"tool_calls"', only=[2])
    whole = events.dropped(whole, [3])
    again = fragments.refragmented(whole, Cutting(4, exact=True))
    assert calls(again) == calls(whole)
    assert len(sizes(again)) == 5
    assert again.body.count(b'"name"') == 1
    assert again.body.count(b'"finish_reason":"tool_calls"') == 1


@pytest.mark.parametrize("name", TWO_CALLS)
def test_interleaved_calls_alternate_and_are_the_same_calls(name: str) -> None:
    one = fixture(name)
    again = fragments.interleaved(one)
    assert calls(again) == calls(one)
    first, second = read(again).calls[:2]
    assert first.fragments[0].start < second.fragments[0].start < first.fragments[-1].start
    assert "responses.sequence-gap" not in {found.code for found in read(again).findings}


def test_one_call_cannot_be_interleaved() -> None:
    with pytest.raises(UsageError, match="fewer than two calls"):
        fragments.interleaved(fixture("chat-whole-call"))


@pytest.mark.parametrize("name", TWO_CALLS)
def test_without_markers_no_call_is_closed(name: str) -> None:
    turn = read(events.without_role(fixture(name), "marker"))
    assert [call.state for call in turn.calls] == [CallState.INCOMPLETE] * 2


@pytest.mark.parametrize("name", TWO_CALLS)
def test_without_the_stop_reason_nothing_may_run(name: str) -> None:
    turn = read(events.without_role(fixture(name), "stop"))
    assert turn.stop_reason is None
    assert not turn.final_calls


def test_a_role_that_nobody_plays_is_refused() -> None:
    with pytest.raises(UsageError, match="its done"):
        events.without_role(fixture("anthropic-no-arguments"), "done")


def test_events_dropped_duplicated_and_swapped_are_those_and_no_others() -> None:
    one = fixture("chat-numbers")
    raws = [block.raw for block in stream_of(one).blocks]
    joined = b"".join
    assert events.dropped(one, {2, 3}).body == joined(raws[:1] + raws[3:])
    assert events.duplicated(one, {2}).body == joined(raws[:2] + raws[1:])
    assert events.swapped(one, 2, 4).body == joined([raws[0], raws[3], raws[2], raws[1], *raws[4:]])
    with pytest.raises(UsageError, match="no event 0"):
        events.dropped(one, {0})


def test_a_torn_event_is_half_and_the_rest_as_it_was() -> None:
    one = fixture("chat-numbers")
    torn = stream_of(events.torn(one, 5)).blocks
    old = stream_of(one).blocks
    assert [place for place, (a, b) in enumerate(zip(torn, old, strict=True), 1) if a != b] == [5]
    assert old[4].data.startswith(torn[4].data)


def test_a_splice_is_the_one_and_then_the_other() -> None:
    one, two = fixture("chat-whole-call"), fixture("chat-numbers")
    spliced = events.spliced(one, 2, two, 3)
    assert spliced.body == b"".join(
        block.raw for block in (*stream_of(one).blocks[:2], *stream_of(two).blocks[2:])
    )
    with pytest.raises(UsageError, match="cannot be spliced"):
        events.spliced(one, 1, fixture("anthropic-no-arguments"))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("anthropic-no-arguments", "max_tokens"),
        ("chat-whole-call", "length"),
        ("responses-whole-call", "incomplete"),
    ],
)
def test_another_ending_is_read_as_that_ending(name: str, reason: str) -> None:
    turn = read(events.ended_with(fixture(name), reason))
    assert (turn.stop_reason, turn.outcome) == (reason, "incomplete")
    assert "event-name-differs" not in " ".join(found.code for found in turn.findings)


@pytest.mark.parametrize("name", TWO_CALLS)
@pytest.mark.parametrize("go_on", [False, True])
def test_an_error_event_is_read_as_an_error(name: str, go_on: bool) -> None:
    one = fixture(name)
    made = events.with_error(one, 4, "it \x1b failed", go_on=go_on)
    turn = read(made)
    assert turn.outcome == "error"
    assert "it \x1b failed" in turn.error
    assert not turn.final_calls
    assert len(stream_of(made).blocks) == (len(stream_of(one).blocks) + 1 if go_on else 5)


def test_edits_leave_the_rest_of_the_text_as_it_stands() -> None:
    text = '{ "a" : [1.0, {"b": "\\u00e9"}],"c":-0}'
    assert jsontext.put(text, ["a", 1, "b"], "2") == '{ "a" : [1.0, {"b": 2}],"c":-0}'
    assert jsontext.put(text, ["d"], "1") == '{"a": [1.0, {"b": "\\u00e9"}], "c": -0, "d": 1}'
    assert jsontext.without('{"a":1e2,"b":1.0}', ["a"]) == '{"b":1.0}'
    assert jsontext.without(text, ["z"]) == text
    with pytest.raises(KeyError):
        jsontext.put(text, ["a", 7], "1")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing was changed"):
        events.edited(fixture("chat-whole-call"), ["choices", 0, "nothing"], "1")


def test_a_made_fixture_keeps_its_commands_and_its_results(tmp_path: Path) -> None:
    one = replace(fixture("chat-whole-call"), made_by=("first", "second"))
    assert load(save(one, tmp_path / "made")).made_by == ("first", "second")
    assert events.dropped(one, {1}).made_by == ("first", "second")


@pytest.mark.parametrize("dialect", dialects.NAMES)
def test_every_dialect_can_be_changed_in_every_way(dialect: str) -> None:
    """A dialect that is added must be taught to the makers too."""
    assert dialect in fragments._PATHS
    assert events._error(dialect, "x", 0)
