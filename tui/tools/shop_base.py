"""The demo shop's SQLite file: made once, seeded from `shop_data`, then asked and written.

A real file that tools really change: a ticket that a model creates is there tomorrow. Blocking;
`shop` calls it in a thread.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tui.core.errors import ToolError
from tui.tools.shop_data import CUSTOMERS, long_date, orders

VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,
                        city TEXT NOT NULL) STRICT;
CREATE TABLE orders (id TEXT PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers,
                     status TEXT NOT NULL, ordered_on TEXT NOT NULL, ordered_words TEXT NOT NULL,
                     carrier TEXT, tracking TEXT, arrives TEXT) STRICT;
CREATE TABLE lines (order_id TEXT NOT NULL REFERENCES orders, position INTEGER NOT NULL,
                    product TEXT NOT NULL, quantity INTEGER NOT NULL, price_cents INTEGER NOT NULL,
                    PRIMARY KEY (order_id, position)) STRICT;
CREATE TABLE tickets (id INTEGER PRIMARY KEY AUTOINCREMENT,
                      order_id TEXT NOT NULL REFERENCES orders, summary TEXT NOT NULL,
                      description TEXT NOT NULL, priority TEXT NOT NULL,
                      status TEXT NOT NULL DEFAULT 'open') STRICT;
"""
_FIRST_TICKET: Final = 301

Row = dict[str, Any]


class ShopBase:
    """The shop's data in one file. Each call opens and closes it: several programs may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def order(self, order_id: str) -> Row | None:
        """The order with its customer and lines; `order_id` in any case, spaces ignored."""
        wanted = order_id.strip().upper()
        with self._open() as base:
            row = base.execute(_ORDERS + " WHERE o.id = ?", (wanted,)).fetchone()
            return None if row is None else _order(base, row)

    def search(self, query: str, status: str | None, limit: int) -> tuple[list[Row], int]:
        """Orders whose number, customer, e-mail, city or a product contains every word, newest first.

        Returns:
            At most `limit` of them, and how many there are.
        """
        words = query.casefold().split()
        with self._open() as base:
            found = []
            for row in base.execute(_ORDERS + " ORDER BY o.ordered_on DESC, o.id DESC"):
                if status is not None and row["status"] != status:
                    continue
                order = _order(base, row)
                # In Python: SQLite's LIKE folds the case of ASCII letters only.
                text = " ".join(
                    [order["order_id"], *order["customer"].values()]
                    + [line["product"] for line in order["lines"]]
                ).casefold()
                if all(word in text for word in words):
                    found.append(order)
            return found[:limit], len(found)

    def order_ids_like(self, order_id: str) -> list[str]:
        """Up to three numbers that share their end with an unknown one."""
        digits = "".join(character for character in order_id if character.isdigit())[-2:]
        with self._open() as base:
            rows = base.execute(
                "SELECT id FROM orders WHERE id LIKE ? ORDER BY id LIMIT 3",
                (f"%{digits or '4471'}",),
            )
            return [row["id"] for row in rows]

    def add_ticket(self, order_id: str, summary: str, description: str, priority: str) -> int:
        """Open a ticket and return its number. The order must exist."""
        with self._open() as base, base:
            cursor = base.execute(
                "INSERT INTO tickets (order_id, summary, description, priority) VALUES (?, ?, ?, ?)",
                (order_id, summary, description, priority),
            )
            assert cursor.lastrowid is not None  # noqa: S101 - an INSERT has one
            return cursor.lastrowid

    def open_tickets(self) -> list[Row]:
        with self._open() as base:
            rows = base.execute(
                "SELECT id, order_id, summary, description, priority FROM tickets"
                " WHERE status = 'open' ORDER BY id"
            )
            return [
                {
                    "ticket": f"T-{row['id']}",
                    **{key: value for key, value in dict(row).items() if key != "id"},
                }
                for row in rows
            ]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # For its owner alone, as all that conversations leave behind.
            self.path.touch(mode=0o600)
            base = sqlite3.connect(self.path, timeout=10)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        try:
            base.row_factory = sqlite3.Row
            base.execute("PRAGMA foreign_keys = ON")
            _seed(base)
            yield base
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error
        finally:
            base.close()

    def _unusable(self, error: Exception) -> ToolError:
        return ToolError(
            f"the demo shop's file {self.path.name} cannot be used: {error}",
            hint=f"Delete {self.path}; it is made anew.",
        )


def _seed(base: sqlite3.Connection) -> None:
    if base.execute("PRAGMA user_version").fetchone()[0] >= VERSION:
        return
    base.execute("BEGIN IMMEDIATE")
    # Another program may have seeded it while this one waited for the lock.
    if base.execute("PRAGMA user_version").fetchone()[0] >= VERSION:
        base.execute("COMMIT")
        return
    # One statement at a time: executescript would commit before it begins.
    for statement in filter(str.strip, _SCHEMA.split(";")):
        base.execute(statement)
    base.executemany(
        "INSERT INTO customers VALUES (?, ?, ?, ?)",
        [(number, *customer) for number, customer in enumerate(CUSTOMERS)],
    )
    for order in orders():
        base.execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                order.id,
                order.customer,
                order.status,
                order.ordered_on.isoformat(),
                long_date(order.ordered_on),
                order.carrier,
                order.tracking,
                long_date(order.arrives_on) if order.arrives_on else None,
            ),
        )
        base.executemany(
            "INSERT INTO lines VALUES (?, ?, ?, ?, ?)",
            [
                (order.id, position, line.product, line.quantity, line.price_cents)
                for position, line in enumerate(order.lines)
            ],
        )
    base.execute("INSERT INTO sqlite_sequence VALUES ('tickets', ?)", (_FIRST_TICKET - 1,))
    base.execute(
        "INSERT INTO tickets (order_id, summary, description, priority) VALUES (?, ?, ?, ?)",
        ("A-4446", "Wrong size", "The customer asks for the jacket in L instead of M.", "normal"),
    )
    base.execute(f"PRAGMA user_version = {VERSION:d}")
    base.execute("COMMIT")


_ORDERS: Final = (
    "SELECT o.*, c.name, c.email, c.city FROM orders o JOIN customers c ON c.id = o.customer"
)


def _order(base: sqlite3.Connection, row: sqlite3.Row) -> Row:
    lines = base.execute("SELECT * FROM lines WHERE order_id = ? ORDER BY position", (row["id"],))
    listed = [
        {
            "product": line["product"],
            "quantity": line["quantity"],
            "price": f"{line['price_cents'] / 100:.2f} EUR",
        }
        for line in lines
    ]
    total = base.execute(
        "SELECT sum(quantity * price_cents) FROM lines WHERE order_id = ?", (row["id"],)
    ).fetchone()[0]
    return {
        "order_id": row["id"],
        "status": row["status"],
        "ordered": row["ordered_words"],
        "carrier": row["carrier"],
        "tracking": row["tracking"],
        "arrives": row["arrives"],
        "customer": {"name": row["name"], "email": row["email"], "city": row["city"]},
        "lines": listed,
        "total": f"{total / 100:.2f} EUR",
    }
