"""What is wrong with a tool as a model or a provider will see it. A spec in, findings out.

Errors are what makes a provider refuse the whole request; warnings are what some refuse or what
lets a model guess. Sources: OpenAI "Structured outputs: supported schemas" and function calling
(strict mode), Anthropic "Define tools", Gemini API `Schema` (its OpenAI-compatible endpoint).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tui.core.conversation import ToolSpec
from tui.tools.registry import is_fitting

Provider = Literal["any", "openai-strict", "anthropic", "gemini"]
Severity = Literal["error", "warning"]

MAX_DESCRIPTION: Final = 1_024
"""Characters: OpenAI's limit for a function's description."""
_OPENAI_MAX_DEPTH: Final = 10
_OPENAI_MAX_PROPERTIES: Final = 5_000
_OPENAI_UNSUPPORTED: Final = frozenset(
    {"allOf", "oneOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"}
    | {"patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems"}
    | {"contains", "uniqueItems"}
)
_GEMINI_KNOWN: Final = frozenset(
    {"type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems"}
    | {"properties", "required", "minProperties", "maxProperties", "minLength", "maxLength"}
    | {"pattern", "example", "anyOf", "propertyOrdering", "default", "minimum", "maximum"}
)
_GEMINI_REFUSED: Final = frozenset({"$ref", "$defs", "oneOf", "allOf", "not", "patternProperties"})
_GEMINI_IGNORED: Final = frozenset({"additionalProperties", "$schema"})
"""Dropped without a loss that matters: nothing to tell a person about."""
_KNOWN: Final = _GEMINI_KNOWN | _OPENAI_UNSUPPORTED | {
    "$ref", "$defs", "definitions", "$schema", "$id", "$comment", "$anchor", "const", "examples",
    "additionalProperties", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "prefixItems",
    "minContains", "maxContains", "deprecated", "readOnly", "writeOnly", "contentEncoding",
    "contentMediaType", "contentSchema", "$dynamicRef", "$dynamicAnchor", "$vocabulary",
    "additionalItems", "dependencies", "discriminator",
}  # fmt: skip
_SCHEMA_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_SCHEMA_TABLES: Final = ("properties", "patternProperties", "$defs", "definitions")
_SCHEMAS: Final = (
    "items", "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """One thing that is wrong, and where."""

    provider: Provider
    severity: Severity
    path: str
    """Like `properties.items.items`; empty for the tool or the whole schema."""
    message: str


def inspect(spec: ToolSpec) -> tuple[SchemaFinding, ...]:
    """All findings on one tool, those for every provider first."""
    found = [*_on_the_tool(spec)]
    if spec.kind == "function":
        usable = list(_on_the_whole(spec.schema))
        found += usable
        if not any(finding.severity == "error" for finding in usable):
            for path, node, depth in _nodes(spec.schema):
                found += _on_a_node(path, node, depth)
    order = ("any", "openai-strict", "anthropic", "gemini")
    return tuple(sorted(found, key=lambda finding: order.index(finding.provider)))


def fits_openai_strict(spec: ToolSpec) -> bool:
    """Whether `"strict": true` may be sent with it."""
    return spec.kind == "function" and not any(
        finding.severity == "error" and finding.provider in ("any", "openai-strict")
        for finding in inspect(spec)
    )


def _on_the_tool(spec: ToolSpec) -> Iterator[SchemaFinding]:
    if not is_fitting(spec.name):
        message = f"the name {spec.name!r} does not fit ^[a-zA-Z0-9_-]{{1,64}}$"
        yield SchemaFinding("any", "error", "", message)
    if not spec.description.strip():
        yield SchemaFinding("any", "warning", "", "it has no description: a model can only guess")
    elif len(spec.description) > MAX_DESCRIPTION:
        message = f"the description has {len(spec.description):,} characters; OpenAI takes 1,024"
        yield SchemaFinding("any", "warning", "", message)


def _on_the_whole(schema: Mapping[str, Any]) -> Iterator[SchemaFinding]:
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    if schema.get("type") != "object":
        message = f'its "type" is {schema.get("type")!r}; arguments are one "object"'
        yield SchemaFinding("any", "error", "", message)
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(dict(schema))
    except SchemaError as error:
        path = ".".join(map(str, error.absolute_path))
        yield SchemaFinding("any", "error", path, f"not a JSON Schema: {error.message}")
        return
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield SchemaFinding("any", "error", "", f"it cannot be written as JSON: {error}")
    for keyword in ("anyOf", "oneOf", "allOf", "enum", "not"):
        if keyword in schema:
            message = f"{keyword!r} at the top is refused by Anthropic and OpenAI"
            yield SchemaFinding("any", "error", "", message)
    properties = schema.get("properties", {})
    for name in properties:
        if not is_fitting(name):
            message = f"Anthropic refuses the property name {name!r} (^[a-zA-Z0-9_.-]{{1,64}}$)"
            if not is_fitting(name.replace(".", "_")):
                yield SchemaFinding("anthropic", "error", f"properties.{name}", message)
    for name in schema.get("required", ()):
        if name not in properties:
            message = f"{name!r} is required and not among the properties"
            yield SchemaFinding("any", "warning", "", message)
    count = sum(len(node.get("properties", ())) for _, node, _ in _nodes(schema))
    if count > _OPENAI_MAX_PROPERTIES:
        message = f"{count:,} properties; the limit is {_OPENAI_MAX_PROPERTIES:,}"
        yield SchemaFinding("openai-strict", "error", "", message)


def _on_a_node(path: str, node: Mapping[str, Any], depth: int) -> Iterator[SchemaFinding]:
    keywords = set(node)
    if unknown := sorted(keywords - _KNOWN):
        message = f"unknown: {', '.join(unknown)}; most providers ignore it, some refuse it"
        yield SchemaFinding("any", "warning", path, message)
    for reference in (node["$ref"],) if "$ref" in node else ():
        if not str(reference).startswith("#"):
            message = f"the reference {reference!r} leaves the schema; nobody follows it"
            yield SchemaFinding("any", "error", path, message)
    yield from _on_openai(path, node, depth)
    if refused := sorted(keywords & _GEMINI_REFUSED):
        message = f"refused: {', '.join(refused)}"
        yield SchemaFinding("gemini", "error", path, message)
    if ignored := sorted((keywords & _KNOWN) - _GEMINI_KNOWN - _GEMINI_REFUSED - _GEMINI_IGNORED):
        message = f"not understood: {', '.join(ignored)}"
        yield SchemaFinding("gemini", "warning", path, message)
    if isinstance(node.get("type"), list):
        yield SchemaFinding("gemini", "error", path, '"type" is a list; it takes one word')


def _on_openai(path: str, node: Mapping[str, Any], depth: int) -> Iterator[SchemaFinding]:
    if node.get("type") == "object" or "properties" in node:
        if node.get("additionalProperties") is not False:
            message = 'it needs "additionalProperties": false'
            yield SchemaFinding("openai-strict", "error", path, message)
        missing = sorted(set(node.get("properties", ())) - set(node.get("required", ())))
        if missing:
            message = f"all properties must be required; missing: {', '.join(missing)}"
            yield SchemaFinding("openai-strict", "error", path, message)
    if unsupported := sorted(set(node) & _OPENAI_UNSUPPORTED):
        message = f"not supported: {', '.join(unsupported)}"
        yield SchemaFinding("openai-strict", "error", path, message)
    if depth == _OPENAI_MAX_DEPTH + 1:
        message = f"nested more than {_OPENAI_MAX_DEPTH} levels deep"
        yield SchemaFinding("openai-strict", "error", path, message)
    if not set(node) - {"description", "title", "default", "examples"}:
        message = "it allows any value; name a type"
        yield SchemaFinding("openai-strict", "error", path, message)


def _nodes(
    node: Any, path: tuple[str, ...] = (), depth: int = 0
) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    """Every schema in a schema, with its path and how deep in the document it stands."""
    if not isinstance(node, Mapping):
        return
    yield ".".join(path), node, depth
    for keyword in _SCHEMA_TABLES:
        table = node.get(keyword)
        if isinstance(table, Mapping):
            deeper = 0 if keyword in ("$defs", "definitions") else depth + 1
            for name, inner in table.items():
                yield from _nodes(inner, (*path, keyword, name), deeper)
    for keyword in _SCHEMAS:
        yield from _nodes(node.get(keyword), (*path, keyword), depth + (keyword == "items"))
    for keyword in _SCHEMA_LISTS:
        inner_schemas = node.get(keyword)
        if isinstance(inner_schemas, list):
            for number, inner in enumerate(inner_schemas):
                yield from _nodes(inner, (*path, keyword, str(number)), depth)
