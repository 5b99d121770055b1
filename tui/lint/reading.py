"""What is linted: one response, read to its end by the production reader. Bytes in, `Reading` out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tui.core.conversation import ToolSpec
from tui.core.dialects import DecoderSettings
from tui.core.reader import Step, TurnReader
from tui.core.source import ResponseHead
from tui.core.turn import Turn


@dataclass(frozen=True, slots=True)
class Reading:
    """One response and everything the reader made of it."""

    turn: Turn
    """Closed."""
    steps: tuple[Step, ...]
    body: bytes
    """After content decoding; the offsets of all findings count these bytes."""
    head: ResponseHead | None = None
    content_encoding: str = ""
    broken: str = ""
    """Why the transport did not deliver all of it, in words; empty when it did."""
    refused: bool = False
    """The response was no event stream: nothing of the body was decoded."""


def read(
    dialect: str,
    chunks: Iterable[bytes],
    *,
    head: ResponseHead | None = None,
    settings: DecoderSettings | None = None,
    tools: Mapping[str, ToolSpec] | None = None,
    content_encoding: str = "",
    broken: str = "",
) -> Reading:
    """Feed the chunks of one (decoded) body to the production reader and close it.

    Raises:
        UsageError: there is no such dialect.
    """
    reader = TurnReader(dialect, head=head, settings=settings, tools=tools)
    steps: list[Step] = []
    body = bytearray()
    for chunk in chunks:
        body += chunk
        steps += reader.feed(chunk)
    steps += reader.close(broken=broken)
    return Reading(
        reader.turn,
        tuple(steps),
        bytes(body),
        head,
        content_encoding,
        broken,
        refused=reader.refusal is not None,
    )
