"""Compressed bodies: every chunking gives the same bytes and the same verdict."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeding import chunkings, every_byte, two_way_splits, whole
from tests.shared import cases, needs_shared
from tui.core.errors import EndpointError
from tui.core.inflate import Inflater

BODY = "".join(f'data: {{"n":{n},"t":"smörgås"}}\n\n' for n in range(40)).encode()


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


def inflate(encoding: str | None, chunks: list[bytes]) -> tuple[bytes, str]:
    inflater = Inflater(encoding)
    out = b"".join(inflater.feed(chunk) for chunk in chunks)
    return out, inflater.close()


WHOLE_BODIES = {
    "gzip": ("gzip", gzip.compress(BODY, mtime=0)),
    "x-gzip in capitals": ("X-GZIP", gzip.compress(BODY, mtime=0)),
    "gzip of two members": (
        "gzip",
        gzip.compress(BODY[:300], mtime=0) + gzip.compress(BODY[300:], mtime=0),
    ),
    "gzip padded with zeros": ("gzip", gzip.compress(BODY, mtime=0) + b"\0" * 5),
    "deflate as zlib": ("deflate", zlib.compress(BODY)),
    "deflate without the zlib header": ("deflate", raw_deflate(BODY)),
    "twice": ("deflate, gzip", gzip.compress(zlib.compress(BODY), mtime=0)),
    "identity": ("identity", BODY),
    "no header": (None, BODY),
}


@pytest.mark.parametrize(("encoding", "coded"), WHOLE_BODIES.values(), ids=WHOLE_BODIES)
def test_whole_bodies_come_out_as_they_went_in_however_they_are_cut(
    encoding: str | None, coded: bytes
) -> None:
    for chunks in (whole(coded), every_byte(coded), *two_way_splits(coded)):
        assert inflate(encoding, chunks) == (BODY, "")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "", None])
def test_an_empty_body_is_whole(encoding: str | None) -> None:
    assert inflate(encoding, []) == (b"", "")


def test_output_comes_as_soon_as_the_server_flushes() -> None:
    engine = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    flushed = engine.compress(b"data: 1\n\n") + engine.flush(zlib.Z_SYNC_FLUSH)
    inflater = Inflater("gzip")
    assert inflater.feed(flushed) == b"data: 1\n\n"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_cut_short_gives_what_came_and_says_so(encoding: str) -> None:
    coded = gzip.compress(BODY, mtime=0) if encoding == "gzip" else zlib.compress(BODY)
    for kept in range(1, len(coded)):
        out, problem = inflate(encoding, [coded[:kept]])
        assert BODY.startswith(out)
        assert problem == f"the {encoding} data ends after {kept} bytes, unfinished"


@given(st.data())
def test_damage_is_found_at_the_same_place_however_the_body_is_cut(data: st.DataObject) -> None:
    coded = bytearray(gzip.compress(BODY, mtime=0))
    coded[data.draw(st.integers(0, len(coded) - 1))] ^= data.draw(st.integers(1, 255))
    damaged = bytes(coded)
    expected = inflate("gzip", whole(damaged))
    assert inflate("gzip", data.draw(chunkings(damaged))) == expected
    assert inflate("gzip", every_byte(damaged)) == expected


def test_what_stands_before_the_damage_is_handed_on() -> None:
    coded = gzip.compress(BODY, mtime=0)
    out, problem = inflate("gzip", [coded[:-8] + b"\0" * 8])
    assert out == BODY
    assert problem == f"the gzip data is damaged at byte {len(coded) - 5}"


@pytest.mark.parametrize(
    ("encoding", "coded", "problem"),
    [
        ("gzip", BODY, "the gzip data is damaged at byte 1"),
        ("deflate", zlib.compress(b"x") + b"y", "bytes follow the end of the deflate data"),
        ("gzip", gzip.compress(b"x", mtime=0) + b"junk", "the gzip data is damaged at byte 22"),
    ],
    ids=["not gzip", "after deflate", "after gzip"],
)
def test_bytes_that_are_not_of_the_format_are_a_problem(
    encoding: str, coded: bytes, problem: str
) -> None:
    for chunks in (whole(coded), every_byte(coded)):
        assert problem in inflate(encoding, chunks)[1]


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
def test_an_encoding_we_cannot_read_is_named(encoding: str) -> None:
    with pytest.raises(EndpointError, match=r"'(br|zstd)'"):
        Inflater(encoding)


@needs_shared
def test_the_compressed_wire_case_inflates_in_every_cut() -> None:
    (case,) = [case for case in cases() if case.spec.get("content_encoding")]
    encoding, coded = case.spec["content_encoding"], case.read()
    expected = gzip.decompress(coded)
    for chunks in (whole(coded), every_byte(coded), *two_way_splits(coded)):
        assert inflate(encoding, chunks) == (expected, "")
