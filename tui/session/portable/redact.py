"""Redaction: text that names people, keys and places is replaced, and what was is listed.

By shape only: a name or an address in plain words is not found, and the list says what was.
Response bytes are another matter: a stream may cut a secret into fragments that no search of
the bytes finds, so a redacted conversation leaves them out, and a redacted recording is
read again through the pipeline and refused where a secret is still whole in what it means.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui.core.errors import UsageError
from tui.core.reader import TurnReader
from tui.recording.format import Recording
from tui.session.portable.whole import Whole

KINDS: Final[dict[str, re.Pattern[str]]] = {
    # User and password of a URL, before an address like a@b.c is seen in them.
    "user and password of a URL": re.compile(r"(?<=://)[^/?#\s\"'@]+@(?=[^/?#\s\"'@])"),
    "key": re.compile(
        r"\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|ghs|ghu|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ)"
        r"(?:[-_]?[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]{8,}){0,2})"
        r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{12,}=*"
    ),
    "email address": re.compile(
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}\b"
    ),
    "home folder": re.compile(
        r"(?<![A-Za-z0-9_.-])(?:/(?:home|Users)/[^/\s\"'\\:<>|]+|[A-Za-z]:\\+Users\\+[^\\\s\"':<>|]+)"
    ),
}


@dataclass(slots=True)
class Redactor:
    """Replaces and counts. `***KIND***` stands where something was."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def text(self, text: str) -> str:
        for kind, pattern in KINDS.items():
            text = pattern.sub(lambda match, kind=kind: self._mask(kind, match[0]), text)  # type: ignore[misc]
        return text

    def value(self, plain: Any) -> Any:
        """A JSON value with every string redacted; those under `data` are bytes and stay."""
        match plain:
            case str():
                return self.text(plain)
            case list():
                return [self.value(item) for item in plain]
            case dict():
                return {
                    key: item if key in ("data", "signature") else self.value(item)
                    for key, item in plain.items()
                }
            case _:
                return plain

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each thing replaced, with as much of it as tells it from others."""
        return tuple(
            f"{kind} {shown!r} replaced {count} time{'s' if count > 1 else ''}"
            for (kind, shown), count in sorted(self.counts.items())
        )

    def _mask(self, kind: str, found: str) -> str:
        self.counts[kind, f"{found[:4]}…"] += 1
        mask = f"***{kind}***"
        return f"{mask}@" if kind.startswith("user and") else mask


def redacted(whole: Whole) -> Whole:
    """The conversation with its texts redacted and without requests and response bytes."""
    redact = Redactor()
    one = whole.conversation

    def body(text: str) -> str:
        return json.dumps(redact.value(json.loads(text)), separators=(",", ":"))

    made = replace(
        whole,
        conversation=replace(one, title=redact.text(one.title), settings=body(one.settings)),
        messages=tuple(replace(each, body=body(each.body)) for each in whole.messages),
        exchanges=tuple(
            (
                replace(
                    each,
                    url=redact.text(each.url),
                    request_body=b"",
                    request_headers=tuple((n, redact.text(v)) for n, v in each.request_headers),
                    response_headers=tuple((n, redact.text(v)) for n, v in each.response_headers),
                    problem=redact.text(each.problem),
                    lost=each.lost + sum(len(data) for _, data in chunks),
                ),
                (),
            )
            for each, chunks in whole.exchanges
        ),
        calls=tuple(
            replace(
                each,
                raw=redact.text(each.raw),
                problem=redact.text(each.problem),
                other_text=None if each.other_text is None else redact.text(each.other_text),
            )
            for each in whole.calls
        ),
        results={
            ref: replace(each, body=body(each.body)) for ref, each in (whole.results or {}).items()
        },
        full_outputs={
            ref: redact.text(output.decode("utf-8", "surrogatepass")).encode(
                "utf-8", "surrogatepass"
            )
            for ref, output in (whole.full_outputs or {}).items()
        },
    )
    notes = (*redact.notes, "requests and response bytes left out")
    return replace(made, redacted=notes)


def redacted_recording(recording: Recording) -> tuple[Recording, tuple[str, ...]]:
    """The recording with its body redacted in place, and what was replaced.

    Raises:
        UsageError: something is spread over fragments, where no replacement reaches it.
    """
    redact = Redactor()
    before = recording.body.decode("utf-8", "surrogateescape")
    body = redact.text(before).encode("utf-8", "surrogateescape")
    reader = TurnReader(recording.dialect or "openai-chat", head=recording.head)
    reader.feed(body)
    reader.close()
    meant = [part.text for part in reader.turn.parts]
    left = Redactor()
    for text in meant:
        left.text(text)
    if left.counts:
        kinds = ", ".join(sorted({kind for kind, _ in left.counts}))
        raise UsageError(
            f"the stream has cut what is to be redacted into fragments: {kinds}",
            hint="export as JSON, Markdown or HTML, which hold no response bytes when redacted",
        )
    changed = body != recording.body
    made = replace(
        recording,
        body=body,
        chunks=() if changed else recording.chunks,
        request_url=redact.text(recording.request_url),
        request_body=b"",
        results=(),
        problem=redact.text(recording.problem),
    )
    return made, (*redact.notes, "the request and the results left out")
