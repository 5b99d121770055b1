"""The two sides of the wire pane: choosing on one marks the other."""

from __future__ import annotations

import pytest

from tests import wire
from tests.app.screens import FORBIDDEN, HOSTILE
from tests.app.wire.making import MARCH, read
from tui.app.wire.characters import Stretch
from tui.app.wire.filters import parse_filter
from tui.app.wire.marked import FOUND, HERE, MARKED
from tui.app.wire.view import WireView


def shown(view: WireView, width: int = 60) -> str:
    """The marked texts as they are drawn."""
    lines = [view.marked.line(index, width) for index in range(view.marked.count(width))]
    return "\n".join("".join(text for text, _ in line) for line in lines)


def inked(view: WireView, *inks: str) -> str:
    """What is drawn in one of these inks."""
    width = 60
    return "".join(
        text
        for index in range(view.marked.count(width))
        for text, ink in view.marked.line(index, width)
        if ink in inks
    )


def events_with(view: WireView, *fragments: str) -> tuple[int, ...]:
    return tuple(
        number
        for number in range(1, len(view.log) + 1)
        if any(getattr(event, "text", None) in fragments for event in view.log.step(number).events)
    )


def test_the_three_events_that_made_march_in_the_summary_are_found_and_marked() -> None:
    view = WireView(read(MARCH))
    chosen = view.find("March")
    expected = events_with(view, '"summary": "from 3 Ma', "r", 'ch to 5 May", ')
    assert chosen.events == expected
    assert len(expected) == 3
    numbers = ", ".join(f"#{number}" for number in expected)
    assert chosen.told.startswith(f"“March” came in 3 events: {numbers} · arguments of t1.c1")
    assert view.table.marked == frozenset(expected)
    assert '⟦"summary": "from 3 Ma╎r╎ch to 5 May", ⟧' in shown(view, 100)
    assert inked(view, FOUND, HERE) == "March"


def test_the_next_place_is_in_the_prose_and_the_one_after_is_the_first_again() -> None:
    view = WireView(read(MARCH))
    first = view.find("March")
    second = view.find("March", again=True)
    assert second.told.endswith("prose (2 of 2; n is the next)")
    assert view.find("March", again=True) == first
    assert view.find("March", again=True, back=True) == second


def test_a_word_without_capitals_fits_any_case_and_json_escapes_count_as_what_they_spell() -> None:
    view = WireView(read(MARCH))
    assert view.find("march").told.startswith("“March” came in 3 events")
    assert view.find("Küche").told.startswith("“K\\u00fcche” came in 1 event")


def test_a_word_that_stands_in_no_text_is_looked_for_in_the_data_of_the_events() -> None:
    view = WireView(read(MARCH))
    chosen = view.find("tool_use")
    assert len(chosen.events) == 1
    assert "stands in no text; it stands in the data of #" in chosen.told
    assert view.find("tool_use", again=True).events != chosen.events
    nowhere = view.find("xyzzy")
    assert nowhere.events == ()
    assert "stands nowhere" in nowhere.told


def test_choosing_an_event_marks_the_characters_that_it_carried() -> None:
    view = WireView(read(MARCH))
    (number,) = events_with(view, "r")
    chosen = view.choose_event(number)
    assert inked(view, MARKED).strip("⟦⟧╎") == "r"
    assert chosen.stretch == Stretch(1, 44, 45)
    assert chosen.told == (
        f"#{number} carried 1 character of the arguments of t1.c1 create_ticket, from 44 on"
    )
    assert view.choose_event(1).told == "#1 carried no character of any text"
    assert inked(view, MARKED, FOUND, HERE) == ""


def test_the_cursor_goes_over_all_texts_and_names_the_event_of_each_character() -> None:
    view = WireView(read(MARCH))
    seen, before = "", None
    while (chosen := view.move(1)) is not None and view.cursor != before:
        before = view.cursor
        assert chosen.stretch is not None
        text = view.texts.parts[chosen.stretch.part]
        assert chosen.events == text.events_of(chosen.stretch.start, chosen.stretch.end)
        seen += text.text[chosen.stretch.start]
    assert seen == "".join(text.text for text in view.texts.parts)


def test_shift_chooses_a_stretch_and_names_all_its_events() -> None:
    view = WireView(read(MARCH))
    view.choose_characters(1, 42)
    for _ in range(3):
        view.move(1, extend=True)
    chosen = view.move(1, extend=True)
    assert chosen is not None
    assert chosen.told.startswith("“March”, characters 42–46 of the arguments")
    assert len(chosen.events) == 3


