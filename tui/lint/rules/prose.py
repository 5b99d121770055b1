"""What is odd about the prose: calls and template tokens written as text, characters that harm."""

from __future__ import annotations

import re
from typing import Final

from tui.core.arguments import is_high_half, is_low_half
from tui.core.parts import LivePart, LiveRefusal, LiveText, LiveThinking
from tui.lint.notes import Notes
from tui.lint.reading import Reading
from tui.lint.rules import harm
from tui.lint.rules.faults import SPECIAL_TOKEN
from tui.lint.rules.spots import Joined

_CALL_AS_TEXT: Final = re.compile(
    r"<tool_call>\s*\{|<\|?tool_calls?(?:_begin)?\|?>\s*(?:\{|\[|<)|<function=[\w.-]+>"
    r"|<\|python_tag\|>|\[TOOL_CALLS\]|<invoke name=|<(?:\w+:)?function_calls?>\s*<"
    r"|<[｜|]tool[▁_]calls?[▁_]begin[｜|]>|<\|tool_calls_section_begin\|>|<｜DSML｜"
    r'|```(?:json|tool_call|tool_code)?\s*\{\s*"(?:name|tool|function)"\s*:\s*"[^"]*"\s*,'
    r'\s*"(?:arguments|parameters|args|input)"\s*:'
    r'|^\s*\{\s*"(?:name|tool|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters)"\s*:'
)
"""How models of many families write a call when nobody parses it out of their text."""

_THINKING_AS_TEXT: Final = re.compile(r"^\s*<(?:think|thinking|reasoning)>|</think>")


def look(reading: Reading, notes: Notes) -> None:
    for part in reading.turn.parts:
        match part:
            case LiveText():
                _text(part, notes)
            case LiveThinking() | LiveRefusal():
                _harm(part, "the thinking" if isinstance(part, LiveThinking) else "it", notes)
            case _:
                pass


def _text(part: LivePart, notes: Notes) -> None:
    joined = _harm(part, "the text", notes)
    text = joined.text
    call = _CALL_AS_TEXT.search(text)
    if call is not None:
        said = f"the text holds what looks like a call: {call[0].strip()[:40]!r}"
        notes.add("text.tool-markup", said, joined.offset_of(call.start()))
    else:
        token = SPECIAL_TOKEN.search(text)
        if token is not None:
            said = f"the text holds a token of the chat template: {token[0]!r}"
            notes.add("text.special-token", said, joined.offset_of(token.start()))
    thinking = _THINKING_AS_TEXT.search(text)
    if thinking is not None:
        said = f"the text holds thinking between tags: {thinking[0].strip()!r}"
        notes.add("text.thinking-markup", said, joined.offset_of(thinking.start()))
    replaced = text.find("\ufffd")
    if replaced >= 0:
        said = "the text holds U+FFFD: somebody before us decoded bytes that were cut or broken"
        notes.add("text.replacement-character", said, joined.offset_of(replaced))


def _harm(part: LivePart, whose: str, notes: Notes) -> Joined:
    joined = Joined(part.fragments)
    text = joined.text
    if text.isascii() and text.isprintable():
        return joined
    for kind, words, position in harm.harmful(text):
        notes.add(f"text.{kind}", f"{whose} holds {words}", joined.offset_of(position))
    for edge in joined.boundaries:
        if is_high_half(text[edge - 1]) and is_low_half(text[edge]):
            said = f"{whose}: two events hold one half each of a surrogate pair"
            notes.count("text.surrogate-split", said, joined.offset_of(edge), part.key)
    return joined
