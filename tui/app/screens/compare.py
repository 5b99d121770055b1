"""Two branches in two columns, from the message where they part.

Says of each turn its prose, its calls with their states and the digest of what the model wrote,
and their results. `[` and `]` put another branch on the right side, `o` another conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.app.safe import clean_line, content, notify
from tui.app.screens.conversations import Conversations
from tui.app.selection_guard import SelectionGuard
from tui.app.states_shown import shown
from tui.core.errors import StoreError
from tui.session.comparing import Branch, CallSaid, Comparison, Said, compare
from tui.store import Store

ROWS: Final = 200
"""Rows that are drawn; what follows is only counted."""

_TEXT_LIMIT = 4_000
_RESULT_LIMIT = 600
_DIGEST = 12
_LABEL = 80


class CompareScreen(SelectionGuard):
    """Args: `rights` are the branches to go through on the right side, of `place` the first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f6,q", "leave", "Close", id="compare.close"),
        Binding("left_square_bracket", "other(-1)", "Other branch", id="compare.older"),
        Binding("right_square_bracket", "other(1)", "Other branch", id="compare.newer"),
        Binding("o", "conversation", "Conversation", id="compare.conversation"),
    ]

    def __init__(
        self, store: Store, left: Branch, rights: Sequence[Branch], place: int = 0
    ) -> None:
        super().__init__()
        self._store = store
        self._left = left
        self._rights = list(rights)
        self._place = place

    def compose(self) -> ComposeResult:
        yield Static(Content(), classes="compare--title")
        with Horizontal(classes="compare--names"):
            yield Static(Content(), id="left-name")
            yield Static(Content(), id="right-name")
        yield VerticalScroll(id="compared")
        words = "[ ] another branch on the right · o another conversation · Esc closes"
        yield Static(Content(words), classes="compare--keys")

    def on_mount(self) -> None:
        self.query_one("#compared", VerticalScroll).focus()
        self._draw()

    @property
    def right(self) -> Branch:
        return self._rights[self._place]

    def _draw(self) -> None:
        try:
            found = compare(self._store, self._left, self.right)
            names = self._side(self._left, "left"), self._side(self.right, "right")
        except StoreError as error:
            notify(self.app, f"{error}\n{error.hint}".strip(), severity="error")
            return
        self.query_one(".compare--title", Static).update(_title(found))
        self.query_one("#left-name", Static).update(names[0])
        self.query_one("#right-name", Static).update(names[1])
        body = self.query_one("#compared", VerticalScroll)
        body.remove_children()
        body.mount_all([_row(*row) for row in found.rows[:ROWS]])
        if len(found.rows) > ROWS:
            more = Content(f"{len(found.rows) - ROWS:,} more rows are not shown")
            body.mount(Static(more, classes="compare--more"))
        body.scroll_home(animate=False)

    def _side(self, branch: Branch, side: str) -> Content:
        if side == "left":
            words = "this branch"
        elif branch.conversation == self._left.conversation:
            count = len(self._rights)
            words = f"{self._place + 1} of {count} others" if count > 1 else "the other branch"
        else:
            words = "the other conversation"
        title = clean_line(self._store.conversation(branch.conversation).title, _LABEL)
        return Content.assemble((words, "bold"), (f"  {title or 'untitled'}", "$text-muted"))

    def action_other(self, step: int) -> None:
        if len(self._rights) < 2:
            notify(self.app, "There is no further branch at this message.")
            return
        self._place = (self._place + step) % len(self._rights)
        self._draw()

    def action_conversation(self) -> None:
        def chosen(conversation: str) -> None:
            self._rights = [Branch(conversation, None)]
            self._place = 0
            self._draw()

        self.app.push_screen(Conversations(self._store, chosen, current=self._left.conversation))

    def action_leave(self) -> None:
        self.dismiss(None)


def _title(found: Comparison) -> Content:
    turns = "message is" if found.common == 1 else "messages are"
    words = f"{found.common:,} {turns} the same in both; they part here"
    if not found.rows:
        words = "Both are the same"
    elif not found.common:
        words = "They have no message in common"
    return Content.assemble(("Compare", "bold"), f" · {words}")


def _row(left: Said | None, right: Said | None) -> Horizontal:
    return Horizontal(
        Static(_cell(left, right), classes="compare--left"),
        Static(_cell(right, left), classes="compare--right"),
        classes="compare--row",
    )


def _cell(one: Said | None, other: Said | None) -> Content:
    if one is None:
        return Content.styled("nothing here", "$text-muted italic")
    who = "you" if one.prompt else clean_line(one.who, _LABEL)
    parts = [Content.styled(who, "bold $primary" if one.prompt else "bold $text-muted")]
    if one.text:
        same = other is not None and one.text == other.text
        parts[0] += Content.styled("  = the same words" if same else "", "$text-muted")
        parts.append(content(_clipped(one.text, _TEXT_LIMIT)))
    if one.problem:
        parts.append(content(f"! {one.problem}", "$warning"))
    there = () if other is None else other.calls
    for place, call in enumerate(one.calls):
        parts += _call(call, there[place] if place < len(there) else None)
    return Content("\n").join(parts)


def _call(call: CallSaid, other: CallSaid | None) -> list[Content]:
    look = shown(call.state)
    name = clean_line(call.name, _LABEL) or "(no name)"
    head = Content.assemble(
        (f"{look.glyph} ", f"${look.colour}"), (name, "bold"), (f"  {look.word}", f"${look.colour}")
    )
    raw = f"  sha256 {call.digest[:_DIGEST]} · {call.size:,} characters"
    # On a line of its own: in 40 columns the rest takes one.
    if other is not None:
        alike = call.digest == other.digest and call.name == other.name
        raw += "\n  = the same call" if alike else "\n  ≠ another call"
    lines = [head, Content.styled(raw, "$text-muted")]
    if call.result is None:
        return [*lines, Content.styled("  no result", "$text-muted")]
    told = "error" if call.result.is_error else "result"
    by_hand = " by hand" if call.result.origin == "person" else ""
    same = other is not None and other.result is not None and other.result.text == call.result.text
    equal = " = the same" if same else ""
    lines.append(Content.styled(f"  {told}{by_hand}{equal}", "$text-muted"))
    text = _clipped(call.result.text, _RESULT_LIMIT)
    return [*lines, content("\n".join(f"  {line}" for line in text.splitlines()) or "  (empty)")]


def _clipped(text: str, limit: int) -> str:
    return (
        text if len(text) <= limit else f"{text[:limit]}\n… {len(text) - limit:,} more characters"
    )
