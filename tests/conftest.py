"""What every test stands on: a home of its own, an environment without keys, and no network.

A test that forgets to replace an edge must fail here, with words, and not talk to a provider with
a developer's key or write into a developer's conversations.
"""

import ipaddress
import itertools
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.leaks import leaks

# Examples are never timed: what a busy machine does slowly it still does right.
settings.register_profile(
    "default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("full", settings.get_profile("default"), max_examples=2_000)
settings.load_profile("ci" if os.environ.get("CI") else "default")

LEAKING_VARIABLE = re.compile(
    r".*_(API_KEY|API_TOKEN|AUTH_TOKEN|ACCESS_TOKEN|BASE_URL|API_BASE|PROXY)"
    r"|(VERBATIM|TEXTUAL)_?.*|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?",
    re.IGNORECASE,
)
"""Keys, addresses and proxies of the developer, and what changes how the screen is drawn."""


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An endless supply of paths, none of which exists: each is a machine before its first run."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder below which this test's configuration, data and state lie. Not yet created."""
    for name in [name for name in os.environ if LEAKING_VARIABLE.fullmatch(name)]:
        monkeypatch.delenv(name)
    path = next(homes)
    monkeypatch.setenv("VERBATIM_HOME", str(path))
    return path


@pytest.fixture(autouse=True, scope="session")
def no_key_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """When all tests have run: none of the keys they used is in any file they wrote."""
    yield
    assert leaks(tmp_path_factory.getbasetemp()) == []


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def loopback_only() -> Iterator[None]:
    """Fail the test that connects to anything but this machine; know no name but `localhost`."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    getaddrinfo = socket.getaddrinfo

    def refuse_foreign(sock: socket.socket, address: Any) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            # Not an OSError: the code under test would translate that and carry on.
            pytest.fail(
                f"a test tried to connect to {address!r}; tests reach loopback only."
                " Replace the byte source, or start a server on 127.0.0.1."
            )

    def guarded_connect(self: socket.socket, address: Any) -> None:
        refuse_foreign(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        refuse_foreign(self, address)
        return connect_ex(self, address)

    def local_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        # What a machine without a name server answers, only at once and always. Literal addresses
        # need no name server and pass; connecting to them is refused above.
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, "", "localhost", socket.gethostname()):
            try:
                ipaddress.ip_address(name.partition("%")[0])
            except ValueError as problem:
                raise socket.gaierror(
                    socket.EAI_NONAME, f"tests look up no names, and this asked for {name!r}"
                ) from problem
        return getaddrinfo(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", local_getaddrinfo)
        yield
