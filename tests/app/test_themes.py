"""Themes that come with us are readable; a theme that is not is refused, with every reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color

from tests.app.screens import WidgetApp, until
from tui.app.themes import (
    CALL_COLOUR_FALLBACKS,
    contrast,
    load_themes,
    no_colour,
    parse_theme,
    theme_folders,
)

OURS = load_themes(theme_folders())
CHECKOUT = next(folder for folder in theme_folders() if folder.name == "themes")


def table() -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / "verbatim-dark.toml").read_text("utf-8"))


def test_our_themes_load_without_a_fault() -> None:
    assert OURS.faults == ()
    assert {theme.name for theme in OURS.themes} == {
        "verbatim-dark",
        "verbatim-light",
        "high-contrast",
        "colour-blind",
    }


@pytest.mark.parametrize("theme", OURS.themes, ids=lambda theme: theme.name)
async def test_each_theme_draws_an_app(theme: Any) -> None:
    app = WidgetApp(theme=theme.name)
    async with app.run_test() as pilot:
        await until(
            pilot, lambda: app.theme_variables["background"].lower() == theme.background.lower()
        )
        assert {key: app.theme_variables[key] for key in CALL_COLOUR_FALLBACKS} == {
            key: theme.variables[key] for key in CALL_COLOUR_FALLBACKS
        }


async def test_a_theme_of_textual_gets_our_fallback_colours() -> None:
    app = WidgetApp(theme="nord")
    async with app.run_test():
        assert app.theme_variables["call-forming"] == CALL_COLOUR_FALLBACKS["call-forming"]


def test_muted_words_can_be_read_too() -> None:
    for theme in OURS.themes:
        muted = Color.parse(theme.variables["text-muted"])
        for ground in (theme.background, theme.surface, theme.panel):
            assert ground is not None
            assert contrast(muted, Color.parse(ground)) >= 4.5, (theme.name, ground)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda t: t["colours"].update(primary="#xyz"),
            "'#xyz', given for 'primary', is not a colour",
        ),
        (lambda t: t["colours"].update(primary=7), "7, given for 'primary', is not a colour"),
        (lambda t: t["colours"].update(purple="red"), "unknown colour 'purple'"),
        (lambda t: t["colours"].pop("panel"), "the colour 'panel' is missing"),
        (lambda t: t["colours"].update(panel="#00000080"), "'panel' must be opaque"),
        (lambda t: t["colours"].update(surface="ansi_red"), "'surface' must be opaque"),
        (lambda t: t.update(dark="yes"), "`dark` must be true or false"),
        (lambda t: t.pop("colours"), "the table [colours] is missing"),
        (lambda t: t.update(author="me"), "unknown key 'author'"),
        (lambda t: t["variables"].update(border="nope"), "'nope', given for the variable 'border'"),
        (
            lambda t: t["colours"].update({"call-forming": "#303030"}),
            "'call-forming' on 'panel' has a contrast of 1.1",
        ),
    ],
)
def test_a_theme_with_a_fault_is_refused_in_words(change: Any, problem: str) -> None:
    changed = table()
    change(changed)
    theme, problems = parse_theme("x", changed)
    assert theme is None
    assert any(problem in said for said in problems), problems


def test_a_bad_file_is_skipped_and_the_others_are_kept(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("dark = ")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "mine.toml").write_text((CHECKOUT / "verbatim-light.toml").read_text("utf-8"))
    loaded = load_themes([tmp_path, tmp_path / "absent"])
    assert [theme.name for theme in loaded.themes] == ["mine"]
    assert [fault.path.name for fault in loaded.faults] == ["bad.toml", "binary.toml"]


def test_the_users_folder_comes_last_and_wins(tmp_path: Path) -> None:
    assert theme_folders(tmp_path)[-1] == tmp_path
    mine = (CHECKOUT / "verbatim-light.toml").read_text("utf-8")
    (tmp_path / "verbatim-dark.toml").write_text(mine)
    loaded = load_themes(theme_folders(tmp_path))
    assert {theme.name: theme.dark for theme in loaded.themes}["verbatim-dark"] is False


def test_contrast_is_that_of_wcag() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


def test_no_colour_is_asked_for_by_a_value_that_is_not_empty() -> None:
    assert no_colour({"NO_COLOR": "1"})
    assert not no_colour({"NO_COLOR": ""})
    assert not no_colour({})
