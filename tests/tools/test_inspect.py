"""What is wrong with a schema is found before a provider refuses the request over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tui.core.conversation import ToolSpec
from tui.tools.inspect import Provider, Severity, fits_openai_strict, inspect
from tui.tools.specs import Surroundings, open_tools


def _spec(schema: Any, name: str = "f", description: str = "Does it.") -> ToolSpec:
    return ToolSpec(name, description, schema)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _found(schema: Any, provider: Provider, severity: Severity = "error") -> list[tuple[str, str]]:
    return [
        (finding.path, finding.message)
        for finding in inspect(_spec(schema))
        if (finding.provider, finding.severity) == (provider, severity)
    ]


def test_a_plain_strict_schema_has_no_errors() -> None:
    schema = _object(a={"type": "string", "description": "A."}, b={"type": "integer"})
    assert [f for f in inspect(_spec(schema)) if f.severity == "error"] == []
    assert fits_openai_strict(_spec(schema))


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "arguments are one"),
        ({}, "arguments are one"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "not a JSON Schema"),
        ({"type": "object", "required": "a"}, "not a JSON Schema"),
        ({"type": "object", "anyOf": [{}]}, "'anyOf' at the top"),
        ({"type": "object", "properties": {"a": {"default": float("nan")}}}, "written as JSON"),
        ({"type": "object", "properties": {"a": {"$ref": "http://h/a"}}}, "leaves the schema"),
    ],
)
def test_what_every_provider_refuses(schema: Any, words: str) -> None:
    assert any(words in message for _, message in _found(schema, "any"))
    assert not fits_openai_strict(_spec(schema))


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        ({"type": "object", "properties": {}}, "", "additionalProperties"),
        ({**_object(a={"type": "string"}), "required": []}, "", "missing: a"),
        (_object(a={"type": "object"}), "properties.a", "additionalProperties"),
        (_object(a={"oneOf": [{"type": "string"}]}), "properties.a", "oneOf"),
        (_object(a={}), "properties.a", "any value"),
        (
            {**_object(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "object"}}},
            "$defs.A",
            "additionalProperties",
        ),
        (
            _object(a={"type": "array", "items": {"type": "object"}}),
            "properties.a.items",
            "additionalProperties",
        ),
        (
            _object(a={"anyOf": [{"type": "null"}, {"type": "object"}]}),
            "properties.a.anyOf.1",
            "additionalProperties",
        ),
    ],
)
def test_what_openai_refuses_in_strict_mode(schema: Any, path: str, words: str) -> None:
    found = _found(schema, "openai-strict")
    assert any(place == path and words in message for place, message in found), found
    assert not fits_openai_strict(_spec(schema))


def test_nesting_beyond_the_limit_is_found_once() -> None:
    schema = _object(a={"type": "string"})
    for _ in range(11):
        schema = _object(a=schema)
    assert [m for _, m in _found(schema, "openai-strict")] == ["nested more than 10 levels deep"]


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ({"$ref": "#/$defs/A"}, "$ref"),
        ({"oneOf": [{"type": "string"}]}, "oneOf"),
        ({"type": ["string", "null"]}, '"type" is a list'),
    ],
)
def test_what_gemini_refuses(inner: Any, words: str) -> None:
    schema = {**_object(a=inner), "$defs": {"A": {"type": "string"}}}
    assert any(words in message for _, message in _found(schema, "gemini"))


def test_a_property_name_that_anthropic_refuses() -> None:
    found = _found(_object(**{"größe": {"type": "string"}, "a.b": {"type": "string"}}), "anthropic")
    assert [path for path, _ in found] == ["properties.größe"]


def test_what_only_makes_a_model_guess_is_a_warning() -> None:
    findings = inspect(_spec(_object(a={"type": "string", "requierd": True}), description=" "))
    warnings = [finding.message for finding in findings if finding.severity == "warning"]
    assert any("no description" in message for message in warnings)
    assert any("unknown: requierd" in message for message in warnings)
    assert any("2,000" in f.message for f in inspect(_spec(_object(), description="x" * 2_000)))


def test_a_name_that_no_provider_takes_is_an_error() -> None:
    assert [finding.severity for finding in inspect(_spec(_object(), name="a.b"))] == ["error"]


def test_a_tool_of_free_text_has_no_schema_to_inspect() -> None:
    assert inspect(ToolSpec("code", "Runs code.", {}, kind="custom")) == ()


async def test_our_own_tools_are_refused_by_nobody(tmp_path: Path) -> None:
    around = Surroundings(tmp_path, tmp_path, {})
    async with open_tools(["shop", "time", "files:.", "fetch", "shell"], around) as registry:
        for spec in registry.specs():
            found = [f for f in inspect(spec) if f.severity == "error"]
            # Optional parameters are what strict mode does not know; the dialect does not ask it.
            assert [f for f in found if "must be required" not in f.message] == [], spec.name
