"""Writes `vN.sql`: a store of the current version as a script, run when a version is released.

`python -m tests.store.schemas.make` prints it. The file of an old version is never made again.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path

from tests.store.making import begin_exchange, new_call, new_result
from tui.store import Edit, Store
from tui.store.schema import TABLES, version_of

HALF = "\ud83d"


def fill(store: Store) -> None:
    """One row or more in every table, odd values among them."""
    conversation = store.create_conversation(
        title="Trip to Ōsaka", endpoint="work", dialect="anthropic", model="m", tags=["travel"]
    )
    exchange = begin_exchange(store, conversation)
    store.append_chunk(exchange, 0.25, b"event: ping\n")
    store.append_chunk(exchange, 0.5, b"\x00\xff")
    store.note_head(exchange, 200, [("content-type", "text/event-stream")])
    store.end_exchange(exchange, "complete")
    first = store.add_message(
        conversation, parent=None, role="user", body='{"text":"hi"}', plain="weather please"
    )
    store.add_message(
        conversation,
        parent=first,
        role="assistant",
        body="{}",
        exchange=exchange,
        calls=[new_call(raw='{"city":"' + HALF + '"}')],
    )
    edit = Edit('{"city":"' + HALF + 'saka"}', "edited")
    store.begin_dispatch(conversation, "t1.c1", policy="person", edit=edit)
    store.end_dispatch(conversation, "t1.c1", "returned", result=new_result())
    store.count_findings("work", "no-marker", 3)


def script_of(path: Path) -> str:
    """The closed store at `path` as SQL. The search index is left to its triggers."""
    connection = sqlite3.connect(path)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    lines = [
        f"PRAGMA application_id = {application};",
        f"PRAGMA user_version = {version_of(connection)};",
    ]
    lines += [
        f"{sql};"
        for (sql,) in connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%'"
            " ESCAPE '\\' AND name NOT LIKE 'texts\\_index\\_%' ESCAPE '\\' ORDER BY rowid"
        )
    ]
    for table in TABLES:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        values = " || ', ' || ".join(f"quote({column})" for column in columns)
        lines += [
            f"INSERT INTO {table}({', '.join(columns)}) VALUES ({row});"
            for (row,) in connection.execute(f"SELECT {values} FROM {table}")
        ]
    connection.close()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verbatim.db"
        with Store.open(path) as store:
            fill(store)
        sys.stdout.write(script_of(path))
