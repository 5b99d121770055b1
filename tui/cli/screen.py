"""Opening the screen over a workspace: themes, keys and the terminal's wishes."""

from __future__ import annotations

import sys
from typing import Final

from tui.cli.compose import Setting
from tui.cli.terminal import kept_to_the_screen
from tui.core.errors import UsageError
from tui.recording.replay import Pace
from tui.session.workspace import Workspace

CHILDREN_LOG: Final = "children.log"
"""In the state folder: what child processes of tools wrote while the screen was up."""


def want_terminal(instead: str) -> None:
    """Refuse to draw where nobody would see it; `instead` says what to do there.

    Raises:
        UsageError: standard input or standard error, which the screen is drawn on, is no terminal.
    """
    for name, stream in (("input", sys.__stdin__), ("error", sys.__stderr__)):
        if stream is None or not stream.isatty():
            raise UsageError(
                f"the screen needs a terminal, and standard {name} is none", hint=instead
            )


def run_screen(
    workspace: Workspace,
    setting: Setting,
    *,
    theme: str | None = None,
    conversation: str | None = None,
    suggestions: tuple[str, ...] = (),
    welcome: str = "",
    first_prompt: str = "",
    pace: Pace | None = None,
    note: str = "",
) -> int:
    """Run the app until it is left.

    Raises:
        UsageError: the theme does not exist.
        VerbatimError: no conversation could be opened, and why.
    """
    # The store's writer must get its turn while the screen is being drawn: bytes are promised to
    # be on the disk within 100 ms.
    sys.setswitchinterval(0.001)
    from tui.app.app import DARK, LIGHT, VerbatimApp
    from tui.app.garbage import Garbage
    from tui.app.themes import load_themes, theme_folders

    loaded = load_themes(theme_folders(setting.paths.themes))
    wanted = theme or setting.settings.theme
    names = [each.name for each in loaded.themes]
    if wanted and wanted not in names:
        raise UsageError(f"there is no theme {wanted!r}", hint=f"there are: {', '.join(names)}")
    log = setting.paths.state / CHILDREN_LOG
    garbage = Garbage()
    with kept_to_the_screen(log):
        app = VerbatimApp(
            workspace,
            conversation=conversation,
            themes=loaded.themes,
            faults=loaded.faults,
            theme=wanted or (LIGHT if setting.settings.dark is False else DARK),
            keymap=setting.settings.keymap,
            suggestions=suggestions,
            welcome=welcome,
            first_prompt=first_prompt,
            pace=pace,
            note=note,
            copies_folder=setting.paths.state / "copies",
            garbage=garbage,
        )
        garbage.begin()
        try:
            app.run()
        finally:
            garbage.end()
    if app.refusal is not None:
        raise app.refusal
    if app.return_code and log.exists():
        # Its traceback went where everything goes that would be written over the screen.
        print(f"verbatim: a fault in Verbatim ended it; see {log}", file=sys.stderr)
        print("  `verbatim --resume` goes on where it was", file=sys.stderr)
    return app.return_code or 0
