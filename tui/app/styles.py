"""The style sheets of the screen: every `.tcss` beside the widgets and screens, in a fixed order."""

from __future__ import annotations

from pathlib import Path, PurePath

_HERE = Path(__file__).parent

STYLESHEETS: list[str | PurePath] = [
    *sorted((_HERE / "widgets").glob("*.tcss")),
    *sorted((_HERE / "screens").glob("*.tcss")),
    *sorted(_HERE.glob("*.tcss")),
]
"""For `App.CSS_PATH`. A new widget's rules are found by lying beside it."""
