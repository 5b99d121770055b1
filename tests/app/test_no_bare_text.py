"""No text reaches a widget that reads markup unless it is a plain literal or a Content.

A rule that reads the source of `tui/app`: what is given to a widget, an option, a title or a
tooltip must be visibly safe there. Known to be safe are literals without brackets, `Content` and
`content`, and names and functions that are annotated as Content or made of such.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tui.app

ROOT = Path(tui.app.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

READ_MARKUP = {
    "Static", "Label", "Button", "Option", "Checkbox", "RadioButton", "Tab", "TabPane",
    "Collapsible", "Link", "ListItem", "Tooltip",
}  # fmt: skip
TITLES = {"tooltip", "border_title", "border_subtitle"}
CONTENT_MAKERS = {"Content", "content"}
STRINGS = {"str", "clean", "clean_line", "format", "join", "repr"}


def faults(source: str) -> Iterator[str]:
    """Each place of `source` that gives a widget text which may be read as markup."""
    tree = ast.parse(source)
    makers = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and _is_content(node.returns)
    }
    names = _content_names(tree, makers)

    def safe(node: ast.expr | None) -> bool:
        match node:
            case None:
                return True
            case ast.Constant(value):
                return not isinstance(value, str) or "[" not in value
            case ast.Name(id):
                return id in names
            case ast.Attribute(_, attr):
                return attr in names
            case ast.IfExp(_, body, orelse):
                return safe(body) and safe(orelse)
            case ast.BinOp(left, ast.Add(), right):
                return safe(left) and safe(right)
            case ast.Call(ast.Name(id)):
                return id in CONTENT_MAKERS | makers
            case ast.Call(ast.Attribute(value, attr)):
                return attr in makers or safe(value) or _is_content(value)
            case _:
                return False

    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(id), arguments) if id in READ_MARKUP and arguments:
                if not safe(arguments[0]) and not _says_no_markup(node):
                    yield f"line {node.lineno}: {id}({ast.unparse(arguments[0])})"
            case ast.Call(ast.Attribute(_, "notify")) if not _says_no_markup(node):
                yield f"line {node.lineno}: notify without markup=False"
            case ast.Call(ast.Attribute(_, "update" | "add_option" | "prompt"), [argument, *_]):
                if _is_string(argument):
                    yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.Assign([ast.Attribute(_, attr)], value) if attr in TITLES and not safe(value):
                yield f"line {node.lineno}: {attr} = {ast.unparse(value)}"
            case _:
                pass
        if isinstance(node, ast.keyword) and node.arg in TITLES and not safe(node.value):
            yield f"line {node.lineno}: {node.arg}={ast.unparse(node.value)}"


def _content_names(tree: ast.AST, makers: set[str]) -> set[str]:
    """Names that are Content wherever they are bound: by annotation, or by what is assigned."""
    found: set[str] = set()
    other: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg, annotation) | ast.AnnAssign(ast.Name(arg), annotation):
                (found if _is_content(annotation) else other).add(arg)
            case ast.Assign([ast.Name(name)], ast.Call(func)):
                called = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
                made = called in CONTENT_MAKERS | makers or _is_content(
                    getattr(func, "value", None)
                )
                (found if made else other).add(name)
            case ast.Assign([ast.Name(name)], _):
                other.add(name)
            case _:
                pass
    return found - other


def _is_content(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "Content"


def _says_no_markup(call: ast.Call) -> bool:
    return any(
        keyword.arg == "markup"
        and isinstance(keyword.value, ast.Constant)
        and not keyword.value.value
        for keyword in call.keywords
    )


def _is_string(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr():
            return True
        case ast.Constant(str() as value):
            return "[" in value
        case ast.BinOp(left, ast.Mod() | ast.Add(), _):
            return _is_string(left)
        case ast.Call(ast.Name(id)):
            return id in STRINGS
        case ast.Call(ast.Attribute(ast.Constant(), attr)):
            return attr in STRINGS
        case _:
            return False


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_gives_a_widget_text_that_may_be_read_as_markup(path: Path) -> None:
    assert list(faults(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(title)",
        "Static(f'{title}')",
        "Static('[b]x')",
        "Label(clean(title))",
        "Option(row.title)",
        "Static('a' + title)",
        "self.notify(text)",
        "app.notify(text, markup=True)",
        "widget.tooltip = title",
        "widget.border_title = f'{name}'",
        "Button('Go', tooltip=name)",
        "line.update(f'{n} tokens')",
        "line.update(clean(text))",
        "def f(title: str) -> None:\n    Static(title)",
        "title = Content(x)\ntitle = name\nStatic(title)",
    ],
)
def test_the_rule_finds_bare_text(source: str) -> None:
    assert list(faults(source)) != []


@pytest.mark.parametrize(
    "source",
    [
        "Static('plain words')",
        "Static(Content(title))",
        "Static(content(title, 'bold'))",
        "Static(Content.assemble('a', title))",
        "Static(name, markup=False)",
        "def row() -> Content: ...\nOption(row())",
        "def f(title: Content) -> None:\n    Static(title)",
        "title = Content(x)\nStatic(title.stylize('bold'))",
        "self.notify(text, markup=False)",
        "widget.border_title = Content(title)",
        "table.update({'a': 1})",
        "Static()",
    ],
)
def test_the_rule_lets_safe_text_pass(source: str) -> None:
    assert list(faults(source)) == []
