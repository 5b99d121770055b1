"""The tool that knows what time it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tui.core.conversation import JsonContent, ToolSpec
from tui.tools.contract import HandlerTool, RunContext, ToolOutcome
from tui.tools.registry import FixedSource

ORIGIN: Final = "clock"

_SPEC: Final = ToolSpec(
    name="current_time",
    description="The current date, time and weekday, here or in another time zone.",
    schema={
        "type": "object",
        "properties": {
            "timezone": {
                "type": "string",
                "description": "IANA name, like Europe/Berlin; without it the user's own zone",
            }
        },
        "required": [],
        "additionalProperties": False,
    },
    read_only=True,
)


def clock(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> FixedSource:
    """The clock; `now` gives an aware time."""

    async def current_time(arguments: Mapping[str, Any], _: RunContext) -> ToolOutcome:
        name: str | None = arguments.get("timezone")
        try:
            here = now().astimezone(None if name is None else ZoneInfo(name))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return ToolOutcome.error(
                f"There is no time zone {name!r} on this machine. Names look like Europe/Berlin."
            )
        answer = {
            "time": here.isoformat(timespec="seconds"),
            "weekday": _WEEKDAYS[here.weekday()],
            "timezone": name or here.tzname(),
        }
        return ToolOutcome((JsonContent(json.dumps(answer, ensure_ascii=False)),))

    return FixedSource("time", ORIGIN, [HandlerTool(_SPEC, ORIGIN, current_time)])


_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
