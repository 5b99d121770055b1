"""Recording what passes through, and nothing of it changed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.wire import SSE_HEAD, Reply, ScriptedSource
from tui.core.errors import EndpointError, StreamBroken
from tui.core.source import WireRequest
from tui.recording.recorder import RecordingSource

REQUEST = WireRequest("anthropic", "/v1/messages", b'{"model":"m"}', (("x", "y"),))


def recording(*replies: Reply) -> RecordingSource:
    ticks = iter(range(100))
    return RecordingSource(
        ScriptedSource(list(replies)),
        endpoint="here",
        model="m",
        clock=lambda: float(next(ticks)),
        now=lambda: datetime(2026, 11, 30, tzinfo=UTC),
    )


async def drained(source: RecordingSource) -> list[bytes]:
    async with source.open(REQUEST) as response:
        return [chunk async for chunk in response.chunks()]


async def test_a_recording_holds_the_bytes_their_times_and_both_heads() -> None:
    source = recording(Reply([b"ab", b"c"]))
    assert await drained(source) == [b"ab", b"c"]
    (kept,) = source.recordings
    assert (kept.body, kept.chunks) == (b"abc", ((2, 1.0), (3, 2.0)))
    assert (kept.ending, kept.problem) == ("complete", "")
    assert (kept.head, kept.request_body, kept.request_headers) == (
        SSE_HEAD,
        REQUEST.body,
        REQUEST.headers,
    )
    assert (kept.dialect, kept.endpoint, kept.model) == ("anthropic", "here", "m")
    assert kept.recorded_at == "2026-11-30T00:00:00.000+00:00"


async def test_a_broken_stream_is_recorded_as_broken() -> None:
    source = recording(Reply([b"ab"], breaks=StreamBroken("reset")))
    with pytest.raises(StreamBroken):
        await drained(source)
    assert (source.recordings[0].ending, source.recordings[0].problem) == ("broken", "reset")


async def test_a_reader_that_goes_away_leaves_a_recording_of_what_came() -> None:
    source = recording(Reply([b"ab", b"c"]))
    async with source.open(REQUEST) as response:
        chunks = response.chunks()
        await anext(chunks)
        await chunks.aclose()  # type: ignore[attr-defined]
    assert (source.recordings[0].body, source.recordings[0].ending) == (b"ab", "cancelled")


async def test_no_response_leaves_no_recording() -> None:
    source = recording(Reply([], refused=EndpointError("nobody there")))
    with pytest.raises(EndpointError):
        await drained(source)
    assert source.recordings == []
