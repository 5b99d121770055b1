"""Reasoning in Chat Completions: the fields that carry it in, thinking events out.

OpenAI has no such field, so every server has its own, and some send the same words in two of
them. Words are taken once; field names and details are remembered, because DeepSeek and
OpenRouter want them back in the assistant message of a tool turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from tui.core import wirejson
from tui.core.dialects.findings import Findings
from tui.core.events import DialectEvent, Key, PartClosed, ThinkingFragment, ThinkingSigned

_WORDS: Final = ("reasoning_content", "reasoning", "reasoning_text")
"""In order of preference: DeepSeek and most servers; OpenRouter, Groq, vLLM; GitHub Copilot."""
_DETAILS: Final = "reasoning_details"
_OPAQUE: Final = "reasoning_opaque"
_DETAIL_WORDS: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}


class Reasoning:
    """The reasoning of one choice so far, as one thinking part."""

    FIELDS: ClassVar[frozenset[str]] = frozenset({*_WORDS, _DETAILS, _OPAQUE})

    def __init__(self, key: Key, choice: int, findings: Findings) -> None:
        self._key = key
        self._choice = choice
        self._findings = findings
        self._begun = False
        self._words: dict[str, list[str]] = {}
        self._details: list[tuple[dict[str, Any], list[str]]] = []
        """Each detail without its words, and its words in pieces."""
        self._opaque: list[str] = []

    def take(self, delta: Mapping[str, Any]) -> list[DialectEvent]:
        """The reasoning of one delta, under whatever names it comes."""
        given = {field: text for field in _WORDS if (text := _text(delta.get(field)))}
        details = delta.get(_DETAILS)
        detailed = (
            [item for item in details if isinstance(item, dict)]
            if isinstance(details, list)
            else []
        )
        events: list[DialectEvent] = []
        if given:
            field, text = next(iter(given.items()))
            if any(other != text for other in given.values()):
                events += self._findings.once(
                    "reasoning-differs",
                    f"a delta has different reasoning in {' and '.join(given)}; {field} is read",
                    severity="warning",
                )
            self._words.setdefault(field, []).append(text)
            events += self._fragment(text)
        else:
            events += self._fragment("".join(map(_words_of_detail, detailed)))
        for item in detailed:
            self._remember(item)
            for name in ("signature", "data"):
                if isinstance(item.get(name), str) and item[name]:
                    events.append(self._signed(item[name]))
        if opaque := _text(delta.get(_OPAQUE)):
            self._opaque.append(opaque)
            events.append(self._signed(opaque))
        return events

    def inline(self, thinking: object) -> list[DialectEvent]:
        """A thinking part inside the content list (Mistral): text, or a list of text parts."""
        match thinking:
            case str():
                return self._fragment(thinking)
            case list():
                return self._fragment("".join(_inline_text(part) for part in thinking))
            case _:
                return []

    def end(self) -> list[DialectEvent]:
        """Close the part; `raw` holds the members that go back in the assistant message."""
        if not self._begun:
            return []
        members: dict[str, Any] = {field: "".join(texts) for field, texts in self._words.items()}
        if self._details:
            members[_DETAILS] = [
                detail | {_DETAIL_WORDS[detail["type"]]: "".join(texts)} if texts else detail
                for detail, texts in self._details
            ]
        if self._opaque:
            members[_OPAQUE] = "".join(self._opaque)
        return [PartClosed(self._key, wirejson.dumps(members) if members else None)]

    def _fragment(self, text: str) -> list[DialectEvent]:
        if not text:
            return []
        self._begun = True
        return [ThinkingFragment(self._key, text, self._choice)]

    def _signed(self, signature: str) -> DialectEvent:
        self._begun = True
        return ThinkingSigned(self._key, signature)

    def _remember(self, item: dict[str, Any]) -> None:
        """Keep a detail; pieces of one text are joined as OpenRouter's own client joins them."""
        word = _DETAIL_WORDS.get(str(item.get("type")))
        if word is None:
            self._details.append((item, []))
            return
        same = ("type", "index")
        last = self._details[-1][0] if self._details else {}
        if "type" not in last or any(last.get(name) != item.get(name) for name in same):
            self._details.append(({}, []))
        detail, texts = self._details[-1]
        detail.update({name: value for name, value in item.items() if value is not None})
        texts.append(_text(item.get(word)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _words_of_detail(item: Mapping[str, Any]) -> str:
    return _text(item.get(_DETAIL_WORDS.get(str(item.get("type")), "")))


def _inline_text(part: object) -> str:
    match part:
        case str():
            return part
        case {"text": str(text)}:
            return text
        case _:
            return ""
