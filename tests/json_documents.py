"""Hypothesis strategies for JSON documents as text.

As text, because what matters here is how a value was written: escapes in every form, halves of
surrogate pairs, numbers in every notation, equal keys twice, odd whitespace, deep nesting.
"""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["documents", "fragmentations", "mutations", "numbers", "objects", "strings"]

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}

spaces = st.text(" \t\r\n", max_size=3) | st.just("")

_hexadecimal = st.sampled_from(["{:04x}", "{:04X}"])

_plain = st.text(
    st.characters(exclude_characters='"\\', exclude_categories=["Cs"], min_codepoint=0x20),
    min_size=1,
    max_size=12,
)
_unicode_escapes = st.builds(
    lambda unit, spelling: "\\u" + spelling.format(unit), st.integers(0, 0xFFFF), _hexadecimal
)
_escaped_pairs = st.builds(
    lambda high, low, spelling: "\\u" + spelling.format(high) + "\\u" + spelling.format(low),
    st.integers(0xD800, 0xDBFF),
    st.integers(0xDC00, 0xDFFF),
    _hexadecimal,
)
_halves = st.integers(0xD800, 0xDFFF)
_awkward = st.sampled_from(
    [
        "\\\\ud83d",  # an escaped backslash, then plain letters: no half at all
        "\\ud83d\\n",
        "\\ud83d\\\\",
        "\\ud83d\\ud83d\\ude00",
        "\\ude00\\ud83d",
        "\\ud83d\ude00",  # an escaped and a raw half are no pair
        "\ud83d\\ude00",
        "\\u0000",
        "\u2028\u2029\x85\x7f",
        "{}[],: ",
        '\\"}',
        "true null 12",
        "trailing blanks   ",
    ]
)
_long = st.builds(
    lambda piece, count: piece * count,
    st.sampled_from(["x", "é", "\\n", "\U0001f600"]),
    st.integers(275, 290),
)
_string_pieces = (
    _plain
    | st.sampled_from([*_ESCAPES.values(), "\\/", "/"])
    | _unicode_escapes
    | _escaped_pairs
    | _halves.map("\\u{:04x}".format)
    | _halves.map(chr)
    | _awkward
)


def _quoted(pieces: list[str]) -> str:
    # Raw halves that meet are one character in any text that has been joined.
    body = "".join(pieces)
    return (
        '"' + body.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") + '"'
    )


strings = st.lists(_string_pieces, max_size=6).map(_quoted) | _long.map('"{}"'.format)
"""String literals, quotes included."""

_digits = st.text("0123456789", min_size=1, max_size=5)
numbers = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "-"]),
        st.just("0") | st.integers(1, 10**30).map(str),
        st.just("") | _digits.map(".{}".format),
        st.just("")
        | st.tuples(st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), _digits).map("".join),
    ),
)

literals = st.sampled_from(["true", "false", "null"])
_keys = st.sampled_from(['"a"', '"b"', '"path"', '""', '"\\u0061"', '"\\ud83d\\ude00"']) | strings


@st.composite
def _arrays(draw: st.DrawFn, members: st.SearchStrategy[str]) -> str:
    items = [draw(spaces) + item + draw(spaces) for item in draw(st.lists(members, max_size=4))]
    return "[" + (",".join(items) or draw(spaces)) + "]"


@st.composite
def _objects(draw: st.DrawFn, members: st.SearchStrategy[str]) -> str:
    items = [
        draw(spaces) + draw(_keys) + draw(spaces) + ":" + draw(spaces) + item + draw(spaces)
        for item in draw(st.lists(members, max_size=4))
    ]
    return "{" + (",".join(items) or draw(spaces)) + "}"


values = st.recursive(
    strings | numbers | literals,
    lambda members: _arrays(members) | _objects(members),
    max_leaves=12,
)

objects = st.builds("{}{}{}".format, spaces, _objects(values), spaces)
"""Documents with an object at the top: what a call's arguments are."""

_deep = st.builds(lambda depth: '{"a":[' * depth + "1" + "]}" * depth, st.integers(5, 40))

documents = objects | st.builds("{}{}{}".format, spaces, values, spaces) | _deep
"""Strict JSON texts, any value at the top."""


@st.composite
def fragmentations(draw: st.DrawFn, text: str) -> list[str]:
    """The text cut at drawn places, now and then with empty fragments."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A document with one to three small injuries: most are malformed, some are not."""
    text = draw(documents)
    injuries = st.sampled_from(
        [
            *"{}[]:,\"\\0123456789-+.eEtfnu \t\n\x00\x1f\x7f/'",
            "NaN",
            "Infinity",
            "\ud83d",
            "\ufeff",
            "\xa0",
        ]
    )
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 2))
        text = text[:place] + draw(injuries | st.just("")) + text[place + removed :]
    return text
