"""Trials: the chat is started, used, killed at a moment and looked into; then started again.

What must hold after every kill: each byte that the program had read some time before is on the
disk, what is there is what was sent, no call has run twice, and the conversation goes on.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tui.cli.crashing.server import KnownServer
from tui.cli.crashing.terminal import Terminal
from tui.core.errors import VerbatimError
from tui.session.doctor import examine
from tui.session.resume import resume
from tui.store import Store

PATIENCE: Final = 30.0
_LONGEST = 1.3
"""Seconds within which a turn, its call and the turn after it are over."""
_TURNS_EACH = 8
"""Kills that one conversation goes through before another is begun."""
_SETTING: Final = re.compile(r"VERBATIM_.*|.*_(API_KEY|TOKEN)", re.IGNORECASE)
_ID: Final = re.compile(rb'"id": "(msg_\d+)"')

_TOOL: Final = '''
import os
import time


def note(line: str) -> str:
    """Append a line to the file."""
    with open({path!r}, "a") as file:
        file.write(line + "\\n")
        file.flush()
        os.fsync(file.fileno())
    time.sleep(0.12)
    return "noted " + line
'''


@dataclass(slots=True)
class Report:
    """What was seen. `failures` is empty when everything held."""

    kills: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    moments: Counter[str] = field(default_factory=Counter)
    """What was under way when it was killed."""
    bytes_due: int = 0
    """Bytes that had to be on the disk, over all kills."""
    worst_lag: float = 0.0
    """Seconds before a kill at which the oldest byte that is not on the disk had been sent. It may
    still have waited in the program's socket."""
    longest_start: float = 0.0


class Trials:
    """Kills one program after the other, in a home of its own below `folder`."""

    def __init__(self, folder: Path, seed: int, within: float) -> None:
        self.report = Report()
        self._folder = folder
        self._chance = random.Random(seed)
        self._within = within
        self._server = KnownServer()
        self._notes = folder / "notes.txt"
        self._home = folder / "home"
        self._tool = folder / "note_tool.py"
        self._tool.write_text(_TOOL.format(path=str(self._notes)))
        self._id: str | None = None
        self._before: set[str] = set()
        self._began = 0.0

    def run(self, kills: int, tell: Callable[[int], None] = lambda number: None) -> Report:
        """Kill `kills` times; stops at the first start that fails."""
        began = time.monotonic()
        try:
            for number in range(kills):
                if not self._one(number):
                    break
                tell(number + 1)
            else:
                self._last_word(kills)
        finally:
            self._server.close()
            self.report.seconds = time.monotonic() - began
        self.report.failures += self._server.illegal
        return self.report

    def _one(self, number: int) -> bool:
        if number % _TURNS_EACH == 0:
            self._id = None
        terminal = self._start(number)
        if terminal is None:
            return False
        self._began = time.time()
        terminal.type(f"work {number}")
        if not self._server.wait_for(f"work {number}", PATIENCE):
            self._fail(number, f"the prompt was never sent: {terminal.tail}")
            terminal.kill()
            return False
        time.sleep(self._chance.uniform(0.0, _LONGEST))
        arrived = self._server.arrived()
        time.sleep(self._within)
        moment = terminal.kill()
        self.report.kills += 1
        self._look(number, moment, arrived)
        return True

    def _start(self, number: int) -> Terminal | None:
        """The chat, with an answer to a first prompt in it."""
        began = time.monotonic()
        command = [sys.executable, "-m", "tui", "chat", "--base-url", self._server.base_url]
        command += ["--dialect", "anthropic", "--model", "crash", "--approve", "all"]
        command += ["--tools", str(self._tool)]
        command += ["--resume", self._id] if self._id else []
        environment = {k: v for k, v in os.environ.items() if not _SETTING.fullmatch(k)}
        environment |= {"VERBATIM_HOME": str(self._home), "TERM": "xterm-256color"}
        terminal = Terminal(command, environment)
        if terminal.wait_for("ready", PATIENCE):
            terminal.type(f"quick {number}")
            if terminal.wait_for(f"done-{number}", PATIENCE):
                self.report.longest_start = max(self.report.longest_start, time.monotonic() - began)
                return terminal
        what = "goes on after the kill before" if self._id else "begins"
        asked = self._server.wait_for(f"quick {number}", 0.0)
        reached = "it was asked, and the answer not shown" if asked else "the prompt was never sent"
        self._fail(number, f"no conversation {what}: {reached}: {terminal.tail}")
        terminal.kill()
        return None

    def _last_word(self, number: int) -> None:
        """The conversation that was killed last goes on too."""
        terminal = self._start(number)
        if terminal is not None:
            terminal.kill()

    def _look(self, number: int, moment: float, arrived: Mapping[str, int]) -> None:
        for line, count in Counter(
            self._notes.read_text().split() if self._notes.exists() else []
        ).items():
            if count > 1:
                self._fail(number, f"the call of {line!r} ran {count} times")
        try:
            with Store.open(self._home / "data" / "verbatim.sqlite") as store:
                newest = store.list_conversations(order="created", limit=1)
                if not newest:
                    self._fail(number, "no conversation is stored")
                    return
                self._id = self._id or newest[0].id
                self._look_at_bytes(store, self._id, number, moment, arrived)
                resume(store, self._id)
                for found in examine(store, self._id):
                    self._fail(number, f"{found.subject}: {found.words}")
                if number % _TURNS_EACH == _TURNS_EACH - 1:
                    for words in store.check():
                        self._fail(number, words)
        except VerbatimError as error:
            self._fail(number, f"the store cannot be read: {error}")

    def _look_at_bytes(
        self, store: Store, id: str, number: int, moment: float, arrived: Mapping[str, int]
    ) -> None:
        found: set[str] = set()
        exchanges = store.exchanges(id)
        for exchange in exchanges:
            data = b"".join(data for _, data in store.chunks(exchange.id))
            name = match[1].decode() if (match := _ID.search(data)) else ""
            if name in self._before or not name:
                continue
            found.add(name)
            sent = self._server.sent[name]
            due = arrived.get(name, 0)
            self.report.bytes_due += due
            if bytes(sent.body[: len(data)]) != data:
                self._fail(number, f"{name}: what is on the disk is not what was sent")
            if len(data) < due:
                self._fail(number, f"{name}: {due - len(data)} bytes that were due are lost")
            missing = next((at for at, total, _ in sent.marks if total > len(data)), moment)
            self.report.worst_lag = max(self.report.worst_lag, moment - missing)
        for name, due in arrived.items():
            if name not in self._before | found and due:
                self._fail(number, f"{name}: nothing of an answer that was due is on the disk")
        self._before = set(self._server.sent)
        running = any(each.started > self._began for each in store.unfinished_dispatches(id))
        streaming = exchanges[-1].ending == "abandoned"
        self.report.moments[
            "while a tool ran" if running else "while streaming" if streaming else "between"
        ] += 1

    def _fail(self, number: int, words: str) -> None:
        self.report.failures.append(f"kill {number + 1}: {words}")
