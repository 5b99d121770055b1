"""The demo shop's orders: everyday goods, people with names from everywhere, always the same.

Everything is derived from fixed tables by counting, so that two installations, two runs and the
documentation show the same orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

Status = Literal["processing", "shipped", "delivered", "cancelled", "returned"]
STATUSES: Final[tuple[Status, ...]] = (
    "processing",
    "shipped",
    "delivered",
    "cancelled",
    "returned",
)

CUSTOMERS: Final = (
    ("Zoë Brännström", "zoe.b@example.com", "Göteborg"),
    ("José Ángel Muñoz", "ja.munoz@example.com", "Sevilla"),
    ("Nguyễn Thị Lan", "lan.nguyen@example.com", "Đà Nẵng"),
    ("佐藤 美咲", "misaki.sato@example.com", "札幌市"),
    ("Łukasz Wójcik", "lwojcik@example.com", "Wrocław"),
    ("Amira Haddad", "amira.h@example.com", "Lyon"),
    ("Tom O'Brien", "tom.obrien@example.com", "Cork"),
    ("Ивана Петровић", "ivana.p@example.com", "Нови Сад"),
    ("Björk Jónsdóttir", "bjork.j@example.com", "Akureyri"),
    ("Grace Mwangi", "grace.m@example.com", "Nairobi"),
    ("Şule Yıldız", "sule.y@example.com", "İzmir"),  # noqa: RUF001 - Turkish
    ("Hannah Müller", "hannah.m@example.com", "Köln"),
)

PRODUCTS: Final = (
    ("Moka pot, 6 cups", 3490),
    ("Linen tea towel, set of 3", 1850),
    ("Bicycle bell, brass", 1290),
    ("Desk lamp, warm white", 5900),
    ("Wool socks, size 42", 1490),
    ("Rain jacket, blue, M", 8900),
    ("Notebook, A5, dotted", 950),
    ("Cast-iron pan, 26 cm", 4590),
    ("Running shoes, size 39", 11900),
    ("Bluetooth speaker, green", 7900),
    ("Chess set, walnut", 6400),
    ("Herb seeds, basil and dill", 680),
    ("Umbrella, compact", 2290),
)
"""Name and price in cents (EUR)."""

CARRIERS: Final = ("DHL", "UPS", "DPD", "PostNord")
_FIRST: Final = 4440
_COUNT: Final = 41
_FIRST_DAY: Final = date(2026, 10, 28)


@dataclass(frozen=True, slots=True)
class Line:
    product: str
    quantity: int
    price_cents: int
    """Of one piece."""


@dataclass(frozen=True, slots=True)
class Order:
    id: str
    customer: int
    """Index in `CUSTOMERS`."""
    status: Status
    ordered_on: date
    carrier: str | None
    tracking: str | None
    arrives_on: date | None
    """Expected, or when delivered or returned the day it arrived; None before it is shipped."""
    lines: tuple[Line, ...]


def orders() -> Iterator[Order]:
    """All orders by number. A-4471 is the one the demo talks about."""
    for index in range(_COUNT):
        number = _FIRST + index
        yield _the_order() if number == 4471 else _order(index, number)


def _the_order() -> Order:
    return Order(
        id="A-4471",
        customer=0,
        status="shipped",
        ordered_on=date(2026, 11, 27),
        carrier="DHL",
        tracking="JD014600004471",
        arrives_on=date(2026, 12, 3),
        lines=(Line("Moka pot, 6 cups", 1, 3490), Line("Linen tea towel, set of 3", 2, 1850)),
    )


def _order(index: int, number: int) -> Order:
    day = _FIRST_DAY + timedelta(days=index * 31 // _COUNT)
    status: Status = "delivered"
    if index % 11 == 4:
        status = "cancelled"
    elif index % 13 == 6:
        status = "returned"
    elif index >= 35:
        status = "processing"
    elif index >= 27:
        status = "shipped"
    sent = status in ("shipped", "delivered", "returned")
    products = [PRODUCTS[(index * 5 + step * 4) % len(PRODUCTS)] for step in range(1 + index % 3)]
    return Order(
        id=f"A-{number}",
        customer=index % len(CUSTOMERS),
        status=status,
        ordered_on=day,
        carrier=CARRIERS[index % len(CARRIERS)] if sent else None,
        tracking=f"{index % 7 + 1}Z{number * 7919 % 10**9:09}" if sent else None,
        arrives_on=day + timedelta(days=3 + index % 4) if sent else None,
        lines=tuple(
            Line(name, 1 + (index + step) % 2, cents) for step, (name, cents) in enumerate(products)
        ),
    )


def long_date(day: date) -> str:
    """As a person would say it: `3 December 2026`."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
