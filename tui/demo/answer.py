"""From a request body to everything the demo will send: head, chunks with their waits, the break.

Comes in: a dialect, a body, a seed. Goes out: an `Answer`, complete before the first byte leaves.
It knows no event loop; `source` and `server` play it. Equal arguments give equal bytes.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tui.core.errors import UsageError
from tui.core.source import ResponseHead
from tui.demo.pace import Chunk, Sent, chunks, seeded
from tui.demo.plan import HttpAnswer
from tui.demo.script import decide
from tui.demo.understand import parse, understand
from tui.demo.wire import Pen, Writer, anthropic, chat, compact, estimated_tokens, responses

BROKEN: Final = "the connection was closed in the middle of an event, as the demo was asked to do"


@dataclass(frozen=True, slots=True)
class _Wire:
    write: Writer
    error_body: Callable[[int, str], dict[str, Any]]
    request_id: str
    """The name of the response header that carries the request's id."""


_WIRES: Final[Mapping[str, _Wire]] = {
    "anthropic": _Wire(anthropic.write, anthropic.error_body, "request-id"),
    "openai-responses": _Wire(responses.write, chat.error_body, "x-request-id"),
    "openai-chat": _Wire(chat.write, chat.error_body, "x-request-id"),
}
DIALECTS: Final = tuple(_WIRES)


@dataclass(frozen=True, slots=True)
class Answer:
    head: ResponseHead
    chunks: tuple[Chunk, ...]
    broken: str = ""
    """Why the connection fails after the last chunk; empty when the body ends properly."""


def wire_of(dialect: str) -> _Wire:
    """What the demo knows of `dialect`.

    Raises:
        UsageError: it does not speak it.
    """
    try:
        return _WIRES[dialect]
    except KeyError:
        raise UsageError(
            f"the demo does not speak {dialect!r}", hint=f"choose one of: {', '.join(DIALECTS)}"
        ) from None


def answer(dialect: str, body: bytes, seed: int = 0) -> Answer:
    """All that the demo sends back for `body`.

    A body that is no JSON object is answered with status 400, as a provider would.

    Raises:
        UsageError: the demo does not speak `dialect`.
    """
    wire = wire_of(dialect)
    rng = seeded(seed, dialect, body.decode("utf-8", "surrogateescape"))
    try:
        request = parse(body)
        decided = decide(understand(dialect, request))
    except UsageError as error:
        request, decided = {}, HttpAnswer(400, str(error))
    pen = Pen(seed, rng, estimated_tokens(body.decode("utf-8", "replace")))
    headers = {wire.request_id: pen.id("req_"), "server": "verbatim-demo"}
    if isinstance(decided, HttpAnswer):
        return _no_stream(wire, decided, headers)
    events: Iterable[Sent] = wire.write(decided, pen, request)
    headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
    } | headers
    head = ResponseHead(200, tuple(headers.items()))
    if decided.end == "broken":
        events = _torn(events)
    cut = tuple(chunks(events, rng, decided.tempo))
    return Answer(head, cut, BROKEN if decided.end == "broken" else "")


def refusal(dialect: str, status: int, message: str) -> Answer:
    """An answer that is no stream, in the error shape of `dialect`."""
    return _no_stream(wire_of(dialect), HttpAnswer(status, message), {})


def _no_stream(wire: _Wire, decided: HttpAnswer, headers: Mapping[str, str]) -> Answer:
    kind = "text/html; charset=utf-8" if decided.page else "application/json"
    wait = {} if decided.retry_after is None else {"retry-after": str(decided.retry_after)}
    head = ResponseHead(decided.status, tuple({"content-type": kind, **wait, **headers}.items()))
    if decided.page:
        title = html.escape(decided.message)
        body = f"<!doctype html>\n<title>{title}</title>\n<h1>{title}</h1>\n"
    else:
        body = compact(wire.error_body(decided.status, decided.message))
    return Answer(head, (Chunk(0.0, body.encode()),))


def _torn(events: Iterable[Sent]) -> list[Sent]:
    """The events, the last of which stops in the middle."""
    listed = list(events)
    last = listed.pop()
    return [*listed, Sent(last.data[: len(last.data) * 2 // 3], last.beats)]
