"""The views of a call as lines: nothing is lost, nothing is claimed too early, nothing is obeyed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.calls.making import Writing, one_call
from tests.app.screens import FORBIDDEN, HOSTILE
from tests.json_documents import fragmentations, mutations, objects
from tui.app.calls.edits import (
    UnusableText,
    answer_of,
    checked_arguments,
    difference,
    editable,
)
from tui.app.calls.facts import fact_lines
from tui.app.calls.lines import CARET, Ink, Line, LineSource, width_of
from tui.app.calls.model import CallModel, EditedRun
from tui.app.calls.pace import TurnClock
from tui.app.calls.pretty import PrettyLines, pretty_lines
from tui.app.calls.raw import RawLines, shown_raw
from tui.app.calls.tree import TICK, TreeLines
from tui.app.calls.views import View, best_view, source_of
from tui.core import events as ev
from tui.core.conversation import (
    CallResult,
    ImageContent,
    JsonContent,
    ResourceContent,
    TextContent,
    ToolSpec,
)
from tui.core.strictjson import NotStrict, parse_object
from tui.session.updates import CallRan

WIDTH = 60


def drawn(source: LineSource, width: int = WIDTH) -> list[Line]:
    count = source.count(width)
    while not source.complete(width):
        count = source.count(width)
    return [source.line(index, width) for index in range(count)]


def text_of(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


# -- the tree ----------------------------------------------------------------------------------


@given(st.data())
def test_rows_shown_as_settled_are_rows_of_the_final_document(data: st.DataObject) -> None:
    document = data.draw(objects)
    pieces = data.draw(fragmentations(document))
    whole = one_call(*pieces)
    final = drawn(TreeLines(whole), 400)
    for stop in range(len(pieces)):
        part = TreeLines(one_call(*pieces[:stop], closed=False))
        for index, line in enumerate(drawn(part, 400)):
            if line[0] == (f"{TICK} ", Ink.TICK):
                assert line == final[index]


@given(st.data())
def test_the_tree_never_loses_a_line_while_it_grows(data: st.DataObject) -> None:
    writing = Writing()
    writing.open("0", "tool", "c")
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    source = TreeLines(model)
    before = 0
    for piece in data.draw(mutations().flatmap(fragmentations)):
        writing.feed(ev.ArgumentFragment(ev.Key("0"), piece))
        model.pull()
        assert source.count(WIDTH) >= before
        before = source.count(WIDTH)


def test_the_frontier_has_a_caret_and_the_word_and_no_value() -> None:
    lines = drawn(TreeLines(one_call('{"n": 2', "0", closed=False)))
    assert text_of(lines)[1].startswith(f"▸   n: 20{CARET}")
    assert text_of(lines)[1].endswith(" forming")
    assert ("20", Ink.FRONTIER) in lines[1]
    assert text_of(lines)[0].endswith(" open")


def test_a_settled_row_is_plain_behind_a_tick() -> None:
    lines = drawn(TreeLines(one_call('{"n": 20,', closed=False)))
    assert lines[1] == [("✓ ", Ink.TICK), ("  ", Ink.PLAIN), ("n", Ink.KEY), (": ", Ink.MUTED), ("20", Ink.PLAIN)]  # fmt: skip


def test_a_row_that_never_ended_is_cut_off_once_the_turn_is_over() -> None:
    writing = Writing()
    writing.open("0", "tool", "c")
    writing.write("0", '{"a": "bc')
    writing.end("length")
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    model.pull()
    assert text_of(drawn(TreeLines(model)))[1].endswith(" cut off")


def test_a_long_string_is_head_count_and_tail_until_it_is_opened() -> None:
    value = "".join(f"line {n}\n" for n in range(400))
    source = TreeLines(one_call(json.dumps({"a": value, "b": 1})))
    lines = text_of(drawn(source))
    assert "line 0␤" in lines[1]
    assert f"… {len(value):,} chars …" in lines[1]
    assert lines[1].endswith('399␤"')
    assert source.toggle(1, WIDTH) == 1
    opened = text_of(drawn(source))
    assert [line.removeprefix("  │ ") for line in opened[2:402]] == value.split("\n")[:400]
    assert opened[-1] == lines[-1]
    assert source.toggle(5, WIDTH) == 1
    assert text_of(drawn(source)) == lines


def test_an_opened_row_grows_with_its_text() -> None:
    writing = Writing()
    writing.open("0", "tool", "c")
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    source = TreeLines(model)
    writing.write("0", '{"a": "' + "x" * 100)
    model.pull()
    source.toggle(1, WIDTH)
    before = source.count(WIDTH)
    writing.write("0", "y" * 100)
    model.pull()
    below = text_of(drawn(source))[2:]
    assert source.count(WIDTH) > before
    assert "".join(line.removeprefix("  │ ") for line in below) == "x" * 100 + "y" * 100


def test_an_opened_row_of_megabytes_catches_up_within_a_few_frames() -> None:
    writing = Writing()
    writing.open("0", "tool", "c")
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    source = TreeLines(model)
    writing.write("0", '{"a": "' + "x" * 1_000_000, step=100_000)
    model.pull()
    source.toggle(1, WIDTH)
    drawn(source)
    writing.write("0", "the end")
    model.pull()
    frames = 0
    while "the end" not in text_of([source.line(source.count(WIDTH) - 1, WIDTH)])[0]:
        assert not source.complete(WIDTH)
        frames += 1
        assert frames < 10
    assert source.complete(WIDTH)


def test_places_that_do_not_fit_the_schema_are_marked() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    writing = Writing(tools={"tool": ToolSpec("tool", "", schema)})
    writing.open("0", "tool", "c")
    writing.write("0", '{"a": ["x", 2, "y"], "b": 1}')
    writing.close("0")
    writing.end()
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    model.pull()
    assert [line[0] for line in text_of(drawn(TreeLines(model)))] == list("✓✓✓≠✓✓")
    assert best_view(model) is View.TREE


# -- the raw text ------------------------------------------------------------------------------


@given(
    st.lists(st.text(max_size=40) | st.just("\ud83d") | st.just("\ude00"), max_size=8),
    st.integers(4, 50),
)
def test_the_raw_view_is_the_spelled_fragments_and_nothing_else(
    pieces: list[str], width: int
) -> None:
    model = one_call(*pieces, closed=False)
    lines = drawn(RawLines(model), width)
    source = "".join(text for line in lines for text, ink in line if ink is not Ink.MARK)
    assert source == "".join(shown_raw(piece).replace("\n", "") for piece in pieces)
    marks = sum(ink is Ink.MARK for line in lines for _, ink in line)
    assert marks == max(len(pieces) - 1, 0)
    assert all(width_of(line) <= width for line in lines)


def test_neighbouring_fragments_differ_in_ink_and_by_a_mark() -> None:
    (line,) = drawn(RawLines(one_call('{"a"', ": 1", "}")))
    assert line == [
        ('{"a"', Ink.PLAIN),
        ("╎", Ink.MARK),
        (": 1", Ink.SHADE),
        ("╎", Ink.MARK),
        ("}", Ink.PLAIN),
    ]


@pytest.mark.parametrize("step", [1, 2, 3, 50])
def test_the_character_at_fault_is_marked_on_the_raw_text(step: int) -> None:
    text = '{"😀": "é", "b": [1,, 2]}'
    model = one_call(*(text[start : start + step] for start in range(0, len(text), step)))
    lines = drawn(RawLines(model))
    assert [text for line in lines for text, ink in line if ink is Ink.FAULT] == [","]
    facts = "\n".join(text_of(fact_lines(model, 0.0, 100)))
    assert "[1,▶,◀ 2]}" in facts


def test_what_is_copied_is_the_source_and_never_what_was_drawn() -> None:
    model = one_call('{"a":\t"', "\u202e", '"}')
    for view in (View.TREE, View.RAW, View.PRETTY, View.FRAGMENTS):
        assert source_of(model, view).text == '{"a":\t"\u202e"}'


# -- pretty, fragments, free text --------------------------------------------------------------


@given(objects)
def test_pretty_printing_changes_white_space_only(document: str) -> None:
    laid_out = "\n".join(text_of([list(line) for line in pretty_lines(document)]))
    try:
        value = parse_object(document)
    except NotStrict:
        return  # equal keys: kept both, and no single value to compare
    if all(char.isprintable() for char in document):
        assert json.loads(laid_out, parse_int=str, parse_float=str) == json.loads(
            document, parse_int=str, parse_float=str
        )
    assert value is not None


@given(mutations())
def test_pretty_printing_gives_lines_for_any_text(text: str) -> None:
    for line in pretty_lines(text):
        assert "\n" not in "".join(piece for piece, _ in line)


def test_numbers_and_equal_keys_are_laid_out_as_they_were_written() -> None:
    lines = text_of(drawn(PrettyLines('{"a":1E5,"a":[1.0,{}]}')))
    assert "pretty-printed by Verbatim" in lines.pop(0)
    assert lines == ["{", '  "a": 1E5,', '  "a": [', "    1.0,", "    {}", "  ]", "}"]


@pytest.mark.parametrize("width", [50, 58, 78, 120])
def test_a_fragment_is_told_with_its_time_gap_size_and_span_however_narrow(width: int) -> None:
    writing = Writing(at=2.0)
    writing.open("0", "tool", "call_1")
    writing.write("0", '{"a": "1234567890"}', step=10, every=0.25)
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    model.pull()
    lines = text_of(drawn(source_of(model, View.FRAGMENTS), width))
    assert [head for head in ("#", "at", "gap", "size", "bytes", "text") if head in lines[0]] == [
        "#", "at", "gap", "size", "bytes", "text",
    ]  # fmt: skip
    for word in ("2", "2.500", "+0.250", "9", "130–199", '4567890"}'):
        assert word in lines[2]


def test_the_table_of_fragments_has_a_line_for_each() -> None:
    writing = Writing()
    writing.open("0", "tool", "c")
    writing.write("0", '{"a": 1}', step=4, every=0.5)
    model = CallModel(writing.turn.calls[0], writing.handle, _clock(writing))
    model.pull()
    lines = text_of(drawn(source_of(model, View.FRAGMENTS), 100))
    assert len(lines) == 3
    assert lines[1].split() == ["1", "0.500", "s", "+0.000", "4", "B", "60–124", '{"a"']
    assert lines[2].split() == ["2", "1.000", "s", "+0.500", "4", "B", "124–188", ":", "1}"]


def test_free_text_is_shown_as_text_with_its_end_marked_while_it_forms() -> None:
    model = one_call("first\nsec", "ond", closed=False, kind="custom")
    assert text_of(drawn(source_of(model, View.TREE))) == ["first", f"second{CARET} forming"]
    done = one_call("first\nsec", "ond", kind="custom")
    assert text_of(drawn(source_of(done, View.TREE))) == ["first", "second"]


# -- results -----------------------------------------------------------------------------------


def test_every_kind_of_content_of_a_result_is_shown() -> None:
    model = one_call("{}")
    model.result = CallResult(
        model.ref,
        (
            TextContent("plain"),
            JsonContent('{"n":1}'),
            ImageContent("image/png", b"12345"),
            ResourceContent("file:///x", "text/plain", "inside"),
        ),
    )
    model.ran = CallRan(model.ref, 1.0, "Traceback: boom", "printed words", "the whole of it")
    shown = "\n".join(text_of(drawn(source_of(model, View.RESULT))))
    for part in ("plain", '"n": 1', "image/png, 5 B", "file:///x", "inside", "part 4 of 4"):
        assert part in shown
    for part in ("Traceback: boom", "printed words", "the whole of it", "not sent to the model"):
        assert part in shown


@pytest.mark.parametrize("view", list(View))
@pytest.mark.parametrize("width", [20, 80, 140])
def test_no_view_lets_a_hostile_character_through(view: View, width: int) -> None:
    model = one_call(json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False), HOSTILE, closed=False)
    model.result = CallResult(model.ref, (TextContent(HOSTILE), ResourceContent(HOSTILE, HOSTILE)))
    model.ran = CallRan(model.ref, 1.0, HOSTILE, HOSTILE, HOSTILE)
    model.edited = EditedRun(HOSTILE, HOSTILE + "x", "edited")
    model.call.name = model.call.id = model.call.problem = HOSTILE
    lines = drawn(source_of(model, view), width) + fact_lines(model, 0.0, width)
    shown = "".join(text_of(lines))
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert not any(char in shown for char in FORBIDDEN)
    assert all(width_of(line) <= width for line in lines)


# -- edits and answers -------------------------------------------------------------------------


def test_arguments_to_edit_hold_nothing_an_editor_would_hide_and_mean_the_same() -> None:
    raw = '{\r\n"a": "\u202e\x7f\U000e0041é😀"}'
    text = editable(raw, is_text=False)
    assert text.startswith("{\n")
    assert not any(char in text for char in (*FORBIDDEN, "\r"))
    assert json.loads(text) == json.loads(raw)


def test_free_text_that_an_editor_would_change_is_not_edited() -> None:
    with pytest.raises(UnusableText, match="invisible"):
        editable("a\u202eb", is_text=True)


def test_edited_arguments_must_be_one_strict_object() -> None:
    with pytest.raises(UnusableText, match="cannot be run"):
        checked_arguments('{"a": NaN}', is_text=False)
    assert checked_arguments("anything", is_text=True) == "anything"


def test_an_edit_is_shown_as_a_difference_of_members() -> None:
    lines = text_of(difference(EditedRun('{"a":1,"b":2}', '{"a":1,"b":3}', "edited")))
    assert '-  "b": 2' in lines
    assert '+  "b": 3' in lines


def test_an_answer_by_hand_is_text_or_json() -> None:
    assert answer_of("t1.c1", "x", as_json=False, is_error=True) == CallResult(
        "t1.c1", (TextContent("x"),), is_error=True, origin="person"
    )
    assert answer_of("t1.c1", "[1]", as_json=True, is_error=False).content == (JsonContent("[1]"),)
    with pytest.raises(UnusableText, match="not JSON"):
        answer_of("t1.c1", "[1", as_json=True, is_error=False)


def _clock(writing: Writing) -> TurnClock:
    return TurnClock(writing.arrivals, 0.0)
