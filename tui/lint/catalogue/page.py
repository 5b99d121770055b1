"""The catalogue as a page of the documentation: `python -m tui.lint.catalogue.page > docs/findings.md`.

The page is generated and never edited; a test holds it to the catalogue.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from tui.lint.catalogue import GROUPS, Entry

_HEAD: Final = """\
# Findings

What `verbatim check` and the chat can say about a stream, one section for each code. Codes are
stable. Severity: a **note** is odd or merely worth knowing, a **warning** is wrong but did no harm
here, an **error** cost something: a call that does not run, a turn that is not whole. Severity and
culprit are the usual ones; a single finding may differ.

<!-- Written by `python -m tui.lint.catalogue.page`; do not edit. -->
"""


def page() -> str:
    """The page as Markdown, ending in a line feed."""
    return "\n".join([_HEAD, *_contents(), *_sections()]) + "\n"


def _contents() -> Iterator[str]:
    for prefix, title, entries in GROUPS:
        yield f"- [{title}](#{title.lower().replace(' ', '-')}): `{prefix}.*`, {len(entries)} codes"


def _sections() -> Iterator[str]:
    for _, title, entries in GROUPS:
        yield f"\n## {title}"
        for entry in entries:
            yield from _section(entry)


def _section(entry: Entry) -> Iterator[str]:
    whose = "" if entry.culprit == "unknown" else f", the {entry.culprit}'s doing"
    yield f"\n### `{entry.code}`\n"
    yield f"**{entry.title}** ({entry.severity}{whose}). {entry.meaning}\n"
    yield f"- Verbatim: {entry.verbatim}"
    yield f"- What to do: {entry.advice}"
    if entry.seen_at:
        yield f"- Seen at: {entry.seen_at}"


if __name__ == "__main__":
    sys.stdout.write(page())
