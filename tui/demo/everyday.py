"""What the demo does when asked for something ordinary: a situation in, a plan out.

These are first turns. When results have come back, `telling` says what was in them, and nothing
else is claimed about orders or tickets.
"""

from __future__ import annotations

import re
from typing import Final

from tui.demo import pages, phrasing
from tui.demo.plan import Call, Plan, Prose, Thinking, speak
from tui.demo.understand import Situation

THE_ORDER: Final = "A-4471"
"""What is meant when a request needs an order and names none."""

_STATUSES: Final = ("processing", "shipped", "delivered", "cancelled", "returned")
_SEARCH_WORDS: Final = re.compile(
    r"\b(please|can|could|you|search|find|look|for|up|the|all|my|me|show|orders?|with|of|a|an|in|"
    r"that|which|are|is|have|been|status|" + "|".join(_STATUSES) + r")\b|[^\w@.'-]+",
    re.IGNORECASE,
)
_CALL: Final = re.compile(r"\bcall\s+([\w./-]+)\s*(.*)", re.IGNORECASE | re.DOTALL)


def missing(situation: Situation, *names: str) -> Plan | None:
    """The answer when a tool is not offered: which one, and nothing pretended. Else None."""
    absent = [name for name in names if name not in situation.tools]
    if not absent:
        return None
    wanted = " and ".join(f"`{name}`" for name in absent)
    return speak(
        Prose(
            f"I would call {wanted} now, but this request does not offer it, so I can't."
            " (I am a script and know only the demo shop's tools; `help` lists what else I do.)"
        )
    )


def named_order(situation: Situation) -> str:
    """The first order number in the text, else the one that the demo shop is known for."""
    return situation.order_ids[0] if situation.order_ids else THE_ORDER


def look_up(situation: Situation) -> Plan:
    if plan := missing(situation, "lookup_order"):
        return plan
    ids = situation.order_ids or (THE_ORDER,)
    calls = [Call("lookup_order", phrasing.order(order)) for order in ids]
    if len(ids) == 1:
        return speak(
            Thinking(f"The user asks for {ids[0]}. I don't know it, so I look it up."),
            Prose(f"Let me look up order {ids[0]}."),
            *calls,
        )
    return speak(
        Thinking(f"{len(ids)} order numbers, and none depends on another: I ask for all at once."),
        Prose(f"I look up {' and '.join(ids)}, at the same time."),
        *calls,
    )


def search(situation: Situation) -> Plan:
    if plan := missing(situation, "search_orders"):
        return plan
    text = situation.text.casefold()
    status = next((word for word in _STATUSES if re.search(rf"\b{word}\b", text)), None)
    # The shop looks for words inside words: a plural would not be found in "Desk lamp".
    words = [re.sub(r"(?<=\w{3})s$", "", word) for word in _SEARCH_WORDS.split(text) if word]
    query = " ".join(word for word in words if word and not _SEARCH_WORDS.fullmatch(word))
    return speak(
        Prose(f"I search the orders for “{query}”." if query else "I list the orders."),
        Call("search_orders", phrasing.search(query, status, 5)),
    )


def list_tickets(situation: Situation) -> Plan:
    return missing(situation, "list_open_tickets") or speak(
        Prose("I ask for the open tickets."), Call("list_open_tickets", "")
    )


def file_ticket(situation: Situation) -> Plan:
    order_id = named_order(situation)
    return missing(situation, "create_ticket") or speak(
        Thinking(
            "A ticket changes something, so the user will be asked before it is filed. I write down"
            " all that the support team needs."
        ),
        Prose(f"I write a ticket for order {order_id}. Please read it before you allow it."),
        Call("create_ticket", phrasing.ticket(order_id)),
    )


def call_any(situation: Situation) -> Plan:
    """`call NAME [ARGUMENTS]`: the arguments as typed, or some that fit the tool's schema."""
    found = _CALL.search(situation.text)
    if found is None:
        return unknown(situation)
    name, typed = found[1], found[2].strip()
    if plan := missing(situation, name):
        return plan
    made = "" if typed else " with arguments that I make up from its schema"
    arguments = typed or phrasing.made_up(situation.tools[name])
    return speak(Prose(f"I call `{name}`{made}."), Call(name, arguments))


def tell_about(situation: Situation) -> Plan:
    return speak(Prose(pages.CALLS_PAGE))


def think(situation: Situation) -> Plan:
    if situation.order_ids and "lookup_order" in situation.tools:
        calls = (Call("lookup_order", phrasing.order(order)) for order in situation.order_ids)
        return speak(Thinking(pages.LONG_THOUGHT), Prose("I looked at it from all sides."), *calls)
    return speak(Thinking(pages.LONG_THOUGHT), Prose(pages.THOUGHT_ABOUT))


def unicode(situation: Situation) -> Plan:
    return speak(Prose(pages.UNICODE_PAGE))


def help_(situation: Situation) -> Plan:
    return speak(Prose(pages.HELP))


def hello(situation: Situation) -> Plan:
    return speak(Prose(pages.HELLO))


def unknown(situation: Situation) -> Plan:
    return speak(Prose(pages.UNKNOWN))
