"""Fetching a key when it is needed: from the environment, a command, or the system's key store.

The edges (environment, running a command, the key store) are handed in. A key is returned and
never kept, shown or written; errors name where it was sought.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Final, assert_never

from tui.config.endpoints import (
    Endpoint,
    KeyFromCommand,
    KeyFromEnvironment,
    KeyFromKeyring,
    NoKey,
)
from tui.core.errors import UsageError

__all__ = ["keyring_lookup", "resolve_headers", "resolve_key", "run_key_command"]

_COMMAND_SECONDS: Final = 60.0
"""Long enough for a person to type a passphrase."""

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

RunCommand = Callable[[Sequence[str]], str]
KeyringLookup = Callable[[str, str], str | None]


def resolve_key(
    endpoint: Endpoint,
    environment: Mapping[str, str],
    run_command: RunCommand | None = None,
    keyring: KeyringLookup | None = None,
) -> str | None:
    """The endpoint's key, without blanks around it; None when it needs none.

    Args:
        run_command: runs a program and returns what it prints; `run_key_command` by default.
        keyring: the key of a service and user; `keyring_lookup` by default.

    Raises:
        UsageError: there is no key where it should be.
    """
    source = endpoint.key
    match source:
        case NoKey():
            return None
        case KeyFromEnvironment(names, optional):
            found = next(
                (key for name in names if (key := environment.get(name, "").strip())), None
            )
            if found is None and not optional:
                raise _missing(
                    endpoint, f"{' or '.join(names)} is not set", f"export {names[0]}=..."
                )
            return found
        case KeyFromCommand(arguments):
            key = (run_command or run_key_command)(arguments).strip()
            if not key:
                raise _missing(endpoint, f"{arguments[0]!r} printed nothing", "try the command")
            return key
        case KeyFromKeyring(service, user):
            key = ((keyring or keyring_lookup)(service, user) or "").strip()
            if not key:
                raise _missing(
                    endpoint,
                    f"the key store has none for service {service!r}, user {user!r}",
                    f"keyring set {service} {user}",
                )
            return key
        case _:
            assert_never(source)


def _missing(endpoint: Endpoint, why: str, remedy: str) -> UsageError:
    return UsageError(f"endpoint {endpoint.name!r} has no key: {why}", hint=remedy)


def resolve_headers(
    endpoint: Endpoint, environment: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The endpoint's headers with each `${NAME}` replaced by the variable of that name.

    Raises:
        UsageError: such a variable is not set.
    """

    def value_of(header: str, found: re.Match[str]) -> str:
        value = environment.get(found[1])
        if value is None:
            raise UsageError(
                f"endpoint {endpoint.name!r}: its header {header!r} wants {found[1]}, which is not set",
                hint=f"export {found[1]}=...",
            )
        return value

    def filled(header: str, value: str) -> str:
        return _VARIABLE.sub(lambda found: value_of(header, found), value)

    return tuple((name, filled(name, value)) for name, value in endpoint.headers)


def run_key_command(arguments: Sequence[str]) -> str:
    """Run a program without a shell and return its standard output; it may talk to the terminal.

    Raises:
        UsageError: it does not exist, fails, or takes longer than a minute.
    """
    program = arguments[0]
    try:
        done = subprocess.run(  # noqa: S603  the user's own configuration names it
            arguments, stdout=subprocess.PIPE, check=False, timeout=_COMMAND_SECONDS
        )
    except FileNotFoundError as problem:
        raise UsageError(f"there is no program {program!r} to ask for the key") from problem
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise UsageError(f"{program!r}, asked for the key, did not finish: {problem}") from problem
    if done.returncode != 0:
        raise UsageError(
            f"{program!r}, asked for the key, ended with status {done.returncode}",
            hint="run it by hand to see why",
        )
    return done.stdout.decode(errors="replace")


def keyring_lookup(service: str, user: str) -> str | None:
    """A password from the system's key store (the `keyring` extra).

    Raises:
        UsageError: the library or the key store is missing.
    """
    try:
        import keyring
        import keyring.errors
    except ImportError as problem:
        raise UsageError(
            "reading a key from the key store needs the library keyring",
            hint="pip install 'verbatim-tui[keyring]'",
        ) from problem
    try:
        key: str | None = keyring.get_password(service, user)
    except keyring.errors.KeyringError as problem:
        raise UsageError(f"the key store cannot be read: {problem}") from problem
    return key
