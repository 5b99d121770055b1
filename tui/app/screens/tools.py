"""Tools and servers: what is on offer, in what state, and what may run without being asked about.

Rows come from `tools_shown`; rules a person makes here go to the workspace, which keeps them and
applies them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.app.safe import clean, clean_line, content, notify
from tui.app.tools_shown import OriginRow, Row, ToolRow, log_of, rows_of
from tui.core.errors import VerbatimError
from tui.session.calls import CallRunner
from tui.session.workspace import Workspace
from tui.tools.policy import Rule
from tui.tools.registry import ToolSource

_RULES = {
    "allow": ("✓ runs unasked", "$text-success"),
    "ask": ("? asks", "$text-warning"),
    "deny": ("✗ denied", "$text-error"),
}
_LINE = 300
_LOG_SECONDS = 0.5
_KEYS = "a runs unasked · k asks · d denies · l log of a server · r reload all · R this one · Esc closes"


class ToolsScreen(ModalScreen[None]):
    """Args: `runner` is the one of the open conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f8", "dismiss(None)", "Close", id="tools.close"),
        Binding("a", "rule('allow')", "Runs unasked", id="tools.allow"),
        Binding("k", "rule('ask')", "Asks", id="tools.ask"),
        Binding("d", "rule('deny')", "Denies", id="tools.deny"),
        Binding("l", "log", "Log", id="tools.log"),
        Binding("r", "reload", "Reload", id="tools.reload"),
        Binding("R", "restart", "Restart", id="tools.restart"),
    ]

    def __init__(self, workspace: Workspace, runner: CallRunner) -> None:
        super().__init__()
        self._workspace = workspace
        self._runner = runner
        self._rows: tuple[Row, ...] = ()
        self._leave: Callable[[], None] = lambda: None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content("Tools and servers"), classes="dialog--title")
            yield OptionList(id="tools")
            yield Static(Content("No tools are on offer."), classes="tools--none")
            with VerticalScroll(can_focus=False):
                yield Static(Content(), classes="tools--detail")
            yield Static(Content(_KEYS), classes="dialog--keys")

    def on_mount(self) -> None:
        self._leave = self._workspace.registry.watch(self._changed)
        self._draw()
        self.query_one("#tools", OptionList).focus()

    def on_unmount(self) -> None:
        self._leave()

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _changed(self) -> None:
        # From the task of a server: the screen is changed in the app's own.
        self.call_later(self._draw)

    @property
    def row(self) -> Row | None:
        """The row a person is on."""
        place = self.query_one("#tools", OptionList).highlighted
        return self._rows[place] if place is not None and place < len(self._rows) else None

    def _draw(self) -> None:
        options = self.query_one("#tools", OptionList)
        current = self.row
        self._rows = rows_of(self._workspace.registry, self._runner.policy, self._workspace.policy)
        ids = [row.id for row in self._rows]
        width = max(options.scrollable_content_region.width - 2, 30)
        options.clear_options()
        options.add_options([Option(_line(row, width)) for row in self._rows])
        if self._rows:
            place = ids.index(current.id) if current is not None and current.id in ids else 0
            options.highlighted = place
        options.display = bool(self._rows)
        self.query_one(".tools--none", Static).display = not self._rows
        self._explain()

    def _explain(self) -> None:
        detail = self.query_one(".tools--detail", Static)
        match self.row:
            case OriginRow() as row:
                detail.update(_about_origin(row))
            case ToolRow() as row:
                detail.update(_about_tool(row))
            case None:
                detail.update(Content())

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._explain()

    def action_rule(self, rule: Rule) -> None:
        row = self.row
        if row is None:
            return
        try:
            if isinstance(row, OriginRow):
                self._workspace.set_rule("origins", row.origin, rule)
            else:
                self._workspace.set_rule("tools", row.rule_name, rule)
        except VerbatimError as error:
            words = f"It holds until Verbatim is left, but could not be kept: {error}"
            notify(self.app, f"{words}\n{error.hint}".strip(), severity="warning")
        self._draw()

    def action_log(self) -> None:
        source = self._source()
        if source is not None:
            self.app.push_screen(ServerLogScreen(source))

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        await self._workspace.registry.reload()

    @work(group="restart")
    async def action_restart(self) -> None:
        source = self._source()
        if source is not None:
            await self._workspace.registry.restart(source)

    def _source(self) -> ToolSource | None:
        """What the row is of."""
        place = self.query_one("#tools", OptionList).highlighted
        rows = self._rows[: 0 if place is None else place + 1]
        return next((row.source for row in reversed(rows) if isinstance(row, OriginRow)), None)


