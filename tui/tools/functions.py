"""Python functions as tools: a file in, its tools out.

The file is run as a module of its own (never cached, so that a reload sees every change). Offered
are the functions in its `TOOLS`; else those marked with `@tool`; else those in `__all__`; else
every public function it defines. They run inside this process: the file is trusted like any
program its user starts. A sync function has a thread of its own, async functions share an event
loop beside ours; neither can freeze the screen, but `os._exit` in a tool ends the program.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import ToolSpec
from tui.core.errors import ToolError
from tui.core.finalise import FinalCall
from tui.tools.contract import RunContext, ToolOutcome
from tui.tools.marks import ToolMark, is_marked, mark_of
from tui.tools.printed import Printed, captured
from tui.tools.registry import fitting_name, is_fitting
from tui.tools.results import to_outcome
from tui.tools.schema import Misfit, Parameters, Undescribed, parameters_of
from tui.tools.threads import in_daemon_thread
from tui.tools.toolloop import ToolLoop

_numbers: Final = count(1)
MODULE_PREFIX: Final = "verbatim_tools_"


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """One function."""

    spec: ToolSpec
    origin: str
    timeout: float | None
    function: Callable[..., Any]
    parameters: Parameters
    loop: ToolLoop
    trusted: bool = True
    answered_by_hand: bool = False

    async def run(self, call: FinalCall, context: RunContext) -> ToolOutcome:
        if isinstance(call.arguments, str):
            return ToolOutcome.error(f"{self.spec.name} takes a JSON object, not free text")
        try:
            positional, named = self.parameters.bind(call.arguments, context)
        except Misfit as misfit:
            return ToolOutcome.error(str(misfit))
        if inspect.iscoroutinefunction(self.function):
            value = await self.loop.run(lambda: self.function(*positional, **named), context)
        else:
            value = await in_daemon_thread(lambda: self.function(*positional, **named), context)
            if inspect.isawaitable(value):
                value = await self.loop.run(lambda: _awaited(value), context)
        # In a thread: writing 50 MB of JSON takes a second.
        return await in_daemon_thread(lambda: to_outcome(value), context)


async def _awaited(value: Any) -> Any:
    return await value


class PythonFile:
    """A source: the functions of one file. A reload that fails keeps the old ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = fitting_name(path.stem)
        self.origin = path.name
        self.tools: Sequence[FunctionTool] = ()
        self.problem: ToolError | None = None
        self._loop = ToolLoop()

    async def open(self, changed: Callable[[], None]) -> None:
        await self.reload()

    async def reload(self) -> None:
        self.tools = await in_daemon_thread(lambda: load_file(self.path, self._loop))

    async def close(self) -> None:
        self._loop.close()


def load_file(path: Path, loop: ToolLoop | None = None) -> tuple[FunctionTool, ...]:
    """Run the file and read its functions. What it prints meanwhile is dropped.

    Raises:
        ToolError: it cannot be read or run, or a function cannot be offered, with file and line.
    """
    path = path.absolute()
    module = _run(path)
    functions = _offered(path, module)
    if not functions:
        raise ToolError(
            f"{path} defines no public function",
            hint="Define one with type hints and a docstring: def add(a: int, b: int) -> int: ...",
        )
    loop = loop or ToolLoop()
    return tuple(_tool(path, function, loop) for function in functions)


def _run(path: Path) -> types.ModuleType:
    module = types.ModuleType(f"{MODULE_PREFIX}{next(_numbers)}_{path.stem}")
    module.__file__ = str(path)
    # Dataclasses and pydantic look their module up by name.
    sys.modules[module.__name__] = module
    folder = str(path.parent)
    if folder not in sys.path:
        # At the end: modules beside the file can be imported, none of ours can be replaced.
        sys.path.append(folder)
    try:
        source = path.read_bytes()
        linecache.checkcache(str(path))
        with captured(Printed()):
            exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - its user's own file
    except BaseException as error:
        del sys.modules[module.__name__]
        raise _unloadable(path, error) from error
    return module


def _unloadable(path: Path, error: BaseException) -> ToolError:
    match error:
        case FileNotFoundError() if error.filename == str(path):
            return ToolError(f"there is no file {path}", hint="Check the path given for the tools.")
        case OSError() if error.filename == str(path):
            return ToolError(f"{path} cannot be read: {error.strerror}")
        case SyntaxError() if error.filename == str(path):
            return ToolError(f"{path}:{error.lineno}: {error.msg}", hint="Mend it and reload.")
        case ModuleNotFoundError():
            return ToolError(
                f"{_place(path, error)}: no module named {error.name!r}",
                hint=f"Install it for {sys.executable}, or import it inside the function.",
            )
        case SystemExit():
            return ToolError(
                f"{_place(path, error)}: it ends the program while it is loaded",
                hint='Put what only a script does below: if __name__ == "__main__":',
            )
        case _:
            message = f"{_place(path, error)}: {type(error).__name__}: {error}"
            return ToolError(message, hint="Mend it and reload.")


def _place(path: Path, error: BaseException) -> str:
    """The file, and the last of its lines that the error passed through."""
    line, frame = None, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == str(path):
            line = frame.tb_lineno
        frame = frame.tb_next
    return f"{path}:{line}" if line is not None else str(path)


def _offered(path: Path, module: types.ModuleType) -> list[Callable[..., Any]]:
    named = module.__dict__.get("TOOLS")
    if named is not None:
        if not isinstance(named, list | tuple) or not all(map(callable, named)):
            raise ToolError(f"{path}: TOOLS is not a list of functions")
        return list(named)
    own: dict[str, Callable[..., Any]] = {
        name: value
        for name, value in module.__dict__.items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    }
    if any(map(is_marked, own.values())):
        return [value for value in own.values() if is_marked(value)]
    exported = module.__dict__.get("__all__")
    if exported is not None:
        return [own[name] for name in exported if name in own]
    return [value for name, value in own.items() if not name.startswith("_")]


def _tool(path: Path, function: Callable[..., Any], loop: ToolLoop) -> FunctionTool:
    mark = mark_of(function) or ToolMark()
    own_name = getattr(function, "__name__", type(function).__name__)
    name = mark.name or own_name
    code = getattr(inspect.unwrap(function), "__code__", None)
    place = f"{path}:{code.co_firstlineno}" if code is not None else str(path)
    if not is_fitting(name):
        raise ToolError(
            f"{place}: {name!r} cannot be a tool's name",
            hint="Providers take letters, digits, _ and - (64 at most): @tool(name='...').",
        )
    try:
        parameters = parameters_of(function)
        description = mark.description or parameters.description
        if not description:
            raise Undescribed("it has no docstring, and a model must know what it is for; add one")
    except Undescribed as problem:
        raise ToolError(
            f"{place}: {own_name} cannot be a tool: {problem}",
            hint="To keep a function from being offered begin its name with _ or define __all__.",
        ) from problem
    spec = ToolSpec(name, description, parameters.schema, read_only=mark.read_only)
    return FunctionTool(spec, path.name, mark.timeout, function, parameters, loop)
