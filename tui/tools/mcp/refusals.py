"""HTTP statuses with which a server refuses, and what a person can do about each.

The SDK tells nearly all of them in the same words; the status itself says more.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

_STAND_INS: Final = ("Server returned an error response", "Not Found", "Session terminated")
"""What the SDK says where the server gave no error of its own."""
_WITH_HEADER: Final = 'headers = { Authorization = "Bearer ${NAME}" }'


def in_words(status: int, said: str) -> str:
    """`status`, and what the server said besides.

    Args:
        said: the SDK's error message.
    """
    try:
        words = f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"HTTP {status}"
    return words if said in _STAND_INS else f"{words}: {said}"


def advice(status: int, *, with_token: bool) -> str:
    """What to do.

    Args:
        with_token: an Authorization header is configured.
    """
    if status == 401 and with_token:
        return "The server does not accept the Authorization in its headers: has the token expired?"
    if status == 401:
        return (
            f"The server wants to know who you are: give it a token, {_WITH_HEADER}, with NAME in the"
            " environment. Verbatim does not sign in by OAuth; a program that does can stand in"
            " between, as docs/tools.md shows."
        )
    if status == 403:
        return "With these headers you may not use it: ask whoever runs it."
    if status in (404, 405):
        return "There is no MCP server at this path of its url; many are at /mcp."
    if status >= 500:
        return "The server has a trouble of its own: look into its log, or try again later."
    return "Check its url and headers."
