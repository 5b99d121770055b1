"""The scanner accepts strict JSON, breaks at the first illegal character, and settles only truth."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import json_documents
from tui.core.arguments import join_halves
from tui.core.nodes import Container, Leaf, Node, NodeKind
from tui.core.scanner import Fault, FrontierKind, Scanner


def scan(*fragments: str) -> Scanner:
    scanner = Scanner()
    for fragment in fragments:
        scanner.feed(fragment)
    return scanner


def accepts(text: str) -> bool:
    """What the standard library makes of it, with its one leniency taken away."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def state(scanner: Scanner) -> tuple[object, ...]:
    """All that the scanner tells of a text."""
    return (
        scanner.kind,
        scanner.fault,
        scanner.length,
        scanner.settled_to,
        scanner.cut,
        scanner.pending_key,
        scanner.depth,
        scanner.readable_to,
        scanner.raw(scanner.length),
        None if scanner.forming_key is None else scanner.forming_key.text,
        [
            (node.kind, node.key, node.depth, node.start, node.settled)
            + ((node.text,) if isinstance(node, Leaf) else (node.end, len(node.members)))
            for node in scanner.nodes
        ],
    )


def expected(text: str) -> list[tuple[object, ...]]:
    """Kind, key, depth and content of each node in document order, by the standard library."""

    class Pairs(list[Any]):
        pass

    class Number(str):
        __slots__ = ()

    document = json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)
    found: list[tuple[object, ...]] = []
    waiting: list[tuple[object, int, Any]] = [(None, 0, document)]
    while waiting:
        key, depth, value = waiting.pop()
        match value:
            case Pairs():
                found.append((NodeKind.OBJECT, key, depth, len(value)))
                waiting += [(name, depth + 1, member) for name, member in reversed(value)]
            case list():
                found.append((NodeKind.ARRAY, key, depth, len(value)))
                waiting += [(i, depth + 1, value[i]) for i in reversed(range(len(value)))]
            case Number():
                found.append((NodeKind.NUMBER, key, depth, str(value)))
            case str():
                found.append((NodeKind.STRING, key, depth, value))
            case _:
                found.append((NodeKind.LITERAL, key, depth, json.dumps(value)))
    return found


def content(node: Node) -> tuple[object, ...]:
    inside = len(node.members) if isinstance(node, Container) else node.text
    return (node.kind, node.key, node.depth, inside)


@given(json_documents.documents)
def test_a_whole_document_has_the_nodes_that_the_standard_library_finds(text: str) -> None:
    scanner = scan(text)

    assert scanner.finish()
    assert scanner.fault is None
    assert all(node.settled for node in scanner.nodes)
    assert [content(node) for node in scanner.nodes] == expected(text)


@given(json_documents.documents)
def test_what_is_settled_at_any_prefix_is_so_in_the_final_document(text: str) -> None:
    final = expected(text)
    scanner = Scanner()
    for char in text:
        scanner.feed(char)
        assert scanner.fault is None, text[: scanner.length]
        for node, whole in zip(scanner.nodes, final, strict=False):
            kind, key, depth, inside = content(node)
            assert (kind, key, depth) == whole[:3]
            if node.settled:
                assert inside == whole[3]
            elif isinstance(inside, int):
                assert isinstance(whole[3], int)
                assert inside <= whole[3]
            else:
                assert str(whole[3]).startswith(str(inside))
        unsettled = [node for node in scanner.nodes if not node.settled]
        assert len(unsettled) - scanner.depth in (0, 1), "open containers and at most one leaf"


@given(json_documents.documents | json_documents.mutations(), st.data())
def test_how_a_text_was_cut_changes_nothing(text: str, data: st.DataObject) -> None:
    text = join_halves(text)
    whole = state(scan(text))

    assert state(scan(*data.draw(json_documents.fragmentations(text)))) == whole
    assert state(scan(*text)) == whole
    units = text.encode("utf-16-le", "surrogatepass")
    halves = [
        units[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(units), 2)
    ]
    assert state(scan(*halves)) == whole


@given(json_documents.mutations())
def test_injured_text_is_judged_as_by_the_standard_library(text: str) -> None:
    text = join_halves(text)

    assert scan(text).finish() == accepts(text)


@given(json_documents.mutations())
def test_the_fault_is_the_first_character_that_no_document_could_have(text: str) -> None:
    text = join_halves(text)
    fault = scan(text).fault
    if fault is None:
        return
    before = scan(text[: fault.offset])

    assert before.fault is None
    assert scan(text[: fault.offset + 1], " ").fault == fault
    assert fault.reason.isprintable()


