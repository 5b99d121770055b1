"""What a conversation without a screen prints, and the exit status it ends with.

Updates come in. Prose goes to standard output as it streams, calls and their states to standard
error; or every update is one JSON line on standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Final, TextIO

from tui.core.events import RefusalFragment, TextFragment
from tui.core.plaintext import clean
from tui.core.states import CallState
from tui.session.update_json import update_as_json
from tui.session.updates import (
    CallAnswered,
    CallChanged,
    ExchangeFailed,
    Notice,
    SessionUpdate,
    TurnAdvanced,
    TurnClosed,
    TurnLimitReached,
)

CALL_TROUBLE: Final = 1
ENDPOINT_TROUBLE: Final = 3


class Trouble:
    """What went wrong so far, as an exit status."""

    def __init__(self) -> None:
        self.status = 0

    def note(self, update: SessionUpdate) -> None:
        match update:
            case ExchangeFailed():
                self.status = ENDPOINT_TROUBLE
            case TurnClosed(_, _, message):
                if message.outcome == "error" or (
                    message.outcome == "incomplete" and message.stop_reason is None
                ):
                    self.status = ENDPOINT_TROUBLE
                elif (
                    any(call.state is not CallState.FINAL for call in message.calls)
                    or message.outcome == "incomplete"
                ):
                    self._calls()
            case CallAnswered(_, result) if result.is_error:
                self._calls()
            case TurnLimitReached():
                self._calls()
            case _:
                pass

    def _calls(self) -> None:
        self.status = self.status or CALL_TROUBLE


def reporter(*, as_json: bool) -> Callable[[SessionUpdate], None]:
    """What prints the updates of a conversation, for people or as JSON lines."""
    return _json_lines(sys.stdout) if as_json else _prose(sys.stdout, sys.stderr)


def _json_lines(out: TextIO) -> Callable[[SessionUpdate], None]:
    def report(update: SessionUpdate) -> None:
        print(json.dumps(update_as_json(update)), file=out, flush=True)

    return report


def _prose(out: TextIO, err: TextIO) -> Callable[[SessionUpdate], None]:
    shown: Callable[[str], str] = clean if out.isatty() else _encodable
    at_line_start = True
    said = ""

    def say(words: str) -> None:
        nonlocal at_line_start, said
        said = words
        if not at_line_start:
            print(file=out, flush=True)
            at_line_start = True
        print(f"verbatim: {clean(words)}", file=err, flush=True)

    def report(update: SessionUpdate) -> None:
        nonlocal at_line_start
        match update:
            case TurnAdvanced(_, steps):
                for event in (event for step in steps for event in step.events):
                    if isinstance(event, TextFragment | RefusalFragment) and event.choice == 0:
                        print(shown(event.text), end="", file=out, flush=True)
                        at_line_start = event.text.endswith("\n") if event.text else at_line_start
            case TurnClosed(_, _, message):
                if not at_line_start:
                    print(file=out, flush=True)
                    at_line_start = True
                for call in message.calls:
                    problem = f": {call.problem}" if call.problem else ""
                    say(f"{call.ref} {call.name}({call.raw}) is {call.state}{problem}")
                if message.problem:
                    say(message.problem)
            case CallChanged(ref, state, problem):
                say(f"{ref} is {state}{f': {problem}' if problem else ''}")
            case CallAnswered(ref, result):
                say(f"{ref} {'error' if result.is_error else 'result'}: {result.text}")
            case TurnLimitReached(limit):
                say(f"stopped after {limit} turns; --max-turns allows more")
            case Notice(text, _):
                say(text)
            case ExchangeFailed(error):
                # A turn that the endpoint refused or broke has just closed with these words.
                if said != str(error):
                    say(str(error))
                if error.hint:
                    say(f"  {error.hint}")
            case _:
                pass

    return report


def _encodable(text: str) -> str:
    """Half a surrogate pair cannot be printed; the record keeps it."""
    return text.encode("utf-8", "replace").decode("utf-8")
