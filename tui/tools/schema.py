"""The parameters of a Python function: their JSON Schema, and the conversion of real arguments.

Type hints and docstring in; a schema for the model and converted Python values out. Pydantic and
docstring_parser do the work and are imported when the first function is offered, not before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, NotRequired, get_type_hints

from tui.tools.contract import RunContext

_SHOWN_PROBLEMS: Final = 5
_MAX_INLINED: Final = 200
"""Definitions written out in place; a schema that would need more keeps its references."""


class Undescribed(Exception):
    """The function cannot be offered as it is; `str()` says why and what to add."""


class Misfit(Exception):
    """The arguments cannot be converted; `str()` is for the model."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes."""

    description: str
    """The first paragraph of its docstring."""
    schema: Mapping[str, Any]
    _convert: Callable[[Mapping[str, Any]], dict[str, Any]]
    _signature: inspect.Signature
    _context_names: tuple[str, ...]

    def bind(
        self, arguments: Mapping[str, Any], context: RunContext
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments for the function, converted to its types.

        Raises:
            Misfit: they do not fit, in words for the model.
        """
        values = self._convert(arguments)
        values.update(dict.fromkeys(self._context_names, context))
        positional = []
        for parameter in self._signature.parameters.values():
            if parameter.kind is not parameter.POSITIONAL_ONLY or parameter.name not in values:
                break
            positional.append(values.pop(parameter.name))
        return tuple(positional), values


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """Read a function.

    Raises:
        Undescribed: a hint or the docstring is missing or cannot be used.
    """
    import docstring_parser

    documentation = docstring_parser.parse(inspect.getdoc(function) or "")
    described = {parameter.arg_name: parameter.description for parameter in documentation.params}
    signature = inspect.signature(function)
    hints = _hints(function)
    fields: dict[str, Any] = {}
    context_names = []
    for parameter in signature.parameters.values():
        if hints.get(parameter.name) is RunContext:
            context_names.append(parameter.name)
            continue
        fields[parameter.name] = _field(parameter, hints, described.get(parameter.name))
    schema, convert = _compiled(fields)
    return Parameters(
        _first_paragraph(documentation), schema, convert, signature, tuple(context_names)
    )


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:
        raise Undescribed(f"its type hints cannot be read: {error}") from error


def _first_paragraph(documentation: Any) -> str:
    short: str = documentation.short_description or ""
    if documentation.long_description and not documentation.blank_after_short_description:
        return f"{short}\n{documentation.long_description}".split("\n\n")[0]
    return short


def _field(parameter: inspect.Parameter, hints: Mapping[str, Any], described: str | None) -> Any:
    """The annotation of one member of the arguments: its type, what is said of it, its default."""
    from pydantic import Field

    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise Undescribed(
            f"it takes *{name}, which a model cannot be told about; name each parameter"
        )
    if name not in hints:
        raise Undescribed(f"its parameter {name!r} has no type hint; add one, like `{name}: str`")
    extra: dict[str, Any] = {}
    has_default = parameter.default is not parameter.empty
    if has_default:
        default = _jsonable(parameter.default)
        if default is not _NO_JSON:
            extra["default"] = default
    annotation: Any = Annotated[
        hints[name], Field(description=described or None, json_schema_extra=extra or None)
    ]
    # The function's own default applies when the model leaves it out: it is never converted.
    return NotRequired[annotation] if has_default else annotation


_NO_JSON: Final = object()


def _jsonable(value: Any) -> Any:
    import pydantic_core

    try:
        return pydantic_core.to_jsonable_python(value)
    except (pydantic_core.PydanticSerializationError, ValueError):
        return _NO_JSON


def _compiled(
    fields: dict[str, Any],
) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], dict[str, Any]]]:
    import pydantic
    import typing_extensions
    from pydantic.errors import PydanticUserError

    # A typed dict, not a model: any parameter name will do, also `schema`, `copy` or `_private`.
    make: Any = typing_extensions.TypedDict
    arguments_type = make("Arguments", fields)
    arguments_type.__pydantic_config__ = pydantic.ConfigDict(
        extra="forbid", arbitrary_types_allowed=False
    )
    try:
        adapter: Any = pydantic.TypeAdapter(arguments_type)
        schema = adapter.json_schema()
    except (PydanticUserError, TypeError, NameError) as error:
        message = str(error).split("\n", 1)[0]
        raise Undescribed(f"a parameter's type has no JSON Schema: {message}") from error

    def convert(arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            values: dict[str, Any] = adapter.validate_python(dict(arguments))
        except pydantic.ValidationError as error:
            raise Misfit(_words(error)) from error
        return values

    return tidied(schema), convert


def _words(error: Any) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    words = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'the arguments'}: {problem['msg']}"
        for problem in problems[:_SHOWN_PROBLEMS]
    ]
    if len(problems) > _SHOWN_PROBLEMS:
        words.append(f"and {len(problems) - _SHOWN_PROBLEMS} more")
    return "The arguments cannot be used: " + "; ".join(words)


def tidied(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without generated titles, and with definitions written where they are used.

    Several servers know no `$ref`. A recursive definition cannot be written out: then all stay.
    """
    definitions: dict[str, Any] = schema.get("$defs", {})
    count = 0

    def walk(node: Any, inside: tuple[str, ...], *, names: bool = False) -> Any:
        nonlocal count
        if isinstance(node, list):
            return [walk(item, inside) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if not names and isinstance(reference, str):
            name = reference.removeprefix("#/$defs/")
            count += 1
            if name in inside or name not in definitions or count > _MAX_INLINED:
                raise RecursionError(name)
            beside = {key: value for key, value in node.items() if key != "$ref"}
            return walk({**definitions[name], **beside}, (*inside, name))
        return {
            key: value
            if not names and key in ("default", "enum", "const", "examples")
            else walk(value, inside, names=not names and key in ("properties", "$defs"))
            for key, value in node.items()
            # `discriminator` is OpenAPI's and points into the definitions.
            if names or key not in ("title", "discriminator")
        }

    try:
        whole = {key: value for key, value in schema.items() if key != "$defs"}
        tidy: dict[str, Any] = walk(whole, ())
    except RecursionError:
        return schema
    tidy.setdefault("required", [])
    return tidy
