"""A conversation as Markdown for people: prose as it was written, calls in fences.

Prose is the model's own Markdown. Argument texts and results go into fences longer than any run
of backticks in them, so that nothing in them can end the fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImagePart,
    ProviderPart,
    RefusalPart,
    ResultsMessage,
    TextPart,
    ThinkingPart,
    UserMessage,
)
from tui.core.parts import UNKNOWN_EVENT
from tui.core.plaintext import clean_line
from tui.session.portable.whole import Whole

_TICKS = re.compile(r"`+")


def write(whole: Whole) -> str:
    """The branch the conversation is at. Half a surrogate pair becomes `?`."""
    one, answers = whole.conversation, whole.answers
    lines = [f"# {_line(one.title or 'untitled')}", ""]
    lines += [f"{_line(one.model or 'unknown model')} · {_line(one.endpoint)} · {one.dialect}", ""]
    if whole.redacted:
        lines += ["Redacted: " + "; ".join(map(_line, whole.redacted)) + ".", ""]
    for _, message in whole.path():
        match message:
            case UserMessage(parts):
                lines += ["## You", ""]
                for part in parts:
                    if isinstance(part, ImagePart):
                        lines += [f"[image {_line(part.media_type)}, {len(part.data)} bytes]", ""]
                    else:
                        lines += [part.text, ""]
            case AssistantMessage():
                lines += [f"## {_line(message.model or 'Model')}", ""]
                lines += _turn(message, answers)
            case ResultsMessage():
                pass  # each stands with its call
    return "\n".join(lines).encode("utf-8", "replace").decode()


def fenced(text: str, language: str = "") -> list[str]:
    """`text` in a fence that nothing in it can close."""
    longest = max((len(run[0]) for run in _TICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", text, fence, ""]


def _turn(message: AssistantMessage, answers: Mapping[str, CallResult]) -> Iterable[str]:
    for part in message.parts:
        match part:
            case TextPart(text):
                yield from (text, "")
            case RefusalPart(text):
                yield from ("Refused:", "", text, "")
            case ThinkingPart(text):
                if text:
                    yield from ("Thinking:", "")
                    yield from ("\n".join(f"> {line}" for line in text.splitlines()), "")
            case ProviderPart(kind, title, text):
                said = kind if title == UNKNOWN_EVENT else "run by the provider"
                yield from (f"**{_line(title or kind)}** ({_line(said)})", "")
                if text:
                    yield from fenced(text)
            case CallPart():
                yield from _call(part, answers.get(part.ref))
    if message.outcome != "complete":
        yield from (f"*This turn is {message.outcome}: {_line(message.problem)}*", "")


def _call(part: CallPart, result: CallResult | None) -> Iterable[str]:
    yield from (f"**Call `{_line(part.name or 'no name').replace('`', '')}`**: {part.state}", "")
    if part.problem:
        yield from (_line(part.problem), "")
    yield from fenced(part.raw, "json" if part.kind == "function" else "")
    if result is not None:
        yield from (f"{'Error' if result.is_error else 'Result'} ({result.origin}):", "")
        yield from fenced(result.text)


def _line(text: str) -> str:
    """One line that is no markup, for headings and labels."""
    return re.sub(r"([\\*_<>\[\]#|])", r"\\\1", clean_line(text, 500))
