"""Strict reading of one TOML table: values out, and a line in words for each that is wrong.

Reading goes on after a fault, so that a person sees all of them at once. A value is quoted in
its fault only where it cannot be a secret.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar
from urllib.parse import urlsplit

__all__ = ["Table", "toml_name", "url_problem"]

_T = TypeVar("_T")


class Table:
    """One table of the file. Getters return None for what is absent or wrong.

    Args:
        values: as `tomllib` read them.
        name: dotted, as in the file's header; "" for the top of the file.
        problems: where faults are added.
    """

    def __init__(self, values: Mapping[str, Any], name: str, problems: list[str]) -> None:
        self._values = values
        self._name = name
        self._problems = problems
        self._known: set[str] = set()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)

    def fault(self, key: str, problem: str) -> None:
        """Note that the value of `key` cannot be used; `problem` says why and what to write."""
        place = f"[{self._name}] " if self._name else ""
        self._problems.append(f"{place}{toml_name(key)}: {problem}" if key else place + problem)

    def has(self, key: str) -> bool:
        return key in self._values

    def raw(self, key: str) -> object:
        """The value as it stands, of whatever type; None when it is absent."""
        self._known.add(key)
        return self._values.get(key)

    def text(self, key: str, *, secret: bool = False) -> str | None:
        return self._get(key, str, "text in quotation marks", secret=secret)

    def boolean(self, key: str) -> bool | None:
        return self._get(key, bool, "true or false")

    def integer(self, key: str, *, least: int = 0) -> int | None:
        value = self._get(key, int, "a whole number")
        if value is not None and value < least:
            self.fault(key, f"{value} is too small; write {least} or more")
            return None
        return value

    def number(self, key: str) -> float | None:
        """A number of zero or more."""
        value = self._get(key, (int, float), "a number")
        if value is None:
            return None
        if not 0 <= value < float("inf"):
            self.fault(key, f"{value} is out of range; write a number of 0 or more")
            return None
        return float(value)

    def choice(self, key: str, choices: Sequence[str]) -> str | None:
        value = self.text(key)
        if value is not None and value not in choices:
            self.fault(key, f"{value!r} is not one of {_listed(choices)}")
            return None
        return value

    def url(
        self, key: str, schemes: Sequence[str] = ("http", "https"), *, password: bool = False
    ) -> str | None:
        """A URL, which may carry a user name and password only where `password` says so."""
        value = self.text(key, secret=True)
        if value is not None and (problem := url_problem(value, schemes, password=password)):
            self.fault(key, problem)
            return None
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts; a single text counts as a list of one."""
        self._known.add(key)
        value = self._values.get(key)
        items = [value] if isinstance(value, str) else value
        if items is None:
            return None
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.fault(key, 'write a list of texts, like ["a", "b"]')
            return None
        return tuple(items)

    def table(self, key: str) -> Table | None:
        value = self._get(key, dict, f"a table, [{self._inner(key)}]", secret=True)
        return None if value is None else Table(value, self._inner(key), self._problems)

    def tables(self, key: str) -> dict[str, Table]:
        """The tables `[key.NAME]`, by NAME."""
        outer = self.table(key)
        if outer is None:
            return {}
        found = {name: outer.table(name) for name in outer.keys}
        return {name: table for name, table in found.items() if table is not None}

    def text_map(self, key: str, *, choices: Sequence[str] = ()) -> dict[str, str] | None:
        """A table whose values are all texts; one of `choices` where any are given."""
        inner = self.table(key)
        if inner is None:
            return None
        found = {
            name: inner.choice(name, choices) if choices else inner.text(name, secret=True)
            for name in inner.keys
        }
        return {name: value for name, value in found.items() if value is not None}

    def json_map(self, key: str) -> dict[str, Any] | None:
        """A table of anything that JSON can hold."""
        value = self._get(key, dict, f"a table, [{self._inner(key)}]", secret=True)
        if value is not None and _holds_dates(value):
            self.fault(key, "dates and times have no place in a JSON body; write them as text")
            return None
        return value

    def finish(self) -> None:
        """Report every key that nobody asked for, with what may have been meant."""
        for key in self._values:
            if key not in self._known:
                near = get_close_matches(key, self._known, 1)
                advice = f"did you mean {near[0]}?" if near else f"known are {_listed(self._known)}"
                self.fault(key, f"there is no such setting; {advice}")

    def _get(
        self, key: str, kind: type[_T] | tuple[type[_T], ...], wanted: str, *, secret: bool = False
    ) -> _T | None:
        self._known.add(key)
        value = self._values.get(key)
        if value is None:
            return None
        # To Python true is an int; to the person who wrote it, it is not.
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        found = f"a {type(value).__name__}" if secret else repr(value)
        self.fault(key, f"{found} does not fit; write {wanted}")
        return None

    def _inner(self, key: str) -> str:
        return f"{self._name}.{toml_name(key)}" if self._name else toml_name(key)


def toml_name(key: str) -> str:
    """`key` as it is written in a TOML file: quoted where it has to be."""
    bare = key and all(char.isascii() and (char.isalnum() or char in "-_") for char in key)
    if bare:
        return key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def url_problem(
    url: str, schemes: Sequence[str] = ("http", "https"), *, password: bool = False
) -> str:
    """Why `url` cannot be used, "" when it can. Never quotes a password or a query."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as problem:
        return f"this is no URL: {problem}"
    if parts.scheme not in schemes or not parts.hostname:
        return f"this is no URL; write {schemes[0]}://HOST or {schemes[0]}://HOST:PORT/PATH"
    if any(char.isspace() or not char.isprintable() for char in url):
        return "a URL holds no blanks or control characters"
    if "@" in parts.netloc and not password:
        return "a base URL carries no user name or password; use `headers` with ${VARIABLE}"
    return ""


def _holds_dates(value: object) -> bool:
    match value:
        case dict():
            return any(map(_holds_dates, value.values()))
        case list():
            return any(map(_holds_dates, value))
        case _:
            return isinstance(value, datetime.date | datetime.time)


def _listed(names: Sequence[str] | set[str]) -> str:
    return ", ".join(sorted(names) if isinstance(names, set) else names)
