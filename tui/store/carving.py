"""Rows of a damaged file that no tree leads to any more: read page by page, told by their shape.

In: the bytes of a database file and the columns of the tables that are looked for. Out: whole
rows. A row is believed only where its record fills its cell exactly and its values fit the
columns of just one table. What was deleted cannot come back: we overwrite it (`secure_delete`).
https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Value = None | int | float | str | bytes

_LEAF: Final = 13
"""Type byte of a page that holds rows of a table."""
_FIXED: Final = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Serial type → bytes of the value, for the types whose size the number does not tell."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    """As declared: TEXT, REAL, INTEGER or BLOB."""
    optional: bool
    is_rowid: bool
    """It is another name for the rowid, and stored as null."""


def stray_rows(
    data: bytes, page_size: int, tables: Mapping[str, Sequence[Column]]
) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """(table, row) of every leaf page, those that a tree still leads to among them."""
    for start in range(0, len(data) - page_size + 1, page_size):
        for rowid, values in _rows_of_page(data, start, page_size):
            fitting = [name for name, columns in tables.items() if _fits(values, columns)]
            if len(fitting) == 1:
                columns = tables[fitting[0]]
                yield (
                    fitting[0],
                    tuple(
                        rowid if column.is_rowid else value
                        for column, value in zip(columns, values, strict=True)
                    ),
                )


def _fits(values: Sequence[Value], columns: Sequence[Column]) -> bool:
    return len(values) == len(columns) and all(map(_is_one, values, columns))


def _is_one(value: Value, column: Column) -> bool:
    if value is None:
        return column.optional or column.is_rowid
    match column.type:
        case "TEXT":
            return isinstance(value, str | bytes)
        case "REAL":
            return isinstance(value, int | float)
        case "INTEGER":
            return isinstance(value, int) and not column.is_rowid
        case _:
            return isinstance(value, bytes)


def _rows_of_page(
    data: bytes, start: int, page_size: int
) -> Iterator[tuple[int, tuple[Value, ...]]]:
    header = start + (100 if start == 0 else 0)
    if data[header] != _LEAF:
        return
    count = int.from_bytes(data[header + 3 : header + 5])
    if header + 8 + 2 * count > start + page_size:
        return
    for pointer in struct.unpack_from(f">{count}H", data, header + 8):
        # A cell that is none: its neighbours may be sound.
        with contextlib.suppress(ValueError, IndexError, struct.error):
            yield _cell(data, start + pointer, start + page_size, page_size)


def _cell(data: bytes, at: int, end: int, page_size: int) -> tuple[int, tuple[Value, ...]]:
    size, at = _varint(data, at)
    rowid, at = _varint(data, at)
    here = _local_size(size, page_size)
    if here != size:
        end -= 4
    if not 0 < size <= len(data) or at + here > end:
        raise ValueError("the cell reaches beyond its page")
    payload = bytearray(data[at : at + here])
    following = int.from_bytes(data[at + here : at + here + 4]) if here != size else 0
    while len(payload) < size:
        place = (following - 1) * page_size
        if following < 2 or place + page_size > len(data):
            raise ValueError("the rest of the row is not there")
        payload += data[place + 4 : place + page_size][: size - len(payload)]
        following = int.from_bytes(data[place : place + 4])
    return _signed(rowid), _record(bytes(payload))


def _local_size(size: int, page_size: int) -> int:
    """How many bytes of a row of `size` are in its leaf; the rest is on pages of its own."""
    most = page_size - 35
    if size <= most:
        return size
    least = (page_size - 12) * 32 // 255 - 23
    some = least + (size - least) % (page_size - 4)
    return some if some <= most else least


def _record(payload: bytes) -> tuple[Value, ...]:
    header_size, at = _varint(payload, 0)
    values: list[Value] = []
    body = header_size
    while at < header_size:
        kind, at = _varint(payload, at)
        size = _FIXED[kind] if kind in _FIXED else (kind - 12) // 2
        if kind in (10, 11) or body + size > len(payload):
            raise ValueError("no record")
        values.append(_value(kind, payload[body : body + size]))
        body += size
    if at != header_size or body != len(payload):
        raise ValueError("no record")
    return tuple(values)


def _value(kind: int, raw: bytes) -> Value:
    if kind == 0:
        return None
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        return float(struct.unpack(">d", raw)[0])
    if kind < 7:
        return int.from_bytes(raw, signed=True)
    return raw if kind % 2 == 0 else raw.decode()


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """(value, offset behind it); raises IndexError at the end of the data."""
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    return value << 8 | data[at], at + 1


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
