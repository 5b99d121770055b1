"""From the flat JSON Schema of a server's question to fields of a form, and from there to values.

A schema that came from a server goes in; what a person typed comes out as the values it asks
for, or the words for what is wrong with them. It draws nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal["text", "number", "integer", "one", "several"]
Value = str | int | float | bool | list[str] | None

MAX_FIELDS: Final = 30
MAX_CHOICES: Final = 200
_YES_NO: Final = (("yes", True), ("no", False))


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that is asked."""

    name: str
    title: str
    description: str
    kind: Kind
    """`text`, `number` and `integer` are typed; `one` and `several` are chosen from `choices`."""
    required: bool
    choices: tuple[tuple[str, str | bool], ...] = ()
    """What a person reads, and the value it stands for."""
    default: str | tuple[int, ...] = ""
    """Typed text, or which of `choices` are chosen at first."""


@dataclass(frozen=True, slots=True)
class Form:
    fields: tuple[Field, ...]
    unaskable: str = ""
    """What is asked that no form can answer; then it can only be declined."""


def form_of(schema: Mapping[str, Any]) -> Form:
    """The form for a `requestedSchema`; fields that need not be answered may be left out of it."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return Form((), "" if properties is None else "the question is not in a form we know")
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    fields: list[Field] = []
    for name, node in properties.items():
        field = _field(str(name), node, name in names) if isinstance(node, Mapping) else None
        if field is not None:
            fields.append(field)
        elif name in names:
            return Form(tuple(fields), f"{name!r} is asked for in a form we cannot show")
    if len(fields) > MAX_FIELDS:
        return Form((), f"it asks for {len(fields)} things at once")
    return Form(tuple(fields))


def typed(field: Field, text: str) -> Value:
    """What a person typed as the value it stands for; None when nothing was typed.

    Raises:
        ValueError: it is no such value; `str()` says so in words.
    """
    if not text.strip():
        return None
    match field.kind:
        case "integer":
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"{field.title}: {text!r} is no whole number") from None
        case "number":
            return _number(field, text)
        case _:
            return text


def problem_of(schema: Mapping[str, Any], content: Mapping[str, Value]) -> str:
    """What is wrong with the answer as a whole, in words; empty when nothing is."""
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator

    try:
        errors = sorted(
            Draft202012Validator(dict(schema)).iter_errors(dict(content)),
            key=lambda error: list(map(str, error.absolute_path)),
        )
    except (SchemaError, TypeError, ValueError):
        # The server's own schema is broken: it must judge the answer itself.
        return ""
    if not errors:
        return ""
    place = ".".join(map(str, errors[0].absolute_path))
    return f"{place}: {errors[0].message}" if place else errors[0].message


def _field(name: str, node: Mapping[str, Any], required: bool) -> Field | None:
    title = str(node.get("title") or name)
    description = str(node.get("description") or "")
    default = node.get("default")
    kind: Kind
    match node.get("type"):
        case "boolean":
            return _chosen(name, title, description, "one", required, _YES_NO, [default])
        case "string":
            if (choices := _choices(node)) is not None:
                return _chosen(name, title, description, "one", required, choices, [default])
            kind = "text"
        case "array":
            items = node.get("items")
            choices = _choices(items) if isinstance(items, Mapping) else None
            if choices is None:
                return None
            chosen = default if isinstance(default, list) else []
            return _chosen(name, title, description, "several", required, choices, chosen)
        case "number":
            kind = "number"
        case "integer":
            kind = "integer"
        case _:
            return None
    text = default if isinstance(default, str) else "" if default is None else json.dumps(default)
    return Field(name, title, description, kind, required, default=text)


def _chosen(
    name: str,
    title: str,
    description: str,
    kind: Kind,
    required: bool,
    choices: Sequence[tuple[str, str | bool]],
    defaults: Sequence[Any],
) -> Field:
    first = tuple(
        index
        for index, (_, value) in enumerate(choices)
        if any(value is each or (isinstance(value, str) and value == each) for each in defaults)
    )
    return Field(name, title, description, kind, required, tuple(choices), first)


def _choices(node: Mapping[str, Any]) -> tuple[tuple[str, str | bool], ...] | None:
    """The values of an enumeration with what people read; None when it is none."""
    values = node.get("enum")
    if isinstance(values, list):
        names = node.get("enumNames")
        words = names if isinstance(names, list) and len(names) == len(values) else values
        found = [(str(word), str(value)) for word, value in zip(words, values, strict=True)]
        return tuple(found[:MAX_CHOICES])
    options = node.get("oneOf", node.get("anyOf"))
    if isinstance(options, list) and all(
        isinstance(each, Mapping) and "const" in each for each in options
    ):
        found = [(str(each.get("title", each["const"])), str(each["const"])) for each in options]
        return tuple(found[:MAX_CHOICES])
    return None


def _number(field: Field, text: str) -> float:
    try:
        value: Any = json.loads(text)
        if not isinstance(value, bool) and math.isfinite(value):
            return float(value) if isinstance(value, float) else int(value)
    except (ValueError, TypeError, OverflowError):
        pass
    raise ValueError(f"{field.title}: {text!r} is no number")
