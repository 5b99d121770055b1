"""The gate: what is a stream passes untouched, what is none becomes one error in words."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import shared
from tests.feeding import chunkings, every_byte, two_way_splits, whole
from tests.shared import WireCase, by_id, needs_shared
from tui.core.errors import EndpointError
from tui.core.response import BodyGate, is_retryable
from tui.core.source import ResponseHead

SSE = b'event: message_start\ndata: {"type":"message_start"}\n\n'


def head(status: int = 200, content_type: str | None = None, **more: str) -> ResponseHead:
    headers = [(name.replace("_", "-"), value) for name, value in more.items()]
    if content_type is not None:
        headers.append(("content-type", content_type))
    return ResponseHead(status, tuple(headers), request_url="https://api.example.com/v1/messages")


def run(
    response: ResponseHead | None, chunks: list[bytes], broken: str = ""
) -> tuple[bytes, tuple[str, str, int | None, bool] | None]:
    """What passes the gate, rest included, and the error as (message, hint, status, retryable)."""
    gate = BodyGate(response)
    passed = b"".join(gate.feed(chunk) for chunk in chunks)
    error = gate.close(broken)
    passed += gate.rest()
    if error is None:
        return passed, None
    return passed, (str(error), error.hint, error.status, error.retryable)


def refusal(response: ResponseHead | None, body: bytes, broken: str = "") -> EndpointError:
    gate = BodyGate(response)
    assert gate.feed(body) == b""
    error = gate.close(broken)
    assert error is not None
    assert gate.rest() == b""
    return error


STREAMS = {
    "event field": SSE,
    "data field": b"data: {}\n\n",
    "no space": b"data:{}\r\n\r\n",
    "comment": b": OPENROUTER PROCESSING\n\ndata: {}\n\n",
    "bare colon": b":\n\ndata: {}\n\n",
    "id": b"id: 1\ndata: {}\n\n",
    "retry": b"retry: 3000\n\n",
    "field without colon": b"data\n\n",
    "byte order mark": b"\xef\xbb\xbfdata: {}\n\n",
    "blank lines first": b"\r\n\n\n\ndata: {}\n\n",
    "cut inside the first field": b"dat",
    "cut after the first field's name": b"data",
    "cut inside the byte order mark": b"\xef\xbb",
}


@pytest.mark.parametrize("body", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize(
    "content_type",
    [
        "text/event-stream",
        "text/event-stream; charset=utf-8",
        None,
        "",
        "text/plain",
        "application/octet-stream",
        "application/json",
    ],
)
def test_a_stream_passes_untouched_whatever_it_is_called(
    content_type: str | None, body: bytes
) -> None:
    for chunks in (whole(body), every_byte(body), *two_way_splits(body)):
        assert run(head(200, content_type), chunks) == (body, None)


def test_a_stream_flows_from_its_first_field_on() -> None:
    gate = BodyGate(head(200, "text/event-stream"))
    assert [gate.feed(b"dat"), gate.feed(b"a:"), gate.feed(b" 1")] == [b"", b"data:", b" 1"]


@pytest.mark.parametrize("body", [b"x-vendor: 1\ndata: {}\n\n", b"\xff\xfe\n", b"database: 1\n"])
def test_of_unknown_first_bytes_the_promise_decides(body: bytes) -> None:
    for chunks in (whole(body), every_byte(body)):
        assert run(head(200, "text/event-stream"), chunks) == (body, None)
        assert run(None, chunks) == (body, None)
        passed, error = run(head(200, "text/plain"), chunks)
        assert passed == b""
        assert error is not None
        assert error[0].startswith("the endpoint answered with 'text/plain' instead of an event")


WORDS = {
    "anthropic": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        "overloaded_error: Overloaded",
    ),
    "openai": (
        {"error": {"message": "Bad key", "type": "invalid_request_error", "code": "bad_key"}},
        "invalid_request_error: Bad key",
    ),
    "llama.cpp: number as code": (
        {"error": {"code": 400, "message": "no messages", "type": "invalid_request_error"}},
        "invalid_request_error: no messages",
    ),
    "code null": ({"error": {"message": "m", "type": None, "code": None}}, "m"),
    "ollama": ({"error": "model 'x' not found"}, "model 'x' not found"),
    "xai": ({"code": "Not found", "error": "no such model"}, "Not found: no such model"),
    "message": ({"message": "Forbidden"}, "Forbidden"),
    "azure gateway": ({"statusCode": 401, "message": "Access denied"}, "Access denied"),
    "azure": (
        {"error": {"code": "DeploymentNotFound", "message": "No deployment."}},
        "DeploymentNotFound: No deployment.",
    ),
    "detail": ({"detail": "context window exceeded"}, "context window exceeded"),
    "fastapi": (
        {"detail": [{"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}]},
        "body.messages.0: Field required",
    ),
    "mistral": (
        {"object": "error", "message": {"detail": [{"loc": ["body", "x"], "msg": "Extra"}]}},
        "body.x: Extra",
    ),
    "google, a list": (
        [{"error": {"code": 404, "message": "No model", "status": "NOT_FOUND"}}],
        "NOT_FOUND: No model",
    ),
    "cloudflare": ({"success": False, "errors": [{"code": 10000, "message": "Auth"}]}, "Auth"),
    "problem+json": (
        {"type": "about:blank", "title": "Not Found", "detail": "No route"},
        "No route",
    ),
    "openrouter": (
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error":{"message":"too long"}}', "provider_name": "X"},
            }
        },
        "Provider returned error (too long)",
    ),
    "tgi": ({"error": "overloaded", "error_type": "overloaded"}, "overloaded"),
    "json string": ("nope", "nope"),
    "an unknown shape stays itself": ({"oops": {"why": 1}}, '{"oops": {"why": 1}}'),
}


@pytest.mark.parametrize(("value", "words"), WORDS.values(), ids=WORDS)
def test_the_servers_own_words_are_found_in_every_shape_of_error(value: object, words: str) -> None:
    error = refusal(head(400, "application/json"), json.dumps(value).encode())
    assert str(error) == f"the endpoint answered 400 (bad request): {words}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"upstream connect error", "upstream connect error"),
        (
            b"<html><head><title>502 Bad\n Gateway</title></head><h1>x</h1></html>",
            "502 Bad Gateway",
        ),
        (b"<!doctype html><body><h1 class=a>Sorry &amp; bye</h1></body>", "Sorry & bye"),
        (b"<p>no <b>heading</b></p>", "no heading"),
        (b"event: error\ndata: " + json.dumps(WORDS["anthropic"][0]).encode() + b"\n\n",
         "overloaded_error: Overloaded"),
        (b"data: slow down\n\ndata: [DONE]\n\n", "slow down"),
        (b'{"error":"first"}\n{"error":"second"}\n', "first"),
        (b'{"error":{"message":"cut', '{"error":{"message":"cut'),
        (b"\xef\xbb\xbf" + b'{"message":"marked"}', "marked"),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
        (b'{"message":"\\ud83d half"}', "\N{REPLACEMENT CHARACTER} half"),
        (b'{"message":"a\\u001b[2Jb\\u202ec\\nd"}', "a\ufffd[2Jb\ufffdc d"),
        (b"x" * 5_000, "x" * 2_000 + " …"),
    ],
)  # fmt: skip
def test_error_bodies_that_are_not_json_speak_too_and_cannot_touch_the_terminal(
    body: bytes, words: str
) -> None:
    error = refusal(head(502, "text/event-stream"), body)
    assert str(error) == f"the endpoint answered 502 (bad gateway): {words}"


HINTS = [
    (401, {}, "did not accept the key"),
    (402, {}, "no credit"),
    (403, {}, "not allowed"),
    (404, {}, "(asked: https://api.example.com/v1/messages)"),
    (405, {}, "base URL"),
    (413, {}, "too long"),
    (422, {}, "the dialect"),
    (418, {}, "does not accept this request"),
    (429, {}, "wait a little"),
    (429, {"retry-after": "7"}, "asks to wait 7 s"),
    (429, {"retry-after-ms": "300"}, "asks to wait 300 ms"),
    (429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, "wait until Wed, 21 Oct 2026"),
    (500, {}, "try again"),
    (502, {}, "gateway"),
    (503, {"retry-after": "20"}, "wait 20 s"),
    (504, {}, "gave up waiting"),
    (520, {}, "try again"),
    (529, {}, "overloaded"),
]


@pytest.mark.parametrize(("status", "headers", "hint"), HINTS)
def test_the_hint_says_what_to_do_about_the_status(
    status: int, headers: dict[str, str], hint: str
) -> None:
    error = refusal(
        ResponseHead(
            status, tuple(headers.items()), request_url="https://api.example.com/v1/messages"
        ),
        b"why",
    )
    assert hint in error.hint
    assert error.status == status
    assert error.retryable == is_retryable(status)


def test_a_404_below_a_base_url_without_v1_asks_whether_it_is_missing() -> None:
    lost = ResponseHead(404, request_url="http://127.0.0.1:8080/chat/completions")
    assert "may need /v1" in refusal(lost, b"").hint
    assert "may need /v1" not in refusal(head(404), b"").hint


def test_a_429_for_want_of_credit_is_not_worth_retrying() -> None:
    body = b'{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}'
    error = refusal(head(429), body)
    assert (error.retryable, error.hint) == (False, "the account behind the key has no credit left")


def test_which_statuses_may_succeed_later() -> None:
    assert [status for status in range(100, 600) if is_retryable(status)] == [
        408, 409, 425, 429, 500, 502, 503, 504, *range(506, 600),
    ]  # fmt: skip


@pytest.mark.parametrize("body", [b"", b"<html>moved</html>", SSE])
def test_a_redirect_names_its_target_and_is_not_followed(body: bytes) -> None:
    error = refusal(head(307, location="https://login.example.com/"), body)
    assert "redirects to https://login.example.com/ (status 307)" in str(error)
    assert "base URL" in error.hint


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", None])
def test_json_with_status_200_is_an_error_with_its_words(content_type: str | None) -> None:
    error = refusal(head(200, content_type), b' \n{"error":"no such endpoint"}')
    assert (
        str(error) == "the endpoint answered with JSON instead of an event stream: no such endpoint"
    )


@pytest.mark.parametrize("content_type", ["text/event-stream", None])
def test_what_only_begins_like_json_is_not_called_json(content_type: str | None) -> None:
    error = refusal(head(200, content_type), b"{malformed json: <<<chaos>>>")
    assert str(error).startswith("the endpoint answered with something instead of an event stream")
    assert "chaos" in str(error)


def test_json_lines_and_web_pages_are_named() -> None:
    lines = refusal(head(200, "application/x-ndjson"), b'{"message":{"content":"Hi"}}\n{"a":1}\n')
    assert "JSON lines (application/x-ndjson)" in str(lines)
    assert "/v1" in lines.hint
    page = refusal(head(200, "text/html"), b"<html><title>Sign in</title>")
    assert str(page) == (
        "the endpoint answered with a web page instead of an event stream: Sign in"
    )


@pytest.mark.parametrize("body", [b"", b"\n\n \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("response", [head(200, "text/event-stream"), head(204), None])
def test_an_empty_body_is_an_error(response: ResponseHead | None, body: bytes) -> None:
    error = refusal(response, body)
    assert "with an empty body" in str(error)
    assert error.retryable


def test_a_body_that_broke_before_its_first_byte_is_not_called_empty() -> None:
    assert run(head(200, "text/event-stream"), [], broken="reset") == (b"", None)


def test_an_error_body_that_broke_off_says_so() -> None:
    error = refusal(head(500), b"half a mess", broken="the connection was reset")
    assert str(error).endswith("half a mess [the answer broke off: the connection was reset]")


def test_no_more_than_64_kib_of_an_error_body_is_kept() -> None:
    gate = BodyGate(head(500))
    for _ in range(40):
        gate.feed(b"x" * 4_096)
    assert len(gate.collected) == 65_536


BODIES = [
    *STREAMS.values(),
    b'{"error":{"message":"a"}}',
    b"<html>x</html>",
    b"\xef\xbb\xbf {",
    b"  plain",
    b"evento: 1",
    b"",
]


@given(st.data())
def test_chunks_mean_nothing(data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(BODIES))
    response = data.draw(
        st.sampled_from([None, head(200), head(200, "text/event-stream"), head(429, "text/html")])
    )
    assert run(response, data.draw(chunkings(body))) == run(response, whole(body))


@needs_shared
@pytest.mark.parametrize(
    "case", [case for case in shared.cases() if not case.spec.get("content_encoding")], ids=by_id
)
def test_every_wire_case_is_judged_right_in_every_cut(case: WireCase) -> None:
    response = head(case.spec["status"], case.spec["content_type"])
    body = case.read()
    refused = case.id.startswith("http-")
    for chunks in (whole(body), every_byte(body), *two_way_splits(body, limit=50)):
        passed, error = run(response, chunks)
        assert (passed, error is not None) == ((b"", True) if refused else (body, False))


@needs_shared
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("http-200-json-wrong-endpoint", "no such endpoint"),
        ("http-400-json-error-body", "context window exceeded"),
        ("http-429-error-body-in-event-stream", "rate_limit_error: slow down"),
    ],
)
def test_the_words_of_error_cases_reach_the_user(name: str, words: str) -> None:
    (case,) = [case for case in shared.cases() if case.id == name]
    response = head(case.spec["status"], case.spec["content_type"])
    assert str(refusal(response, case.read())).endswith(f": {words}")


def recorded_answers() -> list[tuple[Path, ResponseHead]]:
    """Answers recorded from servers on loopback that were no streams or were given as faults."""
    return [
        (path, recorded_head(path.with_suffix(".headers")))
        for pattern in ("*http[0-9]*.sse", "*bad-request.json", "*nonstream.json")
        for path in sorted((shared.ROOT / "streams-local").glob(pattern))
    ]


def recorded_head(path: Path) -> ResponseHead:
    status, *lines = path.read_text(encoding="utf-8").strip().splitlines()
    headers = [line.partition(":") for line in lines]
    return ResponseHead(
        int(status.split()[1]), tuple((name.lower(), value.strip()) for name, _, value in headers)
    )


@needs_shared
@pytest.mark.parametrize(
    ("path", "response"), recorded_answers(), ids=[path.stem for path, _ in recorded_answers()]
)
def test_recorded_faults_carry_the_servers_words(path: Path, response: ResponseHead) -> None:
    body = path.read_bytes()
    passed, error = run(response, whole(body))
    assert run(response, every_byte(body)) == (passed, error)
    if (response.header("content-type") or "").startswith("text/event-stream"):
        assert (passed, error) == (body, None)
        return
    assert passed == b""
    assert error is not None
    value = json.loads(body)
    if value.get("error"):
        assert error[0].endswith(value["error"]["message"])
    if response.status == 429:
        assert "wait 2 s" in error[1]
