"""The provisional view: the best picture of an argument buffer that is still being written.

Fragments come in; a view goes out that says what is settled, where the writing is and what it looks
like there. It is for display only and a type of its own: nothing that runs, stores or sends arguments
accepts one. It refuses to know whether a call is complete; only the terminal marker says that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from partial_json_parser import Allow, parse_json

from tui.core.nodes import Container, NodeKind
from tui.core.outline import Outline, Row
from tui.core.scanner import Fault, FrontierKind, Scanner

RAW_SHOWN = 80
"""Characters of the frontier's raw text that a view carries."""

GUESS_LIMIT = 2_048
"""Characters of unfinished text beyond which it is not parsed for a guess (0.3 ms a frame)."""

_OPENERS = {NodeKind.OBJECT: "{", NodeKind.ARRAY: "["}
_BETWEEN_MEMBERS = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class ProvisionalView:
    """An unfinished document at one moment. Equal texts give equal views, however they were cut."""

    kind: FrontierKind
    """What is being written, or is expected, at the end."""
    raw: str
    """The end of the frontier's text as it was written, at most 80 characters. Never a value."""
    raw_chars: int
    """Characters of the frontier's whole text."""
    settled_to: int
    """Offset in characters up to which nothing can change any more."""
    chars: int
    """Characters that have come."""
    depth: int
    """Objects and arrays that are open."""
    row_count: int
    fault: Fault | None
    """Where and why the text stopped being JSON; None while it is."""
    _outline: Outline = field(repr=False, compare=False)
    _container: Container | None = field(repr=False, compare=False)
    _step: str | int | None = field(repr=False)

    def rows(self, start: int, stop: int) -> tuple[Row, ...]:
        """Rows `start` to `stop` (exclusive), clipped to the rows of this view.

        Settled rows never change. If more text has come since the view was taken, the others are
        given as they are now: further on, never wrong.
        """
        return self._outline.rows(start, min(stop, self.row_count))

    def text_of(self, index: int) -> str:
        """The whole text of a row that carries only its ends.

        Raises:
            IndexError: there is no such row.
        """
        return self._outline.text_of(index)

    def path(self) -> tuple[str | int, ...]:
        """Keys and indexes that lead from the top to the frontier, as far as they are settled."""
        steps = [] if self._step is None else [self._step]
        container = self._container
        while container is not None and container.key is not None:
            steps.append(container.key)
            container = container.parent
        return tuple(reversed(steps))


@dataclass(frozen=True, slots=True)
class TailGuess:
    """What a tolerant parser makes of the unfinished member: JSON text, for display only."""

    text: str
    """The member inside its object or array, closed off; empty when nothing is unfinished."""
    stale: bool
    """The tail of now could not be read, or is too long: this is the last good guess."""


class ProvisionalBuilder:
    """Takes the fragments of one call and gives views of them.

    Feeding costs the fragment; a view, and a row of it, costs the same however much has come.
    """

    __slots__ = ("_guess", "_outline", "_scanner")

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._outline = Outline(self._scanner)
        self._guess = ""

    def feed(self, fragment: str) -> None:
        """Take the next fragment. Text that is not JSON is shown as such; nothing is raised."""
        self._scanner.feed(fragment)

    def finish(self) -> bool:
        """Say that no more will come; return whether the whole text is one strict JSON value.

        For the picture only: whether a call may run is decided by `finalise`.
        """
        return self._scanner.finish()

    def view(self) -> ProvisionalView:
        """The picture as of now."""
        scanner = self._scanner
        settled_to = scanner.settled_to
        return ProvisionalView(
            kind=scanner.kind,
            raw=scanner.raw(RAW_SHOWN),
            raw_chars=scanner.length - settled_to,
            settled_to=settled_to,
            chars=scanner.length,
            depth=scanner.depth,
            row_count=self._outline.count,
            fault=scanner.fault,
            _outline=self._outline,
            _container=scanner.container,
            _step=self._last_step(),
        )

    def guess_tail(self) -> TailGuess:
        """Read the text after the last settled member with a tolerant parser.

        Apart from `view` because it depends on when it was asked before, and costs more: ask once
        a frame.
        """
        scanner = self._scanner
        unread = scanner.length - scanner.cut
        if scanner.fault is not None or unread > GUESS_LIMIT:
            return TailGuess(self._guess, stale=True)
        tail = scanner.tail(unread).lstrip(_BETWEEN_MEMBERS)
        if not tail:
            self._guess = ""
            return TailGuess("", stale=False)
        container = scanner.container
        opener = "" if container is None else _OPENERS[container.kind]
        guess = _complete(opener + tail)
        if guess is None:
            return TailGuess(self._guess, stale=True)
        self._guess = guess
        return TailGuess(guess, stale=False)

    def best_effort(self) -> str:
        """The text of a call that was cut off, closed off into JSON text to look at.

        Everything settled is there as it was written; of the frontier only a string is kept, as
        far as it can be read. Empty when there is nothing to close. Costs the whole text.
        """
        scanner = self._scanner
        text = scanner.text
        if scanner.kind is not FrontierKind.STRING:
            return text[: scanner.cut] + scanner.closers()
        return text[: scanner.readable_to] + '"' + scanner.closers()

    def _last_step(self) -> str | int | None:
        """The key or index below the open container at which the writing is, if it is settled."""
        scanner = self._scanner
        match scanner.kind:
            case FrontierKind.STRING | FrontierKind.NUMBER | FrontierKind.LITERAL:
                return scanner.nodes[-1].key
            case FrontierKind.VALUE if scanner.pending_key is None and scanner.container:
                return len(scanner.container.members)
            case _:
                return scanner.pending_key


def _complete(text: str) -> str | None:
    """`text` closed off into JSON by partial-json-parser; None when it cannot be.

    Only strings, objects and arrays may be unfinished: an unfinished number or word is left out.
    """
    try:
        completed: str = parse_json(
            text, Allow.STR | Allow.COLLECTION, parser=_checked, use_fast_fix=False
        )
    except Exception:  # noqa: BLE001 - it raises six kinds on text it cannot read, none documented
        return None
    return completed


def _checked(text: str) -> str:
    """The text itself if it is JSON: parsing it further would lose how its numbers are written."""
    json.loads(text)
    return text
