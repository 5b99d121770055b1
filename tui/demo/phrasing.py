"""The argument texts that the demo writes: order numbers and schemas in, JSON text out.

Text, not objects: how a model spells its JSON (spaces, escapes, order of keys) is part of what a
client has to keep, so it is written out here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_TICKET: Final = (
    r"The customer asked where the parcel of {order} is.\n\nWhat we know:\n"
    r"- promised: \"3 March, before noon\"\n- now: \"5 March\", the carrier moved it\n"
    r"- it lies in depot 北京-9, shelf \"Ä12\"\n- fragile: Küchenlampe, Geschirrtücher\n\n"
    r"Tell her in her own language: \"Hej! Ditt paket är försenat, förlåt oss.\" 📦\n\n"
    r"Done so far:\n1. called the carrier, 12 minutes on hold\n"
    r"2. asked for another slot on 5 March \ud83d\ude80\n"
    r"3. offered to return the 4.90 € for shipping\n\n"
    r"If it is late again, phone the night desk. Path of the photos: C:\\depot\\7\\photos"
)
_LONG_BYTES: Final = 19_500
"""Of argument text; the shop takes descriptions of up to 20,000 characters."""


def order(order_id: str) -> str:
    return f'{{"order_id": "{order_id}"}}'


def ticket(order_id: str) -> str:
    """About 640 characters with escapes of every kind, non-ASCII text and a split-able pair.

    As it is worded, the first "March" for A-4471 is cut into three; a test holds that.
    """
    description = _TICKET.replace("{order}", order_id)
    return (
        f'{{"order_id": "{order_id}", "summary": "Delivery moved from 3 March to 5 March",'
        f' "description": "{description}", "priority": "high"}}'
    )


def long_ticket(order_id: str) -> str:
    """A ticket of about 20 kB: numbered lines, each with an escape and something non-ASCII."""
    lines: list[str] = []
    size = 0
    while size < _LONG_BYTES:
        lines.append(
            rf"{len(lines) + 1}. The parcel of {order_id} was scanned in \"Göteborg 北\".\n"
        )
        size += len(lines[-1].encode())
    return (
        f'{{"order_id": "{order_id}", "summary": "All scans of {order_id}",'
        f' "description": "{"".join(lines)}", "priority": "low"}}'
    )


def halves(order_id: str) -> str:
    """A short ticket whose emoji are pairs of surrogates, so that a fragment may end between two.

    Servers that cut by UTF-16 unit send such halves, each as a JSON escape in an event of its own.
    """
    text = "Rockets 🚀🚀, parcels 📦📦📦, snakes 🐍🐍🐍🐍 and a party 🎉🎉🎉🎉🎉"
    units = text.encode("utf-16-le")
    split = "".join(
        chr(int.from_bytes(units[i : i + 2], "little")) for i in range(0, len(units), 2)
    )
    return (
        f'{{"order_id": "{order_id}", "summary": "Emoji in halves",'
        f' "description": "{split}", "priority": "low"}}'
    )


def not_json(order_id: str) -> str:
    """A single quote and a missing one: what no repair should be trusted with."""
    return f'{{"order_id": \'{order_id}, "note": "single quotes"}}'


def wrong_type(order_id: str) -> str:
    digits = re.sub(r"\D", "", order_id)
    return f'{{"order_id": {digits}, "urgent": "yes"}}'


def search(query: str, status: str | None, limit: int) -> str:
    """With an optional field left out where it is not asked for."""
    fields: dict[str, Any] = {"query": query}
    if status is not None:
        fields["status"] = status
    return json.dumps({**fields, "limit": limit}, ensure_ascii=False)


def made_up(schema: Mapping[str, Any]) -> str:
    """Arguments that fit the required properties of a JSON Schema, as far as its types tell."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    names = (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )
    return json.dumps(
        {name: _value(name, properties.get(name), 0) for name in names}, ensure_ascii=False
    )


def _value(name: str, schema: object, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > 4:
        return name
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return _value(name, schema[key][0], depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    match kind:
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            return [_value(name, schema.get("items"), depth + 1)] * max(1, _int(schema, "minItems"))
        case "object":
            return json.loads(made_up(schema)) if depth < 3 else {}
        case _:
            return name.ljust(_int(schema, "minLength"), ".")


def _int(schema: Mapping[str, Any], key: str) -> int:
    value = schema.get(key)
    return value if isinstance(value, int) and value < 1_000 else 0
