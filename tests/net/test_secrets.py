"""Secrets: no text, header, URL or body shows one, and nothing else is taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeding import chunkings, every_byte, whole
from tui.net.secrets import BodyMask, is_secret_name, mask, masked_headers, secrets_in_url

KEY = "sk-ant-0123456789abcdef"


def test_every_occurrence_is_masked_plain_and_percent_encoded() -> None:
    text = "key a+b/c=d1 in https://h/?key=a%2Bb%2Fc%3Dd1 and a+b/c=d1"
    assert mask(text, ["a+b/c=d1"]) == "key *** in https://h/?key=*** and ***"


def test_of_two_secrets_the_longer_is_masked_first() -> None:
    assert mask(f"{KEY} {KEY}-more", [KEY, f"{KEY}-more"]) == "*** ***"


@pytest.mark.parametrize("dummy", ["", "x", "none", "EMPTY"])
def test_a_dummy_key_takes_no_words_apart(dummy: str) -> None:
    assert mask("no example is EMPTY, none", [dummy]) == "no example is EMPTY, none"


@pytest.mark.parametrize(
    "name",
    ["Authorization", "x-api-key", "api-key", "X-Goog-Api-Key", "set-cookie", "cookie",
     "proxy-authorization", "cf-aig-authorization", "x-auth-token", "key", "access_token", "sig"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["content-type", "x-ratelimit-remaining-tokens", "anthropic-ratelimit-input-tokens-limit",
     "anthropic-version", "www-authenticate", "keep-alive", "api-version", "x-request-id"],
)  # fmt: skip
def test_names_of_what_is_no_secret(name: str) -> None:
    assert not is_secret_name(name)


def test_headers_are_recorded_with_secrets_masked_by_name_and_by_value() -> None:
    headers = [("X-Api-Key", KEY), ("X-Echo", f"you sent {KEY}"), ("Date", "today")]
    assert masked_headers(headers, [KEY]) == (
        ("x-api-key", "***"),
        ("x-echo", "you sent ***"),
        ("date", "today"),
    )


def test_secrets_in_urls_are_passwords_and_secret_queries() -> None:
    url = "http://me:pa%24%24word@proxy.example:3128/?key=abc123&api-version=1"
    assert secrets_in_url(url) == ("abc123", "pa%24%24word", "pa$$word")


def masked(chunks: list[bytes], *secrets: str) -> bytes:
    masking = BodyMask(secrets)
    return b"".join([*map(masking.feed, chunks), masking.close()])


@given(st.data())
def test_a_key_in_an_error_body_is_masked_however_the_body_is_cut(data: st.DataObject) -> None:
    body = f'{{"error":"bad key {KEY}, again: {KEY}{KEY[:9]}"}}'.encode()
    expected = f'{{"error":"bad key ***, again: ***{KEY[:9]}"}}'.encode()
    assert masked(data.draw(chunkings(body)), KEY) == expected


def test_a_body_without_the_key_passes_whole_to_its_last_byte() -> None:
    for body in (b"", b"s", KEY[:-1].encode(), b"nothing here"):
        for chunks in (whole(body), every_byte(body)):
            assert masked(chunks, KEY) == body
            assert masked(chunks) == body
