"""Editing arguments before a run, and answering by hand: text a person typed, checked.

An edited run never changes the call: what the model wrote stays its text, the edit is a record of
its own with the difference beside it.
"""

from __future__ import annotations

import difflib

from tui.app.calls.lines import Ink, Line
from tui.app.calls.model import CallModel, EditedRun
from tui.app.calls.pretty import pretty_lines
from tui.app.calls.texts import InkedLines
from tui.app.safe import clean
from tui.core import wirejson
from tui.core.conversation import CallResult, JsonContent, ResultContent, TextContent
from tui.core.strictjson import NotStrict, parse_object

_DIFF_LIMIT = 64 * 1024
"""Characters above which no difference is computed."""

TOLD = {
    "edited": "The model is told that the arguments were edited, and gets this run's result.",
    "denied": "The model is told that its call was not run; this run is for you alone.",
}


class UnusableText(ValueError):
    """What a person typed cannot be used; `str()` says why and what to do."""


def editable(raw: str, *, is_text: bool) -> str:
    """The argument text in a form that an editor can show safely and that means the same.

    Raises:
        UnusableText: free text holds characters that no editor shows.
    """
    if not is_text:
        # Strict JSON has a literal CR only between its tokens.
        lines = raw.replace("\r\n", "\n").replace("\r", "\n")
        return "".join(_escaped(char) for char in lines)
    if clean(raw, keep_tabs=True) != raw:
        raise UnusableText(
            "This text holds control or invisible characters that an editor would lose. "
            "Allow or deny it as it is."
        )
    return raw


def checked_arguments(text: str, *, is_text: bool) -> str:
    """Edited arguments as they may be run.

    Raises:
        UnusableText: they are not one strict JSON object.
    """
    if is_text:
        return text
    try:
        parse_object(text)
    except NotStrict as problem:
        raise UnusableText(f"These arguments cannot be run: {problem}.") from problem
    return text


def answer_of(ref: str, text: str, *, as_json: bool, is_error: bool) -> CallResult:
    """The result that a person gives in place of a tool.

    Raises:
        UnusableText: it is to be JSON and is not.
    """
    content: ResultContent = TextContent(text)
    if as_json:
        try:
            wirejson.loads(text)
        except ValueError as problem:
            raise UnusableText(f"This answer is not JSON: {problem}.") from problem
        content = JsonContent(text)
    return CallResult(ref, (content,), is_error=is_error, origin="person")


class EditLines(InkedLines):
    """The edited run of a call: what the model is told, and the unified difference."""

    title = "edited by you before it ran"
    words = True

    def __init__(self, model: CallModel) -> None:
        if model.edited is None:
            super().__init__([[("Nothing was edited.", Ink.MUTED)]])
            return
        edited = model.edited
        lines: list[Line] = [[(TOLD[edited.tell], Ink.STRONG)], [("", Ink.PLAIN)]]
        super().__init__([*lines, *difference(edited)], text=edited.edited)


def difference(edit: EditedRun) -> list[Line]:
    """The unified difference of both texts, their objects laid out one member to a line."""
    if len(edit.original) + len(edit.edited) > _DIFF_LIMIT:
        return [[("The texts are too long to be compared here.", Ink.MUTED)]]
    before, after = (_members(text) for text in (edit.original, edit.edited))
    lines: list[Line] = []
    for line in difflib.unified_diff(
        before, after, "what the model wrote", "what was run", lineterm="", n=3
    ):
        ink = {"+": Ink.ADDED, "-": Ink.REMOVED, "@": Ink.MUTED}.get(line[0], Ink.PLAIN)
        lines.append([(line, ink)])
    return lines or [[("Both texts have the same members; only white space differs.", Ink.MUTED)]]


def _members(text: str) -> list[str]:
    try:
        parse_object(text)
    except NotStrict:
        return clean(text).split("\n")
    return ["".join(piece for piece, _ in line) for line in pretty_lines(text)]


def _escaped(char: str) -> str:
    if char.isascii() and (char.isprintable() or char in "\n\t"):
        return char
    if clean(char) == char:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
