"""When a request is repeated and after how long: values in, values out."""

import pytest

from tui.core.source import ResponseHead
from tui.net.retry import backoff, wait_for_status

NOW = 1_796_000_000.0
"""Mon, 30 Nov 2026 00:53:20 GMT."""


def wait(status: int, **headers: str) -> float | None:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return wait_for_status(ResponseHead(status, pairs), 1, dice=0.0, now=NOW)


def test_the_backoff_doubles_up_to_eight_seconds() -> None:
    assert [backoff(attempt, 0.0) for attempt in range(1, 8)] == [0.5, 1, 2, 4, 8, 8, 8]


def test_dice_take_off_up_to_a_quarter() -> None:
    assert backoff(2, 0.5) == 0.875


def test_the_statuses_that_are_retried() -> None:
    assert [status for status in range(100, 600) if wait(status) is not None] == [
        408, 409, 425, 429, 500, 502, 503, 504, *range(506, 600),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.5),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        ({"retry_after": "Mon, 30 Nov 2026 00:53:30 GMT"}, 10.0),
        ({"retry_after": "Mon, 30 Nov 2026 00:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "nan"}, 0.5),
        ({"retry_after_ms": "inf", "retry_after": "2"}, 2.0),
        ({"retry_after": "60"}, 60.0),
        ({"retry_after": "61"}, None),
        ({"x_should_retry": "false"}, None),
    ],
)
def test_how_long_a_429_is_waited_out(headers: dict[str, str], seconds: float | None) -> None:
    assert wait(429, **headers) == seconds


def test_the_provider_may_ask_for_a_retry_of_any_error_but_not_of_a_stream() -> None:
    assert wait(400, x_should_retry="true") == 0.5
    assert wait(200, x_should_retry="true") is None
