"""The verdict of `verbatim check` for people: grouped, escaped, in colour where that is wanted.

Text of models and servers is printed as JSON spells it, in ASCII: it may hold terminal
sequences. Colour and the progress bar need a terminal, and NO_COLOR turns colour off.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from types import TracebackType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from tui.cli.checked import Checked
from tui.core.turn import PlacedFinding
from tui.lint.catalogue import CATALOGUE

_BAR_FROM: Final = 20
"""Files: with more of them a terminal shows a bar."""
_BEFORE: Final = 24
_AFTER: Final = 48
_STYLES: Final = {
    "error": "bold red", "warning": "yellow", "note": "cyan",
    "complete": "green", "incomplete": "yellow", "final": "green", "invalid": "red",
}  # fmt: skip


class Printer:
    """Prints checked files as they come, and a summary of many. A context, because of the bar."""

    def __init__(self, files: int, *, quiet: bool = False, notes: bool = False) -> None:
        self._console = Console(
            file=sys.stdout, no_color="NO_COLOR" in os.environ, highlight=False, soft_wrap=True
        )
        self._quiet = quiet
        self._notes = notes
        self._files = files
        self._good = 0
        self._outcomes: Counter[str] = Counter()
        self._codes: Counter[tuple[str, str]] = Counter()
        self._bar: Progress | None = None
        if files > _BAR_FROM and sys.stderr.isatty():
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.description}", markup=False),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)

    def __enter__(self) -> Printer:
        if self._bar is not None:
            self._bar.start()
            self._bar.add_task("", total=self._files)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def at(self, name: str) -> None:
        """The next file is begun."""
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(task, description=shown(name))
            self._bar.advance(task)

    def show(self, one: Checked) -> None:
        """Print one file, unless it is good and only bad ones are wanted."""
        self._good += one.good
        self._outcomes[str(one.reading.turn.outcome)] += 1
        self._codes.update((found.severity, found.code) for found in one.findings)
        if self._quiet and one.good:
            return
        self._heading(one)
        self._content(one)
        for found in one.findings:
            if found.severity != "note" or self._notes:
                self._finding(found, one.reading.body)
        notes = Counter(found.code for found in one.findings if found.severity == "note")
        if notes and not self._notes:
            self._line(1, ("notes: ", "cyan"), _counted(notes))
        self._asked_for(one)

    def summary(self) -> None:
        """Print the counts, when there was more than one file."""
        total = sum(self._outcomes.values())
        if total < 2:
            return
        counts = ", ".join(f"{number} {word}" for word, number in self._outcomes.most_common())
        self._line(0, "")
        self._line(0, (f"{total} files: ", "bold"), f"{counts}; {self._good} good in every call")
        for severity in ("error", "warning", "note"):
            codes = Counter(
                {code: n for (each, code), n in self._codes.items() if each == severity}
            )
            if codes:
                self._line(1, (f"{severity}s: ", _STYLES[severity]), _counted(codes))

    def _heading(self, one: Checked) -> None:
        turn = one.reading.turn
        outcome = str(turn.outcome)
        self._line(
            0,
            (shown(one.file), "bold"),
            ": ",
            (outcome, _STYLES.get(outcome, "bold red")),
            f" ({one.dialect}, stop reason {shown(turn.stop_reason or 'none')},"
            f" {len(one.reading.body)} bytes)",
        )

    def _content(self, one: Checked) -> None:
        turn = one.reading.turn
        if turn.error or turn.damage:
            self._line(1, "error: ", shown(turn.error or turn.damage))
        sizes = [
            f"{kind} {len(text)} characters"
            for kind, text in (
                ("text", turn.text),
                ("thinking", turn.thinking),
                ("refusal", turn.refusal),
            )
            if text
        ]
        if sizes:
            self._line(1, ", ".join(sizes))
        for call in turn.calls:
            state = str(call.state)
            self._line(
                1,
                f"call {shown(call.name or '(no name)')}: ",
                (state, _STYLES.get(state, "red")),
                f", {call.buffer.length} characters in {call.buffer.count} fragments"
                + (f": {shown(call.problem)}" if call.problem else ""),
            )

    def _finding(self, found: PlacedFinding, body: bytes) -> None:
        entry = CATALOGUE.get(found.code)
        self._line(
            1,
            (found.severity, _STYLES[found.severity]),
            " ",
            (found.code, "bold"),
            f" at byte {found.offset}, the {found.culprit}'s doing"
            if found.culprit != "unknown"
            else f" at byte {found.offset}",
        )
        self._line(2, shown(found.message))
        excerpt = _excerpt(body, found.offset)
        if excerpt:
            self._line(2, ("bytes: ", "dim"), (excerpt, "dim"))
        if entry is not None and found.severity != "note":
            self._line(2, "do: ", entry.advice)

    def _asked_for(self, one: Checked) -> None:
        if one.splits is not None:
            self._proof(f"{one.splits.tried} splits tried", one.splits.differences, "no difference")
        if one.cuts is not None:
            self._proof(f"{one.cuts.tried} cuts tried", one.cuts.early_acts, "no early act")
        for each in one.contrasts or ():
            if each.went_wrong_at is None:
                self._line(1, ("careless ", "dim"), shown(each.name), ": the same on these bytes")
                continue
            self._line(
                1, ("careless ", "magenta"), (shown(each.name), "bold"),
                f" goes wrong at byte {each.went_wrong_at}: {shown(each.mistake)}",
            )  # fmt: skip
            self._line(2, "true:     ", shown(each.true))
            self._line(2, "careless: ", shown(each.careless))
            self._line(2, shown(each.consequence))

    def _proof(self, tried: str, problems: tuple[str, ...], none: str) -> None:
        if not problems:
            self._line(1, f"{tried}: ", (none, "green"))
        for problem in problems:
            self._line(1, f"{tried}: ", (shown(problem), "bold red"))

    def _line(self, depth: int, *pieces: str | tuple[str, str]) -> None:
        # Text.assemble and not markup: nothing that came from outside is read as a style.
        self._console.print(Text.assemble("  " * depth, *pieces))


def shown(text: str) -> str:
    """`text` as JSON spells it, in ASCII, without the quotes around it."""
    return json.dumps(text)[1:-1].replace('\\"', '"')


def _excerpt(body: bytes, offset: int) -> str:
    """The bytes around an offset, a mark before the byte itself."""
    if not body:
        return ""
    before = body[max(0, offset - _BEFORE) : offset].decode("utf-8", "replace")
    after = body[offset : offset + _AFTER].decode("utf-8", "replace")
    return f"{shown(before)}>>{shown(after)}"


def _counted(codes: Counter[str]) -> str:
    return ", ".join(code if n == 1 else f"{code} ×{n}" for code, n in codes.most_common())
