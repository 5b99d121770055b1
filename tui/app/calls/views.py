"""The views of one call: a name, a key and a line source for each."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from tui.app.calls.edits import EditLines
from tui.app.calls.fragments import FragmentLines
from tui.app.calls.lines import LineSource, NoteLines
from tui.app.calls.model import CallModel
from tui.app.calls.pretty import PrettyLines
from tui.app.calls.raw import FreeText, RawLines
from tui.app.calls.results import ResultLines
from tui.app.calls.tree import TreeLines
from tui.core.states import CallState


class View(StrEnum):
    TREE = "tree"
    RAW = "raw"
    PRETTY = "pretty"
    FRAGMENTS = "fragments"
    RESULT = "result"
    EDIT = "edit"


KEYS = {view: str(number) for number, view in enumerate(View, start=1)}

_SHOWS_RESULT = frozenset(
    {CallState.RETURNED, CallState.FAILED, CallState.TIMED_OUT, CallState.DENIED}
)


def source_of(model: CallModel, view: View) -> LineSource:
    """A new line source for one view of a call."""
    match view:
        case View.TREE:
            return FreeText(model) if model.is_text else TreeLines(model)
        case View.RAW:
            return RawLines(model)
        case View.PRETTY:
            if model.is_text:
                return NoteLines("The arguments are free text; there is no JSON to lay out.")
            if model.forming:
                words = "Nothing is laid out while the arguments form. 1 shows them as they grow."
                return NoteLines(words)
            return PrettyLines.of(model)
        case View.FRAGMENTS:
            return FragmentLines(model)
        case View.RESULT:
            return ResultLines(model)
        case View.EDIT:
            return EditLines(model)
        case _:
            assert_never(view)


def follows_model(view: View) -> bool:
    """Whether the source of a view is made anew when the model changes."""
    return view in (View.PRETTY, View.RESULT, View.EDIT)


def best_view(model: CallModel) -> View:
    """The view to show unless a person chose one."""
    if model.wants_person:
        return View.RAW
    if model.state is CallState.INVALID and model.call.misfit is not None:
        return View.TREE if model.call.misfit.paths else View.RAW
    return View.RESULT if model.state in _SHOWS_RESULT and model.result else View.TREE


def copied_words(model: CallModel, view: View) -> str:
    """What a copy of a view is called."""
    what = "the result" if view is View.RESULT else "the arguments"
    if view is View.EDIT:
        what = "the edited arguments"
    return f"{what} of {model.name}"
