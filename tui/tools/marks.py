"""`@tool`: what the author of a function says about it beyond its signature. Optional.

The decorator only puts a note on the function: it stays callable and testable as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, overload

from tui.core.errors import ToolError

_F = TypeVar("_F", bound=Callable[..., Any])
_ATTRIBUTE: Final = "__verbatim_tool__"


@dataclass(frozen=True, slots=True)
class ToolMark:
    """What `@tool(...)` said. None: what the signature and the dispatcher say."""

    name: str | None = None
    description: str | None = None
    read_only: bool = False
    timeout: float | None = None
    """Seconds."""


@overload
def tool(function: _F, /) -> _F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    timeout: float | None = None,
) -> Callable[[_F], _F]: ...
def tool(
    function: _F | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    timeout: float | None = None,
) -> _F | Callable[[_F], _F]:
    """Offer a function as a tool; `@tool` and `@tool(read_only=True)` both work.

    Args:
        name: another name than the function's.
        description: another description than the first paragraph of the docstring.
        read_only: it changes nothing anywhere, so the approval policy may run it unasked.
        timeout: seconds after which it is given up, instead of the dispatcher's.

    Raises:
        ToolError: the timeout is not a positive number.
    """
    if timeout is not None and not timeout > 0:
        raise ToolError(
            f"@tool(timeout={timeout!r}) is not a time", hint="Give seconds, more than 0."
        )
    mark = ToolMark(name, description, read_only, timeout)

    def put(function: _F) -> _F:
        setattr(function, _ATTRIBUTE, mark)
        return function

    return put if function is None else put(function)


def is_marked(function: object) -> bool:
    """`@tool` stands on it."""
    return isinstance(getattr(function, _ATTRIBUTE, None), ToolMark)


def mark_of(function: object) -> ToolMark | None:
    """The mark on a function; a plain attribute `read_only = True` counts as one too."""
    mark = getattr(function, _ATTRIBUTE, None)
    if isinstance(mark, ToolMark):
        return mark
    if getattr(function, "read_only", None) is True:
        return ToolMark(read_only=True)
    return None
