"""`verbatim ask`: one prompt without the screen.

Prose goes to standard output as it streams, calls and their states to standard error; with
`--json` every update is one JSON line on standard output. The loop is the chat's own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from typing import Final, TextIO

from tui.cli import compose
from tui.core.events import RefusalFragment, TextFragment
from tui.core.states import CallState
from tui.session.update_json import update_as_json
from tui.session.updates import (
    CallAnswered,
    CallChanged,
    ExchangeFailed,
    Idle,
    Notice,
    SessionUpdate,
    TurnAdvanced,
    TurnClosed,
    TurnLimitReached,
)

CALL_TROUBLE: Final = 1
ENDPOINT_TROUBLE: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="the prompt; - reads standard input")
    parser.add_argument("--json", action="store_true", help="every update as a JSON line")
    parser.add_argument("--approve", choices=["all", "read-only", "none"], help="what may run")
    parser.add_argument(
        "--no-record", action="store_true", help="leave nothing of this on the disk"
    )
    compose.add_endpoint_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask; 0 done, 1 a call was not answered by its tool, 3 the endpoint failed."""
    compose.check_max_turns(arguments)
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    return asyncio.run(_ask(arguments, prompt))


async def _ask(arguments: argparse.Namespace, prompt: str) -> int:
    from tui.cli.conversing import make_workspace
    from tui.session.workspace import at_work

    setting = compose.read_setting()
    report = reporter(as_json=arguments.json)
    trouble = Trouble()
    async with at_work(make_workspace(setting, arguments, interactive=False)) as workspace:
        session = workspace.new().session
        session.send(prompt)
        try:
            async for update in session.updates():
                report(update)
                trouble.note(update)
                if isinstance(update, Idle):
                    break
        finally:
            session.cancel()
            await session.wait_idle()
    return trouble.status


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
    from tui.core.plaintext import clean

    shown: Callable[[str], str] = clean if out.isatty() else _encodable
    at_line_start = True

    def say(words: str) -> None:
        nonlocal at_line_start
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
                say(str(error))
                if error.hint:
                    say(f"  {error.hint}")
            case _:
                pass

    return report


def _encodable(text: str) -> str:
    """Half a surrogate pair cannot be printed; the record keeps it."""
    return text.encode("utf-8", "replace").decode("utf-8")