@pytest.mark.parametrize(
    ("text", "offset", "reason"),
    [
        ('{"a" 1}', 5, "a colon is expected after a key, not '1'"),
        ('{"a":1 "b":2}', 7, "a comma or } is expected, not '\"'"),
        ("[1}", 2, "a comma or ] is expected, not '}'"),
        ("[1,]", 3, "a value is expected, not ']'"),
        ('{"a":1,}', 7, "a key in double quotes is expected, not '}'"),
        ("{a:1}", 1, "a key in double quotes is expected, not 'a'"),
        ("{'a':1}", 1, 'a key in double quotes is expected, not "\'"'),
        ('{"a":NaN}', 5, "a value is expected, not 'N'"),
        ('{"a":-Infinity}', 6, "a number goes on with 'I'"),
        ("[01]", 2, "a number goes on with '1'"),
        ("[1.]", 3, "a number goes on with ']'"),
        ("[1e+]", 4, "a number goes on with ']'"),
        ("[+1]", 1, "a value is expected, not '+'"),
        ("[trux]", 4, "the word 'tru' goes on with 'x'; true was begun"),
        ("[nullx]", 5, "the word 'null' goes on with 'x'; null was begun"),
        ('["a\nb"]', 3, "a string holds U+000A literally; JSON wants it escaped"),
        ('["\\x41"]', 3, "a string holds an escape that JSON does not know, with 'x'"),
        ('["\\u12g4"]', 6, "a string holds an escape that JSON does not know, with 'g'"),
        ("{}{}", 2, "the value has ended, but '{' follows"),
        ("\ufeff{}", 0, "a value is expected, not U+FEFF"),
        ("{}\xa0", 2, "the value has ended, but U+00A0 follows"),
        ("[١]", 1, "a value is expected, not '١'"),
        ('"\ud83d"\ud83d', 3, "the value has ended, but U+D83D follows"),
    ],
)
def test_a_fault_says_where_and_why(text: str, offset: int, reason: str) -> None:
    scanner = scan(*text)
    scanner.finish()

    assert scanner.fault == Fault(offset, reason)
    assert scanner.kind is FrontierKind.BROKEN


def test_what_was_settled_stays_so_after_the_break_and_the_rest_is_kept_raw() -> None:
    scanner = scan('{"a":1,"b":"x\ny",', '"c":2}')

    assert [content(node)[3] for node in scanner.nodes if node.settled] == ["1"]
    assert scanner.raw(scanner.length) == '"x\ny","c":2}'
    assert "".join(scanner.broken_pieces) == '"x\ny","c":2}'
    assert not scanner.finish()


@pytest.mark.parametrize(
    ("text", "kind", "raw"),
    [
        ("", FrontierKind.START, ""),
        (" ", FrontierKind.START, ""),
        ("{", FrontierKind.KEY, ""),
        ('{"a', FrontierKind.KEY, '"a'),
        ('{"a"', FrontierKind.AFTER_KEY, ""),
        ('{"a" ', FrontierKind.AFTER_KEY, ""),
        ('{"a":', FrontierKind.VALUE, ""),
        ('{"a": "x\\u00e', FrontierKind.STRING, '"x\\u00e'),
        ('{"a": 20', FrontierKind.NUMBER, "20"),
        ('{"a": -', FrontierKind.NUMBER, "-"),
        ('{"a": tru', FrontierKind.LITERAL, "tru"),
        ('{"a": true', FrontierKind.LITERAL, "true"),
        ('{"a": true ', FrontierKind.AFTER_VALUE, ""),
        ('{"a": 20,', FrontierKind.KEY, ""),
        ("[20,", FrontierKind.VALUE, ""),
        ('{"a": 20}', FrontierKind.DONE, ""),
        ('{"a": 20} \n', FrontierKind.DONE, ""),
        ('{"a" 20', FrontierKind.BROKEN, "20"),
    ],
)
def test_the_frontier_is_named_and_raw(text: str, kind: FrontierKind, raw: str) -> None:
    scanner = scan(*text)

    assert (scanner.kind, scanner.raw(100)) == (kind, raw)


@pytest.mark.parametrize("delimiter", [",", "]", " ", "\n"])
@pytest.mark.parametrize("leaf", ["20", "-0.5e+7", "true", "null"])
def test_a_number_or_word_is_settled_by_what_follows_it_only(leaf: str, delimiter: str) -> None:
    scanner = scan("[", *leaf)
    assert not scanner.nodes[-1].settled

    scanner.feed(delimiter)
    assert scanner.nodes[-1].settled


@pytest.mark.parametrize(
    ("fragments", "shown"),
    [
        (['["x\\'], "x"),
        (['["x\\u00'], "x"),
        (['["x\\ud83d'], "x"),
        (['["x\\ud83d\\'], "x"),
        (['["x\\ud83d\\ude0'], "x"),
        (['["x\\ud83d\\ude00'], "x\U0001f600"),
        (['["x\\ud83d', "y"], "x\ud83dy"),
        (['["x\\ud83d', "\\n"], "x\ud83d\n"),
        (['["x\\\\ud83d'], "x\\ud83d"),
        (['["x\ud83d'], "x"),
        (['["x\ud83d', "\ude00"], "x\U0001f600"),
        (['["x\ud83d', "", "y"], "x\ud83dy"),
    ],
)
def test_a_string_shows_nothing_that_the_next_fragment_could_change(
    fragments: list[str], shown: str
) -> None:
    leaf = scan(*fragments).nodes[-1]

    assert isinstance(leaf, Leaf)
    assert leaf.text == shown


def test_equal_keys_are_all_kept_in_order() -> None:
    scanner = scan('{"a":1,"a":2,"\\u0061":3}')

    assert [(node.key, content(node)[3]) for node in scanner.nodes[1:]] == [
        ("a", "1"),
        ("a", "2"),
        ("a", "3"),
    ]


def test_nesting_has_no_limit() -> None:
    depth = 20_000
    scanner = scan('{"a":[' * depth)
    assert scanner.depth == 2 * depth

    scanner.feed(scanner.closers())
    assert scanner.finish()


def test_a_number_of_any_length_stays_as_written() -> None:
    digits = "9" * 10_000
    scanner = scan("[", digits[:5_000], digits[5_000:], "]")

    assert content(scanner.nodes[1])[3] == digits
