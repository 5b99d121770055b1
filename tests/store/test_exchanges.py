from __future__ import annotations

from pathlib import Path

from tests.store.making import begin_exchange, new_call
from tui.store import Store


def test_chunks_come_back_as_they_arrived_with_their_times(store: Store) -> None:
    conversation = store.create_conversation()
    one, two = begin_exchange(store, conversation), begin_exchange(store, conversation)
    arrived = [(index / 8, bytes([index % 256]) * (index % 5 + 1)) for index in range(1_000)]
    for at, data in arrived:
        store.append_chunk(one, at, data)
        store.append_chunk(two, at, data[::-1] + b"!")
    assert store.chunks(one) == arrived
    assert store.chunks(two) == [(at, data + b"!") for at, data in arrived]
    assert store.chunks("none") == []


def test_bytes_that_the_caller_changes_later_are_stored_as_they_were(store: Store) -> None:
    exchange = begin_exchange(store, store.create_conversation())
    buffer = bytearray(b"before")
    store.append_chunk(exchange, 0.0, memoryview(buffer))  # type: ignore[arg-type]
    buffer[:] = b"after!"
    assert store.chunks(exchange) == [(0.0, b"before")]


def test_an_exchange_tells_request_head_and_ending(store: Store) -> None:
    conversation = store.create_conversation()
    exchange = store.begin_exchange(
        conversation,
        dialect="openai-chat",
        endpoint="work",
        url="https://api.example.com/v1/chat/completions",
        request_headers=[("Content-Type", "application/json")],
        request_body=b'{"model":"m"}' * 500,
        tools="[1]",
        started=12.5,
    )
    opened = store.exchange(exchange)
    assert (opened.ending, opened.status, opened.ended, opened.message) == (
        "open",
        None,
        None,
        None,
    )
    assert [e.id for e in store.open_exchanges()] == [exchange]
    store.note_head(exchange, 200, [("x-b", "2"), ("x-a", "1")])
    store.end_exchange(exchange, "broken", "the connection closed")
    ended = store.exchange(exchange)
    assert ended.request_body == b'{"model":"m"}' * 500
    assert ended.request_headers == (("Content-Type", "application/json"),)
    assert ended.response_headers == (("x-b", "2"), ("x-a", "1"))
    assert (ended.status, ended.ending, ended.problem) == (200, "broken", "the connection closed")
    assert (ended.started, ended.tools, ended.lost) == (12.5, "[1]", 0)
    assert ended.url == "https://api.example.com/v1/chat/completions"
    assert store.open_exchanges() == []
    assert [e.id for e in store.exchanges(conversation)] == [exchange]


def test_a_message_and_its_exchange_know_each_other(store: Store) -> None:
    conversation = store.create_conversation()
    exchange = begin_exchange(store, conversation)
    message = store.add_message(
        conversation,
        parent=None,
        role="assistant",
        body="{}",
        exchange=exchange,
        calls=[new_call()],
    )
    assert store.exchange(exchange).message == message
    assert store.message(message).exchange == exchange
    assert [call.exchange for call in store.calls(conversation)] == [exchange]


def test_no_secret_reaches_any_file_of_the_store(path: Path) -> None:
    key = "sk-test-0123456789abcdef"
    with Store.open(path) as store:
        conversation = store.create_conversation(title="Trip")
        exchange = store.begin_exchange(
            conversation,
            dialect="anthropic",
            endpoint="work",
            url=f"https://user:{key}@api.example.com/v1?api_key={key}&alt=sse&token={key}#x",
            request_headers=[
                ("Authorization", f"Bearer {key}"),
                ("X-API-Key", key),
                ("x-goog-api-key", key),
                ("api-key", key),
                ("Proxy-Authorization", key),
                ("Cookie", key),
                ("X-Amz-Security-Token", key),
                ("anthropic-version", "2023-06-01"),
            ],
        )
        store.note_head(
            exchange,
            200,
            [("set-cookie", f"session={key}"), ("x-ratelimit-limit-tokens", "8000")],
            url=f"https://api.example.com/v1?key={key}",
        )
        stored = store.exchange(exchange)
        assert stored.url == "https://api.example.com/v1?key=***"
        assert stored.request_headers[0] == ("Authorization", "***")
        assert stored.request_headers[-1] == ("anthropic-version", "2023-06-01")
        assert stored.response_headers == (
            ("set-cookie", "***"),
            ("x-ratelimit-limit-tokens", "8000"),
        )
        files = [file for file in path.parent.rglob("*") if file.is_file()]
        assert {file.name for file in files} >= {path.name, f"{path.name}-wal"}
        assert not [file for file in files if key.encode() in file.read_bytes()]
