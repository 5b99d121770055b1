"""The demo as a byte source: what the session talks to when nothing is configured.

A request goes in, paced chunks come out, through the same seam as a real provider's; everything
behind the bytes is the production path. No key, no network. What to send is `answer`'s business.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from tui.core.errors import EndpointError, StreamBroken
from tui.core.source import ResponseHead, WireRequest
from tui.demo.answer import Answer, answer, wire_of
from tui.demo.pace import Sleep, check_speed, play

NAME: Final = "demo (scripted, no model)"


class DemoResponse:
    """One answer, being played. The chunks can be taken once."""

    def __init__(self, planned: Answer, head: ResponseHead, speed: float, sleep: Sleep) -> None:
        self.head = head
        self._planned = planned
        self._speed = speed
        self._sleep = sleep

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body in time.

        Raises:
            StreamBroken: the request asked for a broken connection.
        """
        async for data in play(self._planned.chunks, self._speed, self._sleep):
            yield data
        if self._planned.broken:
            raise StreamBroken(
                f"the stream broke: {self._planned.broken}",
                hint="nothing of the unfinished call is run; send the message again to go on",
            )


class DemoSource:
    """The scripted model. It speaks `dialect` and is `core.source.ByteSource`.

    Args:
        dialect: a name of `core.dialects.NAMES`.
        seed: how text is cut, ids, and waits; the same seed and request give the same bytes.
        speed: 1 is lively but watchable; infinity waits for nothing.
        sleep: awaited with seconds before every chunk.

    Raises:
        UsageError: the demo does not speak `dialect`, or `speed` is not above 0.
    """

    name: Final = NAME

    def __init__(
        self, dialect: str, seed: int = 0, speed: float = 1.0, sleep: Sleep = asyncio.sleep
    ) -> None:
        wire_of(dialect)
        self.dialect = dialect
        self._seed = seed
        self._speed = check_speed(speed)
        self._sleep = sleep

    @asynccontextmanager
    async def open(self, request: WireRequest) -> AsyncIterator[DemoResponse]:
        """Answer `request`.

        Raises:
            EndpointError: the request is written in another dialect than this source speaks.
        """
        if request.dialect != self.dialect:
            raise EndpointError(
                f"this demo speaks {self.dialect!r}, and the request is {request.dialect!r}",
                hint="open the demo with the dialect of the endpoint",
            )
        planned = answer(self.dialect, request.body, self._seed)
        head = replace(
            planned.head, request_url=f"demo:{request.path}", request_headers=request.headers
        )
        yield DemoResponse(planned, head, self._speed, self._sleep)
