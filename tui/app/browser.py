"""Opening an address in a browser that has a window of its own.

The standard library's `webbrowser` also knows browsers that draw in the terminal. It would run
one beside the screen, on the same keys, and wait for its end; here no such browser is run.
"""

from __future__ import annotations

import subprocess
import webbrowser
from pathlib import PurePath
from threading import Thread

_IN_THE_TERMINAL = frozenset(("www-browser", "links", "links2", "elinks", "lynx", "w3m"))


def open_address(url: str) -> bool:
    """Have a browser open `url`; False when there is none to do it. May block for a moment."""
    try:
        browser = webbrowser.get()
        if PurePath(getattr(browser, "name", "")).name in _IN_THE_TERMINAL:
            return False
        if not isinstance(browser, webbrowser.GenericBrowser):
            return browser.open(url)
        # A bare command, such as xdg-open or what a person set as $BROWSER.
        _start([browser.name, *(part.replace("%s", url) for part in browser.args)])
    except (webbrowser.Error, OSError):
        return False
    return True


def _start(command: list[str]) -> None:
    """Run `command` apart from the terminal: the keyboard belongs to the screen."""
    # The command is the system's or the person's own; only the address in it came from elsewhere.
    process = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.DEVNULL, start_new_session=True
    )
    # It may run as long as its window is open, and nobody waits for that; but it is reaped.
    Thread(target=process.wait, name="browser", daemon=True).start()
