"""Careless clients, part two: they misread the wire itself.

They read the bytes in their own careless way and hand what comes out to the true reader, so
that the difference is theirs alone.
"""

from __future__ import annotations

from typing import Any

from tui.core import wirejson
from tui.core.turn import Turn
from tui.lint.mistake import Seen, Slip, as_call, shown
from tui.lint.reading import read


def by_index(seen: Seen) -> Slip | None:
    """Chat Completions: one buffer for each index (0 where none is given), ids ignored."""
    if seen.dialect != "openai-chat":
        return None
    buffers: dict[int, str] = {}
    names: dict[int, str] = {}
    at: dict[int, int] = {}
    for start, payload in _payloads(seen):
        for choice in payload.get("choices") or ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta")
            for entry in (delta.get("tool_calls") if isinstance(delta, dict) else None) or ():
                if not isinstance(entry, dict):
                    continue
                index = entry.get("index")
                index = index if isinstance(index, int) else 0
                function = entry.get("function")
                function = function if isinstance(function, dict) else {}
                text = function.get("arguments")
                name = function.get("name")
                if isinstance(name, str) and name:
                    if index in names:
                        at.setdefault(index, start)
                    names.setdefault(index, name)
                buffers[index] = buffers.get(index, "") + (text if isinstance(text, str) else "")
    true = [call for call in seen.turn.calls if call.choice == 0]
    careless = [f"{names.get(index, '?')}({text})" for index, text in buffers.items()]
    if [f"{call.name}({call.text})" for call in true] == careless:
        return None
    where = min(at.values(), default=true[0].opened_at if true else 0)
    return Slip(
        where,
        "; ".join(as_call(call, call.text) for call in true),
        shown("; ".join(careless)),
        f"{len(true)} calls become {len(careless)}",
    )


def utf8_per_chunk(seen: Seen) -> Slip | None:
    """Decodes each read by itself; what is cut becomes U+FFFD."""
    at, offset, pieces = None, 0, []
    for chunk in seen.chunks:
        text = chunk.decode("utf-8", "replace")
        if at is None and text.encode("utf-8", "replace") != chunk:
            at = offset
        pieces.append(text)
        offset += len(chunk)
    if at is None:
        return None
    return _misread(seen, "".join(pieces).encode(), at, "characters become � in what is shown")


def lines_per_chunk(seen: Seen) -> Slip | None:
    """Reads the lines of each read by itself: a line cut by a read is two broken ones."""
    at, offset, events = None, 0, []
    for chunk in seen.chunks:
        for line in chunk.splitlines():
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if not data:
                    continue
                if _is_json(data) or data == b"[DONE]":
                    events.append(b"data: " + data + b"\n\n")
                    continue
            if line.strip() and at is None and not line.startswith((b":", b"event:", b"id:")):
                at = offset
        offset += len(chunk)
    if at is None:
        return None
    return _misread(seen, b"".join(events), at, "events that a read cut are dropped in silence")


def unicode_lines(seen: Seen) -> Slip | None:
    """Ends lines wherever Unicode knows a line or page separator."""
    text = seen.body.decode("utf-8", "replace")
    true = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if text.splitlines() == (true[:-1] if true and not true[-1] else true):
        return None
    at = next((len(text[:i].encode()) for i, char in enumerate(text) if char in _SEPARATORS), 0)
    events = []
    for line in text.splitlines():
        data = line[5:].strip().encode() if line.startswith("data:") else b""
        if data == b"[DONE]" or (data and _is_json(data)):
            events.append(b"data: " + data + b"\n\n")
    return _misread(seen, b"".join(events), at, "events with such a character are lost")


_SEPARATORS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def _misread(seen: Seen, body: bytes, at: int, consequence: str) -> Slip | None:
    turn = read(seen.dialect, [body]).turn
    true, careless = _picture(seen.turn), _picture(turn)
    return None if true == careless else Slip(at, shown(true), shown(careless), consequence)


def _picture(turn: Turn) -> str:
    calls = [f"{call.name}({call.text}) {call.state}" for call in turn.calls]
    return "\n".join([*([turn.text] if turn.text else []), *calls])


def _payloads(seen: Seen) -> list[tuple[int, dict[str, Any]]]:
    found = []
    offset = 0
    for line in seen.body.splitlines(keepends=True):
        if line.startswith(b"data:"):
            try:
                value = wirejson.loads(line[5:].strip().decode("utf-8", "replace"))
            except ValueError:
                value = None
            if isinstance(value, dict):
                found.append((offset, value))
        offset += len(line)
    return found


def _is_json(data: bytes) -> bool:
    try:
        wirejson.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True
