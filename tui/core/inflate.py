"""Content decoding: compressed body bytes in, the body's own bytes out, as far as they go at once.

Owns gzip (any number of members) and deflate, RFC 9110 section 8.4.1. We ask for `identity`,
but proxies compress what they like. Damage is data here (`problem`), so that every byte that
can be had is handed on before anybody hears of it. Knows nothing of what the bytes mean.
"""

from __future__ import annotations

import zlib
from typing import Final

from tui.core.errors import EndpointError

__all__ = ["Inflater"]

_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_ZLIB_WINDOW: Final = zlib.MAX_WBITS
_RAW_WINDOW: Final = -zlib.MAX_WBITS
_WINDOW_OF: Final = {"gzip": _GZIP_WINDOW, "x-gzip": _GZIP_WINDOW, "deflate": _ZLIB_WINDOW}


class Inflater:
    """Decodes one body with the value of its `content-encoding` header ("" and None: none).

    The output never depends on how the input is cut. After damage no more output comes.

    Raises:
        EndpointError: an encoding that we cannot decode.
    """

    def __init__(self, content_encoding: str | None) -> None:
        names = [name.strip().lower() for name in (content_encoding or "").split(",")]
        coded = [name for name in names if name not in ("", "identity")]
        if foreign := [name for name in coded if name not in _WINDOW_OF]:
            raise EndpointError(
                f"the body is compressed with {foreign[0]!r}, which Verbatim cannot read"
                " (it asked for no compression)",
                hint="turn compression of event streams off in the proxy or gateway in between",
            )
        # Encodings are listed in the order in which they were applied.
        self._layers = [_Layer(name) for name in reversed(coded)]

    @property
    def problem(self) -> str:
        """What is wrong with the bytes so far, "" while nothing is."""
        return next((layer.problem for layer in self._layers if layer.problem), "")

    def feed(self, data: bytes) -> bytes:
        """Decode the next bytes; returns all that they give, b"" when they give nothing yet."""
        for layer in self._layers:
            data = layer.feed(data)
        return data

    def close(self) -> str:
        """The body has ended: what is wrong with it, damaged or cut short, "" when it is whole."""
        return self.problem or next(
            (layer.cut_short() for layer in self._layers if layer.cut_short()), ""
        )


class _Layer:
    __slots__ = ("_engine", "_fed", "_head", "_name", "problem")

    def __init__(self, name: str) -> None:
        self._name = name
        self._engine: zlib._Decompress | None = None
        self._head = b""
        self._fed = 0
        self.problem = ""

    def feed(self, data: bytes) -> bytes:
        out = []
        while data and not self.problem:
            if self._engine is None or self._engine.eof:
                data = self._begin(data)
                continue
            before = self._engine.copy()
            try:
                out.append(self._engine.decompress(data))
            except zlib.error:
                # zlib throws the output before the damage away; one byte at a time keeps it,
                # and makes the place of the damage independent of how the body was cut.
                out.append(self._salvage(before, data))
                break
            self._fed += len(data) - len(self._engine.unused_data)
            data = self._engine.unused_data
        return b"".join(out)

    def cut_short(self) -> str:
        if self._head or (self._engine is not None and not self._engine.eof):
            return (
                f"the {self._name} data ends after {self._fed + len(self._head)} bytes, unfinished"
            )
        return ""

    def _begin(self, data: bytes) -> bytes:
        """Start a stream, or the next member of a gzip file; returns what is to be decoded."""
        if self._name != "deflate":
            if self._engine is not None:
                # Zeros may pad a member (RFC 1952 allows what gzip(1) skips).
                padding = len(data) - len(data.lstrip(b"\0"))
                self._fed += padding
                data = data[padding:]
            if data:
                self._engine = zlib.decompressobj(_GZIP_WINDOW)
            return data
        if self._engine is not None:
            self.problem = f"bytes follow the end of the deflate data, at byte {self._fed}"
            return b""
        self._head += data
        if len(self._head) < 2:
            return b""
        data, self._head = self._head, b""
        # "deflate" means the zlib format, but some servers send the raw one (RFC 9110, 8.4.1.2).
        zlib_header = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
        self._engine = zlib.decompressobj(_ZLIB_WINDOW if zlib_header else _RAW_WINDOW)
        return data

    def _salvage(self, engine: zlib._Decompress, data: bytes) -> bytes:
        out = []
        for offset in range(len(data)):
            try:
                out.append(engine.decompress(data[offset : offset + 1]))
            except zlib.error:
                self.problem = f"the {self._name} data is damaged at byte {self._fed + offset}"
                break
        return b"".join(out)
