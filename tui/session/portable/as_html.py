"""A conversation as one HTML page that loads nothing, runs nothing and escapes everything.

Its policy forbids scripts and every load, so that even a mistake here could not run a model's text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from tui.core.conversation import (
    AssistantMessage,
    CallPart,
    CallResult,
    ImagePart,
    ProviderPart,
    RefusalPart,
    ResultsMessage,
    TextPart,
    ThinkingPart,
    UserMessage,
)
from tui.core.parts import UNKNOWN_EVENT
from tui.session.portable.whole import Whole

_STYLE: Final = """
:root { color-scheme: light dark; --dim: #5a6470; --line: #d0d7de; --bad: #b3261e; --soft: #f3f5f7 }
@media (prefers-color-scheme: dark) {
  :root { --dim: #9aa4af; --line: #3a424b; --bad: #ff8a80; --soft: #1d2329 }
  body { background: #12161a; color: #e4e8ec }
}
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
pre { font: 0.88em/1.45 ui-monospace, monospace; background: var(--soft); padding: .7rem;
      overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 }
.prose { white-space: pre-wrap; overflow-wrap: anywhere }
.dim { color: var(--dim) } .bad { color: var(--bad) }
section { border-top: 1px solid var(--line); padding: .6rem 0 }
details { border-left: 3px solid var(--line); padding-left: .7rem; margin: .6rem 0 }
h2 { font-size: 1rem; margin: .3rem 0 }
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
)


def write(whole: Whole) -> str:
    """The branch the conversation is at. Half a surrogate pair is shown as its escape."""
    one, answers = whole.conversation, whole.answers
    title = one.title or "untitled"
    body = [f"<h1>{_text(title)}</h1>"]
    about = " · ".join(filter(None, (one.model, one.endpoint, one.dialect)))
    body.append(f'<p class="dim">{_text(about)}</p>')
    if whole.redacted:
        body.append(f'<p class="dim">Redacted: {_text("; ".join(whole.redacted))}.</p>')
    for _, message in whole.path():
        match message:
            case UserMessage(parts):
                body.append("<section><h2>You</h2>")
                body += [
                    f'<p class="dim">[image {_text(part.media_type)}, {len(part.data)} bytes]</p>'
                    if isinstance(part, ImagePart)
                    else f'<div class="prose">{_text(part.text)}</div>'
                    for part in parts
                ]
                body.append("</section>")
            case AssistantMessage():
                body.append(f"<section><h2>{_text(message.model or 'Model')}</h2>")
                body += _turn(message, answers)
                body.append("</section>")
            case ResultsMessage():
                pass  # each stands with its call
    inside = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{inside}\n</body>\n</html>\n"
    )


def _turn(message: AssistantMessage, answers: Mapping[str, CallResult]) -> Iterable[str]:
    for part in message.parts:
        match part:
            case TextPart(text):
                yield f'<div class="prose">{_text(text)}</div>'
            case RefusalPart(text):
                yield f'<div class="prose bad">Refused: {_text(text)}</div>'
            case ThinkingPart(text):
                if text:
                    yield f'<details><summary class="dim">Thinking</summary>{_pre(text)}</details>'
            case ProviderPart(kind, title, text):
                said = kind if title == UNKNOWN_EVENT else "run by the provider"
                yield (
                    f"<details><summary>{_text(title or kind)} "
                    f'<span class="dim">{_text(said)}</span></summary>{_pre(text)}</details>'
                )
            case CallPart():
                yield _call(part, answers.get(part.ref))
    if message.outcome != "complete":
        yield f'<p class="bad">This turn is {message.outcome}: {_text(message.problem)}</p>'


def _call(part: CallPart, result: CallResult | None) -> str:
    shown = [
        f"<details><summary>Call <b>{_text(part.name or 'no name')}</b> "
        f'<span class="dim">{_text(str(part.state))} · {_text(part.ref)}</span></summary>'
    ]
    if part.problem:
        shown.append(f'<p class="bad">{_text(part.problem)}</p>')
    shown.append(f'<p class="dim">Arguments, as the model wrote them</p>{_pre(part.raw)}')
    if result is not None:
        word = "Error" if result.is_error else "Result"
        shown.append(f'<p class="dim">{word} ({result.origin})</p>{_pre(result.text)}')
    return "".join(shown) + "</details>"


def _pre(text: str) -> str:
    # A parser drops the first line end inside pre; this one is for it.
    return f"<pre>\n{_text(text)}</pre>"


def _text(text: str) -> str:
    """Escaped; control characters and halves of surrogate pairs as escapes that can be seen."""
    seen = "".join(
        char
        if char in "\n\t" or (char >= " " and not "\x7f" <= char <= "\x9f" and not _bends(char))
        else f"\\u{ord(char):04x}"
        for char in text
    )
    return escape(seen)


def _bends(char: str) -> bool:
    """Whether a character is half a pair or changes the direction of the text around it."""
    return (
        "\ud800" <= char <= "\udfff"
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
