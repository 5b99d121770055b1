"""The guards of conftest.py, tried: a guard that does not hold is worse than none."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from tests.conftest import LEAKING_VARIABLE


def test_each_test_has_a_home_that_does_not_exist_yet(home: Path) -> None:
    assert os.environ["VERBATIM_HOME"] == str(home)
    assert not home.exists()


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "https_proxy", "ALL_PROXY", "TEXTUAL"]
)
def test_variables_of_the_developer_that_change_what_a_test_does_are_removed(name: str) -> None:
    assert LEAKING_VARIABLE.fullmatch(name)


def test_no_such_variable_is_left_in_a_test() -> None:
    left = {name for name in os.environ if LEAKING_VARIABLE.fullmatch(name)}
    assert left == {"VERBATIM_HOME"}


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("2001:db8::1", 443, 0, 0)])
def test_connecting_beyond_loopback_fails_the_test(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as sock:
        with pytest.raises(pytest.fail.Exception, match="loopback only"):
            sock.connect(address)
        with pytest.raises(pytest.fail.Exception, match="loopback only"):
            sock.connect_ex(address)


async def test_asyncio_connections_are_guarded_too() -> None:
    with pytest.raises(pytest.fail.Exception, match="loopback only"):
        await asyncio.open_connection("192.0.2.1", 443)


async def test_names_are_not_looked_up() -> None:
    with pytest.raises(socket.gaierror, match=r"'api\.example\.com'"):
        await asyncio.open_connection("api.example.com", 443)


async def test_loopback_can_be_reached() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("localhost", port)
        assert await reader.read() == b"hello"
        writer.close()
        await writer.wait_closed()
