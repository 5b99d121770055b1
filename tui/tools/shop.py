"""The demo shop's tools: look up and search orders, open and list tickets.

They are what a newcomer's model can call before any tool of one's own exists; they work on a
real file (`shop_base`), so what they return is looked up and what they change stays changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tui.core.conversation import JsonContent, ToolSpec
from tui.tools.contract import Handler, HandlerTool, RunContext, ToolOutcome
from tui.tools.registry import FixedSource
from tui.tools.shop_base import Row, ShopBase
from tui.tools.shop_data import STATUSES
from tui.tools.threads import in_daemon_thread

ORIGIN: Final = "demo shop"
FILE_NAME: Final = "demo-shop.sqlite3"
_DEFAULT_LIMIT: Final = 10
_MAX_LIMIT: Final = 50

_ORDER_ID: Final = {
    "type": "string",
    "description": "The order's number, like A-4471",
    "minLength": 1,
    "maxLength": 40,
}


def shop(data_dir: Path) -> FixedSource:
    """The shop's tools over `data_dir/demo-shop.sqlite3`, which the first call makes."""
    base = ShopBase(data_dir / FILE_NAME)
    tools = [
        HandlerTool(spec, ORIGIN, handler)
        for spec, handler in (
            (_LOOKUP, _lookup(base)),
            (_SEARCH, _search(base)),
            (_CREATE, _create(base)),
            (_LIST, _list(base)),
        )
    ]
    return FixedSource("shop", ORIGIN, tools)


_LOOKUP: Final = ToolSpec(
    name="lookup_order",
    description="Look up one order of the shop by its number: status, carrier, arrival, contents.",
    schema={
        "type": "object",
        "properties": {"order_id": _ORDER_ID},
        "required": ["order_id"],
        "additionalProperties": False,
    },
    read_only=True,
)

_SEARCH: Final = ToolSpec(
    name="search_orders",
    description=(
        "Find orders by words in the order number, the customer's name, e-mail or city, or the"
        " products. Newest first. An empty query finds all."
    ),
    schema={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words that must all occur, like: moka Göteborg",
                "maxLength": 200,
            },
            "status": {
                "type": "string",
                "enum": list(STATUSES),
                "description": "Only orders in this status",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": _MAX_LIMIT,
                "default": _DEFAULT_LIMIT,
                "description": "How many to return at most",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    read_only=True,
)

_CREATE: Final = ToolSpec(
    name="create_ticket",
    description="Open a support ticket for an order. The support team reads it.",
    schema={
        "type": "object",
        "properties": {
            "order_id": _ORDER_ID,
            "summary": {
                "type": "string",
                "description": "One line: what is wrong",
                "minLength": 1,
                "maxLength": 200,
            },
            "description": {
                "type": "string",
                "description": "What the support team must know to act",
                "maxLength": 20_000,
            },
            "priority": {"type": "string", "enum": ["low", "normal", "high", "urgent"]},
        },
        "required": ["order_id", "summary", "description", "priority"],
        "additionalProperties": False,
    },
)

_LIST: Final = ToolSpec(
    name="list_open_tickets",
    description="List all open support tickets.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    read_only=True,
)


def _lookup(base: ShopBase) -> Handler:
    async def lookup_order(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        order_id: str = arguments["order_id"]
        order = await in_daemon_thread(lambda: base.order(order_id), context)
        return await _unknown(base, order_id, context) if order is None else _json(order)

    return lookup_order


def _search(base: ShopBase) -> Handler:
    async def search_orders(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        # An integer in JSON Schema may be written 5.0.
        limit = int(arguments.get("limit", _DEFAULT_LIMIT))
        found, count = await in_daemon_thread(
            lambda: base.search(arguments["query"], arguments.get("status"), limit), context
        )
        return _json(
            {"found": count, "shown": len(found), "orders": [_brief(row) for row in found]}
        )

    return search_orders


def _create(base: ShopBase) -> Handler:
    async def create_ticket(arguments: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        order_id: str = arguments["order_id"]
        order = await in_daemon_thread(lambda: base.order(order_id), context)
        if order is None:
            return await _unknown(base, order_id, context)
        number = await in_daemon_thread(
            lambda: base.add_ticket(
                order["order_id"],
                arguments["summary"],
                arguments["description"],
                arguments["priority"],
            ),
            context,
        )
        return _json({"ticket": f"T-{number}", "order_id": order["order_id"], "status": "open"})

    return create_ticket


def _list(base: ShopBase) -> Handler:
    async def list_open_tickets(_: Mapping[str, Any], context: RunContext) -> ToolOutcome:
        tickets = await in_daemon_thread(base.open_tickets, context)
        return _json({"open": len(tickets), "tickets": tickets})

    return list_open_tickets


async def _unknown(base: ShopBase, order_id: str, context: RunContext) -> ToolOutcome:
    alike = await in_daemon_thread(lambda: base.order_ids_like(order_id), context)
    hint = f" Numbers like it: {', '.join(alike)}." if alike else ""
    return ToolOutcome.error(
        f"There is no order {order_id!r}. Order numbers look like A-4471.{hint}"
        " Use search_orders to find an order by its customer or product."
    )


def _brief(order: Row) -> Row:
    return {
        "order_id": order["order_id"],
        "status": order["status"],
        "ordered": order["ordered"],
        "arrives": order["arrives"],
        "customer": order["customer"]["name"],
        "products": [line["product"] for line in order["lines"]],
        "total": order["total"],
    }


def _json(value: Any) -> ToolOutcome:
    return ToolOutcome((JsonContent(json.dumps(value, ensure_ascii=False)),))
