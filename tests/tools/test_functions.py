"""A file of Python functions becomes tools: what is offered, what is converted, what goes wrong."""

from __future__ import annotations

import json
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import dispatcher_of, final_call
from tui.core.conversation import ImageContent, JsonContent, TextContent
from tui.core.errors import ToolError
from tui.core.finalise import Invalid, finalise
from tui.core.states import CallState
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.functions import MODULE_PREFIX, FunctionTool, PythonFile, load_file
from tui.tools.registry import Registry
from tui.tools.results import to_content, to_json
from tui.tools.toolloop import ToolLoop

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


@pytest.fixture(autouse=True)
def clean_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in [name for name in sys.modules if name.startswith(MODULE_PREFIX)]:
        del sys.modules[name]


@pytest.fixture
def loop() -> Iterator[ToolLoop]:
    loop = ToolLoop()
    yield loop
    loop.close()


class Folder:
    """Writes a file and loads it."""

    def __init__(self, path: Path, loop: ToolLoop) -> None:
        self.path = path
        self.loop = loop

    def write(self, source: str, name: str = "my_tools.py") -> Path:
        path = self.path / name
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    def load(self, source: str) -> dict[str, FunctionTool]:
        return {tool.spec.name: tool for tool in load_file(self.write(source), self.loop)}

    def error(self, source: str) -> ToolError:
        with pytest.raises(ToolError) as caught:
            self.load(source)
        return caught.value

    async def run(self, source: str, name: str, arguments: Any = None, **options: Any) -> Outcome:
        tools = self.load(source)
        return await dispatcher_of(*tools.values(), **options).run(final_call(name, arguments))


@pytest.fixture
def folder(tmp_path: Path, loop: ToolLoop) -> Folder:
    return Folder(tmp_path, loop)


SHAPES = """
    from __future__ import annotations
    from dataclasses import dataclass, field
    from datetime import date
    from enum import Enum
    from typing import Literal, Optional
    from pydantic import BaseModel

    class Size(Enum):
        SMALL = "s"
        LARGE = "l"

    @dataclass
    class Item:
        name: str
        tags: list[str] = field(default_factory=list)

    class Place(BaseModel):
        title: str
        lat: float

    def order(items: list[Item], size: Size, how: Literal["now", "later"], place: Place | None = None,
              when: Optional[date] = None, copy: dict[str, int] = {}, _private: int | str = 3):
        '''Order things
        soon.

        More for the reader of the code.

        Args:
            items: what to order
                and how.
            size: how big
        '''
        assert isinstance(items[0], Item) and isinstance(size, Size)
        assert place is None or isinstance(place, Place)
        return [items[0].name, size.name, how, type(place).__name__, type(when).__name__, copy, _private]
"""


def test_the_schema_comes_from_hints_and_docstring(folder: Folder) -> None:
    spec = folder.load(SHAPES)["order"].spec
    properties = spec.schema["properties"]

    assert spec.description == "Order things\nsoon."
    assert spec.schema["required"] == ["items", "size", "how"]
    assert spec.schema["additionalProperties"] is False
    assert properties["size"] == {"type": "string", "enum": ["s", "l"], "description": "how big"}
    assert properties["how"] == {"type": "string", "enum": ["now", "later"]}
    assert properties["items"]["description"] == "what to order\nand how."
    assert properties["items"]["items"]["properties"]["tags"]["type"] == "array"
    assert properties["place"]["anyOf"][0]["properties"]["title"] == {"type": "string"}
    assert properties["copy"]["default"] == {}
    assert properties["_private"]["default"] == 3
    assert "$ref" not in json.dumps(spec.schema)


async def test_arguments_become_the_types_of_the_hints(folder: Folder) -> None:
    arguments = {
        "items": [{"name": "pan"}],
        "size": "l",
        "how": "now",
        "place": {"title": "Köln", "lat": 50.9},
        "when": "2026-12-03",
    }
    outcome = await folder.run(SHAPES, "order", arguments)
    assert json.loads(outcome.result.text) == ["pan", "LARGE", "now", "Place", "date", {}, 3]


