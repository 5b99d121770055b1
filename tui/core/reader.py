"""The reader: bytes of one response in, a turn out. The one pipeline behind everything.

The session, `check`, the replayer, `doctor` and time travel all feed this and nothing else:
body gate → SSE events → dialect events → turn. It has no clock and does no I/O; feeding
returns what happened, closing returns what the end of input means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.core import dialects
from tui.core import events as ev
from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.errors import EndpointError
from tui.core.events import DialectEvent
from tui.core.finalise import FinalCall
from tui.core.response import BodyGate
from tui.core.source import ResponseHead
from tui.core.sse import Comment, SSEDecoder, SSEEvent, SSEItem, UnfinishedEvent
from tui.core.turn import Turn

_ACTS = (ev.CallOpened, ev.CallNamed, ev.ArgumentFragment, ev.CallClosed, ev.StopReasonGiven)
"""What an event that no blank line closed must not be trusted with."""


@dataclass(frozen=True, slots=True)
class Step:
    """One SSE event (or comment, or the unfinished rest) and what the dialect made of it."""

    item: SSEEvent | Comment | UnfinishedEvent
    events: tuple[DialectEvent, ...]


class TurnReader:
    """Reads one response body.

    Args:
        dialect: a name of `core.dialects.NAMES`.
        head: status and headers, where known; None reads the body as an event stream.
        settings: how this endpoint's streams are to be read.
        ref_prefix: makes call refs unique in the conversation.
        tools: the tools offered, for the schema check; None applies none.
    """

    def __init__(
        self,
        dialect: str,
        *,
        head: ResponseHead | None = None,
        settings: DecoderSettings | None = None,
        ref_prefix: str = "t1",
        tools: Mapping[str, ToolSpec] | None = None,
    ) -> None:
        self.turn = Turn(dialect, ref_prefix=ref_prefix, tools=tools)
        self.refusal: EndpointError | None = None
        """After `close`: why the response was no event stream, in words with a hint."""
        self._gate = BodyGate(head)
        self._sse = SSEDecoder()
        self._decoder = dialects.load(dialect).decoder(settings)

    @property
    def final_calls(self) -> tuple[FinalCall, ...]:
        """The calls that may run; empty until closed."""
        return self.turn.final_calls

    def feed(self, data: bytes) -> list[Step]:
        """Take a chunk of the body; its boundaries mean nothing."""
        passed = self._gate.feed(data)
        return [self._step(item) for item in self._sse.feed(passed)] if passed else []

    def close(self, *, broken: str = "", cancelled: bool = False) -> list[Step]:
        """The body is over.

        Args:
            broken: why, when the transport did not end it properly. Once the provider has said
                that the turn is over, how the transport ends says nothing.
            cancelled: it was we who stopped: then `broken` holds for an ended turn, too.
        """
        if self.turn.ended_at is not None and not cancelled:
            broken = ""
        self.refusal = self._gate.close(broken)
        steps: list[Step] = []
        if self.refusal is not None:
            self.turn.fail(str(self.refusal))
        else:
            rest = self._gate.rest()
            if rest:
                steps += [self._step(item) for item in self._sse.feed(rest)]
        unfinished = self._sse.close()
        events = self._decoder.close(unfinished)
        if unfinished is None:
            self._feed(events, self._sse.offset, self._sse.offset)
            self.turn.close(broken=broken)
            return steps
        torn = any(isinstance(event, ev.MalformedEvent) for event in events)
        if torn:
            # A body that ends inside an event broke off; the event itself is not at fault.
            events = [event for event in events if not isinstance(event, ev.MalformedEvent)]
            broken = broken or "the stream broke off inside an event"
        self._feed(events, unfinished.start, unfinished.end)
        self.turn.close(
            broken=broken, unterminated=any(isinstance(event, _ACTS) for event in events)
        )
        return [*steps, Step(unfinished, tuple(events))]

    def _step(self, item: SSEItem) -> Step:
        if isinstance(item, Comment) or not item.data:
            # `data:` alone is an event of the grammar with nothing in it for any dialect.
            return Step(item, ())
        events = self._decoder.feed(item)
        self._feed(events, item.start, item.end)
        return Step(item, tuple(events))

    def _feed(self, events: list[DialectEvent], start: int, end: int) -> None:
        for event in events:
            self.turn.feed(event, start, end)
