"""The argument buffer keeps what came and counts what it keeps."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from tui.core.arguments import ArgumentBuffer, Fragment, join_halves

pieces = st.lists(
    st.text(
        st.sampled_from(["a", "é", "\u2028", "\U0001f600", "\ud83d", "\ude00", "\n"]), max_size=5
    ),
    max_size=8,
)


def filled(fragments: list[str]) -> ArgumentBuffer:
    buffer = ArgumentBuffer()
    for index, fragment in enumerate(fragments):
        buffer.append(fragment, (index * 10, index * 10 + 9))
    return buffer


def test_fragments_are_kept_as_they_came_with_the_span_of_their_event() -> None:
    buffer = filled(['{"a', "", '":1}'])

    assert buffer.fragments == (
        Fragment('{"a', 0, 9),
        Fragment("", 10, 19),
        Fragment('":1}', 20, 29),
    )
    assert buffer.text == '{"a":1}'


def test_halves_of_a_pair_in_two_fragments_become_one_character() -> None:
    buffer = filled(['{"a":"\ud83d', "", '\ude00"}'])

    assert buffer.text == '{"a":"\U0001f600"}'
    assert (buffer.length, buffer.size) == (9, 12)
    assert buffer.fragments[0].text.endswith("\ud83d"), "the fragment itself is verbatim"


def test_a_half_that_stays_alone_survives() -> None:
    buffer = filled(["x\ude00\ud83d", "y"])

    assert buffer.text == "x\ude00\ud83dy"
    assert buffer.size == 8
    assert buffer.digest() == hashlib.sha256(b"x\xed\xb8\x80\xed\xa0\xbdy").hexdigest()


def test_an_empty_buffer_is_empty_text() -> None:
    buffer = ArgumentBuffer()

    assert (buffer.text, buffer.length, buffer.size, buffer.count) == ("", 0, 0, 0)
    assert (buffer.tail(5), buffer.fragments) == ("", ())
    assert buffer.digest() == hashlib.sha256(b"").hexdigest()


def test_since_gives_only_what_was_appended_after_it_was_counted() -> None:
    buffer = filled(["a", "b"])
    seen = buffer.count
    buffer.append("c", (20, 29))

    assert buffer.since(seen) == (Fragment("c", 20, 29),)
    assert buffer.since(buffer.count) == ()


@given(pieces)
def test_length_size_and_tails_are_those_of_the_text(fragments: list[str]) -> None:
    buffer = filled(fragments)
    text = buffer.text

    assert buffer.length == len(text)
    assert buffer.size == len(text.encode("utf-8", "surrogatepass"))
    for count in range(len(text) + 2):
        assert buffer.tail(count) == (text[-count:] if count else "")


@given(pieces)
def test_text_is_the_same_code_units_as_the_fragments(fragments: list[str]) -> None:
    text = filled(fragments).text

    assert text.encode("utf-16-le", "surrogatepass") == "".join(fragments).encode(
        "utf-16-le", "surrogatepass"
    )
    assert join_halves(text) == text
