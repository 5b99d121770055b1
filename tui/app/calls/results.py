"""What a call returned, as lines: each part of the content in its own way, then what the run left.

Text is shown as it was returned; JSON is laid out and said to be; Markdown keeps its signs and
gets a little ink; an image is its type and size. What follows below the line was not sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tui.app.calls.lines import Ink, Line, spelled
from tui.app.calls.model import CallModel
from tui.app.calls.pretty import pretty_lines
from tui.app.calls.texts import InkedLines, paragraphs
from tui.app.calls.words import counted, size_words
from tui.core import wirejson
from tui.core.conversation import (
    CallResult,
    ImageContent,
    JsonContent,
    ResourceContent,
    ResultContent,
    TextContent,
)

_ORIGINS: Final = {
    "tool": "from the tool",
    "person": "from you",
    "client": "from Verbatim: the tool did not answer",
}
_LAID_OUT_LIMIT: Final = 256 * 1024
"""Characters of text above which it is not looked at for being JSON."""


class ResultLines(InkedLines):
    """The result of a call. `revision` is that of the model: a result may still come."""

    title = "result"
    words = True

    def __init__(self, model: CallModel) -> None:
        result = model.result
        super().__init__(_all(model), text="" if result is None else result.text)
        if result is not None:
            self.title = f"result, {_ORIGINS[result.origin]}"
            if result.is_error:
                self.title += ", as an error"


def _all(model: CallModel) -> list[Line]:
    lines: list[Line] = []
    if model.result is None:
        lines.append([(_nothing_yet(model), Ink.MUTED)])
    else:
        lines += _contents(model.result)
    ran = model.ran
    if ran is None:
        return lines
    if ran.full_output is not None:
        lines += _section("whole output; the model got it shortened, as above")
        lines += paragraphs(ran.full_output)
    if ran.printed:
        lines += _section("printed while it ran; not sent to the model")
        lines += paragraphs(ran.printed)
    if ran.traceback:
        lines += _section("traceback; not sent to the model")
        lines += paragraphs(ran.traceback.rstrip("\n"), Ink.PROBLEM)
    return lines


def _nothing_yet(model: CallModel) -> str:
    if model.progress is not None and model.progress.text:
        return f"No result yet. Last report: {spelled(model.progress.text)}"
    if model.state in ("invalid", "incomplete"):
        return f"There is no result: the call was never run, because it is {model.state}."
    return "No result yet."


def _section(words: str) -> list[Line]:
    return [[("", Ink.PLAIN)], [(f"── {words} ", Ink.MUTED)]]


def _contents(result: CallResult) -> Iterator[Line]:
    ink = Ink.PROBLEM if result.is_error else Ink.PLAIN
    many = len(result.content) > 1
    if not result.content:
        yield [("The result is empty.", Ink.MUTED)]
    for number, content in enumerate(result.content, start=1):
        if many:
            yield [(f"── part {number} of {len(result.content)}: {_kind(content)}", Ink.MUTED)]
        yield from _content(content, ink)


def _content(content: ResultContent, ink: Ink) -> Iterator[Line]:
    match content:
        case TextContent(text):
            yield from _text(text, ink)
        case JsonContent(raw):
            yield [("JSON, pretty-printed by Verbatim", Ink.MUTED)]
            yield from pretty_lines(raw)
        case ImageContent(media_type, data):
            words = f"▣ image, {spelled(media_type)}, {size_words(len(data))}; not drawn here"
            yield [(words, Ink.STRONG)]
        case ResourceContent(uri, media_type, text):
            kind = f" ({spelled(media_type)})" if media_type else ""
            yield [("resource ", Ink.MUTED), (spelled(uri), Ink.KEY), (kind, Ink.MUTED)]
            if text is not None:
                yield from _text(text, ink)


def _kind(content: ResultContent) -> str:
    match content:
        case TextContent(text):
            return f"text, {counted(len(text), 'character')}"
        case JsonContent(raw):
            return f"JSON, {counted(len(raw), 'character')}"
        case ImageContent():
            return "image"
        case ResourceContent():
            return "resource"


def _text(text: str, ink: Ink) -> Iterator[Line]:
    if _is_json(text):
        yield [("text that is JSON, pretty-printed by Verbatim", Ink.MUTED)]
        yield from pretty_lines(text)
        return
    fenced = False
    for line in paragraphs(text, ink):
        words = line[0][0]
        bare = words.lstrip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            yield [(words, Ink.MUTED)]
        elif fenced or ink is not Ink.PLAIN:
            yield line
        elif bare.startswith("#") and bare.lstrip("#").startswith(" "):
            yield [(words, Ink.STRONG)]
        elif bare.startswith(">"):
            yield [(words, Ink.MUTED)]
        else:
            yield line


def _is_json(text: str) -> bool:
    if len(text) > _LAID_OUT_LIMIT or text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        wirejson.loads(text)
    except ValueError:
        return False
    return True
