"""Events and the characters they carried: both directions agree, over every stream there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import wire
from tests.app.wire.making import MARCH, read
from tests.shared import RecordedStream, WireCase, by_id, cases, needs_shared, streams
from tui.app.wire.characters import BODY_END
from tui.app.wire.view import WireView
from tui.core.sse import Comment

CUT_PAIR = wire.call_turn(
    # A pair cut between two events, with an empty fragment between its halves.
    wire.call(1, "t", "post", '{"text": "to the moon \ud83d', "", '\ude80"}'),
    words="🦊 says: né",
)


def assert_both_ways_agree(view: WireView) -> None:
    """Each character has its events, and marking all events marks every character once."""
    texts = view.texts
    covered: dict[int, list[int]] = {
        place: [0] * text.length for place, text in enumerate(texts.parts)
    }
    for number in (*range(1, len(view.log) + 1), BODY_END):
        for stretch in texts.carried_by(number):
            for char in range(stretch.start, stretch.end):
                covered[stretch.part][char] += 1
                assert number in texts.parts[stretch.part].events_of(char, char + 1)
    for place, text in enumerate(texts.parts):
        assert text.length == len(text.text)
        for char, times in enumerate(covered[place]):
            events = text.events_of(char, char + 1)
            # Only a character whose halves came apart belongs to two.
            assert times == len(events)
            assert times in ((1, 2) if ord(text.text[char]) > 0xFFFF else (1,))


@pytest.mark.parametrize("body", [MARCH, CUT_PAIR], ids=["march", "cut pair"])
def test_every_character_of_every_text_belongs_to_the_event_that_carried_it(body: bytes) -> None:
    assert_both_ways_agree(WireView(read(body)))


@needs_shared
@pytest.mark.parametrize("stream", [*streams(), *cases()], ids=by_id)
def test_both_ways_agree_for_every_recorded_stream(stream: RecordedStream | WireCase) -> None:
    view = WireView(read(stream.read(), stream.dialect))
    assert_both_ways_agree(view)
    assert view.texts.turn.text == "".join(
        text.text
        for place, text in enumerate(view.texts.parts)
        if view.texts.title(place) == "prose"
    )


@given(
    st.lists(st.text(st.sampled_from("ab\ud83d\ude80é\n")), min_size=1, max_size=12),
    st.integers(min_value=1, max_value=200),
)
def test_both_ways_agree_however_the_characters_are_cut(fragments: list[str], size: int) -> None:
    body = wire.call_turn(wire.call(1, "t", "f", *fragments))
    view = WireView(read(body, size=size))
    assert_both_ways_agree(view)
    (call,) = view.texts.turn.calls
    place = view.texts.place_of(call.ref)
    assert place is not None
    assert view.texts.parts[place].text == call.buffer.text


def test_the_halves_of_a_pair_name_both_of_their_events() -> None:
    view = WireView(read(CUT_PAIR))
    place = view.texts.place_of("t1.c1")
    assert place is not None
    text = view.texts.parts[place]
    rocket = text.text.index("🚀")
    first, second = text.events_of(rocket, rocket + 1)
    assert second == first + 2
    assert text.events_of(rocket + 1, rocket + 2) == (second,)


def test_pulling_a_growing_turn_piece_by_piece_ends_where_reading_it_at_once_does() -> None:
    from tui.app.wire.timeline import Reading
    from tui.session.updates import Arrivals, TurnHandle

    reader = Reading("anthropic").reader()
    handle = TurnHandle("e", reader.turn, Arrivals(), "demo", "anthropic", "m")
    view = WireView(handle)
    for start in range(0, len(MARCH), 33):
        data = MARCH[start : start + 33]
        handle.arrivals.add(len(data), start / 1000)
        handle.steps.extend(reader.feed(data))
        view.pull()
    handle.steps.extend(reader.close())
    view.pull()
    whole = WireView(read(MARCH))
    assert len(view.log) == len(whole.log)
    assert [text.events for text in view.texts.parts] == [text.events for text in whole.texts.parts]
    assert not view.pull()


def test_a_comment_inside_of_an_event_is_a_row_and_carries_nothing() -> None:
    split = MARCH.index(b"data: ", MARCH.index(b"input_json_delta"))
    body = MARCH[:split] + b": keep-alive\n" + MARCH[split:]
    view = WireView(read(body))
    (number,) = [
        n for n in range(1, len(view.log) + 1) if isinstance(view.log.step(n).item, Comment)
    ]
    assert view.log.row(number).kind == "comment"
    assert view.log.row(number).meaning == "keep-alive"
    assert view.texts.carried_by(number) == ()
    assert view.texts.carried_by(number + 1) != ()
