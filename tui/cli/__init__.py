"""The `verbatim` command: the composition root. It reads flags and configuration, once.

Each subcommand lives in a module of its own that is imported when it is asked for, so that
`--help` and `--version` cost neither the screen nor the HTTP library.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Final

from tui import __version__
from tui.core.errors import UsageError, VerbatimError

EXIT_USAGE: Final = 2
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

COMMANDS: Final[dict[str, str]] = {
    "chat": "open the chat (the default)",
    "ask": "ask one prompt without the screen",
    "record": "keep one exchange with an endpoint as a recording",
    "replay": "show recordings in the chat, or print what `ask` would",
    "endpoints": "list the endpoints and what each still lacks",
    "tools": "show tools as models and providers see them, or call one by hand",
    "demo-server": "serve the demo model on a loopback port",
    "check": "read recorded response bodies through the production pipeline",
    "bench": "measure how the store's times grow with its size",
    "crash-test": "kill the chat at random moments and check that nothing is lost or run twice",
    "doctor": "compare what is stored with what the bytes say, and mend or tidy the store",
    "export": "write stored conversations as Markdown, HTML, JSON, recordings or tests",
    "import": "store conversations and exchanges that files hold",
    "search": "find text in stored conversations",
    "fixture": "make fixtures out of recordings, and say what a set of them cannot catch",
    "probe": "measure what endpoints really send, with a fixed set of requests",
    "serve-recording": "serve recordings on a loopback port, for other clients",
}
"""Each has a module in `tui.cli` with `add_arguments(parser)` and `run(arguments) -> int`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return the exit status."""
    _mend_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    try:
        return _dispatch(name, arguments)
    except UsageError as error:
        _complain(error)
        return EXIT_USAGE
    except VerbatimError as error:
        _complain(error)
        return 1
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        _leave_output()
        return 1
    except OSError as error:
        if error.errno not in _FULL:
            raise
        print(f"verbatim: cannot write: {error.strerror}", file=sys.stderr)
        _leave_output()
        return 1
    except KeyboardInterrupt:
        return 130


def _mend_streams() -> None:
    """Make every write possible: to streams that are closed, in encodings that lack characters."""
    for name, mode in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, mode)
            setattr(sys, name, os.fdopen(nowhere, "w" if mode else "r", encoding="utf-8"))
        elif isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _leave_output() -> None:
    """Let the interpreter's last flush succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(name: str | None, arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="verbatim",
        description="A terminal chat client for models that call tools. Forming calls are shown "
        "as what they are; only what the provider finished is run.",
        epilog="verbatim COMMAND --help tells about one command.",
    )
    parser.add_argument("--version", action="version", version=f"verbatim {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    asks_for_help = name is None and any(
        word in ("-h", "--help", "--version") for word in arguments
    )
    wanted = None if asks_for_help else name or "chat"
    for command, summary in COMMANDS.items():
        sub = commands.add_parser(command, help=summary, description=summary)
        if command == wanted:
            _module(command).add_arguments(sub)
    if name is None and not asks_for_help:
        arguments = ["chat", *arguments]
    parsed = parser.parse_args(arguments)
    status: int = _module(parsed.command).run(parsed)
    return status


def _module(command: str) -> Any:
    # `import` cannot be the name of a module.
    return import_module(
        f"tui.cli.{'import_' if command == 'import' else command.replace('-', '_')}"
    )


def _complain(error: VerbatimError) -> None:
    print(f"verbatim: {error}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)
