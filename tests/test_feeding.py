"""The helpers that every "chunks mean nothing" test leans on: a hole here would hide one there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import feeding

BODY = bytes(range(97, 107))


def test_whole_is_one_read_and_an_empty_body_is_none() -> None:
    assert feeding.whole(BODY) == [BODY]
    assert feeding.whole(b"") == []


def test_every_byte_is_one_read_a_byte() -> None:
    assert feeding.every_byte(b"abc") == [b"a", b"b", b"c"]


def test_fixed_leaves_the_rest_to_the_last_read() -> None:
    assert feeding.fixed(BODY, 4) == [b"abcd", b"efgh", b"ij"]


def test_fixed_refuses_chunks_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one byte, not 0"):
        feeding.fixed(BODY, 0)


def test_cut_at_takes_offsets_in_any_order_and_keeps_empty_chunks() -> None:
    assert feeding.cut_at(BODY, 7, 2, 2) == [b"ab", b"", b"cdefg", b"hij"]


def test_two_way_splits_try_every_offset_once() -> None:
    assert list(feeding.two_way_splits(b"abcd")) == [
        [b"a", b"bcd"],
        [b"ab", b"cd"],
        [b"abc", b"d"],
    ]


def test_two_way_splits_of_a_body_too_short_to_cut_are_none() -> None:
    assert list(feeding.two_way_splits(b"a")) == []
    assert list(feeding.two_way_splits(b"")) == []


def test_limited_two_way_splits_take_one_offset_from_each_stretch() -> None:
    body = bytes(1001)
    offsets = [len(first) for first, _ in feeding.two_way_splits(body, limit=10, seed=3)]
    assert [(offset - 1) // 100 for offset in offsets] == list(range(10))


def test_the_seed_chooses_the_offsets() -> None:
    body = bytes(1001)

    def offsets(seed: int) -> list[int]:
        return [len(first) for first, _ in feeding.two_way_splits(body, limit=10, seed=seed)]

    assert offsets(1) == offsets(1)
    assert offsets(1) != offsets(2)


def test_random_splits_depend_on_the_seed_alone() -> None:
    body = bytes(5000)
    assert feeding.random_splits(body, 1) == feeding.random_splits(body, 1)
    assert feeding.random_splits(body, 1) != feeding.random_splits(body, 2)


@given(st.binary(max_size=300), st.integers(0, 1000))
def test_every_cutting_joins_to_the_body(body: bytes, seed: int) -> None:
    cuttings = [
        feeding.whole(body),
        feeding.every_byte(body),
        feeding.fixed(body, 7),
        feeding.random_splits(body, seed),
        *feeding.two_way_splits(body),
        *feeding.two_way_splits(body, limit=5, seed=seed),
    ]
    assert [b"".join(chunks) for chunks in cuttings] == [body] * len(cuttings)
    assert all(chunk for chunks in cuttings for chunk in chunks)


@given(st.data())
def test_chunkings_join_to_the_body(data: st.DataObject) -> None:
    body = data.draw(st.binary(max_size=60))
    assert b"".join(data.draw(feeding.chunkings(body))) == body
