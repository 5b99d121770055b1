"""A question of an MCP server, over everything else, until a person answers or it is withdrawn.

The server's words are shown as its words. Nothing is sent that a person did not type or choose
here, no address is opened without a key meant for it, and a key counts only when the question
has been on the screen for a moment.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.app.after_typing import after_typing
from tui.app.asking import Field, Form, Value, form_of, problem_of, typed
from tui.app.calls.guard import KeyGuard
from tui.app.safe import clean, clean_line, content
from tui.app.widgets.choice_list import ChoiceList
from tui.app.widgets.plain_input import PlainInput
from tui.session.questions import OpenQuestion, Questions
from tui.tools.mcp.questions import QuestionAnswer

_TICK_SECONDS = 0.1
_TITLE_LIMIT = 120
_SHARE = 0.9
"""Of the screen's height that the dialog may take, as its style sheet says."""
_LEAST_ROWS = 3


class Elicitation(ModalScreen[None]):
    """One question. It answers by itself; dismissed when it is answered or withdrawn."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "accept", "Accept", id="question.accept", priority=True),
        Binding("ctrl+d", "decline", "Decline", id="question.decline", priority=True),
        Binding("escape", "cancel", "No answer", id="question.cancel", priority=True),
        # Before they reach a field: what is typed after one of them belongs to the next field.
        Binding("enter", "leave_text", "Next", id="question.next", show=False, priority=True),
        Binding("tab", "move(1)", "Next", id="question.forward", show=False, priority=True),
        Binding("shift+tab", "move(-1)", "Back", id="question.back", show=False, priority=True),
    ]

    def __init__(self, asked: OpenQuestion) -> None:
        super().__init__()
        self.asked = asked
        self._guard = KeyGuard()
        self._was_ready = False
        self._problem = ""
        question = asked.question
        self._schema = question.schema or {}
        self._form = Form(()) if question.url is not None else form_of(self._schema)
        self._inputs: dict[str, PlainInput | ChoiceList] = {}

    def compose(self) -> ComposeResult:
        question = self.asked.question
        origin = clean_line(question.origin, _TITLE_LIMIT)
        with Vertical(classes="dialog"):
            yield Static(Content(f"{origin} asks you"), classes="dialog--title")
            with VerticalScroll(can_focus=False):
                yield Static(content(question.message), classes="question--message")
                if question.url is not None:
                    yield Static(_address(question.url), classes="question--url")
                for field in self._form.fields:
                    yield Static(_label(field), classes="question--label")
                    yield self._made(field)
            yield Static(Content(), classes="question--problem")
            yield Static(Content(), classes="dialog--keys")

    def on_mount(self) -> None:
        if self._form.unaskable:
            self._complain(f"This can only be declined: {self._form.unaskable}.")
        self._guard.shown(self._now)
        self._tick()
        self.set_interval(_TICK_SECONDS, self._tick)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Leave the question the room above what must always be seen: what is wrong, and the keys."""
        dialog, scroll = self.query_one(".dialog"), self.query_one(VerticalScroll)
        room = int(self.size.height * _SHARE) - dialog.gutter.height
        for child in dialog.children:
            if child is not scroll:
                room -= child.outer_size.height + child.styles.margin.height
        scroll.styles.max_height = max(room, _LEAST_ROWS)

    @property
    def ready(self) -> bool:
        """Whether a key counts now."""
        return self._guard.ready(self._now)

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _made(self, field: Field) -> Widget:
        if field.kind in ("one", "several"):
            chosen = field.default if isinstance(field.default, tuple) else ()
            words = [word for word, _ in field.choices]
            box: PlainInput | ChoiceList = ChoiceList(
                words, chosen=chosen, several=field.kind == "several"
            )
        else:
            default = field.default if isinstance(field.default, str) else ""
            box = PlainInput(clean_line(default), compact=True)
        self._inputs[field.name] = box
        return box

    def look(self) -> None:
        """Leave when the question has been answered elsewhere or withdrawn."""
        if not self.asked.open and self.is_current:
            self.dismiss(None)

    def on_screen_resume(self) -> None:
        self.look()

    def on_key(self, event: Key) -> None:
        """A key that comes too early makes the moment begin anew."""
        if not self._guard.press(self._now):
            event.stop()
            event.prevent_default()

    def _tick(self) -> None:
        ready = self.ready
        if ready and not self._was_ready and self._inputs:
            next(iter(self._inputs.values())).focus()
        self._was_ready = ready
        self._say_keys()
        self.look()

    # Answers ------------------------------------------------------------------------------

    def action_accept(self) -> None:
        if not self._guard.press(self._now) or self._form.unaskable:
            return
        url = self.asked.question.url
        if url is not None:
            if not _may_open(url):
                self._complain("It is no web address, and is not opened. Decline it.")
                return
            self._answer(QuestionAnswer("accept"))
            self.app.open_url(url)
            return
        after_typing(self._inputs.values(), self._accept)

    def _accept(self) -> None:
        if not self.asked.open:
            return
        try:
            values = {field.name: self._value(field) for field in self._form.fields}
        except ValueError as error:
            self._complain(str(error))
            return
        given = {name: value for name, value in values.items() if value is not None}
        missing = [f.title for f in self._form.fields if f.required and f.name not in given]
        if missing:
            self._complain(f"Still to be answered: {', '.join(missing)}")
        elif problem := problem_of(self._schema, given):
            self._complain(problem)
        else:
            self._answer(QuestionAnswer("accept", given))

    def action_decline(self) -> None:
        if self._guard.press(self._now):
            self._answer(QuestionAnswer("decline"))

    def action_cancel(self) -> None:
        if self._guard.press(self._now):
            self._answer(QuestionAnswer("cancel"))

    def _answer(self, answer: QuestionAnswer) -> None:
        self.asked.answer(answer)
        self.dismiss(None)

    def _value(self, field: Field) -> Value:
        box = self._inputs[field.name]
        if isinstance(box, PlainInput):
            return typed(field, box.value)
        chosen = [field.choices[index][1] for index in sorted(box.chosen)]
        if field.kind == "several":
            return [str(each) for each in chosen] if chosen or field.required else None
        return chosen[0] if chosen else None

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._complain("")

    def on_choice_list_changed(self, event: ChoiceList.Changed) -> None:
        event.stop()
        self._complain("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "leave_text":
            return isinstance(self.focused, PlainInput)
        return True

    def action_leave_text(self) -> None:
        self.focus_next()

    def action_move(self, step: int) -> None:
        if self._guard.press(self._now):
            self.focus_next() if step > 0 else self.focus_previous()

    def _complain(self, words: str) -> None:
        self.query_one(".question--problem", Static).update(content(words))
        self.call_after_refresh(self._fit)

    def _say_keys(self) -> None:
        left = max(self.asked.until - self._now, 0.0)
        url = self.asked.question.url is not None
        accept = "opens it in your browser" if url else "sends the answer"
        words = f"Ctrl+S {accept} · Ctrl+D declines · Esc gives no answer"
        if self._form.unaskable:
            words = "Ctrl+D declines · Esc gives no answer"
        late = f" · declined by itself in {left:.0f} s"
        told = Content.styled(words, "" if self.ready else "dim") + Content(late)
        self.query_one(".dialog--keys", Static).update(told)


class Asking:
    """Puts the questions of a workspace on the screen of `app`, one after another."""

    def __init__(self, app: App[None], questions: Questions) -> None:
        self._app = app
        self._questions = questions
        questions.listen(self._changed)

    def _changed(self) -> None:
        # From the task of a server: the screen is changed in the app's own.
        self._app.call_later(self._show)

    def _show(self) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, Elicitation):
                screen.look()
                return
        waiting = [asked for asked in self._questions.open if asked.open]
        if waiting:
            self._app.push_screen(Elicitation(waiting[0]), lambda _: self._show())


def _label(field: Field) -> Content:
    label = Content.styled(clean_line(field.title, _TITLE_LIMIT), "bold")
    if not field.required:
        label += Content.styled(" (may be left open)", "$text-muted")
    if field.description:
        label += Content("\n") + Content.styled(clean(field.description), "$text-muted")
    return label


def _address(url: str) -> Content:
    """The whole address, and where it leads, without letters that only look alike."""
    shown = Content.styled(clean(url), "bold")
    host = _host(url)
    if not host:
        return shown
    words = f"\nIt leads to {clean_line(host)}"
    if not host.isascii():
        words += f", written without foreign letters: {_in_ascii(host)}"
    return shown + Content.styled(words, "$text-muted")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _in_ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host.encode("ascii", "backslashreplace").decode("ascii")


def _may_open(url: str) -> bool:
    return url.isprintable() and url.startswith(("http://", "https://")) and bool(_host(url))
