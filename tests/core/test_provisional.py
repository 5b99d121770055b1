"""The view never lies: settled is final, the frontier is raw, and a frame costs what it shows."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import json_documents
from tests.shared import manifest, needs_shared
from tui.core.arguments import is_high_half, join_halves
from tui.core.outline import HEAD, TAIL, Row, RowKind
from tui.core.provisional import GUESS_LIMIT, ProvisionalBuilder, ProvisionalView, TailGuess
from tui.core.scanner import FrontierKind

EVERY_ROW = 10**9
pairs = partial(json.loads, object_pairs_hook=list)


def build(*fragments: str) -> ProvisionalBuilder:
    builder = ProvisionalBuilder()
    for fragment in fragments:
        builder.feed(fragment)
    return builder


def steps(text: str) -> list[str]:
    """Character by character, but a long text in some fifty fragments: parsing each prefix costs."""
    size = len(text) // 50 + 1
    return [text[start : start + size] for start in range(0, len(text), size)]


def picture(view: ProvisionalView) -> tuple[object, ...]:
    rows = view.rows(0, EVERY_ROW)
    return view, view.path(), rows, [view.text_of(index) for index in range(len(rows))]


def settled_values(document: Any) -> list[tuple[int, object, object]]:
    """Depth, key and content of every node of a document parsed with `Pairs`, in order."""
    found: list[tuple[int, object, object]] = []
    waiting: list[tuple[int, object, Any]] = [(0, None, document)]
    while waiting:
        depth, key, value = waiting.pop()
        if isinstance(value, Pairs):
            found.append((depth, key, len(value)))
            waiting += [(depth + 1, name, member) for name, member in reversed(value)]
        elif isinstance(value, list):
            found.append((depth, key, len(value)))
            waiting += [(depth + 1, i, value[i]) for i in reversed(range(len(value)))]
        else:
            found.append((depth, key, value))
    return found


class Pairs(list[Any]):
    """An object as its members in order, told apart from an array."""


def value_of(row: Row, text: str) -> object:
    match row.kind:
        case RowKind.OBJECT | RowKind.ARRAY:
            return row.members
        case RowKind.STRING:
            return text
        case _:
            return json.loads(text)


def assert_settled_rows_are_final(
    view: ProvisionalView, final: list[tuple[int, object, object]]
) -> None:
    for index, row in enumerate(view.rows(0, EVERY_ROW)):
        if row.settled:
            value = value_of(row, view.text_of(index))
            assert (row.depth, row.key, value) == final[index]
            assert type(value) is type(final[index][2])


def walk_prefixes(text: str) -> int:
    """Check every prefix of one document; return how many."""
    final = settled_values(json.loads(text, object_pairs_hook=Pairs))
    builder = ProvisionalBuilder()
    for length, char in enumerate(text, 1):
        builder.feed(char)
        view = builder.view()
        assert view.fault is None
        assert view.chars == length - is_high_half(char), "a half at the very end is held back"
        assert_settled_rows_are_final(view, final)
        assert view.raw == text[: view.chars][view.settled_to :][-80:]
        closed = builder.best_effort()
        if closed:
            pairs(closed)
    assert builder.finish()
    return len(text)


@given(json_documents.documents)
def test_settled_rows_equal_the_final_document_at_every_prefix(text: str) -> None:
    walk_prefixes(text)


@needs_shared
def test_recorded_arguments_settle_truly_at_every_prefix() -> None:
    texts = {call.get("raw", "") for line in manifest() for call in line["calls"]}
    whole = {text for text in texts if is_json(text)}

    assert sum(walk_prefixes(text) for text in whole) > 10_000
    for text in texts - whole:
        assert not build(*text).finish()


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(json_documents.documents | json_documents.mutations(), st.data())
def test_equal_texts_give_equal_pictures_however_they_were_cut(
    text: str, data: st.DataObject
) -> None:
    text = join_halves(text)
    whole = picture(build(text).view())

    assert picture(build(*data.draw(json_documents.fragmentations(text))).view()) == whole
    assert picture(build(*text).view()) == whole


@given(json_documents.mutations())
def test_injured_text_is_shown_and_never_raises(text: str) -> None:
    builder = ProvisionalBuilder()
    for fragment in steps(text):
        builder.feed(fragment)
        view = builder.view()
        picture(view)
        builder.guess_tail()
        closed = builder.best_effort()
        if closed:
            pairs(closed)
    builder.finish()
    picture(builder.view())


@given(json_documents.objects)
def test_the_tolerant_parser_agrees_on_the_unfinished_member(text: str) -> None:
    builder = ProvisionalBuilder()
    for fragment in steps(text):
        builder.feed(fragment)
        view, guess = builder.view(), builder.guess_tail()
        if guess.stale or not guess.text:
            continue
        if view.kind is FrontierKind.LITERAL or is_beyond_the_tolerant_parser(view.raw):
            continue
        ours: Any = pairs(builder.best_effort())
        for _ in range(view.depth - 1):
            ours = ours[-1][1] if isinstance(ours[-1], tuple) else ours[-1]
        assert pairs(guess.text) == (ours[-1:] if view.kind is FrontierKind.STRING else [])


def is_beyond_the_tolerant_parser(raw: str) -> bool:
    """It trims the blanks at the end of an unfinished string, and hands out half a pair."""
    return raw != raw.strip() or "\\u" in raw[-12:]


def test_the_frontier_number_is_no_value_until_something_follows() -> None:
    builder = build('{"n": 20')
    row = builder.view().rows(0, 9)[-1]
    assert (row.settled, row.text, builder.view().raw) == (False, "20", "20")
    assert builder.best_effort() == "{}"
    assert json.loads(builder.guess_tail().text) == {}

    builder.feed("0")
    assert builder.view().rows(0, 9)[-1].text == "200"
    builder.feed("}")
    assert builder.view().rows(0, 9)[-1] == Row(1, "n", RowKind.NUMBER, True, "200", "", 3, 0)


def test_rows_show_the_document_line_by_line() -> None:
    view = build('{"path": "src", "edits": [{"line": 4, "te').view()

    assert view.rows(0, EVERY_ROW) == (
        Row(0, None, RowKind.OBJECT, False, "", "", 41, 2),
        Row(1, "path", RowKind.STRING, True, "src", "", 3, 0),
        Row(1, "edits", RowKind.ARRAY, False, "", "", 16, 1),
        Row(2, 0, RowKind.OBJECT, False, "", "", 15, 1),
        Row(3, "line", RowKind.NUMBER, True, "4", "", 1, 0),
        Row(3, None, RowKind.KEY, False, "te", "", 2, 0),
    )
    assert view.path() == ("edits", 0)
    assert view.row_count == 6
    assert view.rows(4, 5) == view.rows(0, EVERY_ROW)[4:5]
    assert view.rows(6, 9) == ()


@pytest.mark.parametrize("text", ['{"a": {"key"', '{"a": {"key" :', '{"a": {"key": '])
def test_a_settled_key_waits_for_its_value_in_a_row(text: str) -> None:
    view = build(text).view()

    assert view.rows(2, 9) == (Row(2, "key", RowKind.KEY, False, "", "", 0, 0),)
    assert view.path() == ("a", "key")


def test_the_path_leads_to_the_element_that_is_expected() -> None:
    assert build('{"a": [1, [2, ').view().path() == ("a", 1, 1)
    assert build("[").view().path() == (0,)
    assert build("").view().path() == ()


def test_text_that_is_no_json_is_shown_raw_after_what_was_settled() -> None:
    view = build('{"a": 1, "b": nul', "!, and more").view()

    assert view.fault is not None
    assert view.fault.offset == 17
    assert view.rows(1, 9) == (
        Row(1, "a", RowKind.NUMBER, True, "1", "", 1, 0),
        Row(1, "b", RowKind.LITERAL, False, "nul", "", 3, 0),
        Row(1, None, RowKind.BROKEN, False, "nul!, and more", "", 14, 0),
    )
    assert view.text_of(3) == "nul!, and more"


@pytest.mark.parametrize("end", ["", '"'])
def test_a_long_string_carries_its_ends_and_gives_the_rest_on_demand(end: str) -> None:
    text = "".join(f"{number}\n" for number in range(1_000))
    view = build(*json.dumps([text])[:-2], end).view()
    row = view.rows(1, 2)[0]

    assert (row.text, row.tail, row.chars) == (text[:HEAD], text[-TAIL:], len(text))
    assert row.settled == bool(end)
    assert view.text_of(1) == text


def test_a_row_that_does_not_exist_has_no_text() -> None:
    with pytest.raises(IndexError, match="row 2 of 2"):
        build("[1").view().text_of(2)


def test_an_earlier_view_never_shows_rows_that_came_later() -> None:
    builder = build("[1, 2")
    view = builder.view()
    builder.feed("0, 3, 4")

    assert [row.text for row in view.rows(1, EVERY_ROW)] == ["1", "20"]


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("", ""),
        ("{", "{}"),
        ('{"a": 1.0, "b', '{"a": 1.0}'),
        ('{"a": 1.0, "b": 2', '{"a": 1.0}'),
        ('{"a": [1e2, {"b": "x\\ud83d\\u', '{"a": [1e2, {"b": "x"}]}'),
        ('{"a": [1, 2]} ', '{"a": [1, 2]}'),
        ('{"a": [1, !', '{"a": [1]}'),
    ],
)
def test_a_call_that_was_cut_off_is_closed_after_what_is_certain(text: str, closed: str) -> None:
    assert build(*text).best_effort() == closed


def test_the_guess_reads_the_member_that_is_unfinished() -> None:
    assert build('{"a": 1, "b": [1, {"c": "x').guess_tail() == TailGuess('{"c": "x"}', stale=False)
    assert build('{"a": 1').guess_tail() == TailGuess("{}", stale=False)
    assert build('{"a": 1}').guess_tail() == TailGuess("", stale=False)
    assert build("tr").guess_tail() == TailGuess("", stale=True)


def test_the_last_good_guess_stands_while_the_tail_cannot_be_read() -> None:
    builder = build('{"a": "good')
    good = builder.guess_tail()
    assert good == TailGuess('{"a": "good"}', stale=False)

    builder.feed("x" * GUESS_LIMIT)
    assert builder.guess_tail() == TailGuess(good.text, stale=True)
    builder.feed('" !')
    assert builder.guess_tail() == TailGuess(good.text, stale=True)


def test_a_view_is_not_a_mapping_and_is_not_text() -> None:
    view = build('{"a": 1}').view()

    assert not isinstance(view, dict | str | bytes)
    with pytest.raises(TypeError):
        json.dumps(view)
