"""Whether a key that the tests use as a real one is in any file that a test run wrote.

Looks where a key could hide: as it is, percent-encoded, in base64 at every alignment, in the rows of
SQLite files (packed request bodies, response bytes cut into chunks), in gzip and zip files.
"""

from __future__ import annotations

import base64
import gzip
import io
import sqlite3
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

KEYS = (
    "sk-secret-0123456789",
    "sk-test-SECRET-0123456789",
    "sk-test-0123456789abcdef",
    "PASS-WORD-9",
    "TOKEN-IN-A-HEADER",
)
"""Those that tests hand to endpoints and stores as secrets. Not those that a test itself writes
into a file, such as a key in a configuration, which is to be refused."""


def leaks(folder: Path, keys: Sequence[str] = KEYS) -> list[str]:
    """One line for each file below `folder` that holds a key."""
    written = {form: key for key in keys for form in _forms(key)}
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        try:
            data = path.read_bytes()
        except PermissionError:
            continue
        for text in _texts(path, data):
            held = {key for form, key in written.items() if form in text}
            found += [f"{path} holds {key}" for key in sorted(held)]
    return list(dict.fromkeys(found))


def _forms(key: str) -> Iterator[bytes]:
    yield key.encode()
    yield quote(key, safe="").encode()
    for shift in range(3):
        # What stands before it decides at which of three places its characters are cut.
        packed = base64.b64encode(bytes(shift) + key.encode())
        yield packed[(0, 2, 3)[shift] : -4]


def _texts(path: Path, data: bytes) -> Iterable[bytes]:
    yield data
    if data.startswith(b"SQLite format 3\0"):
        with suppress(sqlite3.Error):
            yield from _rows(path)
    if data.startswith(b"\x1f\x8b"):
        with suppress(OSError, EOFError, zlib.error):
            yield gzip.decompress(data)
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def _rows(path: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        tables = [name.decode() for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        )]  # fmt: skip
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    if isinstance(value, bytes):
                        yield value
                        with suppress(zlib.error):
                            yield zlib.decompress(value)
        if "chunks" in tables:
            bodies: dict[int, bytearray] = {}
            for id, data in connection.execute("SELECT id, data FROM chunks ORDER BY id"):
                bodies.setdefault(id >> 24, bytearray()).extend(data)
            yield from map(bytes, bodies.values())
