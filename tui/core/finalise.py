"""Finalise: the one strict parse and schema check of a call, and the only producer of `FinalCall`.

Comes in: a call whose marker was seen in a turn whose ending lets calls run (`turn` decides
that). Goes out: a `FinalCall`, the only thing a dispatcher accepts, or the reason why not, in
words that a person understands and a model can act on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tui.core.conversation import ToolSpec
from tui.core.errors import ProtocolViolation
from tui.core.events import CallKind
from tui.core.strictjson import NotStrict, parse_object

_PROOF: Final = object()
_SHOWN_PROBLEMS: Final = 5
_SHOWN_VALUE: Final = 120


@dataclass(frozen=True, slots=True)
class FinalCall:
    """A call that may run. Only `finalise` makes one: the constructor refuses everybody else."""

    ref: str
    id: str | None
    name: str
    raw: str
    """The exact argument text; what is sent back to the model."""
    arguments: Mapping[str, Any] | str
    """The parsed object; for a custom tool the text itself."""
    kind: CallKind
    _proof: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._proof is not _PROOF:
            raise ProtocolViolation("only core.finalise makes a FinalCall")

    @property
    def digest(self) -> str:
        """SHA-256 of `raw` in UTF-8 (lone halves passed through), hexadecimal."""
        return hashlib.sha256(self.raw.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a closed call of a good turn cannot run."""

    problem: str
    position: int | None = None
    """Character of the raw text where it went wrong, where that is known."""
    paths: tuple[tuple[str | int, ...], ...] = ()
    """Places in the document that do not fit the schema."""


def finalise(
    *,
    ref: str,
    id: str | None,
    name: str,
    raw: str,
    kind: CallKind,
    tools: Mapping[str, ToolSpec] | None,
) -> FinalCall | Invalid:
    """Parse `raw` strictly and check it against its tool.

    An empty or blank buffer means `{}`: the caller has seen the marker and a good ending.
    With `tools` None no tool is known and no schema applied (stream checks).
    """
    if not name:
        return Invalid("the call never got a name")
    spec = None
    if tools is not None:
        spec = tools.get(name)
        if spec is None:
            known = ", ".join(sorted(tools)) or "none"
            return Invalid(f"there is no tool named {name!r}; the tools are: {known}")
    if kind == "custom":
        return FinalCall(ref, id, name, raw, raw, kind, _PROOF)
    try:
        arguments = parse_object(raw) if raw.strip(" \t\r\n") else {}
    except NotStrict as problem:
        return Invalid(f"the arguments cannot be used: {problem}", problem.position)
    if spec is not None:
        misfit = _misfit(spec, arguments)
        if misfit is not None:
            return misfit
    return FinalCall(ref, id, name, raw, arguments, kind, _PROOF)


def _misfit(spec: ToolSpec, arguments: dict[str, Any]) -> Invalid | None:
    # Imported here: it costs a tenth of a second that no stream without tools should pay.
    from jsonschema import exceptions as schema_errors
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing.exceptions import Unresolvable

    validator_class = validator_for(spec.schema, default=Draft202012Validator)
    try:
        problems = sorted(
            validator_class(spec.schema).iter_errors(arguments), key=schema_errors.relevance
        )
    except (schema_errors.SchemaError, Unresolvable, TypeError, ValueError) as error:
        return Invalid(f"the schema of the tool {spec.name!r} cannot be used: {error}")
    if not problems:
        return None
    words = "; ".join(_words(problem) for problem in problems[:_SHOWN_PROBLEMS])
    if len(problems) > _SHOWN_PROBLEMS:
        words += f"; and {len(problems) - _SHOWN_PROBLEMS} more"
    return Invalid(
        f"the arguments do not fit the tool's schema: {words}",
        paths=tuple(tuple(problem.absolute_path) for problem in problems),
    )


def _words(problem: Any) -> str:
    where = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.absolute_path
    ).lstrip(".")
    message = problem.message
    if len(message) > 2 * _SHOWN_VALUE:
        message = f"{message[:_SHOWN_VALUE]} … {message[-_SHOWN_VALUE:]}"
    return f"{where or 'the object'}: {message}"
