"""The recorder: a byte source around another one, which keeps what passes through.

What it gives on is untouched. Each exchange becomes a `Recording` when its response is over,
however it ends; a response that never came leaves none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from time import monotonic

from tui.core.errors import EndpointError
from tui.core.source import ByteSource, OpenResponse, ResponseHead, WireRequest
from tui.recording.format import Ending, Recording


class RecordingSource:
    """Records everything asked of `inner`.

    Args:
        endpoint, model: words for the sidecar.
        clock: seconds, only differences count.
        now: the time of day, in UTC.
    """

    def __init__(
        self,
        inner: ByteSource,
        *,
        endpoint: str = "",
        model: str = "",
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._inner = inner
        self._endpoint = endpoint
        self._model = model
        self._clock = clock
        self._now = now
        self.recordings: list[Recording] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[OpenResponse]:
        """See `ByteSource`."""
        started, began = self._now(), self._clock()
        async with self._inner.open(request) as response:
            tapped = _Tapped(response, lambda: self._clock() - began)
            try:
                yield tapped
            finally:
                self.recordings.append(self._recording(request, tapped, started))

    def _recording(self, request: WireRequest, tapped: _Tapped, started: datetime) -> Recording:
        head = tapped.head
        return Recording(
            bytes(tapped.body),
            chunks=tuple(tapped.arrivals),
            dialect=request.dialect,
            endpoint=self._endpoint or self.name,
            model=self._model,
            recorded_at=started.isoformat(timespec="milliseconds"),
            request_url=head.request_url or request.path,
            request_headers=head.request_headers or request.headers,
            request_body=request.body,
            head=head,
            ending=tapped.ending,
            problem=tapped.problem,
        )


class _Tapped:
    def __init__(self, response: OpenResponse, elapsed: Callable[[], float]) -> None:
        self._response = response
        self._elapsed = elapsed
        self.body = bytearray()
        self.arrivals: list[tuple[int, float]] = []
        # Until the transport says that the body is complete, it is not.
        self.ending: Ending = "cancelled"
        self.problem = "the reader went away before the body was complete"

    @property
    def head(self) -> ResponseHead:
        return self._response.head

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._response.chunks():
                self.body += data
                self.arrivals.append((len(self.body), self._elapsed()))
                yield data
        except EndpointError as error:
            self.ending, self.problem = "broken", str(error)
            raise
        self.ending, self.problem = "complete", ""