@pytest.mark.parametrize("width", [20, 33])
def test_moving_down_and_up_again_comes_back_near_where_it_was(width: int) -> None:
    view = WireView(read(MARCH))
    view.choose_characters(1, 30)
    line = view.marked.line_of(1, 30, width)
    below = view.move_lines(1, width)
    assert below is not None
    assert view.cursor is not None
    assert view.marked.line_of(*view.cursor, width) > line
    view.move_lines(-1, width)
    assert view.cursor is not None
    assert view.marked.line_of(*view.cursor, width) == line
    assert abs(view.cursor[1] - 30) <= 1


def test_every_character_is_drawn_in_the_line_that_is_said_to_hold_it() -> None:
    body = wire.call_turn(wire.call(1, "t", "f", '{"a": "zwölf\t\u202eB', "\n\u200d🦊c", 'x"}'))
    view = WireView(read(body))
    for place, text in enumerate(view.texts.parts):
        for char in range(text.length):
            view.choose_characters(place, char)
            line = view.marked.line(view.marked.line_of(place, char, 13), 13)
            assert any(ink == HERE for _, ink in line), (place, char)


def test_nothing_drawn_holds_what_a_terminal_obeys() -> None:
    body = wire.call_turn(wire.call(1, HOSTILE, HOSTILE, HOSTILE), words=HOSTILE)
    view = WireView(read(body))
    drawn = shown(view, 50)
    for index in range(view.table.count(120)):
        drawn += "".join(text for text, _ in view.table.line(index, 120))
    assert not [char for char in FORBIDDEN if char in drawn]


@pytest.mark.parametrize("width", [40, 80, 84, 110, 200])
def test_no_row_is_wider_than_the_table(width: int) -> None:
    body = wire.call_turn(wire.call(1, "t", "日本" * 40, '{"長い": "' + "字" * 300, '"}'))
    view = WireView(read(body))
    for index in range(view.table.count(width)):
        assert sum(len(text) for text, _ in view.table.line(index, width)) <= width


def test_a_filter_keeps_calls_kinds_words_gaps_and_trouble() -> None:
    body = MARCH[:-60] + b"event: message_delta\ndata: {not json}\n\n"
    view = WireView(read(body))
    table = view.table

    def numbers(typed: str) -> list[int | None]:
        table.keep(parse_filter(typed))
        return [table.number_at(line) for line in range(table.events)]

    everything = numbers("")
    assert len(everything) == len(view.log)
    assert numbers("call:t1.c1") == numbers("call:ticket")
    assert len(numbers("call:t1.c1")) == 7
    assert len(numbers("kind:input_json_delta")) == 5
    assert len(numbers("KIND:ping")) == 0
    assert len(numbers("summary kind:delta")) == 1
    assert numbers("bad") == [len(view.log)]
    assert numbers("gap:1000") == []
    assert table.line(0, 80)[0][0].strip() == "no event fits the filter"
    assert "no number" in parse_filter("gap:x").problem


def test_a_filter_takes_in_what_comes_later_and_knows_the_line_of_an_event() -> None:
    from tui.app.wire.timeline import Reading
    from tui.session.updates import Arrivals, TurnHandle

    reader = Reading("anthropic").reader()
    handle = TurnHandle("e", reader.turn, Arrivals(), "demo", "anthropic", "m")
    view = WireView(handle)
    view.table.keep(parse_filter("kind:input_json_delta"))
    assert view.table.events == 0
    handle.arrivals.add(len(MARCH), 0.5)
    handle.steps.extend(reader.feed(MARCH))
    view.pull()
    assert view.table.events == 5
    third = view.table.number_at(2)
    assert third is not None
    assert view.table.line_of(third) == 2
    assert view.table.line_of(1) is None


def test_a_malformed_event_is_marked_with_more_than_a_colour() -> None:
    body = MARCH[:-60] + b"event: message_delta\ndata: {not json}\n\n" + b"data: {"
    view = WireView(read(body))
    rows = [view.log.row(number) for number in range(1, len(view.log) + 1)]
    assert [row.kind for row in rows if row.trouble] == [
        "message_delta · not JSON",
        "unfinished rest",
    ]
    line = "".join(text for text, _ in view.table.line(rows[-2].number - 1, 100))
    assert line.startswith(" !")
    assert "malformed" in line


@pytest.mark.parametrize("width", [60, 79, 80, 83, 100, 160])
def test_the_headings_stand_over_their_columns(width: int) -> None:
    view = WireView(read(MARCH))
    headings = "".join(text for text, _ in view.table.headings(width))
    row = "".join(text for text, _ in view.table.line(6, width))
    assert row.index("t1.c1") == headings.index("came to")
    assert row.index("#7") + 1 == headings.index("#")
    assert ("+" in row) == ("gap" in headings) == (width >= 80)
