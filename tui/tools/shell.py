"""The tool that runs a command, within limits of time and output. Never read-only.

A command is words, not shell syntax, unless a shell is asked for. It has no input, and none of
the variables that look like secrets. When it is over, for whatever reason, its whole process
group is killed.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import TextContent, ToolSpec
from tui.core.errors import ToolError
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.registry import FixedSource

ORIGIN: Final = "shell"
_SECRET = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE)
_CHUNK: Final = 65_536


@dataclass(frozen=True, slots=True)
class ShellLimits:
    seconds: float = 60.0
    """What the model may ask for at most, and gets when it asks for nothing."""
    output: int = 1_000_000
    """Bytes; a command that writes more is stopped."""
    grace: float = 0.5
    """Seconds between SIGTERM and SIGKILL, and for what is left in the pipe."""


def shell(
    folder: Path, environment: Mapping[str, str], limits: ShellLimits | None = None
) -> FixedSource:
    """`run_command` in `folder`.

    Raises:
        ToolError: it is not a folder.
    """
    if not folder.is_dir():
        raise ToolError(f"{folder} is not a folder", hint="Name a folder: shell:DIR.")
    limits = limits or ShellLimits()
    passed = {name: value for name, value in environment.items() if not _SECRET.search(name)}
    passed |= {"TERM": "dumb", "NO_COLOR": "1"}

    async def run_command(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        try:
            words = command_words(arguments)
        except ValueError as error:
            return ToolOutcome.error(f"The command cannot be split into words: {error}.")
        seconds = min(limits.seconds, float(arguments.get("timeout_seconds", limits.seconds)))
        try:
            return await _run(words, folder, passed, seconds, limits)
        except FileNotFoundError:
            return ToolOutcome.error(f"There is no program {words[0]!r}.")
        except (OSError, ValueError) as error:
            return ToolOutcome.error(f"{words[0]!r} could not be started: {error}.")

    # The command's own limit comes first: its partial output is worth more than a timeout.
    timeout = limits.seconds + 10 * limits.grace
    return FixedSource("shell", ORIGIN, [HandlerTool(_SPEC, ORIGIN, run_command, timeout)])


def command_words(arguments: Mapping[str, Any]) -> list[str]:
    """The words that are run.

    Raises:
        ValueError: a quote is never closed, or there is no word.
    """
    command: str = arguments["command"]
    if arguments.get("shell"):
        return ["/bin/sh", "-c", command]
    if "arguments" in arguments:
        return [command, *arguments["arguments"]]
    words = shlex.split(command)
    if not words:
        raise ValueError("it is empty")
    return words


async def _run(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    limits: ShellLimits,
) -> ToolOutcome:
    # A pipe of our own: asyncio's would tie the end of the process to the end of its output,
    # which a child in the background keeps open.
    receiver, sender = os.pipe()
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=sender,
            stderr=sender,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    )
    try:
        # Shielded: cancelled in the middle, asyncio would kill the process but not its group.
        process = await asyncio.shield(starting)
    except BaseException:
        os.close(receiver)
        await asyncio.wait({starting})
        if not starting.cancelled() and starting.exception() is None:
            _signal(starting.result().pid, signal.SIGKILL)
            await starting.result().wait()
        raise
    finally:
        os.close(sender)
    output = bytearray()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    with os.fdopen(receiver, "rb", 0) as pipe:
        reading = asyncio.create_task(_read(pipe, output, limits.output))
        ending = asyncio.create_task(process.wait())
        try:
            tasks: set[asyncio.Task[Any]] = {reading, ending}
            done, _ = await asyncio.wait(
                tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            too_much = reading in done and reading.result()
            if reading in done and not too_much:
                # The output has ended; the process may go on without one.
                left = max(0.0, deadline - loop.time())
                done, _ = await asyncio.wait({ending}, timeout=left)
            timed_out = not done
            await _kill(process, ending, limits.grace)
            await asyncio.wait({reading}, timeout=limits.grace)
        finally:
            # Also when cancelled in the middle of the above: nothing may be left.
            _signal(process.pid, signal.SIGKILL)
            reading.cancel()
            await asyncio.wait({reading, ending}, timeout=limits.grace)
    return _outcome(bytes(output), process.returncode, seconds, limits, timed_out, too_much)


async def _read(pipe: Any, output: bytearray, limit: int) -> bool:
    """Read until the end or the limit; True when there was more than that."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    try:
        while chunk := await reader.read(_CHUNK):
            output += chunk[: limit - len(output) + 1]
            if len(output) > limit:
                return True
        return False
    finally:
        transport.close()


async def _kill(
    process: asyncio.subprocess.Process, ending: asyncio.Task[int], grace: float
) -> None:
    if not ending.done():
        _signal(process.pid, signal.SIGTERM)
        await asyncio.wait({ending}, timeout=grace)
    _signal(process.pid, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _outcome(
    output: bytes,
    code: int | None,
    seconds: float,
    limits: ShellLimits,
    timed_out: bool,
    too_much: bool,
) -> ToolOutcome:
    text = output[: limits.output].decode("utf-8", "replace")
    if too_much:
        end = f"[stopped: it wrote more than {limits.output:,} bytes]"
    elif timed_out:
        end = f"[stopped after {seconds:g} seconds]"
    elif code is not None and code < 0:
        end = f"[ended by signal {-code}]"
    else:
        end = f"[exit status {code}]"
    if text and not text.endswith("\n"):
        text += "\n"
    return ToolOutcome((TextContent(text + end),), is_error=too_much or timed_out or code != 0)


_SPEC: Final = ToolSpec(
    name="run_command",
    description=(
        "Run a program and return what it writes and its exit status. The command is split into"
        " words; pipes, globs and redirections need shell = true. It has no input."
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "description": "The command line; with `arguments` the program alone",
                "minLength": 1,
                "maxLength": 20_000,
            },
            "arguments": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The arguments, each passed as it is",
                "maxItems": 1_000,
            },
            "shell": {"type": "boolean", "description": "Run it by /bin/sh", "default": False},
            "timeout_seconds": {"type": "number", "exclusiveMinimum": 0},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)