class ServerLogScreen(ModalScreen[None]):
    """What a server said beside the protocol, as it comes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,l,q", "dismiss(None)", "Close", id="log.close")
    ]

    def __init__(self, source: ToolSource) -> None:
        super().__init__()
        self._source = source
        self._shown: Sequence[str] | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            title = clean_line(self._source.origin, _LINE)
            yield Static(Content(f"{title}: its log"), classes="dialog--title")
            with VerticalScroll():
                yield Static(Content(), classes="tools--log")
            yield Static(Content("Its words, not ours · Esc closes"), classes="dialog--keys")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._renew()
        self.set_interval(_LOG_SECONDS, self._renew)

    def _renew(self) -> None:
        lines = log_of(self._source)
        if lines == self._shown:
            return
        self._shown = lines
        scroll = self.query_one(VerticalScroll)
        follow = scroll.is_vertical_scroll_end
        text = "\n".join(clean_line(line) for line in lines) or "It has said nothing."
        self.query_one(".tools--log", Static).update(content(text))
        if follow:
            scroll.scroll_end(animate=False)


def _line(row: Row, width: int) -> Content:
    if isinstance(row, OriginRow):
        left = Content.styled(clean_line(row.origin, _LINE), "bold")
        state = row.state if not row.version else f"{row.state}, {row.version}"
        style = "$text-success" if row.good else "$text-error"
        if row.state in ("connecting", "loading"):
            style = "$text-warning"
        left += Content("  ") + Content.styled(f"{state}", style)
        right = Content() if row.rule is None else _rule(row.rule)
    else:
        left = Content(f"  {clean_line(row.name, _LINE)}")
        left += Content.styled(f"  {row.effect}", "$text-muted")
        if row.claims:
            says = clean_line(", ".join(row.claims), _LINE)
            left += Content.styled(f"  the server says: {says}", "italic $text-muted")
        right = _rule(row.rule)
    room = max(width - right.cell_length - 1, 10)
    left = left.truncate(room, ellipsis=True)
    return left + Content(" " * max(width - left.cell_length - right.cell_length, 1)) + right


def _rule(rule: Rule) -> Content:
    words, style = _RULES[rule]
    return Content.styled(words, style)


def _about_origin(row: OriginRow) -> Content:
    tools = "1 tool" if row.count == 1 else f"{row.count:,} tools"
    if row.left_out:
        tools += f", {row.left_out:,} left out by its configuration"
    lines = [Content(f"{tools}. a, k and d make a rule for all of them.")]
    if row.rule is not None:
        lines.append(Content("A rule for one tool goes before it."))
    if row.problem:
        lines.append(Content.styled(clean(row.problem), "$text-error"))
        lines.append(Content(clean(row.hint)))
    said = log_of(row.source)[-3:]
    lines += [Content.styled(f"│ {clean_line(line, _LINE)}", "$text-muted") for line in said]
    return Content("\n").join(lines)


def _about_tool(row: ToolRow) -> Content:
    where = " In this conversation." if row.here_only else ""
    why = f"{clean_line(row.reason, _LINE)}.{where}"
    words, style = _RULES[row.rule]
    lines = [
        content(row.description or "It has no description."),
        Content.styled(words, style) + Content(f": {why}"),
    ]
    lines += [
        Content.styled(f"! {clean_line(each, _LINE)}", "$text-warning") for each in row.findings
    ]
    return Content("\n").join(lines)
