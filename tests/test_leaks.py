"""The search for keys in what a test run wrote finds each way in which one could be written."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.leaks import leaks
from tui.store import Store

PLANTED = "planted-KEY/0123456789+abc"
"""None of those that the whole run is searched for."""


def _in_a_chunk(path: Path) -> None:
    with Store.open(path) as store:
        exchange = store.begin_exchange(
            store.create_conversation(), dialect="anthropic", endpoint="e", url="/"
        )
        for letter in PLANTED:
            store.append_chunk(exchange, 0.0, letter.encode())


def _in_a_request(path: Path) -> None:
    with Store.open(path) as store:
        store.begin_exchange(
            store.create_conversation(),
            dialect="anthropic",
            endpoint="e",
            url="/",
            request_body=json.dumps({"text": f"x{PLANTED}" * 3}).encode(),
        )


def _in_a_title(path: Path) -> None:
    with Store.open(path) as store:
        store.create_conversation(title=f"my {PLANTED}")


@pytest.mark.parametrize(
    "plant",
    [
        lambda path: path.write_text(f"key = {PLANTED}\n"),
        lambda path: path.write_text("https://h/?key=planted-KEY%2F0123456789%2Babc"),
        lambda path: path.write_bytes(base64.b64encode(f"{PLANTED} and more".encode())),
        lambda path: path.write_bytes(base64.b64encode(f"a{PLANTED} and more".encode())),
        lambda path: path.write_bytes(base64.b64encode(f"ab{PLANTED} and more".encode())),
        lambda path: path.write_bytes(gzip.compress(PLANTED.encode())),
        _in_a_chunk,
        _in_a_request,
        _in_a_title,
    ],
    ids=[
        "as it is",
        "in a URL",
        "in base64",
        "in base64 one further",
        "in base64 two further",
        "packed",
        "cut into chunks",
        "in a packed request",
        "in a title",
    ],
)
def test_a_planted_key_is_found(tmp_path: Path, plant: Callable[[Path], object]) -> None:
    (tmp_path / "deep").mkdir()
    plant(tmp_path / "deep" / "file")
    assert leaks(tmp_path, ["other-key-0123", PLANTED]) == [
        f"{tmp_path / 'deep' / 'file'} holds {PLANTED}"
    ]


def test_where_there_is_none_none_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(f"{PLANTED[:-1]} planted")
    with Store.open(tmp_path / "store") as store:
        store.create_conversation(title="nothing")
    assert leaks(tmp_path, [PLANTED]) == []