async def test_defaults_are_the_functions_own(folder: Folder) -> None:
    outcome = await folder.run(
        SHAPES, "order", {"items": [{"name": "x"}], "size": "s", "how": "now"}
    )
    assert json.loads(outcome.result.text)[3:] == ["NoneType", "NoneType", {}, 3]


async def test_what_the_schema_cannot_say_is_an_error_result_that_names_the_place(
    folder: Folder,
) -> None:
    arguments = {"items": [{"name": "x"}], "size": "s", "how": "now", "when": "someday"}
    outcome = await folder.run(SHAPES, "order", arguments)
    assert outcome.state is CallState.FAILED
    assert outcome.result.text.startswith("The arguments cannot be used: when: ")
    assert outcome.traceback == ""


def test_a_recursive_type_keeps_its_definitions(folder: Folder) -> None:
    tools = folder.load("""
        from __future__ import annotations
        from dataclasses import dataclass, field

        @dataclass
        class Node:
            value: int
            children: list[Node] = field(default_factory=list)

        def total(node: Node) -> int:
            '''Add up.'''
            return node.value + sum(total(child) for child in node.children)
    """)
    specs = {"total": tools["total"].spec}
    assert "$defs" in specs["total"].schema
    bad = '{"node": {"value": 1, "children": [{"value": "x"}]}}'
    call = finalise(ref="c", id=None, name="total", raw=bad, kind="function", tools=specs)
    assert isinstance(call, Invalid)


@pytest.mark.parametrize(
    "docstring",
    [
        "Add.\n\n    Args:\n        a: the first\n        b (int): the second\n",
        "Add.\n\n    Parameters\n    ----------\n    a : int\n        the first\n    b\n        the second\n",
        "Add.\n\n    :param a: the first\n    :param int b: the second\n",
    ],
)
def test_parameters_are_described_in_the_three_common_styles(
    folder: Folder, docstring: str
) -> None:
    path = folder.path / "styles.py"
    path.write_text(f"def add(a: int, b: int):\n    '''{docstring}    '''\n    return a + b\n")
    (tool,) = load_file(path)
    described = [value["description"] for value in tool.spec.schema["properties"].values()]
    assert (tool.spec.description, described) == ("Add.", ["the first", "the second"])


async def test_async_positional_only_and_context_parameters_work(folder: Folder) -> None:
    source = """
        from tui.tools import RunContext

        async def move(x: int, y: int = 2, /, *, context: RunContext, fast: bool = False):
            '''Move.'''
            context.progress("moving", 0.5)
            return [x, y, fast, context.ref]
    """
    heard: list[Any] = []
    tools = folder.load(source)
    assert list(tools["move"].spec.schema["properties"]) == ["x", "y", "fast"]
    outcome = await dispatcher_of(*tools.values()).run(
        final_call("move", {"x": 1, "fast": True}), progress=lambda *report: heard.append(report)
    )
    assert json.loads(outcome.result.text) == [1, 2, True, "t1.c1"]
    assert heard == [("moving", 0.5)]


class TestWhatIsOffered:
    def test_every_public_function_that_the_file_defines(self, folder: Folder) -> None:
        tools = folder.load("""
            from os.path import join
            class Helper: pass
            def one(a: int):
                "One."
            def _hidden(a): pass
        """)
        assert list(tools) == ["one"]

    def test_marked_functions_alone_where_there_are_any(self, folder: Folder) -> None:
        tools = folder.load("""
            from tui.tools import tool
            @tool
            def one():
                "One."
            @tool(name="second", read_only=True, timeout=7, description="Two!")
            def two():
                "Two."
            def helper(x): pass
        """)
        assert list(tools) == ["one", "second"]
        second = tools["second"]
        assert (second.spec.read_only, second.timeout, second.spec.description) == (True, 7, "Two!")
        assert not tools["one"].spec.read_only

    def test_what_all_or_tools_names(self, folder: Folder) -> None:
        body = "\ndef one():\n    'One.'\ndef two():\n    'Two.'\n"
        assert list(folder.load("__all__ = ['two']" + body)) == ["two"]
        assert list(folder.load(body + "TOOLS = [one]")) == ["one"]

    def test_a_plain_attribute_declares_a_function_read_only(self, folder: Folder) -> None:
        tools = folder.load(
            "def one():\n    'One.'\none.read_only = True\ndef two():\n    'Two.'\n"
        )
        assert [tool.spec.read_only for tool in tools.values()] == [True, False]


