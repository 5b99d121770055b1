"""Says what results said: results in, prose out, with nothing in it that they do not contain.

It knows the shapes of the demo shop's results; any other JSON object is listed field by field, and
any other text is quoted. Failures and denials are told as such.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui.demo.plan import Plan, Prose, speak
from tui.demo.understand import SeenResult, Situation

_LONGEST: Final = 600
"""Characters of a result that are quoted."""
_ROWS: Final = 8
_SHOP: Final = frozenset({"lookup_order", "search_orders", "create_ticket", "list_open_tickets"})


def tell(situation: Situation) -> Plan:
    """A turn that tells the latest results and calls nothing."""
    return speak(Prose("\n\n".join(map(_told, situation.results))))


def _told(result: SeenResult) -> str:
    if result.denied:
        return (
            f"You did not allow `{result.name}`, so I left it: nothing was done."
            " Tell me if you want it differently."
        )
    value = _object(result.text)
    if result.failed or (value is None and result.name in _SHOP):
        return f"`{result.name}` did not do it. It said:\n\n{_quoted(result.text)}"
    if value is None:
        return f"`{result.name}` returned:\n\n{_quoted(result.text)}"
    match value:
        case {"order_id": str(), "status": str(), "carrier": _}:
            return _order(value)
        case {"orders": list(orders)}:
            return _orders(value, orders)
        case {"tickets": list(tickets)}:
            return _tickets(tickets)
        case {"ticket": str(number), "order_id": str(order)}:
            return f"Done: ticket **{number}** for order {order} is {value.get('status', 'filed')}."
        case _:
            return f"`{result.name}` returned:\n\n{_fields(value)}"


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _order(order: Mapping[str, Any]) -> str:
    status = order["status"]
    words = [f"Order **{order['order_id']}** is **{status}**"]
    if carrier := order.get("carrier"):
        words.append(f" with {carrier}")
    if tracking := order.get("tracking"):
        words.append(f" (tracking {tracking})")
    words.append(".")
    if arrives := order.get("arrives"):
        # The field is the expected day while the order is under way, afterwards the day it came.
        verb = "It should arrive on" if status == "shipped" else "It arrived on"
        words.append(f" {verb} **{arrives}**.")
    elif ordered := order.get("ordered"):
        words.append(f" It was ordered on {ordered} and has no delivery date.")
    lines = [line for line in order.get("lines") or () if isinstance(line, dict)]
    if lines:
        goods = ", ".join(f"{line.get('quantity')} × {line.get('product')}" for line in lines)
        words.append(f" In it: {goods}.")
    return "".join(words)


def _orders(found: Mapping[str, Any], orders: Sequence[Any]) -> str:
    if not orders:
        return "No order matches. I looked in numbers, customers, cities and products."
    columns = ("order_id", "status", "ordered", "customer", "products", "total")
    count = found.get("found", len(orders))
    listed = "" if len(orders) == count else f", of which {len(orders)} came back"
    noun = "order matches" if count == 1 else "orders match"
    return f"{count} {noun}{listed}:\n\n{_table(orders, columns)}"


def _tickets(tickets: Sequence[Any]) -> str:
    if not tickets:
        return "No ticket is open."
    noun = "ticket is" if len(tickets) == 1 else "tickets are"
    columns = ("ticket", "order_id", "priority", "summary")
    return f"{len(tickets)} {noun} open:\n\n{_table(tickets, columns)}"


def _table(rows: Sequence[Any], columns: Sequence[str]) -> str:
    shown = [row for row in rows if isinstance(row, dict)]
    lines = ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |"]
    lines.append("| " + " | ".join("---" for _ in columns) + " |")
    for row in shown[:_ROWS]:
        lines.append("| " + " | ".join(_cell(row.get(name)) for name in columns) + " |")
    if len(shown) > _ROWS:
        lines.append(f"\n… and {len(shown) - _ROWS} more.")
    return "\n".join(lines)


def _fields(value: Mapping[str, Any]) -> str:
    lines = [f"- {name}: {_cell(item)}" for name, item in list(value.items())[:_ROWS]]
    if len(value) > _ROWS:
        lines.append(f"- … and {len(value) - _ROWS} more fields")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = ", ".join(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 80 else text[:79] + "…"


def _quoted(text: str) -> str:
    text = text.strip() or "(nothing)"
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
    return "\n".join(f"> {line}" for line in cut.splitlines())
