"""Colours for code whose language was named. Never guesses: guessing loads every lexer there is.

Clean code in, Content out whose text is that code, character for character. Pygments is imported
when the first block needs it (about a quarter of a second), or before by `warm_up`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Protocol, cast

from textual.content import Content, Span

MOST_LINES = 500
MOST_CHARACTERS = 64 * 1024

_STYLES = {
    "Comment": "$text-muted italic",
    "Keyword": "$primary",
    "Keyword.Constant": "$warning",
    "Literal.String": "$success",
    "Literal.Number": "$warning",
    "Name.Function": "$accent",
    "Name.Class": "$accent bold",
    "Name.Decorator": "$warning",
    "Name.Builtin": "$secondary",
    "Name.Builtin.Pseudo": "$secondary italic",
    "Name.Tag": "$primary",
    "Name.Attribute": "$accent",
    "Name.Variable": "$accent",
    "Operator.Word": "$primary",
    "Generic.Deleted": "$error",
    "Generic.Inserted": "$success",
    "Generic.Heading": "bold",
    "Generic.Subheading": "$primary",
    "Generic.Prompt": "$text-muted",
}


class _Lexer(Protocol):
    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, Any, str]]: ...


def highlighted(code: str, language: str) -> Content:
    """`code` in colours when `language` is a name Pygments knows and the block is not too large."""
    plain = Content(code)
    if not language or len(code) > MOST_CHARACTERS or code.count("\n") >= MOST_LINES:
        return plain
    lexer = _lexer(language)
    if lexer is None:
        return plain
    spans: list[Span] = []
    end = 0
    for start, token, text in lexer.get_tokens_unprocessed(code):
        if start < end or code[start : start + len(text)] != text:
            return plain
        end = start + len(text)
        if style := _style(str(token)):
            spans.append(Span(start, end, style))
    return Content(code, spans)


def warm_up() -> None:
    """Import Pygments and one lexer; may run in a thread while the user reads."""
    _lexer("python")


@cache
def _lexer(language: str) -> _Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return cast(_Lexer, get_lexer_by_name(language, stripnl=False, ensurenl=False))
    except ClassNotFound:
        return None


@cache
def _style(token: str) -> str:
    """The style of `Token.Name.Function.Magic`, or of the nearest kind above it."""
    kind = token.removeprefix("Token").removeprefix(".")
    while kind:
        if kind in _STYLES:
            return _STYLES[kind]
        kind = kind.rpartition(".")[0]
    return ""