class TestFilesThatDoNotLoad:
    @pytest.mark.parametrize(
        ("source", "line", "words"),
        [
            ("x = 1\ndef broken(:\n", 2, "invalid syntax"),
            ("\nimport no_such_module_at_all\n", 2, "no module named 'no_such_module_at_all'"),
            ("x = 1\n\ny = z\n", 3, "NameError: name 'z' is not defined"),
            ("import sys\nsys.exit(3)\n", 2, "ends the program while it is loaded"),
            ("x = 1\n", None, "defines no public function"),
            ("x = 1\ndef f(a):\n    'F.'\n", 2, "parameter 'a' has no type hint"),
            ("def f(a: int):\n    pass\n", 1, "has no docstring"),
            ("def f(*a: int):\n    'F.'\n", 1, "takes *a"),
            ("def f(a: 'Nowhere'):\n    'F.'\n", 1, "type hints cannot be read"),
            ("import threading\ndef f(a: threading.Lock):\n    'F.'\n", 2, "no JSON Schema"),
            ("def grüße():\n    'F.'\n", 1, "cannot be a tool's name"),
            ("TOOLS = 3\n", None, "TOOLS is not a list"),
        ],
    )
    def test_the_error_says_where_and_what(
        self, folder: Folder, source: str, line: int | None, words: str
    ) -> None:
        error = folder.error(source)
        place = str(folder.path / "my_tools.py") + (f":{line}" if line else "")
        assert str(error).startswith(place)
        assert words in str(error)

    def test_a_missing_file(self, folder: Folder) -> None:
        with pytest.raises(ToolError, match="there is no file"):
            load_file(folder.path / "absent.py")

    def test_a_file_that_opens_a_missing_file_is_there(self, folder: Folder) -> None:
        error = folder.error("open('/no/such/thing')\n")
        assert "my_tools.py:1: FileNotFoundError" in str(error)

    def test_a_broken_file_leaves_no_module_behind(self, folder: Folder) -> None:
        folder.error("x = y\n")
        assert not [name for name in sys.modules if name.startswith(MODULE_PREFIX)]

    def test_printing_while_loading_reaches_no_output(
        self, folder: Folder, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder.load("print('hello')\ndef f():\n    'F.'\n")
        assert capsys.readouterr().out == ""


async def test_a_reload_sees_the_change_and_a_broken_file_keeps_the_old_tools(
    folder: Folder,
) -> None:
    path = folder.write("def f():\n    'F.'\n    return 1\n")
    async with Registry([PythonFile(path)]) as registry:
        dispatcher = Dispatcher(registry)

        async def answer() -> str:
            return (await dispatcher.run(final_call("f"))).result.text

        assert await answer() == "1"
        # The same size and, on a coarse clock, the same time: nothing may be cached.
        folder.write("def f():\n    'F.'\n    return 2\n")
        await registry.reload()
        assert await answer() == "2"
        folder.write("def f(:\n")
        await registry.reload()
        assert "my_tools.py:1" in str(registry.problems[0].error)
        assert await answer() == "2"


class TestFaults:
    async def test_the_traceback_begins_in_the_users_file(self, folder: Folder) -> None:
        for prefix in ("", "async "):
            source = f"{prefix}def f():\n    'F.'\n    return 1 / 0\n"
            outcome = await folder.run(source, "f")
            assert outcome.result.text == "The tool failed: ZeroDivisionError: division by zero"
            first_frame = outcome.traceback.splitlines()[1]
            assert 'my_tools.py", line 3, in f' in first_frame
            assert "return 1 / 0" in outcome.traceback

    async def test_an_async_function_that_blocks_freezes_nothing(self, folder: Folder) -> None:
        source = """
            import threading
            release = threading.Event()
            async def block():
                "Block."
                release.wait()
            async def fine():
                "Fine."
                return "fine"
            def let_go():
                "Let go."
                release.set()
        """
        tools = folder.load(source).values()
        dispatcher = dispatcher_of(*tools, default_timeout=0.05, grace=0.05)
        outcome = await dispatcher.run(final_call("block"))
        assert outcome.state is CallState.TIMED_OUT
        assert "blocks its event loop" in outcome.result.text
        dispatcher = dispatcher_of(*tools)
        assert (await dispatcher.run(final_call("fine"))).result.text == "fine"
        await dispatcher.run(final_call("let_go"))

    async def test_an_async_function_cleans_up_when_it_times_out(self, folder: Folder) -> None:
        source = """
            import asyncio
            async def hang():
                "Hang."
                try:
                    await asyncio.Event().wait()
                finally:
                    print("cleaned up")
        """
        outcome = await folder.run(source, "hang", default_timeout=0.05)
        assert outcome.state is CallState.TIMED_OUT
        assert outcome.printed == "cleaned up\n"
        assert "still be running" not in outcome.result.text

    @pytest.mark.parametrize("prefix", ["", "async "])
    async def test_ending_the_program_is_only_a_failure(self, folder: Folder, prefix: str) -> None:
        source = f"import sys\n{prefix}def f():\n    'F.'\n    sys.exit(2)\n"
        outcome = await folder.run(source, "f")
        assert outcome.result.text == "The tool failed: it tried to end the program (exit 2)."

    async def test_a_sync_function_does_not_run_on_the_event_loop(self, folder: Folder) -> None:
        source = (
            "import threading\ndef f():\n    'F.'\n    return threading.current_thread().name\n"
        )
        outcome = await folder.run(source, "f")
        assert outcome.result.text == "verbatim-tool" != threading.current_thread().name

    async def test_a_result_without_a_json_form_is_named(self, folder: Folder) -> None:
        outcome = await folder.run("def f():\n    'F.'\n    return object()\n", "f")
        assert outcome.state is CallState.FAILED
        assert "the returned object cannot be written as JSON" in outcome.result.text


class TestResults:
    @pytest.mark.parametrize(
        ("value", "content"),
        [
            (None, (TextContent("Done. The tool returned nothing."),)),
            ("text", (TextContent("text"),)),
            ("", (TextContent(""),)),
            (3, (JsonContent("3"),)),
            ({"a": [1, None, "ü"]}, (JsonContent('{"a": [1, null, "ü"]}'),)),
            ([], (JsonContent("[]"),)),
            (PNG, (ImageContent("image/png", PNG),)),
            (bytearray(PNG), (ImageContent("image/png", PNG),)),
            (b"RIFF....WEBP", (ImageContent("image/webp", b"RIFF....WEBP"),)),
            (b"\x00\xff", (TextContent("[2 bytes that are no image, beginning: 00 ff]"),)),
            (["see", PNG], (TextContent("see"), ImageContent("image/png", PNG))),
            (["just", "text"], (JsonContent('["just", "text"]'),)),
            (float("nan"), (JsonContent('"NaN"'),)),
            ({7}, (JsonContent("[7]"),)),
        ],
    )
    def test_each_kind_of_value_has_its_content(self, value: Any, content: Any) -> None:
        assert to_content(value) == content

    def test_the_path_of_an_image_is_the_image(self, tmp_path: Path) -> None:
        (tmp_path / "a.bin").write_bytes(PNG)
        (tmp_path / "b.txt").write_text("b")
        assert to_content(tmp_path / "a.bin") == (ImageContent("image/png", PNG),)
        assert to_content(tmp_path / "b.txt") == (TextContent(str(tmp_path / "b.txt")),)

    def test_fifty_megabytes_of_bytes_are_named_not_written_out(self) -> None:
        (content,) = to_content(b"\x01" * 50_000_000)
        assert content.text.startswith("[50,000,000 bytes that are no image, beginning: 01 01")  # type: ignore[union-attr]
        assert len(content.text) < 400  # type: ignore[union-attr,arg-type]

    def test_half_a_surrogate_pair_survives(self) -> None:
        assert to_json({"half": "\ud83d"}) == '{"half": "\ud83d"}'

    def test_a_circle_is_an_error(self) -> None:
        circle: list[Any] = []
        circle.append(circle)
        with pytest.raises(TypeError, match="cannot be written as JSON"):
            to_json(circle)
