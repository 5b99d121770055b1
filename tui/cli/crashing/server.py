"""A loopback server that streams known bytes and remembers when it sent each of them.

It answers by the last prompt: `quick N` at once; `work N` slowly, with a call of the tool `note`,
and after its result slowly again. Every request is checked to be legal: each call it holds has
its one result in the next message.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tui.cli.crashing.loopback import LoopbackServer

_PIECES = 25
_GAP = 0.015
"""Seconds between two events of a slow answer."""


@dataclass(slots=True)
class Sent:
    """One answer: its bytes and, for each write, (when, bytes so far, the same on the wire)."""

    body: bytearray = field(default_factory=bytearray)
    marks: list[tuple[float, int, int]] = field(default_factory=list)

    def before(self, moment: float) -> int:
        """How many bytes had been sent by `moment` (of the monotonic clock)."""
        return max((total for at, total, _ in self.marks if at <= moment), default=0)

    def without(self, unread: int) -> int:
        """How many bytes had been read when of all that was sent `unread` bytes had not."""
        wire = self.marks[-1][2] - unread if self.marks else 0
        return max((total for _, total, raw in self.marks if raw <= wire), default=0)


class KnownServer:
    """Serves on a free loopback port from construction to `close`."""

    def __init__(self) -> None:
        self.sent: dict[str, Sent] = {}
        self.illegal: list[str] = []
        self._asked: dict[str, int] = {}
        self._changed = threading.Condition()
        self._http = LoopbackServer(lambda handler, body: self._answer(handler, json.loads(body)))

    @property
    def base_url(self) -> str:
        return self._http.base_url

    def close(self) -> None:
        self._http.close()

    def arrived(self) -> dict[str, int]:
        """Message id → bytes of its answer that the client has read off its socket by now.

        What was sent and still waits in the client's socket has not arrived. Only Linux tells;
        elsewhere all that was sent counts.
        """
        counts = {id: (sent, len(sent.marks)) for id, sent in list(self.sent.items())}
        unread = _unread(self._http.port)
        return {
            id: Sent(sent.body, sent.marks[:count]).without(unread if id == newest else 0)
            for newest in [next(reversed(counts), "")]
            for id, (sent, count) in counts.items()
        }

    def wait_for(self, prompt: str, patience: float) -> bool:
        """Whether a request with `prompt` last came within `patience` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: prompt in self._asked, patience)

    def _answer(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        messages = request["messages"]
        self._check(messages)
        prompt, has_result = _last(messages)
        with self._changed:
            number = len(self.sent)
            sent = self.sent[f"msg_{number}"] = Sent()
            self._asked[prompt] = number
            self._changed.notify_all()
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        word, _, name = prompt.partition(" ")
        slow, wire = word == "work", 0
        for piece in _events(f"msg_{number}", name, slow=slow, calls=slow and not has_result):
            if slow:
                time.sleep(_GAP)
            framed = b"%x\r\n%s\r\n" % (len(piece), piece)
            sent.body += piece
            wire += len(framed)
            handler.wfile.write(framed)
            sent.marks.append((time.monotonic(), len(sent.body), wire))
        handler.wfile.write(b"0\r\n\r\n")

    def _check(self, messages: list[dict[str, Any]]) -> None:
        for number, message in enumerate(messages):
            ids = [block["id"] for block in _blocks(message, "tool_use")]
            following = messages[number + 1] if number + 1 < len(messages) else {}
            answered = [block["tool_use_id"] for block in _blocks(following, "tool_result")]
            if ids and sorted(ids) != sorted(answered):
                self.illegal.append(f"calls {ids} were sent back with results for {answered}")


def _unread(port: int) -> int:
    """Bytes that wait in the sockets of clients connected to `port` of 127.0.0.1.

    Columns of /proc/net/tcp: https://docs.kernel.org/networking/proc_net_tcp.html
    """
    try:
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return 0
    rows = [line.split() for line in lines]
    return sum(
        int(row[4].partition(":")[2], 16) for row in rows if row[2] == f"0100007F:{port:04X}"
    )


def _last(messages: list[dict[str, Any]]) -> tuple[str, bool]:
    """The newest prompt, and whether results came after it."""
    has_result = bool(_blocks(messages[-1], "tool_result"))
    for message in reversed(messages):
        texts = [block["text"] for block in _blocks(message, "text")]
        if message["role"] == "user" and texts:
            return texts[-1], has_result and message is not messages[-1]
        if message["role"] == "user" and isinstance(message["content"], str):
            return message["content"], has_result
    return "", has_result


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    return [b for b in content if b.get("type") == kind] if isinstance(content, list) else []


def _events(id: str, name: str, *, slow: bool, calls: bool) -> list[bytes]:
    words = [f"word{n} " for n in range(_PIECES)] if slow else [f"done-{name}"]
    usage = {"input_tokens": 1, "output_tokens": 1}
    made: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {"id": id, "model": "crash", "content": [], "usage": usage}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        *(
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}})
            for text in words
        ),
        ("content_block_stop", {"index": 0}),
    ]
    if calls:
        block = {"type": "tool_use", "id": f"toolu_{id}", "name": "note", "input": {}}
        made.append(("content_block_start", {"index": 1, "content_block": block}))
        made += [
            (
                "content_block_delta",
                {"index": 1, "delta": {"type": "input_json_delta", "partial_json": fragment}},
            )
            for fragment in ('{"li', 'ne": "', name, '"}')
        ]
        made.append(("content_block_stop", {"index": 1}))
    reason = "tool_use" if calls else "end_turn"
    made.append(("message_delta", {"delta": {"stop_reason": reason}, "usage": usage}))
    made.append(("message_stop", {}))
    return [
        f"event: {kind}\ndata: {json.dumps({'type': kind, **rest})}\n\n".encode()
        for kind, rest in made
    ]
