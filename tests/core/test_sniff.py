"""Which dialect a body is in, told from its events alone."""

import pytest

from tui.core.sniff import dialect_of

NESTED = b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"gone"}}\n\n'
CREATED = b'data: {"type":"response.created","response":{}}\n\n'


@pytest.mark.parametrize(
    ("body", "dialect"),
    [
        (b'data: {"type":"message_start","message":{}}\n\n', "anthropic"),
        (b'event: message_start\ndata: {"message":{}}\n\n', "anthropic"),
        (b"data: {}\n\n" + CREATED, "openai-responses"),
        (b'data: {"id":"c","choices":[]}\n\n', "openai-chat"),
        (b"data: [DONE]\n\n", "openai-chat"),
        (NESTED, "anthropic"),
        (NESTED + CREATED, "openai-responses"),
        (b'data: {"error":{"message":"gone"}}\n\n', None),
        (b"data: [[[[\n\n", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_the_first_telling_event_decides_and_a_lone_error_last(
    body: bytes, dialect: str | None
) -> None:
    assert dialect_of(body) == dialect
