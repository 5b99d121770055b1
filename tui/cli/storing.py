"""Which store a command uses, and what a person can do when it cannot be used.

Out: open stores, or a `UsageError` whose hint names the commands that help.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.compose import Setting
from tui.config.paths import STORE_NAME
from tui.core.errors import UsageError

if TYPE_CHECKING:
    from tui.store import Store, StoreUnusable, Trouble


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="another store than the configured one; a folder stands for the store in it",
    )


def store_path(arguments: argparse.Namespace, setting: Setting) -> Path:
    """The store that `--store` names, else the configured one."""
    if not arguments.store:
        return setting.store_path
    named = Path(arguments.store).expanduser()
    return (named / STORE_NAME if named.is_dir() else named).absolute()


def open_store(path: Path) -> Store:
    """The store that is there; none is made.

    Raises:
        UsageError: there is none yet, or it cannot be opened, and what helps.
    """
    if not path.exists():
        raise UsageError(f"there is no store at {str(path)!r} yet", hint="talk to a model first")
    return make_store(path)


def make_store(path: Path, on_trouble: Callable[[Trouble], None] = lambda _: None) -> Store:
    """The store at `path`, made when there is none.

    Raises:
        UsageError: it cannot be opened, and what helps.
    """
    # Here: this module stands behind `--help` as well.
    from tui.store import Store, StoreUnusable

    try:
        return Store.open(path, on_trouble=on_trouble)
    except StoreUnusable as error:
        raise explained(error) from error


def explained(error: StoreUnusable) -> UsageError:
    """The error with the commands that lead on, where nothing is running yet."""
    match error.trouble.kind:
        case "locked":
            first = "Close the program that holds it and try again."
        case "full":
            first = "Free some space and try again."
        case "corrupt":
            first = (
                "Leave the file as it is: `verbatim doctor --recover NEW` copies what is readable"
                " into the new file NEW, `verbatim --store NEW` goes on with it."
            )
        case "foreign":
            first = "Update Verbatim."
        case "read-only":
            first = "Give yourself write access to the file and its folder."
        case _:
            first = "Check that the folder exists and its disk is healthy."
    return UsageError(
        str(error),
        hint=f"{first} Or begin elsewhere: `--store FILE` keeps it in another file, `--no-record`"
        " in memory only.",
    )
