"""The catalogue: every code that the project can emit stands in it, and nothing else does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import cases, needs_shared, streams
from tests.verdicts import case_verdict, verdict
from tui.lint.catalogue import CATALOGUE, GROUPS
from tui.lint.catalogue.page import page
from tui.lint.rules.harm import KINDS

ROOT = Path(__file__).parents[2]
PREFIXES = tuple(prefix for prefix, _, _ in GROUPS)
CODE = re.compile(rf"^(?:{'|'.join(PREFIXES)})\.[a-z0-9-]+$")
MAKERS = {"once", "_once", "finding"}
PREFIX_OF = {"anthropic": "anthropic", "openai_chat": "chat", "openai_responses": "responses"}


def trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def constants(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def dialect_codes() -> set[str]:
    """Codes as the decoders write them: without the dialect's prefix."""
    found = set()
    for path, tree in trees("tui/core/dialects"):
        prefix = next((PREFIX_OF[name] for name in PREFIX_OF if path.stem.startswith(name)), "")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else ""
                name = function.id if isinstance(function, ast.Name) else name
                first = node.args[0]
                if (
                    name in MAKERS
                    and isinstance(first, ast.Constant)
                    and isinstance(first.value, str)
                ):
                    found.add(f"{prefix}.{first.value}")
                elif name in MAKERS and isinstance(first, ast.JoinedStr):
                    # `message` or `text` in place of `delta`.
                    assert ast.unparse(first) == "f'{path[-1]}-for-delta'"
                    found |= {"chat.message-for-delta", "chat.text-for-delta"}
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("(code,"):
                assert isinstance(node.value, ast.Tuple)
                found.add(f"{prefix}.{next(constants(node.value.elts[0]))}")
    return found


def spelled_codes() -> set[str]:
    """Codes as the turn and the rules write them: whole."""
    found = {f"{part}.{kind}" for part in ("args", "text") for kind in KINDS}
    for path, tree in trees("tui/core", "tui/lint/rules"):
        if path.is_relative_to(ROOT / "tui/core/dialects"):
            continue
        found |= {text for text in constants(tree) if CODE.match(text)}
    return found | {f"{code}-in-call" for code in ("turn.limit", "turn.filtered")}


def test_every_code_that_the_source_holds_is_in_the_catalogue() -> None:
    emitted = dialect_codes() | spelled_codes()
    assert len(emitted) > 150
    assert sorted(emitted - CATALOGUE.keys()) == []


def test_the_catalogue_holds_no_code_that_nobody_emits() -> None:
    assert sorted(CATALOGUE.keys() - dialect_codes() - spelled_codes()) == []


@needs_shared
def test_every_code_met_in_streams_and_cases_is_in_the_catalogue() -> None:
    met = {
        found["code"]
        for said in (
            *(verdict(stream.read(), stream.dialect) for stream in streams()),
            *(case_verdict(case) for case in cases()),
        )
        for found in said["findings"]
    }
    assert len(met) > 80
    assert sorted(met - CATALOGUE.keys()) == []


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_an_entry_says_everything_in_sentences(code: str) -> None:
    entry = CATALOGUE[code]
    assert CODE.match(entry.code)
    assert entry.title
    assert not entry.title.endswith(".")
    for words in (entry.meaning, entry.verbatim, entry.advice):
        assert words.endswith(".")


def test_codes_are_listed_under_the_group_of_their_prefix() -> None:
    for prefix, _, entries in GROUPS:
        assert {entry.code.partition(".")[0] for entry in entries} == {prefix}
    assert len(CATALOGUE) == sum(len(entries) for _, _, entries in GROUPS)


def test_the_page_in_the_documentation_is_current() -> None:
    assert (ROOT / "docs" / "findings.md").read_text(encoding="utf-8") == page(), (
        "write it anew: python -m tui.lint.catalogue.page > docs/findings.md"
    )
