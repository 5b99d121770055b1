"""What an Anthropic stream reports beside its content: errors, token counts, why it stopped.

JSON members of any type come in, dialect events and words go out; what is not as documented
counts as not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.core import wirejson
from tui.core.events import DialectEvent, ProviderErrorReported, UsageReported


def error(value: Mapping[str, Any], data: str) -> ProviderErrorReported:
    error = value.get("error")
    holder = error if isinstance(error, dict) else value
    message = error if isinstance(error, str) and error else holder.get("message")
    kind = holder.get("type")
    return ProviderErrorReported(
        message if isinstance(message, str) and message else "the provider gave no message",
        kind if isinstance(kind, str) and kind != "error" else "",
        data,
    )


def usage(usage: object) -> list[DialectEvent]:
    if not isinstance(usage, dict):
        return []
    details = usage.get("output_tokens_details")
    report = UsageReported(
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cached_tokens=_count(usage.get("cache_read_input_tokens")),
        reasoning_tokens=_count(details.get("thinking_tokens"))
        if isinstance(details, dict)
        else None,
    )
    return [report] if report != UsageReported() else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def stop_detail(holder: Mapping[str, Any]) -> str:
    """What the provider adds to its stop reason: the sequence that was hit, why it refused."""
    details = holder.get("stop_details")
    if isinstance(details, dict):
        told = [details[f] for f in ("category", "explanation") if isinstance(details.get(f), str)]
        return ": ".join(told) or wirejson.dumps(details)
    sequence = holder.get("stop_sequence")
    return f"the sequence {sequence!r}" if isinstance(sequence, str) else ""
