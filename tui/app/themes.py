"""Themes: TOML files in, Textual themes and a list of what was wrong out.

A file that cannot be used is skipped with a reason for each fault; an unreadable colour must
never reach Textual, which accepts it and dies at the next refresh. Registers nothing itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

MINIMUM_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3 (AA) for text."""

_BASE = ("background", "surface", "panel", "foreground")
_NAMED = ("primary", "secondary", "accent", "success", "warning", "error")
_CALLS = ("call-forming", "call-final", "call-running", "call-done", "call-problem")

CALL_COLOUR_FALLBACKS: dict[str, str] = {
    "call-forming": "#d7a65f",
    "call-final": "#8fb7ff",
    "call-running": "#c99bff",
    "call-done": "#7fcf8f",
    "call-problem": "#ff8f8f",
}
"""For `App.get_theme_variable_defaults`: without them the CSS of a foreign theme does not parse."""


@dataclass(frozen=True, slots=True)
class ThemeFault:
    """Why a theme file was skipped: one fault of possibly several."""

    path: Path
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


@dataclass(frozen=True, slots=True)
class LoadedThemes:
    themes: tuple[Theme, ...]
    """A name once; the last folder that has it wins."""
    faults: tuple[ThemeFault, ...]


def theme_folders(user_folder: Path | None = None) -> tuple[Path, ...]:
    """The folders that may hold themes, weakest first; some may not exist.

    The installed package's data, a checkout's top-level `themes`, then the user's own.
    """
    package = Path(str(resources.files("tui")))
    folders = [package / "themes_data"]
    if (package.parent / "pyproject.toml").is_file():
        # A checkout. Beside an installed package, `themes` would be somebody else's.
        folders.append(package.parent / "themes")
    if user_folder is not None:
        folders.append(user_folder)
    return tuple(folders)


def no_colour(environ: Mapping[str, str]) -> bool:
    """Whether the user wants no colour (no-color.org: present and not empty).

    To be asked before a Textual app is made: it removes the variable from the environment.
    """
    return bool(environ.get("NO_COLOR"))


def load_themes(folders: Iterable[Path]) -> LoadedThemes:
    """Read every `*.toml` of `folders`; what cannot be read or used becomes a fault."""
    themes: dict[str, Theme] = {}
    faults: list[ThemeFault] = []
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                table = tomllib.loads(path.read_text("utf-8"))
            except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
                faults.append(ThemeFault(path, f"cannot be read: {problem}"))
                continue
            theme, problems = parse_theme(path.stem, table)
            faults.extend(ThemeFault(path, problem) for problem in problems)
            if theme is not None:
                themes[theme.name] = theme
    return LoadedThemes(tuple(themes.values()), tuple(faults))


def parse_theme(name: str, table: Mapping[str, Any]) -> tuple[Theme | None, list[str]]:
    """The theme `name` from its TOML table, or None and every fault in words for its author.

    Keys: `dark` (true or false), `[colours]` with all of the base, named and call colours,
    and optionally `[variables]` with further Textual variables, colours or text styles.
    """
    problems = [
        f"unknown key {key!r}" for key in table if key not in ("dark", "colours", "variables")
    ]
    dark = table.get("dark")
    if not isinstance(dark, bool):
        problems.append("`dark` must be true or false")
    colours = _read_colours(table.get("colours"), problems)
    variables = _read_variables(table.get("variables", {}), problems)
    if not problems:
        problems = _contrast_faults(colours)
    if problems:
        return None, problems
    text = {key: colour.hex for key, colour in colours.items()}
    calls = {key: text.pop(key) for key in _CALLS}
    # Textual mixes its text colours from black or white; a theme's words are in its own ink.
    mixed = {f"text-{key}": text[key] for key in _NAMED}
    theme = Theme(
        name=name,
        dark=bool(dark),
        text_alpha=1.0,
        primary=text["primary"],
        secondary=text["secondary"],
        accent=text["accent"],
        success=text["success"],
        warning=text["warning"],
        error=text["error"],
        background=text["background"],
        surface=text["surface"],
        panel=text["panel"],
        foreground=text["foreground"],
        variables={**mixed, **calls, **variables},
    )
    return theme, []


def contrast(one: Color, other: Color) -> float:
    """Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _read_colours(section: object, problems: list[str]) -> dict[str, Color]:
    if not isinstance(section, dict):
        problems.append("the table [colours] is missing")
        return {}
    wanted = (*_BASE, *_NAMED, *_CALLS)
    problems.extend(f"unknown colour {key!r}" for key in section if key not in wanted)
    problems.extend(f"the colour {key!r} is missing" for key in wanted if key not in section)
    colours: dict[str, Color] = {}
    for key in wanted:
        if key not in section:
            continue
        try:
            colour = Color.parse(section[key])
        except (ColorParseError, TypeError, AttributeError):
            problems.append(f"{section[key]!r}, given for {key!r}, is not a colour")
            continue
        if colour.a != 1 or colour.ansi is not None:
            problems.append(f"{key!r} must be opaque and not a colour of the terminal")
            continue
        colours[key] = colour
    return colours


def _read_variables(section: object, problems: list[str]) -> dict[str, str]:
    if not isinstance(section, dict):
        problems.append("[variables] must be a table")
        return {}
    variables: dict[str, str] = {}
    for key, value in section.items():
        if not isinstance(value, str):
            problems.append(f"the variable {key!r} must be text, not {value!r}")
        elif not key.endswith("-style") and not _is_colour(value):
            problems.append(f"{value!r}, given for the variable {key!r}, is not a colour")
        else:
            variables[key] = value
    return variables


def _is_colour(value: str) -> bool:
    colour, _, alpha = value.partition(" ")
    if alpha and not (alpha.endswith("%") and alpha[:-1].isdigit()):
        return False
    try:
        Color.parse(colour)
    except ColorParseError:
        return False
    return True


def _contrast_faults(colours: Mapping[str, Color]) -> list[str]:
    grounds = ("background", "surface", "panel")
    pairs = [(ink, ground) for ink in ("foreground", *_NAMED, *_CALLS) for ground in grounds]
    return [
        f"{ink!r} on {ground!r} has a contrast of {ratio:.1f}; at least {MINIMUM_CONTRAST} is needed"
        for ink, ground in pairs
        if (ratio := contrast(colours[ink], colours[ground])) < MINIMUM_CONTRAST
    ]


def _luminance(colour: Color) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b)
