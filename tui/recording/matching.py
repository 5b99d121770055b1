"""Which recording answers a request: the one whose own request was the same.

The same: a path that ends the same way (clients spell base URLs differently) and a body that is
equal as JSON. Numbers are equal when they are spelled equal: 1 is not 1.0. When none is, the
nearest is named with the first place at which it differs, since that is what has to be mended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from tui.core.sniff import dialect_of
from tui.recording.format import Recording

PATHS: Final = {
    "anthropic": "/messages",
    "openai-responses": "/responses",
    "openai-chat": "/chat/completions",
}
_ABSENT: Final = object()
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class NoMatch:
    message: str


def match(recordings: Sequence[Recording], path: str, body: bytes) -> Recording | NoMatch:
    """The first recording of an equal request; else words about the nearest one."""
    here = [recording for recording in recordings if _answers(recording, path)]
    if not here:
        known = ", ".join(sorted({_ending(recording) for recording in recordings}))
        return NoMatch(f"no recording answers {path!r}; these have paths ending in {known}")
    asked = _value(body)
    if asked is _ABSENT:
        return NoMatch("the body of the request is no JSON, so no recording is of an equal one")
    nearest: tuple[int, Recording, str] | None = None
    for recording in here:
        kept = _value(recording.request_body)
        if kept is _ABSENT:
            continue
        places = list(_differences(kept, asked))
        if not places:
            return recording
        if nearest is None or len(places) < nearest[0]:
            nearest = (len(places), recording, places[0])
    if nearest is None:
        return NoMatch(
            "none of the recordings holds its request, so they can only be served in order"
        )
    count, recording, place = nearest
    name = recording.path.name if recording.path is not None else "a recording"
    return NoMatch(
        f"no recording is of an equal request. The nearest is {name}, which differs in "
        f"{count} place{'s' if count > 1 else ''}, first at {place}"
    )


def _answers(recording: Recording, path: str) -> bool:
    return path.rstrip("/").endswith(_ending(recording))


def _ending(recording: Recording) -> str:
    dialect = recording.dialect or dialect_of(recording.body) or "openai-chat"
    return PATHS.get(dialect, "/")


class _Spelled(str):
    """A number, by its spelling."""


def _value(body: bytes) -> Any:
    try:
        return json.loads(body, parse_int=_Spelled, parse_float=_Spelled)
    except (ValueError, RecursionError):
        return _ABSENT


def _differences(kept: Any, asked: Any, where: str = "") -> Iterator[str]:
    """Each place at which two values differ, with what stands there."""
    if isinstance(kept, dict) and isinstance(asked, dict):
        for name in [*kept, *(name for name in asked if name not in kept)]:
            inner = f"{where}.{name}" if where else name
            yield from _differences(kept.get(name, _ABSENT), asked.get(name, _ABSENT), inner)
    elif isinstance(kept, list) and isinstance(asked, list):
        for place, (one, two) in enumerate(zip_longest(kept, asked, fillvalue=_ABSENT)):
            yield from _differences(one, two, f"{where}[{place}]")
    elif type(kept) is not type(asked) or kept != asked:
        yield f"{where or 'the top'}: recorded {_shown(kept)}, asked {_shown(asked)}"


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = str(value) if isinstance(value, _Spelled) else json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
