"""The script: which words of the user lead to what. A situation in, a plan or an HTTP answer out.

The table below is the behaviour: the first row whose pattern is found decides, and where none is, a
lone order number is looked up. Rows of bad days count only in short requests without an order
number, or where they begin the request, so that an everyday sentence with "error" or "long" in it
does not set one off. `help` describes the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tui.demo import baddays, everyday
from tui.demo.plan import HttpAnswer, Plan
from tui.demo.telling import tell
from tui.demo.understand import ORDER_ID, Situation

Answer = Plan | HttpAnswer
_SHORT: Final = 5
"""Words."""


@dataclass(frozen=True, slots=True)
class Row:
    pattern: str
    act: Callable[[Situation], Answer]
    bad_day: bool = False
    every_round: bool = False
    """`act` also decides what follows results; else they are told and the exchange ends."""

    def fits(self, text: str) -> bool:
        found = re.search(rf"\b(?:{self.pattern})(?!\w)", text, re.IGNORECASE)
        if found is None or not self.bad_day:
            return found is not None
        before = re.sub(r"\b(please|demo|now|do|a|an|the)\b|[^\w]+", "", text[: found.start()])
        return not before or (len(text.split()) <= _SHORT and not ORDER_ID.search(text))


TABLE: Final[tuple[Row, ...]] = (
    Row(r"call [\w./-]+(?=\s*(\{|$))", everyday.call_any),
    Row("help|what can you do", everyday.help_, bad_day=True),
    Row("http 429|too many requests", baddays.http_429, bad_day=True),
    Row("http 500|server error", baddays.http_500, bad_day=True),
    Row("html|web page", baddays.html, bad_day=True),
    Row("cut clean|clean cut", baddays.cut_clean, bad_day=True),
    Row("break|break off|disconnect", baddays.break_off, bad_day=True),
    Row("bad json|invalid json", baddays.bad_json, bad_day=True, every_round=True),
    Row("wrong types?", baddays.wrong_type, bad_day=True, every_round=True),
    Row("unknown tool", baddays.unknown_tool, bad_day=True, every_round=True),
    Row("two at once", baddays.two_at_once, bad_day=True),
    Row("keep-?alive|silence", baddays.keepalive, bad_day=True),
    Row("split emojis?", baddays.split_emoji, bad_day=True),
    Row("limit|max tokens", baddays.limit, bad_day=True),
    Row("loop", baddays.loop, bad_day=True, every_round=True),
    Row("error", baddays.error, bad_day=True),
    Row("refuse|refusal", baddays.refuse, bad_day=True),
    Row("slow|slowly", baddays.slow, bad_day=True),
    Row("long", baddays.long, bad_day=True),
    Row(r"open tickets|(list|show|which|what|any)\b.*\btickets?", everyday.list_tickets),
    Row("tickets?|complain|complaint", everyday.file_ticket),
    Row("search|find|look for|orders (for|with|of)", everyday.search),
    Row("unicode|scripts|languages", everyday.unicode, bad_day=True),
    Row("think|think about", everyday.think),
    Row("tell me about|tell me|explain|describe|markdown", everyday.tell_about),
    Row("my order|an order|the order|parcel|delivery", everyday.look_up),
    Row(
        "hi|hello|hey|hej|hallo|hola|bonjour|ciao|你好|こんにちは|привет",
        everyday.hello,
        bad_day=True,
    ),
)


def decide(situation: Situation) -> Answer:
    """The plan for this request. Equal situations give equal plans."""
    row = next((row for row in TABLE if row.fits(situation.text)), None)
    if row is not None and row.every_round:
        return row.act(situation)
    if situation.results:
        return tell(situation)
    if row is not None:
        return row.act(situation)
    # An order number says enough by itself, in whatever language the rest is written.
    return everyday.look_up(situation) if situation.order_ids else everyday.unknown(situation)
