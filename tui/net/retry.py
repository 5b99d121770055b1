"""When a request is sent again, and after how long. Values only: no clock, no sleep, no dice.

A request is repeated only while nothing of its response has been handed out: after a failure
to connect or a connection that closed before any answer, and on the statuses of
`core.response.is_retryable` (408, 409, 425, 429, 5xx except 501 and 505; so 529 too).
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Final

from tui.core.response import is_retryable
from tui.core.source import ResponseHead

__all__ = ["LONGEST_WAIT", "Retry", "backoff", "wait_for_status"]

LONGEST_WAIT: Final = 60.0
"""Seconds. An endpoint that asks for more gets no second request: a person decides."""

_FIRST_WAIT: Final = 0.5
_LONGEST_BACKOFF: Final = 8.0


@dataclass(frozen=True, slots=True)
class Retry:
    """A request failed and will be sent again: for the screen."""

    attempt: int
    """The number of the attempt that failed, from 1."""
    limit: int
    """How many attempts there are at most."""
    wait: float
    """Seconds until the next one."""
    reason: str
    status: int | None = None


def backoff(attempt: int, dice: float) -> float:
    """Seconds after failed attempt `attempt` (from 1): 0.5, 1, 2, 4, 8, less up to a quarter.

    Args:
        dice: a random number in [0, 1), so that many clients do not return at once.
    """
    return float(min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_BACKOFF)) * (1 - 0.25 * dice)


def wait_for_status(head: ResponseHead, attempt: int, *, dice: float, now: float) -> float | None:
    """Seconds to wait before repeating a request that was answered with `head`; None: do not.

    `retry-after-ms`, else `retry-after` (RFC 9110 section 10.2.3: seconds or a date), else the
    back-off. `x-should-retry: true|false`, where a provider sends it, overrules the status.

    Args:
        now: seconds since the epoch.
    """
    verdict = head.header("x-should-retry")
    wanted = verdict == "true" if verdict in ("true", "false") else is_retryable(head.status)
    if head.status < 400 or not wanted:
        return None
    stated = _stated_wait(head, now)
    if stated is None:
        return backoff(attempt, dice)
    return stated if stated <= LONGEST_WAIT else None


def _stated_wait(head: ResponseHead, now: float) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = head.header(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - now
            except (ValueError, OverflowError):
                continue
        if isfinite(seconds):
            return max(0.0, seconds)
    return None
