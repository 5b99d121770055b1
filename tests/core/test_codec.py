"""Conversation values survive their stored form, half surrogate pairs and bytes included."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.core import conversation as c
from tui.core.codec import CodecError, decode_message, decode_result, encode_message, encode_result
from tui.core.states import CallState

HALVES = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"])
TEXT = st.text(st.characters() | HALVES, max_size=8)
ITEMS = st.none() | st.builds(c.ProviderItem, TEXT, TEXT, TEXT)
CONTENT = st.one_of(
    st.builds(c.TextContent, TEXT),
    st.builds(c.JsonContent, TEXT),
    st.builds(c.ImageContent, TEXT, st.binary(max_size=8)),
    st.builds(c.ResourceContent, TEXT, TEXT, st.none() | TEXT),
)
RESULTS = st.builds(
    c.CallResult,
    TEXT,
    st.lists(CONTENT, max_size=3).map(tuple),
    st.booleans(),
    st.sampled_from(["tool", "person", "client"]),
)
PARTS = st.one_of(
    st.builds(c.TextPart, TEXT, st.lists(TEXT, max_size=2).map(tuple), ITEMS),
    st.builds(c.ThinkingPart, TEXT, st.none() | TEXT, ITEMS),
    st.builds(c.RefusalPart, TEXT),
    st.builds(c.ProviderPart, TEXT, TEXT, TEXT, ITEMS),
    st.builds(
        c.CallPart,
        TEXT,
        st.none() | TEXT,
        TEXT,
        TEXT,
        st.sampled_from(["function", "custom"]),
        st.sampled_from(CallState),
        TEXT,
        st.none() | TEXT,
        st.integers(0, 3),
    ),
)
MESSAGES = st.one_of(
    st.builds(
        c.UserMessage,
        st.lists(
            st.builds(c.TextPart, TEXT) | st.builds(c.ImagePart, TEXT, st.binary(max_size=8)),
            max_size=3,
        ).map(tuple),
    ),
    st.builds(
        c.AssistantMessage,
        st.lists(PARTS, max_size=4).map(tuple),
        TEXT,
        TEXT,
        st.sampled_from(["complete", "incomplete", "error"]),
        st.none() | TEXT,
        TEXT,
    ),
    st.builds(c.ResultsMessage, st.lists(RESULTS, max_size=3).map(tuple)),
)


@given(MESSAGES)
def test_every_message_comes_back_equal_from_ascii_text(message: c.Message) -> None:
    text = encode_message(message)
    assert text.isascii()
    assert decode_message(text) == message


@given(RESULTS)
def test_every_result_comes_back_equal(result: c.CallResult) -> None:
    assert decode_result(encode_result(result)) == result


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "3",
        '{"type":"text","text":"a part is no message"}',
        '{"type":"unheard of"}',
        '{"text":"no type"}',
        '{"type":"user","parts":[],"newer_field":1}',
        '{"type":"user","parts":[{"type":"image","media_type":"x","data":"no base64!"}]}',
        '{"type":"assistant","dialect":"x","parts":[{"type":"call","ref":"a","id":null,'
        '"name":"n","raw":"","state":"unheard of"}]}',
    ],
)
def test_what_is_not_ours_is_refused_with_a_clear_error(text: str) -> None:
    with pytest.raises(CodecError):
        decode_message(text)


def test_the_stored_form_is_readable_without_us() -> None:
    plain = json.loads(encode_message(c.UserMessage((c.TextPart("é"),))))
    assert plain == {
        "type": "user",
        "parts": [{"type": "text", "text": "é", "citations": [], "item": None}],
    }
