"""The demo shop works on a real file, always begins the same, and keeps what it is told."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.tools.calls import final_call
from tui.core.finalise import Invalid, finalise
from tui.core.states import CallState
from tui.tools.dispatcher import Dispatcher, Outcome
from tui.tools.registry import Registry
from tui.tools.shop import shop


async def _run(folder: Path, name: str, arguments: Any = None) -> Outcome:
    registry = Registry([shop(folder)])
    call = final_call(name, arguments, tools=registry.specs_by_name)
    return await Dispatcher(registry).run(call)


async def _json(folder: Path, name: str, arguments: Any = None) -> Any:
    outcome = await _run(folder, name, arguments)
    assert outcome.state is CallState.RETURNED, outcome.result.text
    return json.loads(outcome.result.text)


async def test_the_order_of_the_demo_was_shipped_with_dhl(tmp_path: Path) -> None:
    order = await _json(tmp_path / "data", "lookup_order", {"order_id": "A-4471"})
    assert order["status"] == "shipped"
    assert order["carrier"] == "DHL"
    assert order["arrives"] == "3 December 2026"
    assert order["customer"]["name"] == "Zoë Brännström"
    assert order["total"] == "71.90 EUR"


async def test_an_order_number_may_be_written_carelessly(tmp_path: Path) -> None:
    assert (await _json(tmp_path, "lookup_order", {"order_id": " a-4471 "}))["status"] == "shipped"


@pytest.mark.parametrize("name", ["lookup_order", "create_ticket"])
async def test_an_unknown_order_is_an_error_the_model_can_act_on(tmp_path: Path, name: str) -> None:
    arguments = {"order_id": "B-71"}
    if name == "create_ticket":
        arguments |= {"summary": "s", "description": "d", "priority": "low"}
    outcome = await _run(tmp_path, name, arguments)
    assert outcome.state is CallState.FAILED
    assert "There is no order 'B-71'" in outcome.result.text
    assert "A-4471" in outcome.result.text


async def test_two_installations_show_the_same_orders(tmp_path: Path) -> None:
    query = {"query": "", "limit": 50}
    one = await _json(tmp_path / "one", "search_orders", query)
    two = await _json(tmp_path / "two", "search_orders", query)
    assert one == two
    assert one["found"] == 41
    assert {order["status"] for order in one["orders"]} == {
        "processing",
        "shipped",
        "delivered",
        "cancelled",
        "returned",
    }


async def test_a_search_folds_the_case_of_every_script(tmp_path: Path) -> None:
    found = await _json(tmp_path, "search_orders", {"query": "GÖTEBORG moka", "status": "shipped"})
    assert [order["order_id"] for order in found["orders"]] == ["A-4471"]
    assert (await _json(tmp_path, "search_orders", {"query": "ИВАНА"}))["found"] > 0


async def test_a_search_says_how_many_it_did_not_show(tmp_path: Path) -> None:
    found = await _json(tmp_path, "search_orders", {"query": "", "limit": 2.0})
    assert (found["found"], found["shown"], len(found["orders"])) == (41, 2, 2)


async def test_a_ticket_is_still_there_when_the_program_is_started_again(tmp_path: Path) -> None:
    words = {"summary": "Kaputt 💔", "description": "Line one\nLine two", "priority": "high"}
    ticket = await _json(tmp_path, "create_ticket", {"order_id": "a-4471", **words})
    listed = await _json(tmp_path, "list_open_tickets")
    assert ticket == {"ticket": "T-302", "order_id": "A-4471", "status": "open"}
    assert listed["tickets"][-1] == {"ticket": "T-302", "order_id": "A-4471", **words}


async def test_several_programs_may_make_the_file_at_the_same_time(tmp_path: Path) -> None:
    found = await asyncio.gather(
        *(_json(tmp_path, "search_orders", {"query": ""}) for _ in range(4))
    )
    assert [answer["found"] for answer in found] == [41] * 4


async def test_a_file_that_is_no_database_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "demo-shop.sqlite3").write_bytes(b"not a database" * 100)
    outcome = await _run(tmp_path, "list_open_tickets")
    assert outcome.state is CallState.FAILED
    assert "demo-shop.sqlite3 cannot be used" in outcome.result.text


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("lookup_order", "{}"),
        ("lookup_order", '{"order_id": 4471}'),
        ("lookup_order", '{"order_id": "A-4471", "verbose": true}'),
        ("search_orders", '{"query": "x", "status": "lost"}'),
        ("search_orders", '{"query": "x", "limit": 0}'),
        ("create_ticket", '{"order_id": "A-4471", "summary": "s"}'),
        ("list_open_tickets", '{"all": true}'),
    ],
)
def test_the_schemas_are_strict(tmp_path: Path, name: str, raw: str) -> None:
    tools = Registry([shop(tmp_path)]).specs_by_name
    call = finalise(ref="c", id=None, name=name, raw=raw, kind="function", tools=tools)
    assert isinstance(call, Invalid)


def test_only_the_ticket_changes_something(tmp_path: Path) -> None:
    specs = Registry([shop(tmp_path)]).specs()
    assert [spec.name for spec in specs if not spec.read_only] == ["create_ticket"]
    assert not any(tmp_path.iterdir()), "offering the tools touches nothing"


async def test_what_the_shop_is_told_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        await _json(tmp_path / "data", "lookup_order", {"order_id": "A-4471"})
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "data").iterdir() if path.is_file()]
    assert files
    assert [oct(path.stat().st_mode & 0o777) for path in files] == ["0o600"] * len(files)
